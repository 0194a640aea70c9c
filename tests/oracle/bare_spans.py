"""Section 12 of measures.md: gains of chunks without elements.

The ideal units are the gold spans, merged where they overlap (adjacent ones stay apart), q = 1 each.  A chunk
gains (unseen relevant characters)/size, bounded by the sum of the rooms of the gold spans it touches.

Readings
--------
- Reading: These gains are used if no document of the case has a tree.  Then alpha, quantisation and similar
  parameters have no effect, and every task counts as Focused, also in the divisor of MAep.
- Reading: A gold span's room is 1 minus what was credited to it, charged in document order as in section 5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from .curves import Gains
from .rules import ONE, ZERO, ListOptions, Seen, ordered, ratio

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from .case_model import Case, Span


def merged(spans: Sequence[Span]) -> list[Span]:
    """Spans merged where they overlap, in document order; adjacent ones stay apart, empty ones vanish.

    >>> merged([(5, 15), (0, 10), (15, 20)])
    [(0, 15), (15, 20)]
    """
    units: list[Span] = []
    for start, end in sorted(span for span in spans if span[1] > span[0]):
        if units and start < units[-1][1]:
            units[-1] = (units[-1][0], max(end, units[-1][1]))
        else:
            units.append((start, end))
    return units


def gold_units(case: Case) -> list[tuple[str, frozenset[int]]]:
    """The ideal units of the topic."""
    return [
        (name, frozenset(range(start, end)))
        for name, spans in case.highlights.items()
        for start, end in merged(spans)
    ]


def bare_gains(case: Case, **options: Unpack[ListOptions]) -> Gains:
    """The gains of a list of chunks against the gold spans."""
    units = gold_units(case)
    rooms = [ONE for _ in units]
    seen = Seen(case)
    gains: list[Fraction] = []
    for result in ordered(case, **options):
        new = (result.positions - seen.of(result.doc)) & case.relevant(result.doc)
        touched = [
            i for i, (name, unit) in enumerate(units) if name == result.doc and unit & result.positions
        ]
        gain = min(ratio(len(new), result.size), sum((rooms[i] for i in touched), ZERO))
        gains.append(gain)
        for i in touched:
            paid = min(gain, rooms[i])
            rooms[i] -= paid
            gain -= paid
        seen.add(result)
    return Gains(gains, [ONE for _ in units], focused=True)
