"""One page per family of measures, generated from the declarations."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from doxel.cli.commands import measures as command
from doxel.evaluation.inputs.measure_sets import SETS
from doxel.measures import MEASURES, Measure
from doxel.measures.bibliography import list_sources
from doxel.measures.measure_parameters import DEPENDS, Choice, Number, Parameter, show_value
from pagemaker import rst
from pagemaker.worked import Example, scores_table

__all__ = ["Family", "families", "pages"]

# The articles of the handbook about each family.
READ_ON = {
    "precall": ("inex-eval", "expected-search-length", "quantisation", "ties-and-order"),
    "inex_eval_ng": ("inex-eval-ng", "relevance-dimensions", "overlap"),
    "xcg": ("cumulated-gain", "xcg-gain", "ideal-recall-base"),
    "effort": ("effort-precision", "fetch-and-browse", "reading-curves"),
    "interpolated": ("interpolated-precision", "runs-and-validity"),
    "hixeval": ("hixeval", "highlighting", "overlap"),
    "generalised": ("generalised-precision", "best-in-context", "tolerance-to-irrelevance"),
    "characters": ("span-measures", "chunk-retrieval", "restricted-reading"),
    "users": ("user-models", "generalised-recall", "expected-precision-recall", "near-misses"),
    "entry_points": ("best-in-context", "best-entry-points"),
    "tolerance": ("tolerance-to-irrelevance", "user-models"),
    "structural": ("structural-relevance", "overlap"),
    "overlap": ("overlap", "runs-and-validity"),
    "tokens": ("span-measures", "chunk-retrieval"),
    "gold_spans": ("span-measures", "chunk-retrieval"),
    "reading": ("span-measures", "restricted-reading"),
    "chunk_references": ("chunking-choosers", "chunk-retrieval"),
    "chroma": ("chunk-retrieval", "chunking-choosers"),
    "classic": ("focused-retrieval", "choosing-a-measure"),
}
# More columns of a worked example, with parameters other than the defaults.
MORE = {
    "precall": ('inex_eval(method="rank")', 'inex_eval(base="ideal")'),
    "inex_eval_ng": ('inex_eval_ng(variant="s")',),
    "xcg": ("nxCG@1", "nxCG@3", 'nxCG(task="thorough")@2'),
    "effort": ('MAep(task="thorough")', 'MAep(ideal_curve="step")'),
    "interpolated": ('MAiP(task="thorough")',),
    "hixeval": ("HiXEval_P(alpha=0)@2", "HiXEval_R(alpha=0)@2"),
    "generalised": ("MAgP(beta=0.25)", 'MAgP(score="t2i")'),
    "characters": ("char_prec", 'char_prec(repeats="charged")'),
}
# The columns of families whose measures need a parameter: by hand, and on the demo campaign.
INSTEAD = {"entry_points": ("BEPD(A=0.1, L=1000)", "BEPD(A=1, L=1000)")}
INSTEAD_ON_DEMO = {"entry_points": ("BEPD(A=0.1)", "BEPD(A=1)", "BEPD(A=10)")}
IN_CONTEXT = {"generalised", "entry_points"}  # families that need more than one document

_OVERVIEW = """\
Every measure is declared once, next to its code.  These pages, the command line and the error messages are
derived from the declaration.  The examples were computed when these pages were built.

