"""``doxel measures``."""

from __future__ import annotations

import re
import textwrap

import click

from doxel.cli.console import show_table
from doxel.errors import MeasureError

__all__ = ["command"]

PROPERTIES = {
    "faithful": "faithful",
    "interpretable": "interpretable",
    "recall": "recall",
    "precision": "precision",
    "near_misses": "near misses",
    "overlap": "overlap",
    "ideality": "ideality",
    "graded": "graded",
    "user_model": "user model",
    "thorough": "Thorough",
    "focused": "Focused",
    "relevant_in_context": "RiC",
    "best_in_context": "BiC",
}
NOTES = """\
y yes, n no, i indirect, ? unclear; overlap: + rewarded, - punished, = neutral.
(a) but for some special cases  (b) with alpha 0 or 1  (c) highlighted passages are the ideal units
(d) fixed, and proportional to the amount of highlighted text"""


@click.command("measures")
@click.argument("name", required=False)
@click.option(
    "--properties",
    is_flag=True,
    help="What each measure has and lacks, after Pehcevski and Piwowarski's table.",
)
def command(name: str | None, properties: bool) -> None:
    """List the measures, sets and curves, or explain a measure: formula, parameters, when it misleads, paper.

    A NAME may also be that of a set, such as inex2006-focused, or of a curve, such as ep/gr.

    \b
    doxel measures nxCG
    doxel measures inex2009-focused
    """  # noqa: D301 -- click reads \\b as a sign to leave a paragraph as it is
    from doxel.evaluation.sets import SETS
    from doxel.measures.curves import CURVES
    from doxel.measures.table import MEASURES

    if properties:
        _show_properties()
    elif name is None:
        show_table(
            ["measure", "what it measures", "official"],
            [[_signature(one), one.declaration.summary, one.declaration.years] for one in MEASURES],
        )
        show_table(["set", "measures"], [[key, value] for key, value in SETS.items()])
        show_table(["curve", "what it shows"], [[one.name, one.about] for one in CURVES])
    elif name in SETS:
        click.echo(f"{name}: {SETS[name]}")
    elif "/" in name:
        click.echo(_explain_curve(name))
    else:
        click.echo(explain(name), nl=False)


def _explain_curve(name: str) -> str:
    """Return what a curve shows; its parameters are those of the measure it is made of."""
    from doxel.measures.curves import curve

    one = curve(name)
    over = f"over {one.x}" if one.x is not None else f"at {one.points[0]:g} ... {one.points[-1]:g}"
    return f"{one.name}: {one.about}.  It is {one.y} {over}; draw it with 'doxel report --curve {one.name}'."


def _signature(measure: object) -> str:
    declaration = measure.declaration  # type: ignore[attr-defined]
    if declaration.at is None:
        return str(declaration.name)
    return (
        f"{declaration.name}[@{declaration.at.name}]"
        if declaration.at_optional
        else (f"{declaration.name}@{declaration.at.name}")
    )


def explain(name: str) -> str:
    """Return everything that is declared of a measure, as text."""
    import difflib

    from doxel.measures.parameters import DEPENDS, show_value
    from doxel.measures.table import by_name

    if name not in by_name():
        near = difflib.get_close_matches(name, by_name(), 3, cutoff=0.4)
        raise MeasureError(f"there is no measure {name!r}" + (f"; near: {', '.join(near)}" if near else ""))
    said = by_name()[name].declaration
    parameters = [*([said.at] if said.at else []), *said.parameters.values()]
    explanation = _plain(said.explanation)
    lines = [f"{_signature(by_name()[name])}: {said.summary}", "", explanation, "", "Parameters"]
    for parameter in parameters:
        if parameter is said.at:
            default = "may be left out" if said.at_optional else "required, after @"
        else:
            shown = str(DEPENDS) if parameter.default is DEPENDS else show_value(parameter.default)
            default = f"default {shown}"
        about = f"{parameter.about[0].upper()}{parameter.about[1:]}"
        text = f"{parameter.name}: {parameter.kind}; {default}. {about}."
        lines += textwrap.wrap(text, 100, initial_indent="  ", subsequent_indent="      ")
    low, high = said.bounds
    bounds = f"from {show_value(low)}" + ("" if high == float("inf") else f" to {show_value(high)}")
    lines += ["", f"Bounds: {bounds}."]
    lines += [f"Official: {said.years}."] if said.years else []
    lines += [f"Also called: {', '.join(said.aliases)}."] if said.aliases else []
    lines += [f"Reference: {said.reference}."]
    return "\n".join(lines) + "\n"


_SYMBOLS = {
    r"\sum": "Σ",
    r"\le": "≤",
    r"\ge": "≥",
    r"\alpha": "α",
    r"\cap": "∩",
    r"\cup": "∪",
    r"\in": "∈",
    r"\subseteq": "⊆",
    r"\quad": "  ",
    r"\times": "×",
    r"\cdot": "·",
    r"\setminus": "∖",
}


def _plain(text: str) -> str:
    """Return a docstring as a terminal shows it: formulas in plain symbols, no marks."""
    text = re.sub(r"^\.\. math:: (.*(?:\n {10}.*)*)", _formula, text, flags=re.MULTILINE)
    return text.replace("``", "")


def _formula(match: re.Match[str]) -> str:
    formula = " ".join(match[1].split())
    formula = re.sub(
        r"\\frac\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}", r"(\1) / (\2)", formula
    )
    formula = re.sub(r"\\text\{([^{}]*)\}", r"\1", formula)
    for mark, symbol in sorted(_SYMBOLS.items(), key=lambda pair: -len(pair[0])):
        formula = formula.replace(mark, symbol)
    formula = re.sub(r"_\{([^{}]*)\}", r"_(\1)", formula)
    pieces = [piece.strip(" ,") for piece in formula.split("   ")]
    return "\n".join(f"    {piece}" for piece in pieces)


def _show_properties() -> None:
    from doxel.measures.table import MEASURES

    rows = [
        [
            one.declaration.name,
            one.declaration.years,
            *(getattr(one.declaration.properties, name) for name in PROPERTIES),
        ]
        for one in MEASURES
    ]
    show_table(["measure", "official", *PROPERTIES.values()], rows)
    click.echo(NOTES)
