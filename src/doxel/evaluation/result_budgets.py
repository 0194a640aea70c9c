"""Cut a ranked run where a budget of characters, words or tokens is spent.

Results are taken in order, and their units count against the budget.  A word or token counts where it starts.
Once the budget is spent the list ends; not even results that cost nothing follow.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from doxel.evaluation.inputs.token_counts import WORDS
from doxel.evaluation.ranked_run import RankedRun
from doxel.evaluation.views.span_view_builders import find_new_pieces
from doxel.spans import Booleans, Ints, sum_by_group

__all__ = ["Budget", "count_costs", "find_gaps", "spend_budget"]

Counter = Callable[[Ints, Ints, Ints], Ints]


@dataclass(frozen=True)
class Budget:
    """The units of text per topic that count, and the rules by which they are spent."""

    amount: int
    unit: str = "chars"
    fit: str = "cut"
    charge: str = "all"
    tokens: str = WORDS

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Budget:
        """Return the budget that the parameters of a measure declare, in chars or in budget.

        >>> Budget.of({"chars": 500, "budget": None})
        Budget(amount=500, unit='chars', fit='cut', charge='all', tokens='words')
        """
        if parameters.get("chars") is not None:
            return cls(parameters["chars"])
        unit, fit, charge = (parameters[name] for name in ("unit", "fit", "charge"))
        return cls(
            parameters["budget"], unit, fit, charge, parameters["tokens"] if unit == "tokens" else WORDS
        )


def count_costs(ranked: RankedRun, budget: Budget) -> Ints:
    """Return the units that each row of a run pays for."""
    return _count_units(ranked, budget).sum_by_row(len(ranked))


def spend_budget(ranked: RankedRun, budget: Budget) -> RankedRun:
    """Return the results that a budget pays for, the last one perhaps shortened."""
    _ = ranked.size  # raises an error if positions are unknown
    paid_text = _count_units(ranked, budget)
    if budget.fit == "cut":
        return _cut_results(ranked, paid_text, budget.amount)
    result = ranked.number  # a result may have several rows
    topic = np.repeat(np.arange(len(ranked.length)), ranked.length)
    cost = sum_by_group(result, paid_text.sum_by_row(len(ranked)), len(topic)).astype(np.int64)
    if budget.fit == "whole":
        spent = _accumulate(cost, topic)
        is_taken = (spent - cost < budget.amount) & (spent <= budget.amount)
    elif budget.charge == "all":
        is_taken = _skip_by_cost(topic, cost, budget.amount)
    else:
        is_taken = _skip_by_new_text(ranked, result, paid_text, budget.amount)
    return ranked.take(np.flatnonzero(is_taken[result]))


def _cut_results(ranked: RankedRun, paid_text: _PaidText, amount: int) -> RankedRun:
    """End the list, and the result that crosses the budget, where the first unpaid unit begins."""
    cost = paid_text.sum_by_row(len(ranked))
    spent = _accumulate(cost, ranked.topic)
    before = spent - cost
    crossing = np.flatnonzero((before < amount) & (spent > amount))
    end = ranked.end.copy()
    end[crossing] = paid_text.find_unpaid(crossing, amount - before[crossing])
    return ranked.shorten(end, before < amount)


def _skip_by_cost(topic: Ints, cost: Ints, amount: int) -> Booleans:
    """Mark the results that fit into the rest of the budget after the results marked before.

    >>> _skip_by_cost(np.array([0, 0, 0]), np.array([60, 50, 40]), 100).tolist()
    [True, False, True]
    """
    is_taken = np.zeros(len(topic), dtype=bool)
    current, spent = -1, 0
    for number, (owner, price) in enumerate(zip(topic.tolist(), cost.tolist(), strict=True)):
        if owner != current:
            current, spent = owner, 0
        if spent < amount and spent + price <= amount:
            is_taken[number] = True
            spent += price
    return is_taken


def _skip_by_new_text(ranked: RankedRun, result: Ints, paid_text: _PaidText, amount: int) -> Booleans:
    """Mark the results whose new units fit into the rest of the budget.

    Units are new if no result marked before contains them, so results are decided one after the other.
    """
    is_taken = np.zeros(int(result.max(initial=-1)) + 1, dtype=bool)
    borders = np.flatnonzero(np.diff(result, prepend=-1))
    current, spent = -1, 0
    taken: dict[int, list[tuple[int, int]]] = {}  # spans by document of the topic
    for rows in np.split(np.arange(len(result)), borders[1:]) if len(result) else ():
        if ranked.topic[rows[0]] != current:
            current, spent = ranked.topic[rows[0]], 0
        if spent >= amount:
            continue
        spans = [(int(ranked.group[row]), int(ranked.start[row]), int(ranked.end[row])) for row in rows]
        price = sum(
            paid_text.count_between(int(row), gap)
            for row, (group, start, end) in zip(rows, spans, strict=True)
            for gap in find_gaps(taken.get(group, ()), start, end)
        )
        if spent + price <= amount:
            is_taken[result[rows[0]]] = True
            spent += price
            for group, start, end in spans:
                insort(taken.setdefault(group, []), (start, end))
    return is_taken


def find_gaps(spans: Sequence[tuple[int, int]], start: int, end: int) -> list[tuple[int, int]]:
    """Return the parts of a span that none of the other spans, sorted by start, covers.

    >>> find_gaps([(2, 4), (3, 6), (9, 12)], 0, 10)
    [(0, 2), (6, 9)]
    """
    gaps = []
    for begin, stop in spans:
        if start < min(begin, end):
            gaps.append((start, min(begin, end)))
        start = max(start, stop)
    return [*gaps, (start, end)] if start < end else gaps


@dataclass(frozen=True)
class _PaidText:
    """The pieces of text that results pay for, by row and position, and the units in each piece.

    ``count`` returns the units in spans of documents, ``find`` where the unit with a number begins,
    counted from a position of a document.
    """

    owner: Ints
    document: Ints
    start: Ints
    units: Ints
    document_of_row: Ints
    count: Counter
    find: Counter

    def count_between(self, row: int, span: tuple[int, int]) -> int:
        """Return the units in a span of the document of a row."""
        start, end = (np.array([edge]) for edge in span)
        return int(self.count(self.document_of_row[row : row + 1], start, end)[0])

    def sum_by_row(self, rows: int) -> Ints:
        """Return the units that each row of the run pays for."""
        return sum_by_group(self.owner, self.units, rows).astype(np.int64)

    def find_unpaid(self, rows: Ints, paid: Ints) -> Ints:
        """Return the offset of each row's first unpaid unit; ``paid`` is the number of its paid units."""
        spent = np.cumsum(self.units)
        first = np.searchsorted(self.owner, rows)
        wanted = paid + (spent - self.units)[first]
        piece = np.searchsorted(spent, wanted, side="right")  # the first piece that ends after it
        return self.find(self.document[piece], self.start[piece], wanted - (spent - self.units)[piece])