A measure is written as it prints: a name, parameters in parentheses where they differ from the default, and a
cutoff after @, such as ``nxCG(alpha=1)@10``.  :doc:`Named sets <sets>` select the official measures of a year
and task."""
_SETS = """\
A set selects the official measures of a year and task, with their parameters.  It is used like a measure:
``-m inex2006-focused``."""
_SOURCE = re.compile(r"\bsource (\d{3})\b")
_LEAD = re.compile(r"^(Rewards|When it misleads|Neighbours|References?):", re.MULTILINE)


@dataclass(frozen=True)
class Family:
    """The measures of one module."""

    name: str
    measures: tuple[Measure, ...]
    docstring: str

    @property
    def title(self) -> str:
        """The first words of the module docstring."""
        return self.docstring.partition("``")[0].strip(" :,\n")

    @property
    def page(self) -> str:
        """The name of its page."""
        return self.name.replace("_", "-")

    @property
    def columns(self) -> tuple[str, ...]:
        """The measures of the example that is worked by hand."""
        if self.name in INSTEAD:
            return INSTEAD[self.name]
        return (*(_plain_name(measure, 2, 0.5) for measure in self.measures), *MORE.get(self.name, ()))

    @property
    def demo_columns(self) -> tuple[str, ...]:
        """The measures that are computed on the demo campaign."""
        plain = tuple(_plain_name(measure, 10, 0.1) for measure in self.measures)
        return INSTEAD_ON_DEMO.get(self.name, plain)


def families() -> list[Family]:
    """Return the families in the order in which measures are listed."""
    measures: dict[str, list[Measure]] = {}
    docstrings: dict[str, str] = {}
    for measure in MEASURES:
        module = inspect.getmodule(measure.declaration.function)
        name = (module.__name__ if module else "").rpartition(".")[2]
        measures.setdefault(name, []).append(measure)
        docstrings[name] = inspect.getdoc(module) or ""
    return [Family(name, tuple(members), docstrings[name]) for name, members in measures.items()]


def pages(work_examples: Callable[[Family], Sequence[Example]]) -> dict[str, str]:
    """Return the overview, the named sets and one page per family, by file name."""
    all_families = families()
    texts = {"index": _overview(all_families), "sets": _sets()}
    texts |= {family.page: _family(family, work_examples(family)) for family in all_families}
    return {f"measures/{name}.rst": f"{text}\n" for name, text in texts.items()}


def _overview(all_families: Sequence[Family]) -> str:
    pieces = [
        rst.heading("Measures"),
        _OVERVIEW,
        rst.toctree([*(family.page for family in all_families), "sets"]),
    ]
    for family in all_families:
        rows = [
            [_link(measure), rst.escape(measure.declaration.summary), rst.escape(measure.declaration.years)]
            for measure in family.measures
        ]
        pieces += [
            rst.heading(rst.escape(family.title), 2),
            f"See :doc:`{family.page}`.",
            rst.table(("measure", "what it measures", "official"), rows),
        ]
    return "\n\n".join([*pieces, rst.heading("Properties", 2), *_properties(MEASURES)])


def _sets() -> str:
    rows = [[rst.literal(name), rst.literal(measures)] for name, measures in SETS.items()]
    return "\n\n".join([rst.heading("Named sets"), _SETS, rst.table(("set", "measures"), rows)])


def _signature(measure: Measure) -> str:
    declaration = measure.declaration
    if declaration.at is None:
        return declaration.name
    at = f"@{declaration.at.name}"
    return f"{declaration.name}[{at}]" if declaration.at_optional else f"{declaration.name}{at}"


def _link(measure: Measure) -> str:
    return f":ref:`{_signature(measure)} <{_label(measure)}>`"


def _label(measure: Measure) -> str:
    """Return the label of a measure; labels have no case, and ``gr`` is not ``GR``."""
    return f"{measure.declaration.function.__module__.rpartition('.')[2]}-{measure.declaration.name}"


def _properties(measures: Sequence[Measure]) -> list[str]:
    labels: dict[str, str] = command.PROPERTY_LABELS
    rows = [
        [
            rst.literal(measure.declaration.name),
            *(rst.escape(str(getattr(measure.declaration.properties, name))) for name in labels),
        ]
        for measure in measures
    ]
    notes = f"These are the questions of source 000, table 2. {command.PROPERTY_NOTES}"
    return [rst.table(("measure", *labels.values()), rows), _link_sources(notes)]


def _link_sources(text: str) -> str:
    """Link the numbers under which the code cites its sources."""
    return _SOURCE.sub(r":ref:`source \1 <source-\1>`", text)


def _family(family: Family, examples: Sequence[Example]) -> str:
    """Return the page of a family."""
    explanation = _LEAD.sub(r"**\1:**", family.docstring.partition("\n")[2].strip())
    pieces = [
        rst.heading(rst.escape(family.title)),
        ", ".join(map(_link, family.measures)),
        _link_sources(explanation),
        rst.heading("Worked example", 2),
    ]
    for example in examples:
        pieces += [rst.heading(example.case.name, 3), example.case.shown, scores_table(example)]
    pieces += [rst.heading("Parameters", 2), _parameters(family)]
    for measure in family.measures:
        pieces += _measure(measure)
    pieces += [rst.heading("Properties", 2), *_properties(family.measures)]
    pieces += [rst.heading("Sources", 2), *_sources(family)]
    if articles := READ_ON.get(family.name):
        links = ", ".join(f":doc:`/handbook/{slug}`" for slug in articles)
        pieces += [rst.heading("In the handbook", 2), f"{links}."]
    return "\n\n".join(pieces)


def _parameters(family: Family) -> str:
    """Return the parameters of a family, each once, with the measures that take it."""
    owners: dict[str, list[Measure]] = {}
    parameters: dict[str, tuple[Parameter, str]] = {}
    for measure in family.measures:
        at = measure.declaration.at
        for parameter in [*([at] if at else []), *measure.declaration.parameters.values()]:
            parameters[parameter.name] = (parameter, _default(measure, parameter))
            owners.setdefault(parameter.name, []).append(measure)
    rows = [
        [
            rst.literal(name),
            rst.escape(str(parameter.kind)),
            rst.escape(default),
            rst.escape(_sentence(parameter.about)) + _owners(owners[name], family),
        ]
        for name, (parameter, default) in parameters.items()
    ]
    return rst.table(("parameter", "value", "default", "meaning"), rows)


def _owners(measures: Sequence[Measure], family: Family) -> str:
    if len(measures) == len(family.measures):
        return ""
    names = ", ".join(rst.literal(measure.declaration.name) for measure in measures)
    return f" (only {names})"


def _measure(measure: Measure) -> list[str]:
    """Return the section of one measure: its summary, and a list of facts."""
    declaration = measure.declaration
    low, high = declaration.bounds
    upper = "" if high == float("inf") else f" to {show_value(high)}"
    facts = {
        "Also called": ", ".join(declaration.aliases),
        "Bounds": f"from {show_value(low)}{upper}",
        "Official": declaration.years,
        "Requires": requirements(measure),
        "Reference": declaration.reference,
    }
    lines = [f":{name}: {_link_sources(value)}" for name, value in facts.items() if value]
    return [
        f".. _{_label(measure)}:",
        rst.heading(rst.literal(_signature(measure)), 2),
        rst.escape(f"{_sentence(declaration.summary)}."),
        "\n".join(lines),
    ]


def _sources(family: Family) -> list[str]:
    """Return the papers and programs behind a family, and the command that prints them as BibTeX."""
    entries = [f"- {rst.escape(entry.sentence)}" for entry in list_sources(family.measures)]
    name = family.measures[0].declaration.name
    return ["\n".join(entries), f"``doxel measures {name} --bibtex`` prints them as BibTeX."]


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"


def _plain_name(measure: Measure, rank: int, recall: float) -> str:
    """Return the name of a measure in an example, with a cutoff if it takes one."""
    declaration = measure.declaration
    if declaration.at is None:
        return declaration.name
    is_rank = isinstance(declaration.at.kind, Number) and declaration.at.kind.whole
    return f"{declaration.name}@{rank if is_rank else recall}"


def _default(measure: Measure, parameter: Parameter) -> str:
    if parameter is measure.declaration.at:
        return "optional" if measure.declaration.at_optional else "required, after @"
    return str(DEPENDS) if parameter.default is DEPENDS else show_value(parameter.default)


def requirements(measure: Measure) -> str:
    """Describe the requirements of a measure, and the parameter values that change them.

    >>> from doxel.measures.measure_table import map_measures
    >>> requirements(map_measures()["iP"])
    'no overlap; with ``task="thorough"`` nothing'
    """
    declaration = measure.declaration
    defaults = {
        name: None if parameter.default is DEPENDS else parameter.default
        for name, parameter in declaration.parameters.items()
    }
    usual = declaration.requires(defaults)
    clauses = [" and ".join(usual)] if usual else []
    for name, parameter in declaration.parameters.items():
        for value in parameter.kind.values if isinstance(parameter.kind, Choice) else ():
            other = declaration.requires({**defaults, name: value})
            if other != usual:
                clauses.append(f"with ``{name}={show_value(value)}`` {' and '.join(other) or 'nothing'}")
    return "; ".join(clauses)
