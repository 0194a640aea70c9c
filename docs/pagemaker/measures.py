"""Pages of measures, one a family, from the declarations: nothing about a measure is written twice."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from doxel.cli.commands import measures as command
from doxel.evaluation.inputs.measure_sets import SETS
from doxel.measures import MEASURES, Measure
from doxel.measures.declaration import DEPENDS, Choice, Number, Parameter, show_value
from pagemaker import docstrings
from pagemaker.escaping import anchor, element, table, text
from pagemaker.markdown import Heading
from pagemaker.template import Page
from pagemaker.worked import Case, scores_table

__all__ = ["Family", "families", "pages"]

# Where the handbook goes on; families that are not here have no such line.
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
    "ceilings": ("chunking-ceilings", "chunk-retrieval"),
    "chroma": ("chunk-retrieval", "chunking-ceilings"),
    "classic": ("focused-retrieval", "choosing-a-measure"),
}
# More columns of a worked example: parameters that are worth seeing beside the defaults.
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
# The columns where names alone would not do: by hand, and on the demo, whose collection knows its length.
INSTEAD = {"entry_points": ("BEPD(A=0.1, L=1000)", "BEPD(A=1, L=1000)")}
INSTEAD_ON_DEMO = {"entry_points": ("BEPD(A=0.1)", "BEPD(A=1)", "BEPD(A=10)")}
IN_CONTEXT = {"generalised", "entry_points"}  # families that say little about a single document
Examples = Sequence[tuple[Case, Sequence[str]]]

_SOURCE = re.compile(r"\bsource (\d{3})\b")


@dataclass(frozen=True)
class Family:
    """The measures of one module."""

    name: str
    measures: tuple[Measure, ...]
    docstring: str

    @property
    def title(self) -> str:
        """The first words of the module."""
        return self.docstring.partition("``")[0].strip(" :,\n")

    @property
    def path(self) -> str:
        """Where its page stands."""
        return f"measures/{self.name.replace('_', '-')}.html"

    @property
    def columns(self) -> tuple[str, ...]:
        """The measures of the example that is worked by hand."""
        if self.name in INSTEAD:
            return INSTEAD[self.name]
        return (*(_plain_name(one, 2, 0.5) for one in self.measures), *MORE.get(self.name, ()))

    @property
    def demo_columns(self) -> tuple[str, ...]:
        """The measures that are computed on the demo campaign."""
        return INSTEAD_ON_DEMO.get(self.name) or tuple(_plain_name(one, 10, 0.1) for one in self.measures)


def families() -> list[Family]:
    """Return the families in the order in which measures are listed."""
    found: dict[str, list[Measure]] = {}
    docs: dict[str, str] = {}
    for measure in MEASURES:
        module = inspect.getmodule(measure.declaration.function)
        name = (module.__name__ if module else "").rpartition(".")[2]
        found.setdefault(name, []).append(measure)
        docs[name] = inspect.getdoc(module) or ""
    return [Family(name, tuple(measures), docs[name]) for name, measures in found.items()]


def pages(cases: Callable[[Family], Examples], titles: dict[str, str]) -> list[Page]:
    """Return the list of measures, the sets, and a page a family.

    ``cases`` gives what a family's example is worked on, and with which measures; ``titles`` are those of
    the articles of the handbook.
    """
    known = families()
    made = [_overview(known), _sets(known)]
    for place, family in enumerate(known):
        before = known[place - 1] if place else None
        after = known[place + 1] if place + 1 < len(known) else None
        writer = _Writer(family, titles)
        made.append(
            Page(
                path=family.path,
                title=family.title,
                body=writer.body(cases(family)),
                headings=writer.headings,
                previous=None if before is None else (before.path, before.title),
                next=None if after is None else (after.path, after.title),
            )
        )
    return made


def _overview(known: Sequence[Family]) -> Page:
    pieces = [
        element("h1", "Measures"),
        element(
            "p",
            "Every measure is declared once, next to its code; these pages, the command line and the error "
            "messages all come from the declaration. Their examples were computed when this page was made.",
            class_="summary",
        ),
        element(
            "p",
            "A measure is written as it prints: a name, parameters in parentheses where they differ from the "
            "default, and a cutoff after @, such as "
            + element("code", "nxCG(alpha=1)@10")
            + ". "
            + element("a", "Named sets", href="sets.html")
            + " stand for the official measures of a year and task.",
        ),
    ]
    for family in known:
        rows = [
            [
                element(
                    "a",
                    element("code", text(_signature(one))),
                    href=f"{_file(family)}#{one.declaration.name}",
                ),
                text(one.declaration.summary),
                text(one.declaration.years),
            ]
            for one in family.measures
        ]
        link = element("a", text(family.title), href=_file(family))
        pieces.append(element("h2", link, id=anchor(family.title)))
        pieces.append(table(("measure", "what it measures", "official"), rows))
    pieces += [element("h2", "Properties", id="properties"), _properties(list(MEASURES))]
    headings = [Heading(2, anchor(family.title), text(family.title)) for family in known]
    return Page(
        "measures/index.html",
        "Measures",
        "\n".join(pieces),
        [*headings, Heading(2, "properties", "Properties")],
    )


def _sets(known: Sequence[Family]) -> Page:
    del known
    rows = [[element("code", text(name)), element("code", text(measures))] for name, measures in SETS.items()]
    body = [
        element("h1", "Named sets"),
        element(
            "p",
            "A set stands for the official measures of a year and task, with their parameters. It is named "
            "like a measure: " + element("code", "-m inex2006-focused") + ".",
        ),
        table(("set", "measures"), rows),
    ]
    return Page(
        "measures/sets.html", "Named sets", "\n".join(body), previous=("measures/index.html", "Measures")
    )


def _file(family: Family) -> str:
    return family.path.rpartition("/")[2]


def _signature(measure: Measure) -> str:
    said = measure.declaration
    if said.at is None:
        return said.name
    return f"{said.name}[@{said.at.name}]" if said.at_optional else f"{said.name}@{said.at.name}"


def _properties(measures: Sequence[Measure]) -> str:
    labels: dict[str, str] = command.PROPERTY_LABELS
    rows = [
        [
            element("code", text(one.declaration.name)),
            *(text(getattr(one.declaration.properties, name)) for name in labels),
        ]
        for one in measures
    ]
    notes = _linked_sources(docstrings.inline(command.PROPERTY_NOTES))
    explained = "Read with the questions of " + _linked_sources("source 000") + ", table 2: "
    return table(("measure", *map(text, labels.values())), rows) + element("p", explained + notes)


def _linked_sources(words: str) -> str:
    """Turn the numbers under which the code cites its sources into links."""
    return _SOURCE.sub(
        lambda found: element("a", f"source {found[1]}", href=f"../sources.html#source-{found[1]}"), words
    )


@dataclass
class _Writer:
    """Writes the page of one family."""

    family: Family
    titles: dict[str, str]

    def __post_init__(self) -> None:
        self.headings: list[Heading] = []

    def body(self, cases: Examples) -> str:
        """Return the page."""
        family = self.family
        names = ", ".join(
            element("a", element("code", text(_signature(one))), href=f"#{one.declaration.name}")
            for one in family.measures
        )
        words = _linked_sources(docstrings.render(family.docstring.partition("\n")[2]))
        return "\n".join(
            [
                element("h1", text(family.title)),
                element("p", names, class_="summary"),
                words,
                self._heading("Worked example", "example"),
                *(_example(case, measures) for case, measures in cases),
                self._heading("Parameters", "parameters"),
                self._parameters(),
                *(self._measure(one) for one in family.measures),
                self._heading("Properties", "properties"),
                _properties(family.measures),
                self._read_on(),
            ]
        )

    def _heading(self, words: str, name: str, *, code: bool = False) -> str:
        shown = element("code", text(words)) if code else text(words)
        self.headings.append(Heading(2, name, shown))
        return element("h2", shown, id=name)

    def _parameters(self) -> str:
        """Return the parameters of all measures of the family, each once, and which measures have it."""
        owners: dict[str, list[Measure]] = {}
        declared: dict[str, tuple[Parameter, str]] = {}
        for measure in self.family.measures:
            said = measure.declaration
            for parameter in [*([said.at] if said.at else []), *said.parameters.values()]:
                declared[parameter.name] = (parameter, _default(measure, parameter))
                owners.setdefault(parameter.name, []).append(measure)
        rows = [
            [
                element("code", text(name)),
                text(parameter.kind),
                text(default),
                text(f"{parameter.about[:1].upper()}{parameter.about[1:]}") + self._owners(owners[name]),
            ]
            for name, (parameter, default) in declared.items()
        ]
        return table(("parameter", "value", "default", "meaning"), rows)

    def _owners(self, measures: Sequence[Measure]) -> str:
        if len(measures) == len(self.family.measures):
            return ""
        names = ", ".join(element("code", text(one.declaration.name)) for one in measures)
        return f" (only {names})"

    def _measure(self, measure: Measure) -> str:
        said = measure.declaration
        low, high = said.bounds
        upper = "" if high == float("inf") else f" to {show_value(high)}"
        facts = {
            "Also called": ", ".join(said.aliases),
            "Bounds": f"from {show_value(low)}{upper}",
            "Official": said.years,
            "Requires": requirements(measure),
            "Reference": said.reference,
        }
        listed = "".join(
            element("dt", text(name)) + element("dd", _linked_sources(docstrings.inline(value)))
            for name, value in facts.items()
            if value
        )
        heading = self._heading(_signature(measure), said.name, code=True)
        summary = element("p", text(f"{said.summary[:1].upper()}{said.summary[1:]}."))
        return heading + summary + element("dl", listed, class_="facts")

    def _read_on(self) -> str:
        articles = READ_ON.get(self.family.name, ())
        if not articles:
            return ""
        links = [element("a", text(self.titles[slug]), href=f"../handbook/{slug}.html") for slug in articles]
        return self._heading("In the handbook", "handbook") + element("p", ", ".join(links) + ".")


def _example(case: Case, measures: Sequence[str]) -> str:
    scores = scores_table(case, measures, caption=f"{case.name}: scores")
    return element(
        "div", element("p", text(case.name), class_="name") + case.shown + scores, class_="example"
    )


def _plain_name(measure: Measure, rank: int, recall: float) -> str:
    """Return the measure as it stands in an example: with a cutoff where it has one."""
    said = measure.declaration
    if said.at is None:
        return said.name
    is_rank = isinstance(said.at.kind, Number) and said.at.kind.whole
    return f"{said.name}@{rank if is_rank else recall}"


def _default(measure: Measure, parameter: Parameter) -> str:
    said = measure.declaration
    if parameter is said.at:
        return "may be left out" if said.at_optional else "required, after @"
    return str(DEPENDS) if parameter.default is DEPENDS else show_value(parameter.default)


def requirements(measure: Measure) -> str:
    """Return in words what a measure requires of a run, and which values of a parameter change that.

    >>> from doxel.measures.measure_table import by_name
    >>> requirements(by_name()["iP"])
    'no overlap; with ``task="thorough"`` nothing'
    """
    said = measure.declaration
    plain = {name: None if one.default is DEPENDS else one.default for name, one in said.parameters.items()}
    usual = said.requires(plain)
    clauses = [" and ".join(usual)] if usual else []
    for name, parameter in said.parameters.items():
        values = parameter.kind.values if isinstance(parameter.kind, Choice) else ()
        for value in values:
            other = said.requires({**plain, name: value})
            if other != usual:
                clauses.append(f"with ``{name}={show_value(value)}`` {' and '.join(other) or 'nothing'}")
    return "; ".join(clauses)
