"""Compare chunkings of the same documents against gold spans, before any retrieval.

omega and greedy are reference choices: chunks that someone who knows the gold would take.  Two of their
figures are maxima, which no ranking of the same chunks exceeds: omega_rec, whatever the number of results,
and greedy_rec@k for k results, if no two chunks overlap (``disjoint``).  A ranking may exceed the others.

=================  ==================================================================================
chunks             the number of chunks
mean ... longest   their sizes in characters: mean, shortest, median, longest
split              share of the gold spans that no single chunk contains completely
omega_*            score of all chunks that share a character with the gold
greedy_*@k         score of k chunks, chosen one by one by most new relevant characters
cost               characters, words or tokens of the chunks selected greedily until recall is reached,
                   repeated ones included: a reference, not the smallest possible; topics that do not reach
                   it are left out and counted in ``short``
disjoint           whether no two chunks overlap, so that greedy_rec@k is a maximum
=================  ==================================================================================
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from doxel.arguments import check_arguments, check_methods
from doxel.assessments.assessment_spans import describe_resolution, resolve_assessments
from doxel.assessments.judged_pairs import JudgedPairs, lay_out_assessments
from doxel.chunking.chunkers import Chunker, as_chunker, cut_collection
from doxel.chunking.splitters import PlacementCounts, is_splitter
from doxel.documents import Collection
from doxel.documents.collection import as_collection
from doxel.errors import InputError
from doxel.evaluation.inputs.chunk_tables import as_chunks
from doxel.evaluation.inputs.input_tables import as_assessments
from doxel.evaluation.inputs.token_counts import WORDS, load_tokeniser
from doxel.evaluation.ranked_run import RankedRun, lay_out_run
from doxel.evaluation.recall_bases import RecallBases
from doxel.evaluation.result_budgets import Budget, count_costs, spend_budget
from doxel.evaluation.views.span_view_builders import (
    build_greedy_chunks,
    build_touching_chunks,
    list_greedy_chunks,
)
from doxel.evaluation.views.text_view_builders import build_read_text
from doxel.measures.chunks.characters import char_iou, char_prec, char_rec
from doxel.measures.curves import list_budgets
from doxel.measures.measure_parameters import LIMIT, UNITS
from doxel.measures.rank_arithmetic import at_rank, find_first_reaching
from doxel.measures.text_views import GreedyChunks, ReadText
from doxel.runs.result_spans import RESOLVED_RESULTS
from doxel.spans import Booleans
from doxel.wording import join_words, quote_value

__all__ = ["CHUNK_FILES", "ChunkComparison", "compare_chunkings"]

CHUNK_FILES = frozenset({".jsonl", ".json", ".ndjson"})
"""The suffixes that distinguish a file of chunks from the name of a chunker."""

_DEEPEST: int = LIMIT.default  # the greedy selection for the cost stops after this many chunks per topic
_TOKENS = "tokens"  # the name of the tokeniser
_MEASURES = {"prec": char_prec, "rec": char_rec, "iou": char_iou}


@check_methods
@dataclass(frozen=True)
class ChunkComparison:
    """The comparison of several chunkings.

    ``table`` has one row per chunking; ``curve`` has chunking, k, characters (of the first k greedily
    chosen chunks, on average) and their rec, prec and iou; ``budgets`` has the same figures of the chunks
    that a budget pays for, the last one cut: chunking, budget, rec, prec, iou.  ``unit`` is the unit of
    budgets and of ``cost``.  ``chunks`` are the chunks themselves.
    """

    table: pl.DataFrame
    curve: pl.DataFrame
    chunks: Mapping[str, pl.DataFrame]
    topics: int
    gold: float  # gold characters per topic, on average
    notes: tuple[str, ...] = ()
    budgets: pl.DataFrame = field(default_factory=pl.DataFrame)
    unit: str = "chars"

    def _repr_html_(self) -> str:
        """Return the table for a notebook."""
        # loaded by name, because this room may not import a later one
        render = importlib.import_module("doxel.notebook.result_html").render_chunk_comparison
        return str(render(self))

    def list_maxima(self, chunking: str) -> list[str]:
        """Return the columns whose figure no ranking of a chunking's chunks exceeds."""
        row = self.table.filter(chunking=chunking)
        if not row.height:
            chunkings = join_words(self.table["chunking"].to_list())
            raise InputError("a chunking", wanted=f"one of {chunkings}", found=quote_value(chunking))
        is_disjoint = row["disjoint"].item()
        greedy = [name for name in self.table.columns if name.startswith("greedy_rec@")]
        return ["omega_rec", *(greedy if is_disjoint else [])]


