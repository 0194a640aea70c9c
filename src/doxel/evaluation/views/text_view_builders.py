"""Build the views of text: characters read, values of results (HiXEval), scores of articles, plain arrays.

The value of a result to a reader who has seen the earlier ones follows HiXEval (000, 3.6).  The score of an
article shows how well its retrieved text answers the topic.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from doxel.errors import InputError, MeasureError
from doxel.evaluation.ranked_run import LocatedRun, RankedRun
from doxel.measures.rank_arithmetic import compute_f_beta, divide
from doxel.measures.text_views import ReadText, ValuedText
from doxel.measures.topic_arrays import TopicArrays, TopicGold, TopicResults
from doxel.spans import Booleans, Floats, Ints, merge_spans, sum_by_group

__all__ = ["build_read_text", "build_topic_arrays", "build_valued_text", "score_articles"]


def build_read_text(ranked: RankedRun) -> ReadText:
    """Build the view of the characters read, rank by rank."""
    size, relevant = ranked.size_by_rank, ranked.relevant_by_rank
    is_all_new = ranked.seen.is_all_new
    return ReadText(
        size=size,
        relevant=relevant,
        new_size=size if is_all_new else ranked.matrix(ranked.seen.new_size),
        new_relevant=relevant if is_all_new else ranked.matrix(ranked.new_relevant),
        total=ranked.assessed.total.astype(float),
    )


def _require_sizes(ranked: RankedRun) -> RankedRun:
    _ = ranked.size  # raises an error if the positions of results are unknown
    return ranked


def _grade_results(ranked: RankedRun) -> Floats:
    """Return the grade of each result's document; 0 if the result is off target, NaN if it was not judged."""
    grades = np.append(ranked.assessed.document_grade, np.nan)[ranked.document_pair]
    return np.where((ranked.pair < 0) & (ranked.document_pair >= 0), 0.0, grades)


_RESULT_COLUMNS: dict[str, Callable[[RankedRun], npt.NDArray[Any]]] = {
    "doc": lambda ranked: ranked.columns["doc"].gather(ranked.source).to_numpy().astype(object),
    "start": lambda ranked: np.where(ranked.found, ranked.start, -1),
    "end": lambda ranked: np.where(ranked.found, ranked.end, -1),
    "score": lambda ranked: ranked.columns["rsv"].gather(ranked.source).cast(float).to_numpy(),
    "grade": _grade_results,
    "size": lambda ranked: ranked.size,
    "relevant": lambda ranked: _require_sizes(ranked).relevant,
    "new_size": lambda ranked: _require_sizes(ranked).seen.new_size,
    "new_relevant": lambda ranked: _require_sizes(ranked).new_relevant,
}


def build_topic_arrays(ranked: RankedRun) -> TopicArrays:
    """Build the view of each topic's results and gold as plain arrays; columns are built when used."""
    assessed = ranked.assessed

    @cache
    def column(name: str) -> npt.NDArray[Any]:
        return _RESULT_COLUMNS[name](ranked)

    def spread(name: str) -> Floats | None:
        return None if name != "grade" and not ranked.has_sizes else ranked.matrix(column(name))

    pair, start, end = assessed.spans
    documents = assessed.pairs["doc"].to_numpy().astype(object)
    gold: list[TopicGold] = []
    for topic in range(len(assessed.topics)):
        spans = np.flatnonzero(assessed.topic[pair] == topic)
        pairs = np.flatnonzero(assessed.topic == topic)
        gold.append(
            TopicGold(
                doc=documents[pair[spans]],
                start=start[spans],
                end=end[spans],
                size=end[spans] - start[spans],
                documents=documents[pairs],
                grades=assessed.document_grade[pairs],
                total=float(assessed.total[topic]),
            )
        )
    bounds = ranked.first.tolist()
    results = [TopicResults(column, *bounds[topic : topic + 2]) for topic in range(len(gold))]
    return TopicArrays(assessed.topics, tuple(results), tuple(gold), spread)


def build_valued_text(ranked: RankedRun, *, task: str, alpha: float, quant: str, **rules: str) -> ValuedText:
    """Build the view of HiXEval: from highlights, or from grades where there are no highlights."""
    bases = ranked.bases
    value: Floats | Ints
    if bases.has_only_grades:
        relevant, total = _estimate_relevant_text(ranked, task, quant, rules)
        value = relevant if alpha == 0 else _weigh_values(ranked, alpha, relevant, np.zeros(len(ranked)))
    else:
        value = _value_highlights(ranked, alpha)
        total = (bases.elements.relevant_total if task == "thorough" else ranked.assessed.total).astype(float)
    if ranked.is_repeat.any():
        value = np.where(ranked.is_repeat, 0.0, value)  # a repeat is worth 0 for any alpha
    return ValuedText(
        value=ranked.relevant_by_rank if value is ranked.relevant else ranked.matrix(value),
        size=ranked.size_by_rank,
        total=total,
    )


def _estimate_relevant_text(
    ranked: RankedRun, task: str, quant: str, rules: Mapping[str, str]
) -> tuple[Floats, Floats]:
    """Return the relevant characters of results and of topics from grades: specificity times size.

    Those of a topic are summed over the ideal recall base, in Thorough over the full one.
    """
    bases = ranked.bases
    if bases.scale == "2002":
        raise MeasureError(
            "HiXEval without highlights needs grades of specificity (2003 to 2004); "
            "the coverage of 2002 is not a scale"
        )
    bases.require_sizes("HiXEval from grades")
    base = bases.elements
    estimate = np.where(bases.excluded(None), 0.0, base.grades.normalised_specificity * base.size)
    is_full = task == "thorough"
    is_counted = bases.gains(quant, None) > 0 if is_full else bases.ideal(quant, None, **rules)
    return LocatedRun(ranked, base).of_elements(estimate), bases.total(np.where(is_counted, estimate, 0.0))


