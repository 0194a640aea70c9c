"""Build the views of a chunking's ceilings: lists of chunks chosen with knowledge of the relevant text.

A ceiling depends only on the chunking and the assessments, so it is computed once for all runs.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TypeVar

import numpy as np
import polars as pl

from doxel.assessments.judged_pairs import JudgedPairs
from doxel.evaluation.ranked import Ranked, lay_out
from doxel.evaluation.read_text import read_text
from doxel.measures.text_views import AdjacentChunks, GreedyChunks, ReadText, TouchingChunks
from doxel.runs.result_spans import RESOLVED_RESULTS
from doxel.spans import Coverage, Ints, concatenate_ranges

__all__ = ["adjacent_chunks", "greedy_chunks", "touching_chunks"]

_AT_ONCE = 4_000_000  # pairs of topic and chunk per block, to limit memory
Text = TypeVar("Text", bound=ReadText)


def touching_chunks(ranked: Ranked) -> TouchingChunks:
    """Build the view of all chunks that share a character with the relevant text."""
    return ranked.bases.once(("touching", 0), lambda: _touching(ranked, TouchingChunks, 0))


def adjacent_chunks(ranked: Ranked) -> AdjacentChunks:
    """Build the view of all chunks that overlap or touch the relevant text."""
    return ranked.bases.once(("touching", 1), lambda: _touching(ranked, AdjacentChunks, 1))


def greedy_chunks(ranked: Ranked, *, limit: int | None) -> GreedyChunks:
    """Build the view of chunks chosen one by one, each with the most new relevant text."""
    return ranked.bases.once(("greedy", limit), lambda: _greedy(ranked, limit))


def _touching(ranked: Ranked, view: type[Text], border: int) -> Text:
    chunks, assessed = ranked.bases.chunks, ranked.assessed
    pair, chunk = _meetings(chunks, assessed, border)
    return _read(ranked, view, assessed.topic[pair], chunk)


def _read(ranked: Ranked, view: type[Text], topic: Ints, chunk: Ints) -> Text:
    """Return the view of reading the given chunks in the given order."""
    topics = pl.Series(ranked.assessed.topics, dtype=pl.String)
    order = np.argsort(topic, kind="stable")
    listed = ranked.bases.chunks[chunk[order]].with_columns(topic=topics.gather(topic[order]))
    text = read_text(lay_out(RESOLVED_RESULTS.fit(listed), ranked.assessed, ranked.bases))
    return view(**{field.name: getattr(text, field.name) for field in fields(text)})


def _meetings(chunks: pl.DataFrame, assessed: JudgedPairs, border: int) -> tuple[Ints, Ints]:
    """Return pairs and the chunks that meet their relevant text, ordered by pair and chunk.

    With ``border`` 1, chunks that only touch relevant text count too.
    """
    text = assessed.relevant_text
    holding = np.unique(text.group)
    begin, count, order = _chunks_of(chunks, assessed.pairs["doc"].gather(holding))
    # extended by one character on both sides, text also meets its neighbours
    wider = Coverage(text.group, np.maximum(text.start - border, 0), text.end + border)
    start, end = chunks["start"].to_numpy(), chunks["end"].to_numpy()
    meetings: list[tuple[Ints, Ints]] = [(holding[:0], holding[:0])]
    block = np.cumsum(count) // _AT_ONCE
    for number in np.unique(block).tolist():
        members = np.flatnonzero(block == number)
        chunk = order[concatenate_ranges(begin[members], count[members])]
        pair = np.repeat(holding[members], count[members])
        meets = wider.covered(pair, start[chunk], end[chunk]) > 0
        meetings.append((pair[meets], chunk[meets]))
    pair, chunk = (np.concatenate(column) for column in zip(*meetings, strict=True))
    return pair, chunk


def _chunks_of(chunks: pl.DataFrame, documents: pl.Series) -> tuple[Ints, Ints, Ints]:
    """Return the first index and the number of each document's chunks, and the order they refer to."""
    code = chunks["doc"].rle_id() if chunks["doc"].is_sorted() else chunks["doc"].rank("dense") - 1
    number = code.to_numpy().astype(np.int64)
    order = np.argsort(number, kind="stable")
    numbers = pl.DataFrame({"doc": chunks["doc"], "number": number}).unique("doc")
    document_numbers = documents.to_frame("doc").join(numbers, on="doc", how="left", maintain_order="left")[
        "number"
    ]
    place = document_numbers.fill_null(-1).to_numpy()
    begin = np.searchsorted(number[order], place)
    return begin, np.searchsorted(number[order], place, side="right") - begin, order


