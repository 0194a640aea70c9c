"""The table of all measures, in the order in which they are listed, and access by name."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache

from doxel.errors import MeasureError
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

__all__ = ["MEASURES", "best", "by_name", "lower_is_better", "parse"]

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


def lower_is_better(name: str) -> bool:
    """Return whether lower scores of the measure with this name are better.

    Figures of other tools have names that are not measures; for these, higher is better.
    """
    try:
        return parse(name)[0].declaration.lower_is_better
    except MeasureError:
        return False


def best(name: str, scores: Iterable[float]) -> float | None:
    """Return the best of the scores of the measure with this name.

    >>> best("MAiP", [0.2, 0.3]), best("read(recall=0.5)", [200.0, 300.0])
    (0.3, 200.0)
    """
    choose = min if lower_is_better(name) else max
    return choose((score for score in scores if not math.isnan(score)), default=None)


def parse(text: str) -> list[Measure]:
    """Return the measures that a string names.

    >>> parse("iP@0.01,0.1, MAiP(task=thorough)")
    [iP@0.01, iP@0.1, MAiP(task="thorough")]
    """
    return parse_measures(text, by_name())
