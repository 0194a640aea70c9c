"""Named sets: the official measures of a year and task, with their parameters, in one word."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from doxel.errors import MeasureError
from doxel.measures import Measure
from doxel.measures.table import by_name, parse

__all__ = ["SETS", "default_set", "expand"]

_CHARACTERS = "iP@0,0.01,0.05,0.1, MAiP"
_IN_CONTEXT = "MAgP({0}), gP({0})@5,10,25,50"

# name -> measures, as on the command line (measures.md, section 11)
SETS: dict[str, str] = {
    "inex2006-relevant-in-context": _IN_CONTEXT.format("beta=1"),
    "inex2007-focused": _CHARACTERS,
    "inex2008-focused": _CHARACTERS,
    "inex2009-focused": _CHARACTERS,
    "inex2009-thorough": 'iP(task="thorough")@0,0.01,0.05,0.1, MAiP(task="thorough")',
    "inex2007-relevant-in-context": _IN_CONTEXT.format("beta=1"),
    "inex2008-relevant-in-context": _IN_CONTEXT.format("beta=0.25"),
    "inex2009-relevant-in-context": _IN_CONTEXT.format("beta=0.25"),
    "inex2007-best-in-context": _IN_CONTEXT.format('score="bep", n=1000'),
    "inex2008-best-in-context": _IN_CONTEXT.format('score="bep", n=500'),
    "inex2009-best-in-context": _IN_CONTEXT.format('score="bep", n=500'),
    "inex2010-relevant-in-context": _IN_CONTEXT.format('score="t2i", T=300'),
    "inex2010-restricted-relevant-in-context": _IN_CONTEXT.format('score="t2i", T=300, article_chars=500'),
    "inex2010-restricted-focused": "char_prec(chars=1000)",
    "inex2010-efficiency": ", ".join(f'MAiP(limit={limit}, task="thorough")' for limit in (15, 150, 1500)),
}

_BY_TASK = {
    "focused": "inex2009-focused",
    "thorough": "inex2009-thorough",
    "relevant-in-context": "inex2010-relevant-in-context",
    "best-in-context": "inex2009-best-in-context",
}


def expand(wanted: Sequence[str | Measure]) -> list[Measure]:
    """Return the measures that names, lists of names and names of sets stand for, each once."""
    found: dict[Measure, None] = {}
    for one in wanted:
        measures = [one.check()] if isinstance(one, Measure) else parse(SETS.get(one.strip(), one))
        found.update(dict.fromkeys(measures))
    return list(found)


def known(name: str) -> str:
    """Return the name of a set, or say which there are."""
    if name in SETS:
        return name
    near = difflib.get_close_matches(name, [*SETS, *by_name()], 3)
    raise MeasureError(f"there is no set {name!r}" + (f"; did you mean {' or '.join(near)}?" if near else ""))


def default_set(task: str | None, *, overlapping: bool) -> tuple[list[Measure], str]:
    """Return the measures for a run when none were asked for, and a sentence that says which.

    For assessments of 2007 and later: the official set of the declared task; without one, the
    character measures, in the Thorough reading where results overlap.
    """
    if task in _BY_TASK:
        name = _BY_TASK[task]
        return expand([name]), f"no measure named: {name}"
    if overlapping:
        return expand(["inex2009-thorough"]), (
            'no measure named and no task declared: iP and MAiP with task="thorough", because results overlap'
        )
    return expand([_CHARACTERS]), "no measure named and no task declared: iP and MAiP"
