"""Score articles: how well the retrieved text of a document answers its topic."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from doxel.errors import InputError
from doxel.evaluation.ranked import Ranked
from doxel.measures.rank_arithmetic import compute_f_beta, divide
from doxel.spans import Booleans, Floats, Ints, merge_spans, sum_by_group

__all__ = ["article_scores"]


def article_scores(
    ranked: Ranked, group: Ints, first_row: Ints, score: str, *, beta: float, n: float, tolerance: float
) -> Floats:
    """Return the score of each relevant article, given its group and its first result."""
    pair = ranked.article_pair[group]
    if not len(group):
        return np.zeros(0)
    if score == "bep":
        distance = np.abs(ranked.start[first_row] - ranked.assessed.entry_point[pair])
        gains = ranked.found[first_row] & (ranked.pair[first_row] >= 0)
        return np.where(gains, np.maximum(0.0, n - distance) / n, 0.0)
    if score == "t2i":
        was_found = _group_sums(ranked, group, ranked.found & (ranked.pair >= 0)) > 0
        return np.where(was_found, _tolerant(ranked, group, pair, tolerance), 0.0)
    retrieved = _group_sums(ranked, group, ranked.new_relevant)
    precision = divide(retrieved, _group_sums(ranked, group, ranked.seen.new_size))
    recall = divide(retrieved, ranked.assessed.relevant_size[pair].astype(float))
    return compute_f_beta(precision, recall, beta)


def _group_sums(ranked: Ranked, group: Ints, values: npt.ArrayLike) -> Floats:
    return sum_by_group(ranked.group, values, int(group.max(initial=-1)) + 1)[group]


def _tolerant(ranked: Ranked, group: Ints, pair: Ints, tolerance: float) -> Floats:
    """Return the T2I score: read retrieved text, then the gaps, until ``tolerance`` is used up (2010).

    Text is read in document order.  Documents are cut at all borders of results and highlights; each piece is
    relevant or not, and is read in the first or in the second round.
    """
    number = np.full(int(group.max(initial=-1)) + 1, -1, dtype=np.int64)
    number[group] = np.arange(len(group))
    is_listed = number[np.minimum(ranked.group, len(number) - 1)] >= 0
    rows = np.flatnonzero((ranked.group < len(number)) & is_listed & (ranked.pair >= 0))
    retrieved_spans = merge_spans(number[ranked.group[rows]], ranked.start[rows], ranked.end[rows])
    text = ranked.assessed.relevant_text
    by_pair = np.argsort(pair, kind="stable")
    # a pair is one topic and document, so groups do not share pairs
    place = np.searchsorted(pair[by_pair], text.group)
    is_member = (place < len(pair)) & (pair[by_pair][np.minimum(place, len(pair) - 1)] == text.group)
    relevant_spans = (by_pair[place[is_member]], text.start[is_member], text.end[is_member])
    length = ranked.assessed.document_size[pair]
    if (length < 0).any():
        raise InputError(
            'score="t2i" needs the size of each document',
            wanted="document sizes in the assessments, or a collection (-c)",
            found="documents of unknown size",
        )
    owner, start, end, retrieved, relevant = _pieces(len(group), length, retrieved_spans, relevant_spans)
    order = np.lexsort((start, ~retrieved, owner))
    owner, size, relevant = owner[order], (end - start)[order], relevant[order]
    irrelevant = np.where(relevant, 0, size).cumsum()
    begins = np.searchsorted(owner, owner)
    before = irrelevant - np.where(relevant, 0, size)  # irrelevant characters before each piece
    before -= before[begins]
    read = before < tolerance
    relevant_read = sum_by_group(owner, size * (relevant & read), len(group))
    irrelevant_part = np.where(relevant, 0.0, np.clip(tolerance - before, 0, size))
    irrelevant_read = sum_by_group(owner, irrelevant_part, len(group))
    return divide(relevant_read, relevant_read + irrelevant_read)


def _pieces(
    documents: int,
    length: Ints,
    retrieved_spans: tuple[Ints, Ints, Ints],
    relevant_spans: tuple[Ints, Ints, Ints],
) -> tuple[Ints, Ints, Ints, Booleans, Booleans]:
    """Cut documents at all borders; return owner, start, end, whether retrieved, whether relevant."""
    reach = np.maximum.reduce(
        [length, _furthest(documents, retrieved_spans), _furthest(documents, relevant_spans)]
    )
    stride = int(reach.max(initial=0)) + 1
    whole = np.arange(documents)
    borders = np.unique(
        np.concatenate(
            [whole * stride, whole * stride + length, whole * stride + reach]
            + [owner * stride + edge for owner, *edges in (retrieved_spans, relevant_spans) for edge in edges]
        )
    )
    owner, start = borders // stride, borders % stride
    end = np.append(start[1:], 0)
    pieces = np.flatnonzero(np.append(owner[1:] == owner[:-1], False) & (start < reach[owner]))
    owner, start, end = owner[pieces], start[pieces], end[pieces]
    retrieved = _covers(retrieved_spans, owner, start, stride)
    readable = np.flatnonzero(retrieved | (start < length[owner]))  # no gaps past the document's end
    owner, start, end = owner[readable], start[readable], end[readable]
    return owner, start, end, retrieved[readable], _covers(relevant_spans, owner, start, stride)


def _furthest(documents: int, spans: tuple[Ints, Ints, Ints]) -> Ints:
    furthest = np.zeros(documents, dtype=np.int64)
    np.maximum.at(furthest, spans[0], spans[2])
    return furthest


def _covers(spans: tuple[Ints, Ints, Ints], owner: Ints, start: Ints, stride: int) -> Booleans:
    """Mark the pieces inside one of the spans, which do not overlap."""
    group, begin, end = spans
    order = np.argsort(group * stride + begin)
    line, stop = (group * stride + begin)[order], (group * stride + end)[order]
    place = np.searchsorted(line, owner * stride + start, side="right") - 1
    return (place >= 0) & (owner * stride + start < stop[np.maximum(place, 0)]) if len(line) else start < 0
