"""Build the views of spans: gold spans found, relevant text in reading order, tokens."""

from __future__ import annotations

import numpy as np

from doxel.evaluation.pieces import Pieces, new_pieces
from doxel.evaluation.ranked import Ranked
from doxel.measures.rank_arithmetic import TOLERANCE, Matrix
from doxel.measures.text_views import DocumentRanking, GoldSpans, MarkedText, ReadingOrder, ReadTokens
from doxel.spans import Ints, sum_by_group

__all__ = ["document_ranking", "gold_spans", "marked_text", "read_tokens", "reading_order"]


def gold_spans(ranked: Ranked, *, min: float) -> GoldSpans:  # noqa: A002 -- the parameter's public name
    """Build the view of gold spans, with the rank at which each is found."""
    _require_places(ranked)
    assessed = ranked.assessed
    pair, start, end = assessed.spans
    pieces = new_pieces(ranked)
    met = pieces.meet(pair, start, end)
    owner = pieces.owner[met.piece]
    order = np.lexsort((owner, met.span))  # results are numbered in rank order
    span, owner, size = met.span[order], owner[order], (met.end - met.start)[order]
    shown = np.cumsum(size)
    before = np.searchsorted(span, span)
    shown = shown - (shown - size)[before]
    length = (end - start)[span]
    enough = shown >= min * length - TOLERANCE * length
    rank = np.full(len(pair), np.inf)
    np.minimum.at(rank, span[enough], ranked.position[owner[enough]] + 1.0)
    topic = assessed.topic[pair]
    return GoldSpans(
        reached=_lists(topic, np.where(np.isinf(rank), 0.0, rank), len(assessed.topics)),
        spans=sum_by_group(topic, np.ones(len(topic)), len(assessed.topics)),
    )


def reading_order(ranked: Ranked) -> ReadingOrder:
    """Build the view of relevant text in the order in which it is read."""
    _require_places(ranked)
    assessed, pieces = ranked.assessed, new_pieces(ranked)
    # reading order: by result, then by position in the text
    by_reading = np.lexsort((pieces.start, pieces.owner))
    size = (pieces.end - pieces.start)[by_reading]
    before = np.empty(len(size), dtype=np.int64)
    before[by_reading] = np.cumsum(size) - size
    text = assessed.relevant_text
    met = pieces.meet(text.group, text.start, text.end)
    order = np.lexsort((met.start, pieces.owner[met.piece]))
    piece, start, end = met.piece[order], met.start[order], met.end[order]
    topic = ranked.topic[pieces.owner]
    first = np.full(len(assessed.topics), np.iinfo(np.int64).max)
    np.minimum.at(first, topic, before)  # characters read for earlier topics
    until = before[piece] - first[topic[piece]] + end - pieces.start[piece]
    return ReadingOrder(
        relevant=_lists(topic[piece], (end - start).astype(float), len(assessed.topics)),
        until=_lists(topic[piece], until.astype(float), len(assessed.topics)),
        total=assessed.total.astype(float),
    )


def marked_text(ranked: Ranked) -> MarkedText:
    """Build the view of marked characters; a character marked twice counts twice."""
    _require_places(ranked)
    pair, start, end = ranked.assessed.spans
    pieces = new_pieces(ranked)
    met = pieces.meet(pair, start, end)
    marked = sum_by_group(pieces.owner[met.piece], met.end - met.start, len(ranked))
    return MarkedText(
        size=ranked.matrix(ranked.size),
        new_relevant=ranked.matrix(ranked.new_relevant),
        new_marked=ranked.matrix(marked),
        marked=sum_by_group(ranked.assessed.topic[pair], end - start, len(ranked.assessed.topics)),
    )


def read_tokens(ranked: Ranked, *, tokens: str) -> ReadTokens:
    """Build the view of tokens read, rank by rank; a token belongs to its first character."""
    _require_places(ranked)
    assessed, text = ranked.assessed, ranked.assessed.relevant_text
    of_result, of_text, count = ranked.bases.tokens(tokens).of(
        ranked.columns["doc"].gather(ranked.source), assessed.pairs["doc"].gather(text.group)
    )
    pieces = new_pieces(ranked)
    document = of_result[pieces.owner]
    met = pieces.meet(text.group, text.start, text.end)
    judged = np.flatnonzero(ranked.pair >= 0)
    inside = Pieces(np.arange(len(text.group)), text.group, text.start, text.end).meet(
        ranked.pair[judged], ranked.start[judged], ranked.end[judged]
    )
    whole = judged[inside.span]
    results, topics = len(ranked), len(assessed.topics)
    return ReadTokens(
        size=ranked.matrix(count(of_result, ranked.start, ranked.end)),
        relevant=ranked.matrix(
            sum_by_group(whole, count(of_result[whole], inside.start, inside.end), results)
        ),
        new_size=ranked.matrix(
            sum_by_group(pieces.owner, count(document, pieces.start, pieces.end), results)
        ),
        new_relevant=ranked.matrix(
            sum_by_group(pieces.owner[met.piece], count(document[met.piece], met.start, met.end), results)
        ),
        total=sum_by_group(assessed.topic[text.group], count(of_text, text.start, text.end), topics),
    )


def document_ranking(ranked: Ranked) -> DocumentRanking:
    """Build the view of whole documents, ranked by first occurrence, each with its grade."""
    assessed = ranked.assessed
    topics = len(assessed.topics)
    first_row = ranked.first_of_article[ranked.first_of_article >= 0]
    pair = ranked.article_pair[ranked.group[first_row]]
    grade = np.zeros((topics, int(ranked.article_position.max(initial=-1)) + 1))
    grade[ranked.topic[first_row], ranked.article_position[first_row]] = np.append(
        assessed.document_grade, 0.0
    )[pair]
    missed = assessed.document_grade > 0
    missed[pair[pair >= 0]] = False
    return DocumentRanking(
        grade=grade, missed=_lists(assessed.topic[missed], assessed.document_grade[missed], topics)
    )


def _require_places(ranked: Ranked) -> None:
    """Raise an error if the positions of results are unknown."""
    _ = ranked.size


def _lists(topic: Ints, values: Matrix, topics: int) -> Matrix:
    """Return values as one padded row per topic, in the given order."""
    order = np.argsort(topic, kind="stable")
    topic, values = topic[order], values[order]
    column = np.arange(len(topic)) - np.searchsorted(topic, topic)
    padded = np.zeros((topics, int(column.max(initial=-1)) + 1))
    padded[topic, column] = values
    return padded
