"""Build the views of spans: gold spans found, relevant text in reading order, tokens, reference choices.

New text is handled in pieces: each has the result that shows it first.  The reference choices are lists
of chunks chosen with knowledge of the relevant text; they depend only on the chunking and the assessments,
so they are computed once for all runs.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import NamedTuple, TypeVar

import numpy as np
import polars as pl

from doxel.assessments.judged_pairs import JudgedPairs
from doxel.evaluation.inputs.token_counts import WORDS, TokenCounter
from doxel.evaluation.ranked_run import RankedRun, lay_out_run
from doxel.evaluation.views.gain_view_builders import IDEAL_RANKS
from doxel.evaluation.views.text_view_builders import build_read_text
from doxel.measures.chunks.classic_library import JudgedDocuments
from doxel.measures.rank_arithmetic import TOLERANCE, Matrix
from doxel.measures.text_views import (
    AdjacentChunks,
    DocumentRanking,
    GoldSpans,
    GreedyChunks,
    MarkedText,
    ReadingOrder,
    ReadText,
    ReadTokens,
    TouchingChunks,
)
from doxel.runs.result_spans import RESOLVED_RESULTS
from doxel.spans import Coverage, Floats, Ints, concatenate_ranges, sum_by_group

__all__ = [
    "Meetings",
    "accumulate_shown",
    "build_adjacent_chunks",
    "build_document_ranking",
    "build_gold_spans",
    "build_greedy_chunks",
    "build_judged_documents",
    "build_marked_text",
    "build_read_tokens",
    "build_reading_order",
    "build_touching_chunks",
    "find_new_pieces",
    "find_shown_ranks",
    "list_adjacent_chunks",
    "list_greedy_chunks",
    "list_ideal_documents",
    "list_touching_chunks",
    "pad_topic_lists",
]


def build_gold_spans(ranked: RankedRun, *, min: float) -> GoldSpans:  # noqa: A002 -- the parameter's public name
    """Build the view of gold spans, with the rank at which each is found."""
    assessed = ranked.assessed
    rank = find_shown_ranks(ranked, assessed.spans, min)
    topic = assessed.topic[assessed.spans[0]]
    return GoldSpans(
        reached=pad_topic_lists(topic, np.where(np.isinf(rank), 0.0, rank), len(assessed.topics)),
        spans=sum_by_group(topic, np.ones(len(topic)), len(assessed.topics)),
    )


def find_shown_ranks(ranked: RankedRun, spans: tuple[Ints, Ints, Ints], share: float) -> Floats:
    """Return the rank by which ``share`` of each span has been shown, infinite for never."""
    span, owner, characters = accumulate_shown(ranked, spans)
    pair, start, end = spans
    length = (end - start)[span]
    is_enough = characters >= share * length - TOLERANCE * length
    rank = np.full(len(pair), np.inf)
    np.minimum.at(rank, span[is_enough], ranked.position[owner[is_enough]] + 1.0)
    return rank


def accumulate_shown(ranked: RankedRun, spans: tuple[Ints, Ints, Ints]) -> tuple[Ints, Ints, Ints]:
    """Return the characters of each span shown so far, one row per result that shows more of it.

    The arrays are the span, the result (a row of the run), and the characters shown so far; ordered by span
    and result.
    """
    ranked.require_places()
    pieces = find_new_pieces(ranked)
    meetings = pieces.meet(*spans)
    owner = pieces.owner[meetings.piece]
    order = np.lexsort((owner, meetings.span))  # results are numbered in rank order
    span, owner, size = meetings.span[order], owner[order], (meetings.end - meetings.start)[order]
    characters = np.cumsum(size)
    before = np.searchsorted(span, span)
    return span, owner, characters - (characters - size)[before]


def build_reading_order(ranked: RankedRun, *, unit: str, tokens: str) -> ReadingOrder:
    """Build the view of relevant text in the order in which it is read."""
    ranked.require_places()
    assessed, pieces = ranked.assessed, find_new_pieces(ranked)
    text = assessed.relevant_text
    meetings = pieces.meet(text.group, text.start, text.end)
    order = np.lexsort((meetings.start, pieces.owner[meetings.piece]))
    piece, start, end = meetings.piece[order], meetings.start[order], meetings.end[order]
    units = pieces.end - pieces.start
    read_in_piece = end - pieces.start[piece]
    if unit != "chars":
        document, counter = ranked.bases.tokens(tokens if unit == "tokens" else WORDS).of(
            ranked.columns["doc"].gather(ranked.source)
        )
        document = document[pieces.owner]
        units = counter(document, pieces.start, pieces.end)
        piece, start, end = _split_at_tokens(counter, document, piece, start, end)
        read_in_piece = counter(document[piece], pieces.start[piece], end)
    # reading order: by result, then by position in the text
    by_reading = np.lexsort((pieces.start, pieces.owner))
    before = np.empty(len(units), dtype=np.int64)
    before[by_reading] = np.cumsum(units[by_reading]) - units[by_reading]
    topic = ranked.topic[pieces.owner]
    first = np.full(len(assessed.topics), np.iinfo(np.int64).max)
    np.minimum.at(first, topic, before)  # units read for earlier topics
    until = before[piece] - first[topic[piece]] + read_in_piece
    return ReadingOrder(
        relevant=pad_topic_lists(topic[piece], (end - start).astype(float), len(assessed.topics)),
        until=pad_topic_lists(topic[piece], until.astype(float), len(assessed.topics)),
        total=assessed.total.astype(float),
        new_size=ranked.matrix(sum_by_group(pieces.owner, units, len(ranked))),
        new_relevant=ranked.matrix(ranked.new_relevant),
        in_characters=unit == "chars",
    )


def _split_at_tokens(
    counter: TokenCounter, document: Ints, piece: Ints, start: Ints, end: Ints
) -> tuple[Ints, Ints, Ints]:
    """Cut stretches of text before each token that begins inside; return piece, start and end of parts."""
    inner = counter(document[piece], start + 1, end)
    owner = np.repeat(np.arange(len(piece)), inner + 1)
    number = concatenate_ranges(np.zeros(len(piece), dtype=np.int64), inner + 1)
    starts = start[owner].copy()
    later = np.flatnonzero(number > 0)
    starts[later] = counter.find(document[piece[owner[later]]], start[owner[later]] + 1, number[later] - 1)
    ends = end[owner].copy()
    ends[later - 1] = starts[later]
    return piece[owner], starts, ends


def build_marked_text(ranked: RankedRun) -> MarkedText:
    """Build the view of marked characters; a character marked twice counts twice."""
    ranked.require_places()
    pair, start, end = ranked.assessed.spans
    pieces = find_new_pieces(ranked)
    meetings = pieces.meet(pair, start, end)
    new_marked = sum_by_group(pieces.owner[meetings.piece], meetings.end - meetings.start, len(ranked))
    return MarkedText(
        size=ranked.matrix(ranked.size),
        new_relevant=ranked.matrix(ranked.new_relevant),
        new_marked=ranked.matrix(new_marked),
        marked=sum_by_group(ranked.assessed.topic[pair], end - start, len(ranked.assessed.topics)),
    )


def build_read_tokens(ranked: RankedRun, *, tokens: str) -> ReadTokens:
    """Build the view of tokens read, rank by rank; a token belongs to its first character."""
    ranked.require_places()
    assessed, text = ranked.assessed, ranked.assessed.relevant_text
    of_result, of_text, count = ranked.bases.tokens(tokens).of(
        ranked.columns["doc"].gather(ranked.source), assessed.pairs["doc"].gather(text.group)
    )
    pieces = find_new_pieces(ranked)
    document = of_result[pieces.owner]
    meetings = pieces.meet(text.group, text.start, text.end)
    rows = np.flatnonzero(ranked.pair >= 0)
    relevant_parts = _Pieces(np.arange(len(text.group)), text.group, text.start, text.end).meet(
        ranked.pair[rows], ranked.start[rows], ranked.end[rows]
    )
    row = rows[relevant_parts.span]
    results, topics = len(ranked), len(assessed.topics)
    return ReadTokens(
        size=ranked.matrix(count(of_result, ranked.start, ranked.end)),
        relevant=ranked.matrix(
            sum_by_group(row, count(of_result[row], relevant_parts.start, relevant_parts.end), results)
        ),
        new_size=ranked.matrix(
            sum_by_group(pieces.owner, count(document, pieces.start, pieces.end), results)
        ),
        new_relevant=ranked.matrix(
            sum_by_group(
                pieces.owner[meetings.piece],
                count(document[meetings.piece], meetings.start, meetings.end),
                results,
            )
        ),
        total=sum_by_group(assessed.topic[text.group], count(of_text, text.start, text.end), topics),
    )


def build_document_ranking(ranked: RankedRun) -> DocumentRanking:
    """Build the view of whole documents, ranked by first occurrence, each with its grade."""
    assessed = ranked.assessed
    topics, grades = len(assessed.topics), np.append(assessed.document_grade, 0.0)
    if ranked.has_articles_once:
        pair = ranked.pair
        grade = ranked.matrix(grades[pair])
    else:
        first_row = ranked.first_of_article[ranked.first_of_article >= 0]
        pair = ranked.article_pair[ranked.group[first_row]]
        grade = np.zeros((topics, int(ranked.article_position.max(initial=-1)) + 1))
        grade[ranked.topic[first_row], ranked.article_position[first_row]] = grades[pair]
    missed = assessed.document_grade > 0
    missed[pair[pair >= 0]] = False
    return DocumentRanking(
        grade=grade, missed=pad_topic_lists(assessed.topic[missed], assessed.document_grade[missed], topics)
    )


def build_judged_documents(ranked: RankedRun) -> JudgedDocuments:
    """Build the view of documents by first occurrence, with all that was judged, for ir_measures."""
    assessed = ranked.assessed
    topics = len(assessed.topics)
    first_row = ranked.first_of_article[ranked.first_of_article >= 0]
    judged, pair = ranked.document_pair[first_row], ranked.article_pair[ranked.group[first_row]]
    grades = np.where(judged < 0, np.nan, np.append(assessed.document_grade, 0.0)[pair])
    grade = np.full((topics, int(ranked.article_position.max(initial=-1)) + 1), np.nan)
    grade[ranked.topic[first_row], ranked.article_position[first_row]] = grades
    missed = np.ones(len(assessed.topic), dtype=bool)
    missed[judged[judged >= 0]] = False
    return JudgedDocuments(
        grade=grade,
        length=np.bincount(ranked.topic[first_row], minlength=topics),
        missed=pad_topic_lists(assessed.topic[missed], assessed.document_grade[missed], topics),
        missed_count=np.bincount(assessed.topic[missed], minlength=topics),
    )


def list_ideal_documents(ranked: RankedRun, topic: int) -> pl.DataFrame:
    """Return the relevant documents of a topic, the highest grade first."""
    assessed = ranked.assessed
    pairs = np.flatnonzero((assessed.topic == topic) & (assessed.document_grade > 0))
    pairs = pairs[np.argsort(-assessed.document_grade[pairs], kind="stable")]
    return IDEAL_RANKS.fit(
        pl.DataFrame({"doc": assessed.pairs["doc"].gather(pairs), "gain": assessed.document_grade[pairs]})
    )


def pad_topic_lists(topic: Ints, values: Matrix, topics: int) -> Matrix:
    """Return values as one padded row per topic, in the given order."""
    order = np.argsort(topic, kind="stable")
    topic, values = topic[order], values[order]
    column = np.arange(len(topic)) - np.searchsorted(topic, topic)
    padded = np.zeros((topics, int(column.max(initial=-1)) + 1))
    padded[topic, column] = values
    return padded


class Meetings(NamedTuple):
    """The text that spans and pieces share: number of the span, number of the piece, start and end."""

    span: Ints
    piece: Ints
    start: Ints
    end: Ints


@dataclass(frozen=True)
class _Pieces:
    """Pieces of text that no earlier result of the topic contains; they do not overlap in a document.

    ``owner`` is the result that shows a piece, ``pair`` its judged pair, -1 if the document was not judged.
    Pieces are sorted by pair and start.
    """

    owner: Ints
    pair: Ints
    start: Ints
    end: Ints

    def meet(self, pair: Ints, start: Ints, end: Ints) -> Meetings:
        """Return the intersections of pieces with spans of judged pairs; the spans may overlap each other.

        A span that only touches a piece does not intersect it.
        """
        stride = int(max(self.end.max(initial=0), end.max(initial=0))) + 1
        begin = np.searchsorted(self.pair * stride + self.end, pair * stride + start, side="right")
        stop = np.searchsorted(self.pair * stride + self.start, pair * stride + end)
        count = np.maximum(stop - begin, 0)
        span, piece = np.repeat(np.arange(len(pair)), count), concatenate_ranges(begin, count)
        return Meetings(
            span, piece, np.maximum(start[span], self.start[piece]), np.minimum(end[span], self.end[piece])
        )


def find_new_pieces(ranked: RankedRun) -> _Pieces:
    """Return the new text of a ranked run."""
    novelty = ranked.seen
    whole = np.flatnonzero(~novelty.contested & (ranked.end > ranked.start))
    owner = np.concatenate([novelty.owner, whole])
    start = np.concatenate([novelty.start, ranked.start[whole]])
    end = np.concatenate([novelty.end, ranked.end[whole]])
    pair = ranked.pair[owner]
    order = np.lexsort((start, pair))
    return _Pieces(owner[order], pair[order], start[order], end[order])


_AT_ONCE = 4_000_000  # pairs of topic and chunk per block, to limit memory
Text = TypeVar("Text", bound=ReadText)


def build_touching_chunks(ranked: RankedRun) -> TouchingChunks:
    """Build the view of all chunks that share a character with the relevant text."""
    return ranked.bases.once(("touching", 0), lambda: _read(list_touching_chunks(ranked), TouchingChunks))


def build_adjacent_chunks(ranked: RankedRun) -> AdjacentChunks:
    """Build the view of all chunks that overlap or touch the relevant text."""
    return ranked.bases.once(("touching", 1), lambda: _read(list_adjacent_chunks(ranked), AdjacentChunks))


def build_greedy_chunks(ranked: RankedRun, *, limit: int | None) -> GreedyChunks:
    """Build the view of chunks chosen one by one, each with the most new relevant text."""
    return ranked.bases.once(
        ("greedy", limit), lambda: _read(list_greedy_chunks(ranked, limit=limit), GreedyChunks)
    )


def list_touching_chunks(ranked: RankedRun) -> RankedRun:
    """Lay out all chunks that share a character with the relevant text, like a run."""
    return _list_meeting_chunks(ranked, 0)


def list_adjacent_chunks(ranked: RankedRun) -> RankedRun:
    """Lay out all chunks that overlap or touch the relevant text, like a run."""
    return _list_meeting_chunks(ranked, 1)


def _list_meeting_chunks(ranked: RankedRun, border: int) -> RankedRun:
    pair, chunk = _find_meetings(ranked.bases.chunks, ranked.assessed, border)
    return _lay_out_chunks(ranked, ranked.assessed.topic[pair], chunk)


def _lay_out_chunks(ranked: RankedRun, topic: Ints, chunk: Ints) -> RankedRun:
    """Lay out the given chunks in the given order."""
    topics = pl.Series(ranked.assessed.topics, dtype=pl.String)
    order = np.argsort(topic, kind="stable")
    results = ranked.bases.chunks[chunk[order]].with_columns(topic=topics.gather(topic[order]))
    return lay_out_run(RESOLVED_RESULTS.fit(results), ranked.assessed, ranked.bases)


def _read(chunks: RankedRun, view: type[Text]) -> Text:
    """Return the view of reading chunks in their order."""
    text = build_read_text(chunks)
    return view(**{field.name: getattr(text, field.name) for field in fields(text)})


def _find_meetings(chunks: pl.DataFrame, assessed: JudgedPairs, border: int) -> tuple[Ints, Ints]:
    """Return pairs and the chunks that meet their relevant text, ordered by pair and chunk.

    With ``border`` 1, chunks that only touch relevant text count too.
    """
    text = assessed.relevant_text
    pairs = np.unique(text.group)
    begin, count, order = _find_chunks(chunks, assessed.pairs["doc"].gather(pairs))
    # extended by one character on both sides, text also meets its neighbours
    wider = Coverage(text.group, np.maximum(text.start - border, 0), text.end + border)
    start, end = chunks["start"].to_numpy(), chunks["end"].to_numpy()
    meetings: list[tuple[Ints, Ints]] = [(pairs[:0], pairs[:0])]
    block = np.cumsum(count) // _AT_ONCE
    for number in np.unique(block).tolist():
        members = np.flatnonzero(block == number)
        chunk = order[concatenate_ranges(begin[members], count[members])]
        pair = np.repeat(pairs[members], count[members])
        meets = wider.covered(pair, start[chunk], end[chunk]) > 0
        meetings.append((pair[meets], chunk[meets]))
    pair, chunk = (np.concatenate(column) for column in zip(*meetings, strict=True))
    return pair, chunk


def _find_chunks(chunks: pl.DataFrame, documents: pl.Series) -> tuple[Ints, Ints, Ints]:
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

    def choose(self, most: int) -> Ints:
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
            choice = int(equal[np.argmin(self.size[equal])])  # the shortest, then the first by id
            choices.append(choice)
            remaining[self.first[choice] : self.last[choice]] = 0
        return self.chunk[np.array(choices, dtype=np.int64)]


def list_greedy_chunks(ranked: RankedRun, *, limit: int | None) -> RankedRun:
    """Lay out the chunks that are chosen one by one, each with the most new relevant text, like a run."""
    chunks, assessed = ranked.bases.chunks, ranked.assessed
    size = (chunks["end"] - chunks["start"]).to_numpy()
    by_id = np.empty(len(size), dtype=np.int64)  # the place of each chunk by document id and start
    by_id[chunks.with_row_index().sort("doc", "start", "end")["index"].to_numpy()] = np.arange(len(size))
    most = len(size) if limit is None else min(limit, len(size))
    pair, chunk = _find_meetings(chunks, assessed, 0)
    topic = assessed.topic[pair]
    order = np.lexsort((by_id[chunk], topic))
    pair, chunk, topic = pair[order], chunk[order], topic[order]
    border = np.searchsorted(topic, np.arange(len(assessed.topics) + 1))
    lists: list[Ints] = []
    for number in np.flatnonzero(assessed.total > 0).tolist():
        rows = slice(border[number], border[number + 1])
        lists.append(_find_candidates(chunks, assessed, pair[rows], chunk[rows]).choose(most))
    owners = np.repeat(np.flatnonzero(assessed.total > 0), [len(members) for members in lists])
    choices = np.concatenate(lists) if lists else np.zeros(0, dtype=np.int64)
    return _lay_out_chunks(ranked, owners, choices)


def _find_candidates(chunks: pl.DataFrame, assessed: JudgedPairs, pair: Ints, chunk: Ints) -> _Candidates:
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
