"""All measures, in the order in which they are listed, and by name."""

from __future__ import annotations

from functools import cache

from doxel.measures import (
    ceilings,
    characters,
    chroma,
    classic,
    effort,
    entry_points,
    generalised,
    gold_spans,
    hixeval,
    inex_eval_ng,
    interpolated,
    overlap,
    precall,
    reading,
    structural,
    tokens,
    tolerance,
    users,
    xcg,
)
from doxel.measures.declare import Measure
from doxel.measures.names import parse_measures

__all__ = ["MEASURES", "by_name", "parse"]

MEASURES: tuple[Measure, ...] = (
    *precall.MEASURES,
    *inex_eval_ng.MEASURES,
    *xcg.MEASURES,
    *effort.MEASURES,
    *interpolated.MEASURES,
    *hixeval.MEASURES,
    *generalised.MEASURES,
    *characters.MEASURES,
    *tokens.MEASURES,
    *gold_spans.MEASURES,
    *reading.MEASURES,
    *ceilings.MEASURES,
    *chroma.MEASURES,
    *users.MEASURES,
    *entry_points.MEASURES,
    *tolerance.MEASURES,
    *structural.MEASURES,
    *overlap.MEASURES,
    *classic.MEASURES,
)


@cache
def by_name() -> dict[str, Measure]:
    """Return the measures by name and alias."""
    return {
        name: measure
        for measure in MEASURES
        for name in (measure.declaration.name, *measure.declaration.aliases)
    }


def parse(text: str) -> list[Measure]:
    """Return the measures that a string names.

    >>> parse("iP@0.01,0.1, MAiP(task=thorough)")
    [iP@0.01, iP@0.1, MAiP(task="thorough")]
    """
    return parse_measures(text, by_name())
