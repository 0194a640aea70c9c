"""Making a pool: round robin over the runs, as INEX did, down to a depth or up to a number of documents.

In the first round every run, in the order given, puts in its first step, in the second round its second,
and so on: all runs are read equally far.  With a depth each run is read so many steps.  With a number of
documents a topic's pool is closed by the run and round that bring in the last of them.  With both,
whatever comes first.

Results of a document that is in the pool already are pooled too, as far down as their run is read.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Sequence

import polars as pl

from doxel.documents import Collection
from doxel.errors import InputError
from doxel.evaluation.chunk_inputs import as_collection
from doxel.pooling.gathering import Given, Offered, RunReader, gather
from doxel.pooling.pool import CONTRIBUTIONS, DOCUMENTS, PARTS, Pool
from doxel.wording import counted, listed

__all__ = ["JUDGING", "checked_size", "make_pool", "pool", "within"]

JUDGING = ("shuffled", "pooled", "collection")

_KEY = ["topic", "doc"]
_PLACE = ["path", "start", "end"]


def pool(
    runs: Given | Iterable[Given],
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
    """Pool the results of runs: for each topic the documents to judge.

    Parameters
    ----------
    runs
        ``Run`` objects, or files, folders and archives of runs.  Their order is that of the round robin.
    depth
        How far each run is read: so many documents, or so many results.
    documents
        How many documents of a topic are enough.  Without a depth, runs are read until there are so many.
    count
        ``"documents"``: a run is read until its next document would be one too many; ``"results"``: so
        many results.
    collection
        The documents; without them the pool has no fingerprint and knows elements by their paths only.
    topics
        The topics to pool, and their order; without them all that any run has.
    judging
        The order of judging: ``"shuffled"`` says nothing about ranks, and a document keeps its place
        among the others when runs are added; ``"pooled"`` is the order of the round robin,
        ``"collection"`` that of the collection.
    seed
        Of the shuffled order.
    order
        ``"rank"``, ``"file"`` or ``"score"``: what the ranking of a run is taken from.
    fol_end
        The last column of 8-column runs is an end, not a length.
    on_error
        ``"raise"`` the error of a run that cannot be read, or ``"skip"`` the run and note it.
    progress
        Called after each run.

    Returns
    -------
    Pool
        Its documents, their pooled parts, and who contributed them.

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
    checked_size(depth, documents)
    opened = as_collection(collection)
    reader = RunReader(runs, on_error=on_error, fol_end=fol_end)
    wanted = None if topics is None else list(dict.fromkeys(topics))
    limits = {"depth": depth, "documents": documents}
    offered = gather(
        reader, collection=opened, count=count, order=order, topics=wanted, **limits, progress=progress
    )
    made = make_pool(offered, **limits, collection=opened, topics=wanted, judging=judging, seed=seed)
    notes = (*(f"skipped: {one}" for one in reader.skipped), *made.notes)
    return Pool(made.documents, made.parts, made.contributions, made.fingerprint, notes=notes)


def checked_size(depth: int | None, documents: int | None) -> None:
    """Refuse a pool without bounds, or without room."""
    if depth is None and documents is None:
        raise InputError("the size of a pool", wanted="a depth, a number of documents, or both")
    for name, value in (("depth", depth), ("documents", documents)):
        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
            raise InputError(f"a pool: {name}", wanted="a whole number from 1", found=repr(value))


def within(results: pl.DataFrame, *, depth: int | None = None, documents: int | None = None) -> pl.DataFrame:
    """Return what of the offered results goes into a pool, in the order of the round robin."""
    rounds = results.sort("step", "turn", "rank", maintain_order=True)
    if depth is not None:
        rounds = rounds.filter(pl.col("step") <= depth)
    if documents is None:
        return rounds
    entered = pl.struct(_KEY).is_first_distinct().cast(pl.Int64).cum_sum().over("topic")
    numbered = rounds.with_columns(entered=entered)
    # the round and the turn that bring in the last document are the last: a turn is not broken off
    closing = (
        numbered.filter(pl.col("entered") == documents)
        .group_by("topic")
        .agg(pl.col("step").first().alias("last_step"), pl.col("turn").first().alias("last_turn"))
    )
    joined = numbered.join(closing, on="topic", how="left", maintain_order="left")
    before = pl.col("step") < pl.col("last_step")
    in_last = (pl.col("step") == pl.col("last_step")) & (pl.col("turn") <= pl.col("last_turn"))
    inside = pl.col("last_step").is_null() | before | in_last
    return joined.filter(inside).select(results.columns)