def _count_units(ranked: RankedRun, budget: Budget) -> _PaidText:
    """Return the text that a run pays for; kept with the run, so that the points of a curve share it."""
    cache: dict[tuple[str, str, str], _PaidText] = vars(ranked).setdefault("_paid_text", {})
    key = (budget.unit, budget.tokens, budget.charge)
    if key not in cache:
        document, count, find = _choose_counter(ranked, budget)
        owner, start, end = np.arange(len(ranked)), ranked.start, ranked.end
        if budget.charge == "new":
            pieces = find_new_pieces(ranked)
            order = np.lexsort((pieces.start, pieces.owner))
            owner, start, end = pieces.owner[order], pieces.start[order], pieces.end[order]
        of_piece = document[owner]
        units = count(of_piece, start, end)
        cache[key] = _PaidText(owner, of_piece, start, units, document, count, find)
    return cache[key]


def _choose_counter(ranked: RankedRun, budget: Budget) -> tuple[Ints, Counter, Counter]:
    """Return the document number of each result, and functions that count and find units."""
    if budget.unit == "chars":
        return (
            ranked.group,
            lambda document, start, end: end - start,  # noqa: ARG005
            lambda document, start, number: start + number,  # noqa: ARG005
        )
    documents = ranked.columns["doc"].gather(ranked.source)
    document, counter = ranked.bases.tokens(budget.tokens).of(documents)
    return document, counter, counter.find


def _accumulate(cost: Ints, topic: Ints) -> Ints:
    """Return the cost of each row and of all rows before it in its topic."""
    spent = np.cumsum(cost)
    return spent - (spent - cost)[np.searchsorted(topic, topic)] if len(cost) else spent
