"""Compare chunkings of the same documents against gold spans: the best that a ranker could reach.

=================  ==================================================================================
chunks             the number of chunks
mean ... longest   their sizes in characters: mean, shortest, median, longest
split              share of the gold spans that no single chunk contains completely
omega_*            score of all chunks that share a character with the gold
greedy_*@k         score of k chunks, selected one by one by most new relevant characters
cost               characters of the chunks selected greedily until recall is reached, repeated characters
                   included: the smallest context window; topics that do not reach it are left out and
                   counted in ``short``
=================  ==================================================================================
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from doxel.assessments.assessment_spans import describe_resolution, resolve_assessments
from doxel.assessments.judged_pairs import JudgedPairs, lay_out_assessments
from doxel.chunking.chunkers import Chunker, cut_collection, find_chunker
from doxel.documents import Collection
from doxel.documents.collection import as_collection
from doxel.errors import InputError
from doxel.evaluation.inputs.chunk_tables import as_chunks
from doxel.evaluation.inputs.input_tables import as_assessments
from doxel.evaluation.ranked_run import lay_out_run
from doxel.evaluation.recall_bases import RecallBases
from doxel.evaluation.views.span_view_builders import build_greedy_chunks, build_touching_chunks
from doxel.measures.chunks.characters import char_iou, char_prec, char_rec
from doxel.measures.rank_arithmetic import at_rank, find_first_reaching
from doxel.measures.text_views import LIMIT, GreedyChunks, ReadText
from doxel.runs.result_spans import RESOLVED_RESULTS
from doxel.spans import Booleans

__all__ = ["ChunkComparison", "compare_chunkings"]

_DEEPEST: int = LIMIT.default  # the greedy selection for the cost stops after this many chunks per topic
_MEASURES = {"prec": char_prec, "rec": char_rec, "iou": char_iou}


@dataclass(frozen=True)
class ChunkComparison:
    """The comparison of several chunkings.

    ``table`` has one row per chunking; ``curve`` has chunking, k, characters (of the first k greedily
    selected chunks, on average) and their rec, prec and iou; ``chunks`` are the chunks themselves.
    """

    table: pl.DataFrame
    curve: pl.DataFrame
    chunks: Mapping[str, pl.DataFrame]
    topics: int
    gold: float  # gold characters per topic, on average
    notes: tuple[str, ...] = ()


def compare_chunkings(
    collection: Any,
    gold: Any,
    chunkings: Sequence[str | Chunker] | Mapping[str, Any],
    *,
    cutoff: int = 5,
    recall: float = 0.9,
    depth: int = 20,
) -> ChunkComparison:
    """Compare chunkings of the same documents against gold spans.

    Parameters
    ----------
    collection
        The documents: a collection, its folder, or texts by id.
    gold
        Assessments: a file, an object, or plain data.
    chunkings
        Names of chunkers, such as ``"tokens:200:50"``, or chunkers; or chunks by the name of their
        chunking.
    cutoff, recall
        The k of the greedy selection, and the recall that ``cost`` must reach.
    depth
        The number of chunks up to which the curve is computed.

    Examples
    --------
    >>> texts = {"a": "One two three four. " * 5}
    >>> gold = [("1", "a", 0, 20)]
    >>> comparison = compare_chunkings(texts, gold, ["characters:20", "characters:50"], cutoff=1)
    >>> comparison.table.select("chunking", "chunks", "greedy_prec@1", "cost").rows()
    [('characters:20', 5, 1.0, 20.0), ('characters:50', 2, 0.4, 50.0)]
    """
    _check_settings(cutoff, recall, depth)
    documents = as_collection(collection)
    if documents is None:
        raise InputError("chunkings", wanted="a collection, or texts by id", found="none")
    judged = resolve_assessments(as_assessments(gold, documents), documents)
    assessed = lay_out_assessments(judged, declared_sizes=False)
    defined = assessed.total > 0
    if not defined.any():
        raise InputError("gold spans", wanted="relevant text in at least one topic", found="none")
    cuts = _cut_documents(chunkings, documents)
    rows, points = [], []
    for name, chunks in cuts.items():
        greedy, row = _compute_ceilings(
            RecallBases(judged, assessed, documents, chunks=chunks), assessed, cutoff, depth, recall
        )
        rows.append(
            {
                "chunking": name,
                **_describe_sizes(chunks),
                "split": _compute_split_share(chunks, assessed),
                **row,
            }
        )
        points += [_build_point(name, greedy, defined, k) for k in range(1, depth + 1)]
    return ChunkComparison(
        table=pl.DataFrame(rows),
        curve=pl.DataFrame(points),
        chunks=cuts,
        topics=int(defined.sum()),
        gold=float(assessed.total[defined].mean()),
        notes=(
            *judged.notes,
            *(f"gold: {sentence}" for sentence in describe_resolution(judged)),
        ),
    )


def _check_settings(cutoff: int, recall: float, depth: int) -> None:
    for name, number in (("cutoff", cutoff), ("depth", depth)):
        if number < 1:
            raise InputError(name, wanted="a whole number from 1", found=str(number))
    if not 0 < recall <= 1:
        raise InputError("recall", wanted="a number above 0 and at most 1", found=str(recall))


def _cut_documents(
    chunkings: Sequence[str | Chunker] | Mapping[str, Any], documents: Collection
) -> dict[str, pl.DataFrame]:
    """Return the chunks of each chunking."""
    if isinstance(chunkings, Mapping):
        cuts = {str(name): as_chunks(chunks, documents) for name, chunks in chunkings.items()}
    else:
        chunkers = [find_chunker(item) if isinstance(item, str) else item for item in chunkings]
        names = [chunker.name for chunker in chunkers]
        if len(set(names)) < len(names):
            raise InputError("chunkings", wanted="each name once", found=", ".join(names))
        cuts = dict(zip(names, cut_collection(documents, chunkers), strict=True))
    if not cuts:
        raise InputError("chunkings", wanted="at least one", found="none")
    for name, chunks in cuts.items():
        if not chunks.height:
            raise InputError(f"chunking {name!r}", wanted="chunks", found="none")
    return cuts


def _compute_ceilings(
    bases: RecallBases, assessed: JudgedPairs, cutoff: int, depth: int, recall: float
) -> tuple[GreedyChunks, dict[str, float | int]]:
    """Return the greedy selection of chunks for the curve, and the ceilings for the table."""
    defined = assessed.total > 0
    empty_run = lay_out_run(RESOLVED_RESULTS.empty(), assessed, bases)  # ceilings do not depend on a run
    greedy = build_greedy_chunks(empty_run, limit=max(cutoff, depth))
    return greedy, {
        **_average_scores(build_touching_chunks(empty_run), defined, "omega_{}", None),
        **_average_scores(greedy, defined, f"greedy_{{}}@{cutoff}", cutoff),
        **_compute_cost(build_greedy_chunks(empty_run, limit=_DEEPEST), defined, recall),
    }


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


def _compute_cost(view: ReadText, defined: Booleans, recall: float) -> dict[str, float | int]:
    """Return the mean cost of reaching the recall, and the number of topics that do not reach it."""
    place = find_first_reaching(view.found, (recall * view.total)[:, None], view.total)[:, 0]
    is_reached = defined & (place < view.found.shape[1])
    rows = np.flatnonzero(is_reached)
    paid = view.paid[rows, place[rows]]
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