@check_arguments
def compare_chunkings(
    collection: Any,
    gold: Any,
    chunkings: Any,
    *,
    cutoff: int = 5,
    recall: float = 0.9,
    depth: int = 20,
    unit: str = "chars",
    tokeniser: str | Callable[[str], Any] | None = None,
) -> ChunkComparison:
    """Compare chunkings of the same documents against gold spans.

    Parameters
    ----------
    collection
        The documents: a collection, its folder, or texts by id.
    gold
        Assessments: a file, an object, or plain data.
    chunkings
        One or several of: the name of a chunker, such as ``"tokens:200:50"``; a function from a text to
        spans or texts; a splitter of LangChain, LlamaIndex, chonkie or semchunk; a :class:`Chunker`.  A
        mapping gives them names; its values may also be chunks, or a file of chunks.
    cutoff, recall
        The k of the greedy choice, and the recall that ``cost`` must reach.
    depth
        The number of chunks up to which the curve is computed.
    unit
        The unit of ``cost`` and budgets: ``"chars"``, ``"words"`` between white space, or ``"tokens"``.
    tokeniser
        For ``unit="tokens"``: a function from a text to the spans of its tokens, or ``"FILE.py:NAME"``; by
        default words.

    Examples
    --------
    >>> texts = {"a": "One two three four. " * 5}
    >>> gold = [("1", "a", 0, 20)]
    >>> comparison = compare_chunkings(texts, gold, ["characters:20", "characters:50"], cutoff=1)
    >>> comparison.table.select("chunking", "chunks", "greedy_prec@1", "cost").rows()
    [('characters:20', 5, 1.0, 20.0), ('characters:50', 2, 0.4, 50.0)]
    """
    _check_settings(cutoff, recall, depth, unit, tokeniser)
    tokenisers = {} if tokeniser is None else {_TOKENS: load_tokeniser(tokeniser)}
    price = Budget(1, unit, tokens=_TOKENS if tokenisers else WORDS)
    documents = as_collection(collection)
    if documents is None:
        raise InputError("chunkings", wanted="a collection, or texts by id", found="none")
    judged = resolve_assessments(as_assessments(gold, documents), documents)
    assessed = lay_out_assessments(judged, declared_sizes=False)
    defined = assessed.total > 0
    if not defined.any():
        raise InputError("gold spans", wanted="relevant text in at least one topic", found="none")
    cuts, notes = _cut_documents(chunkings, documents)
    rows, points, budgets = [], [], []
    for name, chunks in cuts.items():
        bases = RecallBases(judged, assessed, documents, chunks=chunks, tokenisers=tokenisers)
        empty_run = lay_out_run(RESOLVED_RESULTS.empty(), assessed, bases)  # choices depend on no run
        greedy, references = _score_references(empty_run, defined, cutoff, depth)
        choice = list_greedy_chunks(empty_run, limit=_DEEPEST)
        references |= _compute_cost(choice, price, defined, recall)
        budgets += [{"chunking": name, **point} for point in _score_budgets(choice, price, defined)]
        sizes, split_share = _describe_sizes(chunks), _compute_split_share(chunks, assessed)
        rows.append(
            {"chunking": name, **sizes, "split": split_share, **references, "disjoint": _is_disjoint(chunks)}
        )
        points += [_build_point(name, greedy, defined, k) for k in range(1, depth + 1)]
    gold_notes = (f"gold: {sentence}" for sentence in describe_resolution(judged))
    return ChunkComparison(
        table=pl.DataFrame(rows),
        curve=pl.DataFrame(points),
        chunks=cuts,
        topics=int(defined.sum()),
        gold=float(assessed.total[defined].mean()),
        notes=(*judged.notes, *gold_notes, *notes),
        budgets=pl.DataFrame(budgets),
        unit=unit,
    )


def _check_settings(
    cutoff: int, recall: float, depth: int, unit: str, tokeniser: str | Callable[[str], Any] | None
) -> None:
    if unit not in UNITS:
        raise InputError("unit", wanted=" or ".join(UNITS), found=quote_value(unit))
    if tokeniser is not None and unit != "tokens":
        raise InputError("a tokeniser", wanted='unit="tokens"', found=f'unit="{unit}"')
    for name, number in (("cutoff", cutoff), ("depth", depth)):
        if number < 1:
            raise InputError(name, wanted="a whole number from 1", found=str(number))
    if not 0 < recall <= 1:
        raise InputError("recall", wanted="a number above 0 and at most 1", found=str(recall))


def _cut_documents(chunkings: Any, documents: Collection) -> tuple[dict[str, pl.DataFrame], list[str]]:
    """Return the chunks of each chunking, and notes on chunks that were not found exactly."""
    sources = _name_chunkings(chunkings)
    chunkers = {name: source for name, source in sources.items() if isinstance(source, Chunker)}
    counts = {name: PlacementCounts() for name in chunkers}
    tables = dict(zip(chunkers, cut_collection(documents, chunkers.values(), counts), strict=True))
    cuts = {
        name: tables[name] if name in tables else as_chunks(source, documents)
        for name, source in sources.items()
    }
    if not cuts:
        raise InputError("chunkings", wanted="at least one", found="none")
    for name, chunks in cuts.items():
        if not chunks.height:
            raise InputError(f"chunking {name!r}", wanted="chunks", found="none")
    return cuts, [note for name, placement in counts.items() for note in placement.describe(name)]