@dataclass(frozen=True)
class _Candidates:
    """The chunks with relevant text of one topic; each covers a range of atoms of that text."""

    chunk: Ints
    size: Ints
    first: Ints
    last: Ints
    atom: Ints  # sizes of the atoms

    def chosen(self, most: int) -> Ints:
        """Return chunks, each time the one with the most new text, while there is any."""
        remaining = self.atom.copy()
        choices: list[int] = []
        while len(choices) < most:
            before = np.concatenate([[0], np.cumsum(remaining)])
            new = before[self.last] - before[self.first]
            best = int(new.max(initial=0))
            if best == 0:
                break
            equal = np.flatnonzero(new == best)
            choice = int(equal[np.argmin(self.size[equal])])  # the shortest, then the first in document order
            choices.append(choice)
            remaining[self.first[choice] : self.last[choice]] = 0
        return self.chunk[np.array(choices, dtype=np.int64)]


def _greedy(ranked: Ranked, limit: int | None) -> GreedyChunks:
    chunks, assessed = ranked.bases.chunks, ranked.assessed
    size = (chunks["end"] - chunks["start"]).to_numpy()
    by_size = np.lexsort((np.arange(len(size)), size))  # order of the chunks without new text
    most = len(size) if limit is None else min(limit, len(size))
    pair, chunk = _meetings(chunks, assessed, 0)
    topic = assessed.topic[pair]
    order = np.lexsort((chunk, topic))
    pair, chunk, topic = pair[order], chunk[order], topic[order]
    border = np.searchsorted(topic, np.arange(len(assessed.topics) + 1))
    lists: list[Ints] = []
    for number in np.flatnonzero(assessed.total > 0).tolist():
        rows = slice(border[number], border[number + 1])
        useful = _candidates(chunks, assessed, pair[rows], chunk[rows]).chosen(most)
        rest = by_size[: most + len(useful)]
        lists.append(np.concatenate([useful, rest[~np.isin(rest, useful)]])[:most])
    owners = np.repeat(np.flatnonzero(assessed.total > 0), [len(members) for members in lists])
    every = np.concatenate(lists) if lists else np.zeros(0, dtype=np.int64)
    return _read(ranked, GreedyChunks, owners, every)


def _candidates(chunks: pl.DataFrame, assessed: JudgedPairs, pair: Ints, chunk: Ints) -> _Candidates:
    """Cut the relevant text of a topic at the borders of its chunks."""
    start, end = chunks["start"].to_numpy()[chunk], chunks["end"].to_numpy()[chunk]
    text = assessed.relevant_text
    rows = np.flatnonzero(np.isin(text.group, pair))
    stride = int(max(end.max(initial=0), text.end[rows].max(initial=0))) + 1
    borders = np.unique(
        np.concatenate(
            [pair * stride + start, pair * stride + end]
            + [text.group[rows] * stride + edge[rows] for edge in (text.start, text.end)]
        )
    )
    owner = borders[:-1] // stride
    inside = borders[1:] // stride == owner
    atom = np.where(
        inside, text.covered(owner, borders[:-1] % stride, np.where(inside, borders[1:] % stride, 0)), 0
    )
    return _Candidates(
        chunk=chunk,
        size=end - start,
        first=np.searchsorted(borders, pair * stride + start),
        last=np.searchsorted(borders, pair * stride + end),
        atom=atom,
    )
