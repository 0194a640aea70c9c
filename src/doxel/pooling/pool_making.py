"""Make a pool by round robin over the runs, as INEX did, to a depth or up to a number of documents.

In the first round each run, in the given order, contributes its first step, in the second round its second
step, and so on: all runs are read to the same depth.  ``depth`` is the number of steps to read.  With
``documents``, the pool of a topic is complete after the run and round that contribute the last of these
documents.  With both, the limit that is reached first counts.

Further results of a pooled document are pooled too, as far as their run is read.

The size of pools can be estimated by depth, before one is made: documents, parts and characters to read.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import polars as pl

from doxel.arguments import check_arguments
from doxel.documents import Collection
from doxel.documents.collection import as_collection
from doxel.errors import InputError
from doxel.pooling.document_pool import CONTRIBUTIONS, DOCUMENTS, PARTS, Pool
from doxel.pooling.pool_candidates import PoolCandidates, PoolSource, RunReader, collect_candidates
from doxel.wording import join_words, pluralise

__all__ = ["JUDGING_ORDERS", "check_pool_size", "estimate_pools", "list_depths", "make_pool", "pool"]

JUDGING_ORDERS = ("shuffled", "pooled", "collection")

_KEY = ["topic", "doc"]
_PLACE = ["path", "start", "end"]


@check_arguments
def pool(
    runs: PoolSource | Iterable[PoolSource],
    *,
    depth: int | None = None,
    documents: int | None = None,
    count: str = "documents",
    collection: Collection | str | os.PathLike[str] | None = None,
    topics: Iterable[str] | None = None,
    judging: str = "shuffled",
    seed: int = 0,
    order: str = "rank",
    fol_end: bool = False,
    on_error: str = "raise",
    progress: Callable[[], None] | None = None,
) -> Pool:
    """Pool the results of runs: collect the documents to judge for each topic.

    Parameters
    ----------
    runs
        ``Run`` objects, or files, folders and archives of runs, in the order of the round robin.
    depth
        The number of documents, or of results, to read from each run.
    documents
        The number of documents per topic.  Without a depth, runs are read until it is reached.
    count
        What ``depth`` counts: ``"documents"`` (all results of the first ``depth`` documents of a run, up
        to the next new document) or ``"results"``.
    collection
        The documents; without them the pool has no fingerprint and no offsets of elements.
    topics
        The topics to pool, in this order; by default all topics of all runs.
    judging
        The order of judging: ``"shuffled"`` is independent of ranks, and stays the same for the pooled
        documents if runs are added; ``"pooled"`` is the order of the round robin, ``"collection"`` that of
        the collection.
    seed
        The seed of the shuffled order.
    order
        The ranking of a run: ``"rank"``, ``"file"`` or ``"score"``.
    fol_end
        The last column of 8-column runs is an end, not a length.
    on_error
        ``"raise"`` the error of a run that cannot be read, or ``"skip"`` the run and add a note.
    progress
        A function to call after each run.

    Returns
    -------
    Pool
        The documents, their pooled parts, and the contributions of runs.

    Examples
    --------
    >>> from doxel.runs import RESULTS, Run
    >>> def run(name, *docs):
    ...     return Run(name, RESULTS.from_rows({"topic": "1", "doc": doc} for doc in docs))
    >>> three = [run("R1", *"abcd"), run("R2", *"baef"), run("R3", *"gbha")]
    >>> sorted(pool(three, depth=2).documents["doc"])
    ['a', 'b', 'g']
    >>> sorted(pool(three, documents=4).documents["doc"])
    ['a', 'b', 'c', 'g']
    """
    check_pool_size(depth, documents)
    open_collection = as_collection(collection)
    reader = RunReader(runs, on_error=on_error, fol_end=fol_end)
    topic_list = None if topics is None else list(dict.fromkeys(topics))
    limits = {"depth": depth, "documents": documents}
    candidates = collect_candidates(
        reader,
        collection=open_collection,
        count=count,
        order=order,
        topics=topic_list,
        **limits,
        progress=progress,
    )
    bare_pool = make_pool(
        candidates, **limits, collection=open_collection, topics=topic_list, judging=judging, seed=seed
    )
    skipped = (f"skipped: {error}" for error in reader.skipped)
    return replace(bare_pool, notes=(*skipped, *bare_pool.notes))


def check_pool_size(depth: int | None, documents: int | None) -> None:
    """Reject a pool without a limit, or with a limit below 1."""
    if depth is None and documents is None:
        wanted = "a depth, a number of documents, or both: --depth, --documents"
        raise InputError("the size of a pool", wanted=wanted)
    for name, value in (("depth", depth), ("documents", documents)):
        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
            raise InputError(f"a pool: {name}", wanted="a whole number from 1", found=repr(value))


def select_pooled_results(
    results: pl.DataFrame, *, depth: int | None = None, documents: int | None = None
) -> pl.DataFrame:
    """Return the results that a pool takes from the candidates, in the order of the round robin."""
    rounds = results.sort("step", "turn", "rank", maintain_order=True)
    if depth is not None:
        rounds = rounds.filter(pl.col("step") <= depth)
    if documents is None:
        return rounds
    entered = pl.struct(_KEY).is_first_distinct().cast(pl.Int64).cum_sum().over("topic")
    numbered = rounds.with_columns(entered=entered)
    # the turn that contributes the last document is the last one, and is completed
    closing = (
        numbered.filter(pl.col("entered") == documents)
        .group_by("topic")
        .agg(pl.col("step").first().alias("last_step"), pl.col("turn").first().alias("last_turn"))
    )
    joined = numbered.join(closing, on="topic", how="left", maintain_order="left")
    before = pl.col("step") < pl.col("last_step")
    in_last = (pl.col("step") == pl.col("last_step")) & (pl.col("turn") <= pl.col("last_turn"))
    is_pooled = pl.col("last_step").is_null() | before | in_last
    return joined.filter(is_pooled).select(results.columns)


def make_pool(
    offered: PoolCandidates,
    *,
    depth: int | None = None,
    documents: int | None = None,
    collection: Collection | None = None,
    topics: list[str] | None = None,
    judging: str = "shuffled",
    seed: int = 0,
) -> Pool:
    """Make a pool from the candidates of runs."""
    if judging not in JUDGING_ORDERS:
        raise InputError("the order of judging", wanted=" or ".join(JUDGING_ORDERS), found=repr(judging))
    if judging == "collection" and collection is None:
        raise InputError("the order of judging 'collection'", wanted="a collection (-c)", found="none")
    results = select_pooled_results(offered.results, depth=depth, documents=documents)
    order = topics if topics is not None else list(offered.topics)
    parts, contributions = _build_parts(results)
    return Pool(
        documents=_order_documents(results, order, judging, seed, collection),
        parts=parts,
        contributions=contributions,
        fingerprint=None if collection is None else collection.fingerprint,
        notes=(*offered.notes, *_describe_topics(results, offered.topics, topics)),
    )


def _describe_topics(
    results: pl.DataFrame, run_topics: Sequence[str], selected_topics: Sequence[str] | None
) -> list[str]:
    """Describe the topics without pooled documents, and the topics of runs that were not selected."""
    expected_topics = run_topics if selected_topics is None else selected_topics
    pooled_topics = set(results["topic"].unique())
    empty_topics = [topic for topic in expected_topics if topic not in pooled_topics]
    others = [topic for topic in run_topics if topic not in set(expected_topics)]
    notes: list[str] = []
    if empty_topics:
        count = pluralise(len(empty_topics), "topic has", "topics have")
        notes.append(f"{count} no document in the pool: {join_words(empty_topics)}")
    if others:
        count = pluralise(
            len(others),
            "topic of the runs was not selected and is not pooled",
            "topics of the runs were not selected and are not pooled",
        )
        notes.append(f"{count}: {join_words(others)}")
    return notes


def _build_parts(results: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the distinct parts of each document, in the order of its text, and the contributions of runs."""
    has_place = pl.col("path").is_not_null() | pl.col("start").is_not_null()
    places = (
        results.filter(has_place)
        .select(*_KEY, *_PLACE)
        .unique(maintain_order=True)
        # a part comes before the parts inside it, as in a document
        .sort(*_KEY, "start", -pl.col("end"), pl.col("path").str.len_chars(), "path", nulls_last=True)
        .with_columns(part=pl.int_range(pl.len(), dtype=pl.Int64).over(_KEY))
    )
    contributions = results.join(
        places, on=[*_KEY, *_PLACE], how="left", nulls_equal=True, maintain_order="left"
    ).sort("turn", "topic", "rank", maintain_order=True)
    return PARTS.fit(places), CONTRIBUTIONS.fit(contributions)