def make_pool(
    offered: Offered,
    *,
    depth: int | None = None,
    documents: int | None = None,
    collection: Collection | None = None,
    topics: list[str] | None = None,
    judging: str = "shuffled",
    seed: int = 0,
) -> Pool:
    """Make a pool of what runs offer."""
    if judging not in JUDGING:
        raise InputError("the order of judging", wanted=" or ".join(JUDGING), found=repr(judging))
    if judging == "collection" and collection is None:
        raise InputError("the order of judging", wanted="a collection (-c) whose order it is", found="none")
    chosen = within(offered.results, depth=depth, documents=documents)
    order = topics if topics is not None else list(offered.topics)
    parts, contributions = _parts(chosen)
    return Pool(
        documents=_judged_in_order(chosen, order, judging, seed, collection),
        parts=parts,
        contributions=contributions,
        fingerprint=None if collection is None else collection.fingerprint,
        notes=(*offered.notes, *_topic_notes(chosen, offered.topics, topics)),
    )


def _topic_notes(chosen: pl.DataFrame, offered: Sequence[str], asked: Sequence[str] | None) -> list[str]:
    """Say which topics are not in the pool, and which were not asked for."""
    pooled = set(chosen["topic"].unique())
    without = [topic for topic in (offered if asked is None else asked) if topic not in pooled]
    wanted = set(offered if asked is None else asked)
    others = [topic for topic in offered if topic not in wanted]
    notes: list[str] = []
    if without:
        said = counted(len(without), "topic has", "topics have")
        notes.append(f"{said} no document in the pool: {listed(without)}")
    if others:
        said = counted(
            len(others),
            "topic of runs is not pooled, because it was not asked for",
            "topics of runs are not pooled, because they were not asked for",
        )
        notes.append(f"{said}: {listed(others)}")
    return notes


def _parts(chosen: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the distinct places in each document, in the order of its text, and who retrieved them."""
    located = pl.col("path").is_not_null() | pl.col("start").is_not_null()
    places = (
        chosen.filter(located)
        .select(*_KEY, *_PLACE)
        .unique(maintain_order=True)
        # whatever holds another comes first, as in a document
        .sort(*_KEY, "start", -pl.col("end"), pl.col("path").str.len_chars(), "path", nulls_last=True)
        .with_columns(part=pl.int_range(pl.len(), dtype=pl.Int64).over(_KEY))
    )
    contributed = chosen.join(
        places, on=[*_KEY, *_PLACE], how="left", nulls_equal=True, maintain_order="left"
    ).sort("turn", "topic", "rank", maintain_order=True)
    return PARTS.fit(places), CONTRIBUTIONS.fit(contributed)


def _judged_in_order(
    chosen: pl.DataFrame, topics: list[str], judging: str, seed: int, collection: Collection | None
) -> pl.DataFrame:
    entered = chosen.select(_KEY).unique(maintain_order=True)
    place = {topic: number for number, topic in enumerate(topics)}
    number = pl.Series([place[topic] for topic in entered["topic"]], dtype=pl.Int64)
    if judging == "shuffled":
        key = pl.Series([_lot(seed, *pair) for pair in entered.iter_rows()], dtype=pl.String)
    elif judging == "collection" and collection is not None:
        key = pl.Series(collection.numbers(entered["doc"]), dtype=pl.Int64)
    else:
        key = pl.Series(range(entered.height), dtype=pl.Int64)
    ordered = entered.with_columns(number=number, key=key).sort("number", "key", maintain_order=True)
    return DOCUMENTS.fit(
        ordered.with_columns(order=pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("topic"))
    )


def _lot(seed: int, topic: str, doc: str) -> str:
    """Return what a document draws: the same in every pool of the seed, whatever else is in it."""
    return hashlib.sha256(f"{seed}\0{topic}\0{doc}".encode()).hexdigest()
