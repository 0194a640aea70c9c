"""Named sets of measures: the official measures of a year and task, with their parameters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from doxel.errors import MeasureError
from doxel.measures import Measure
from doxel.measures.chunks.classic_library import refuse_foreign
from doxel.measures.measure_table import map_measures, map_measures_for, parse_measure_list
from doxel.quantisation import find_quantisation
from doxel.wording import join_words, quote_value

__all__ = [
    "SETS",
    "adapt_to_scale",
    "choose_default_set",
    "expand_sets",
    "explain_unknown_set",
    "has_unknown_names",
    "split_names",
]

_CHARACTERS = "iP@0,0.01,0.05,0.1, MAiP"
_IN_CONTEXT = "MAgP({0}), gP({0})@5,10,25,50"
_SHORT_SET = 100  # characters of a set that a note spells out
_FOREIGN_CLASS = "ir_measures.measures.base.Measure"
_SEPARATOR = re.compile(r",(?![^()]*\))(?!\s*[0-9.])")  # a comma outside parentheses that adds no cutoff
_DISTANCES = (0.01, 0.1, 1, 10, 100)
_GRADED_2003 = ("strict2003", "gen2003")
_GRADED_2004 = (*_GRADED_2003, "sog", "e3s321", "e3s32", "e321s3", "e32s3")
_GRADED_2005 = ("strict2005", "gen2005", "genlifted")


def _combine_quantisations(quantisations: Sequence[str], *measures: str) -> str:
    """Return measures with each of several quantisations, inserted at ``{q}``."""
    return ", ".join(measure.format(q=f'quant="{name}"') for name in quantisations for measure in measures)


# name -> measures, as on the command line
SETS: dict[str, str] = {
    "inex2002": _combine_quantisations(("strict2002", "gen2002"), "inex_eval({q})"),
    "inex2003": _combine_quantisations((*_GRADED_2003, "sog"), "inex_eval({q})")
    + ", "
    + ", ".join(
        f'inex_eval_ng(variant="{variant}", grades="{grades}")'
        for variant in ("o", "s")
        for grades in ("normalised", "strict")
    ),
    "inex2004": _combine_quantisations(_GRADED_2004, "inex_eval({q})"),
    "inex2005-thorough": _combine_quantisations(
        _GRADED_2005, 'MAep({q}, task="thorough")', 'iMAep({q}, task="thorough")'
    ),
    "inex2005-focused": _combine_quantisations(
        _GRADED_2005,
        'nxCG({q}, task="focused", alpha=1)@10,25,50',
        'MAnxCG({q}, task="focused", alpha=1)@10,25,50',
    ),
    "inex2005-fetch-and-browse": _combine_quantisations(_GRADED_2005, "fetch_MAep({q})", "browse_MAep({q})"),
    "inex2006-thorough": 'MAep(quant="spec", task="thorough", overlap="off")',
    "inex2006-focused": ", ".join(
        f'nxCG(quant="spec", task="focused", alpha=1, overlap="{overlap}")@5,10,25,50'
        for overlap in ("on", "off")
    ),
    "inex2006-relevant-in-context": _IN_CONTEXT.format("beta=1"),
    "inex2006-best-in-context": ", ".join(
        [f"BEPD(A={a})" for a in _DISTANCES] + [f'EPRUM(model="bep_distance", A={a})' for a in _DISTANCES]
    ),
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
    "chunks": 'char_rec@1,3,5,10, char_prec@5, char_iou@5, span_rec@5, span_RR, MAiP(task="thorough")',
    "documents": "AP, nDCG@10, P@10, R@100, RR",
}

# the default set by format of the assessments; for other formats the task decides
_BY_FORMAT = {
    "inex2002": "inex2002",
    "inex2003": "inex2004",
    **dict.fromkeys(
        ("jsonl", "csv", "chroma", "bioasq", "genomics", "squad", "qasper", "locomo", "archehr"), "chunks"
    ),
}
_BY_TASK = {
    "focused": "inex2009-focused",
    "thorough": "inex2009-thorough",
    "relevant-in-context": "inex2010-relevant-in-context",
    "best-in-context": "inex2009-best-in-context",
}


def expand_sets(
    wanted: str | Measure | Iterable[Any], scale: str | None = None, *, run_files: bool = True
) -> list[Measure]:
    """Expand names, lists of names and names of sets to measures, without duplicates.

    ``scale`` is that of the assessments, which decides on the names of other tools: ``map`` is AP on grades
    of documents, and an error on text.  Measures of ir_measures are taken by their names.
    ``run_files``: a measure may be FILE.py:NAME, whose code is executed.

    >>> [measure.name for measure in expand_sets(["iP@0,0.1", "MAiP"])]
    ['iP@0', 'iP@0.1', 'MAiP']
    """
    items = wanted if isinstance(wanted, Iterable) and not isinstance(wanted, str) else [wanted]
    measures: dict[str, Measure] = {}
    for item in items:
        name_or_measure = _name_foreign(item) if _is_of_ir_measures(item) else item
        if not isinstance(name_or_measure, str | Measure):
            advice = ", or a function that @doxel.measure declares" if callable(item) else ""
            raise MeasureError(f"a measure: wanted its name{advice}, found {quote_value(item)}")
        for measure in (
            [name_or_measure.check()]
            if isinstance(name_or_measure, Measure)
            else _parse_names(name_or_measure, scale, run_files)
        ):
            _check_same(measures.setdefault(measure.name, measure), measure)
    return list(measures.values())


def split_names(measures: Any) -> list[Any]:
    """Return the parts of a request: names with their parameters and cutoffs, and objects as they are.

    >>> split_names(["nxCG(alpha=1, task=focused)@5,10, MAiP", "chunks"])
    ['nxCG(alpha=1, task=focused)@5,10', 'MAiP', 'chunks']
    """
    items = [measures] if isinstance(measures, str) or not isinstance(measures, Iterable) else measures
    return [
        name
        for item in items
        for name in (map(str.strip, _SEPARATOR.split(item)) if isinstance(item, str) else [item])
    ]


def has_unknown_names(measures: Any) -> bool:
    """Return whether a request contains names that no measure and no set has, such as official figures.

    >>> has_unknown_names("nxCG(alpha=1)@5,10, chunks"), has_unknown_names(["iP@0", "genomics2007"])
    (False, True)
    """
    names = [name for name in split_names(measures) if isinstance(name, str)]
    declared = map_measures()
    return not all(name in SETS or re.split(r"[(@]", name, maxsplit=1)[0] in declared for name in names)


def _is_of_ir_measures(item: object) -> bool:
    """Return whether an object is a measure of ir_measures; it prints as its name."""
    return any(f"{base.__module__}.{base.__name__}" == _FOREIGN_CLASS for base in type(item).__mro__)


def _name_foreign(item: Any) -> str:
    """Return the name of a measure of ir_measures; one that doxel has with another meaning is an error."""
    if not type(item).__module__.startswith("doxel."):  # measures of doxel.ir_measures are doxel's own
        refuse_foreign(item.NAME)
    return str(item)


def _check_same(measure: Measure, other: Measure) -> None:
    """Raise an error for two different measures with the same name."""
    homes = [item.declaration.origin for item in (measure, other)]
    if measure.declaration is not other.declaration and homes[0] != homes[1]:
        raise MeasureError(
            f"two different measures are called {measure.declaration.name}: "
            "wanted another name for one of them, from @doxel.measure(name=...)"
        )


def _parse_names(request: str, scale: str | None, run_files: bool) -> list[Measure]:
    """Return the measures of a set or of a list of names; suggest sets if the name is unknown."""
    name = request.strip()
    if name in SETS and name in map_measures():
        raise MeasureError(f"{name} is the name of a set and of your measure: wanted another name for it")
    try:
        return parse_measure_list(SETS.get(name, request), map_measures_for(scale), run_files=run_files)
    except MeasureError as error:
        from doxel.evaluation.compat.campaigns.campaign_scorers import CAMPAIGN_SETS

        if name in CAMPAIGN_SETS:
            raise MeasureError(
                f"{name!r} is a set of official figures, which only evaluate and compare compute"
            ) from error

        sentence = explain_unknown_set(name, SETS)
        if sentence is None or name.partition("@")[0] in map_measures():
            raise
        raise MeasureError(sentence) from error


def explain_unknown_set(name: str, sets: Iterable[str]) -> str | None:
    """Return the sentence about an unknown name that is similar to the names of sets, else None.

    >>> explain_unknown_set("inex2009-focussed", ["documents", "inex2009-focused"])
    "unknown measure or set 'inex2009-focussed'; similar sets: inex2009-focused"
    """
    from difflib import get_close_matches  # rarely needed

    names = list(sets)
    near = [key for key in names if name and key.startswith(name)] or get_close_matches(name, names, 3, 0.8)
    return f"unknown measure or set {name!r}; similar sets: {join_words(near, 8)}" if near else None


def adapt_to_scale(measure: Measure, scale: str) -> Measure:
    """Return a measure whose quantisation is named in full for the scale of the assessments.

    >>> adapt_to_scale(expand_sets("nxCG(quant=strict)@10")[0], "2005").name
    'nxCG(quant="strict2005")@10'
    """
    quant = measure.written.get("quant")
    return measure if quant is None else measure(quant=find_quantisation(quant, scale).name)


def choose_default_set(
    format_name: str | None, task: str | None, *, overlapping: bool, scale: str | None = None
) -> tuple[list[Measure], str]:
    """Return the default measures for a run, and a note about the choice.

    The choice depends on the format and scale of the assessments and the declared task.  Without a task
    these are the character measures, with ``task="thorough"`` if results overlap.
    """
    name = "documents" if scale == "documents" else _BY_FORMAT.get(format_name or "")
    if name is None and task is not None:
        of_year = f"{format_name}-{task}"
        name = of_year if of_year in SETS else _BY_TASK.get(task)
    if name is not None:
        members = SETS[name] if len(SETS[name]) <= _SHORT_SET else f"{len(expand_sets([name]))} measures"
        return expand_sets([name]), f"no measure given; using the set '{name}': {members}"
    if overlapping:
        return expand_sets(["inex2009-thorough"]), (
            "no measure given and no task declared; results overlap, "
            'so iP and MAiP with task="thorough" are used'
        )
    return expand_sets([_CHARACTERS]), "no measure given and no task declared; using iP and MAiP"