def _order_documents(
    results: pl.DataFrame, topics: list[str], judging: str, seed: int, collection: Collection | None
) -> pl.DataFrame:
    pairs = results.select(_KEY).unique(maintain_order=True)
    topic_numbers = {topic: number for number, topic in enumerate(topics)}
    number = pl.Series([topic_numbers[topic] for topic in pairs["topic"]], dtype=pl.Int64)
    if judging == "shuffled":
        key = pl.Series([_draw_sort_key(seed, *pair) for pair in pairs.iter_rows()], dtype=pl.String)
    elif judging == "collection" and collection is not None:
        key = pl.Series(collection.numbers(pairs["doc"]), dtype=pl.Int64)
    else:
        key = pl.Series(range(pairs.height), dtype=pl.Int64)
    ordered = pairs.with_columns(number=number, key=key).sort("number", "key", maintain_order=True)
    return DOCUMENTS.fit(
        ordered.with_columns(order=pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("topic"))
    )


def _draw_sort_key(seed: int, topic: str, doc: str) -> str:
    """Return the random sort key of a document: the same in every pool with this seed."""
    return hashlib.sha256(f"{seed}\0{topic}\0{doc}".encode()).hexdigest()


def list_depths(depth: int) -> list[int]:
    """Return round numbers below a depth, and the depth itself.

    >>> list_depths(30)
    [1, 2, 5, 10, 20, 30]
    """
    below = [digit * 10**power for power in range(len(str(depth))) for digit in (1, 2, 5)]
    return [*(number for number in below if number < depth), depth]