def _value_highlights(ranked: RankedRun, alpha: float) -> Floats | Ints:
    """Return rval of each result: its relevant characters, less those seen before.

    With alpha 0 nothing is deducted; with alpha 1 the value is the new relevant text; in between it depends
    on the values of earlier results.
    """
    if alpha == 0:
        return ranked.relevant
    if alpha == 1:
        return ranked.new_relevant
    relevant = ranked.relevant.astype(float)
    return _weigh_values(ranked, alpha, relevant, relevant - ranked.new_relevant)


def _weigh_values(ranked: RankedRun, alpha: float, relevant: Floats, seen_relevant: Floats) -> Floats:
    new_size, size = ranked.seen.new_size, ranked.size
    value: Floats = relevant - alpha * seen_relevant  # final, unless all overlapping results are inside
    fully = (new_size == 0) & (size > 0)
    value[fully] = (1 - alpha) * relevant[fully]
    partly = (new_size > 0) & (new_size < size)
    for rows in _find_shared_documents(ranked):
        _deduct_inner(ranked, rows, partly, alpha, relevant, value)
    return value


def _find_shared_documents(ranked: RankedRun) -> list[Ints]:
    """Return the rows of each document whose results share text, in rank order."""
    rows = np.flatnonzero(ranked.seen.contested)
    rows = rows[np.argsort(ranked.group[rows], kind="stable")]
    return np.split(rows, np.flatnonzero(np.diff(ranked.group[rows])) + 1) if len(rows) else []


def _deduct_inner(
    ranked: RankedRun, rows: Ints, partly: Booleans, alpha: float, relevant: Floats, value: Floats
) -> None:
    """Deduct the values of earlier results inside a result, if no other earlier result shares its text.

    Values depend on earlier values, so the results of a document are processed in order.
    """
    start, end, repeat = ranked.start[rows], ranked.end[rows], ranked.is_repeat[rows]
    worth = np.zeros(len(rows))
    for number, row in enumerate(rows):
        if partly[row]:
            before = slice(0, number)
            meets = (start[before] < end[number]) & (end[before] > start[number])
            inside = (start[before] >= start[number]) & (end[before] <= end[number])
            if not (meets & ~inside).any():
                deduction = float(worth[before][inside].cumsum()[-1]) if inside.any() else 0.0
                value[row] = max(0.0, relevant[row] - alpha * deduction)
        worth[number] = 0.0 if repeat[number] else value[row]


def score_articles(
    ranked: RankedRun, group: Ints, first_row: Ints, score: str, *, beta: float, n: float, tolerance: float
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
        was_found = _sum_groups(ranked, group, ranked.found & (ranked.pair >= 0)) > 0
        return np.where(was_found, _score_tolerance(ranked, group, pair, tolerance), 0.0)
    retrieved = _sum_groups(ranked, group, ranked.new_relevant)
    precision = divide(retrieved, _sum_groups(ranked, group, ranked.seen.new_size))
    recall = divide(retrieved, ranked.assessed.relevant_size[pair].astype(float))
    return compute_f_beta(precision, recall, beta)


def _sum_groups(ranked: RankedRun, group: Ints, values: npt.ArrayLike) -> Floats:
    return sum_by_group(ranked.group, values, int(group.max(initial=-1)) + 1)[group]


def _score_tolerance(ranked: RankedRun, group: Ints, pair: Ints, tolerance: float) -> Floats:
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
    owner, start, end, retrieved, relevant = _cut_documents(
        len(group), length, retrieved_spans, relevant_spans
    )
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


def _cut_documents(
    documents: int,
    length: Ints,
    retrieved_spans: tuple[Ints, Ints, Ints],
    relevant_spans: tuple[Ints, Ints, Ints],
) -> tuple[Ints, Ints, Ints, Booleans, Booleans]:
    """Cut documents at all borders; return owner, start, end, whether retrieved, whether relevant."""
    reach = np.maximum.reduce(
        [
            length,
            _find_furthest_ends(documents, retrieved_spans),
            _find_furthest_ends(documents, relevant_spans),
        ]
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
    retrieved = _mark_covered(retrieved_spans, owner, start, stride)
    readable = np.flatnonzero(retrieved | (start < length[owner]))  # no gaps past the document's end
    owner, start, end = owner[readable], start[readable], end[readable]
    return owner, start, end, retrieved[readable], _mark_covered(relevant_spans, owner, start, stride)


def _find_furthest_ends(documents: int, spans: tuple[Ints, Ints, Ints]) -> Ints:
    furthest = np.zeros(documents, dtype=np.int64)
    np.maximum.at(furthest, spans[0], spans[2])
    return furthest


def _mark_covered(spans: tuple[Ints, Ints, Ints], owner: Ints, start: Ints, stride: int) -> Booleans:
    """Mark the pieces inside one of the spans, which do not overlap."""
    group, begin, end = spans
    order = np.argsort(group * stride + begin)
    line, stop = (group * stride + begin)[order], (group * stride + end)[order]
    place = np.searchsorted(line, owner * stride + start, side="right") - 1
    return (place >= 0) & (owner * stride + start < stop[np.maximum(place, 0)]) if len(line) else start < 0