def _name_chunkings(chunkings: Any) -> dict[str, Any]:
    """Return chunkers, or sources of chunks, by name."""
    if isinstance(chunkings, Mapping):
        return {str(name): _prepare_chunking(source, str(name)) for name, source in chunkings.items()}
    is_single = isinstance(chunkings, str | Chunker) or is_splitter(chunkings)
    if not is_single and not isinstance(chunkings, Iterable):
        raise InputError(
            "chunkings", wanted="names of chunkers, functions or splitters", found=quote_value(chunkings)
        )
    chunkers = [as_chunker(source) for source in ([chunkings] if is_single else chunkings)]
    names = [chunker.name for chunker in chunkers]
    if len(set(names)) < len(names):
        found = f"{', '.join(names)}; a mapping can give them other names"
        raise InputError("chunkings", wanted="each name once", found=found)
    return dict(zip(names, chunkers, strict=True))


def _prepare_chunking(source: Any, name: str) -> Any:
    """Return a chunker under a name, or the source unchanged if it is chunks or a file of chunks."""
    is_name = isinstance(source, str) and Path(source).suffix not in CHUNK_FILES
    return (
        as_chunker(source, name) if is_name or isinstance(source, Chunker) or is_splitter(source) else source
    )


def _score_references(
    empty_run: RankedRun, defined: Booleans, cutoff: int, depth: int
) -> tuple[GreedyChunks, dict[str, float | int]]:
    """Return the greedy choice of chunks for the curve, and the scores of both choices for the table."""
    greedy = build_greedy_chunks(empty_run, limit=max(cutoff, depth))
    return greedy, {
        **_average_scores(build_touching_chunks(empty_run), defined, "omega_{}", None),
        **_average_scores(greedy, defined, f"greedy_{{}}@{cutoff}", cutoff),
    }


def _score_budgets(choice: RankedRun, price: Budget, defined: Booleans) -> list[dict[str, float]]:
    """Return the scores of the chosen chunks that budgets pay for."""
    points = []
    for amount in list_budgets(price.unit):
        within = build_read_text(spend_budget(choice, replace(price, amount=amount)))
        points.append({"budget": amount, **_average_scores(within, defined, "{}", None)})
    return points


def _is_disjoint(chunks: pl.DataFrame) -> bool:
    """Return whether no two chunks share a character."""
    ordered = chunks.filter(pl.col("end") > pl.col("start")).sort("doc", "start")
    reach = pl.col("end").cum_max().shift(1).over("doc")
    return not bool(ordered.select((pl.col("start") < reach).any()).item())


def _describe_sizes(chunks: pl.DataFrame) -> dict[str, Any]:
    size = (chunks["end"] - chunks["start"]).to_numpy()
    return {
        "chunks": len(size),
        "mean": float(size.mean()),
        "shortest": int(size.min()),
        "median": float(np.median(size)),
        "longest": int(size.max()),
    }


def _compute_split_share(chunks: pl.DataFrame, assessed: JudgedPairs) -> float:
    """Return the share of gold spans that no single chunk contains."""
    pair, start, end = assessed.spans
    code = pl.DataFrame({"doc": chunks["doc"].unique(maintain_order=True)}).with_row_index("code", 1)
    numbered = chunks.join(code, on="doc", maintain_order="left")
    gold = assessed.pairs.select("doc")[pair].join(code, on="doc", how="left", maintain_order="left")
    document = gold["code"].fill_null(0).to_numpy().astype(np.int64)
    stride = int(max(numbered["end"].max(), end.max(initial=0))) + 1
    line = numbered["code"].to_numpy().astype(np.int64) * stride
    chunk_start = line + numbered["start"].to_numpy()
    order = np.argsort(chunk_start, kind="stable")
    # the furthest end of all chunks up to this start; chunks of earlier documents end before it
    reach = np.maximum.accumulate((line + numbered["end"].to_numpy())[order])
    place = np.searchsorted(chunk_start[order], document * stride + start, side="right") - 1
    is_whole = (place >= 0) & (reach[np.maximum(place, 0)] >= document * stride + end)
    return float((~is_whole).mean())


def _average_scores(view: ReadText, defined: Booleans, pattern: str, cutoff: int | None) -> dict[str, float]:
    return {
        pattern.format(kind): float(measure(view, repeats="once", cutoff=cutoff)[defined].mean())
        for kind, measure in _MEASURES.items()
    }


def _compute_cost(
    choice: RankedRun, price: Budget, defined: Booleans, recall: float
) -> dict[str, float | int]:
    """Return the mean cost of reaching the recall, and the number of topics that do not reach it."""
    view = build_read_text(choice)
    place = find_first_reaching(view.found, (recall * view.total)[:, None], view.total)[:, 0]
    is_reached = defined & (place < view.found.shape[1])
    rows = np.flatnonzero(is_reached)
    paid = choice.matrix(count_costs(choice, price)).cumsum(axis=1)[rows, place[rows]]
    return {
        "cost": float(paid.mean()) if len(rows) else float("nan"),
        "short": int((defined & ~is_reached).sum()),
    }


def _build_point(name: str, view: ReadText, defined: Booleans, k: int) -> dict[str, Any]:
    return {
        "chunking": name,
        "k": k,
        "characters": float(at_rank(view.paid, k)[defined].mean()),
        **_average_scores(view, defined, "{}", k),
    }