def estimate_pools(
    offered: PoolCandidates,
    depths: Sequence[int],
    *,
    documents: int | None = None,
    collection: Collection | None = None,
) -> pl.DataFrame:
    """Return the sizes of pools, one row per depth.

    The columns are depth, topics, documents (in total), fewest, mean and most (documents per topic), parts
    (distinct elements and passages), characters (of the documents; null without a collection).
    """
    sizes = None
    if collection is not None:
        sizes = collection.documents.select("doc", pl.col("characters").cast(pl.Int64))
    return pl.DataFrame(
        [
            _build_estimate(
                select_pooled_results(offered.results, depth=depth, documents=documents), depth, sizes
            )
            for depth in depths
        ],
        schema=_ESTIMATE_SCHEMA,
        orient="row",
    )


_ESTIMATE_SCHEMA = {
    "depth": pl.Int64,
    "topics": pl.Int64,
    "documents": pl.Int64,
    "fewest": pl.Int64,
    "mean": pl.Float64,
    "most": pl.Int64,
    "parts": pl.Int64,
    "characters": pl.Int64,
}


def _build_estimate(
    results: pl.DataFrame, depth: int, sizes: pl.DataFrame | None
) -> tuple[int | float | None, ...]:
    pairs = results.select(_KEY).unique()
    has_place = pl.col("path").is_not_null() | pl.col("start").is_not_null()
    parts = results.filter(has_place).select(*_KEY, "path", "start", "end").n_unique()
    characters = None if sizes is None else int(pairs.join(sizes, on="doc")["characters"].sum())
    counts: list[int] = pairs.group_by("topic").len()["len"].to_list()
    fewest, most = (min(counts), max(counts)) if counts else (0, 0)
    mean = sum(counts) / len(counts) if counts else 0.0
    return depth, len(counts), pairs.height, fewest, mean, most, parts, characters
