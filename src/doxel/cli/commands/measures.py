"""``doxel measures``: list measures, or explain one."""

from __future__ import annotations

import re
import textwrap

import click

from doxel.cli.console import show_table
from doxel.cli.options import SectionedCommand
from doxel.errors import MeasureError

__all__ = ["command"]

PROPERTY_LABELS = {
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
PROPERTY_NOTES = """\
y yes, n no, i indirect, ? unclear; overlap: + rewarded, - penalised, = neutral.
(a) except for some special cases  (b) with alpha 0 or 1  (c) highlighted passages are the ideal units
(d) fixed, and proportional to the amount of highlighted text"""


@click.command("measures", cls=SectionedCommand)
@click.argument("name", required=False)
@click.option(
    "--properties",
    is_flag=True,
    help="Show the properties of each measure, after the table of Pehcevski and Piwowarski.",
)
def command(name: str | None, properties: bool) -> None:
    """List measures, named sets and curves, or explain one of them.

    The explanation of a measure has its formula, parameters, limitations and paper.  NAME may also be a set,
    such as inex2006-focused, or a curve, such as ep/gr.

    \b
    doxel measures nxCG
    doxel measures inex2009-focused
    """  # noqa: D301 -- for click, \\b keeps the line breaks of a paragraph
    from doxel.evaluation.inputs.measure_sets import SETS
    from doxel.measures.curves import CURVES
    from doxel.measures.measure_table import MEASURES

    if properties:
        _show_properties()
    elif name is None:
        show_table(
            ["measure", "what it measures", "official"],
            [
                [_format_signature(measure), measure.declaration.summary, measure.declaration.years]
                for measure in MEASURES
            ],
        )
        show_table(["set", "measures"], [[key, value] for key, value in SETS.items()])
        show_table(["curve", "what it shows"], [[curve.name, curve.about] for curve in CURVES])
    elif name in SETS:
        click.echo(f"{name}: {SETS[name]}")
    elif "/" in name:
        click.echo(_explain_curve(name))
    else:
        click.echo(explain_measure(name), nl=False)


# names that mean different measures to different people, and are therefore not measures of doxel
_OTHER_NAMES = {
    "ERR": """not a measure of doxel, because two measures have this name.

In source 003 (Piwowarski and Gallinari, INEX 2003) ERR is the expected ratio of relevance: the share of the
relevant elements that a user is expected to see, who looks at the first results and browses from each to the
elements around it.  It is generalised recall, GR, with the user model of that paper:

    GR(model="inex2003")@k

To most people today ERR is the expected reciprocal rank (Chapelle et al., CIKM 2009): the expectation of
1/rank of the result at which a user stops, who stops at a result more likely the higher its grade.  doxel
does not have it; RR is the reciprocal rank of the first relevant document.

See: doxel measures GR, doxel measures RR.""",
}


def _explain_curve(name: str) -> str:
    """Return the explanation of a curve; its parameters are those of its measures."""
    from doxel.measures.curves import curve

    declared = curve(name)
    points = declared.points
    over = f"over {declared.x}" if declared.x is not None else f"at {points[0]:g} ... {points[-1]:g}"
    advice = f"draw it with 'doxel report --curve {declared.name}'"
    return f"{declared.name}: {declared.about}.  It is {declared.y} {over}; {advice}."


def _format_signature(measure: object) -> str:
    declaration = measure.declaration  # type: ignore[attr-defined]
    if declaration.at is None:
        return str(declaration.name)
    return (
        f"{declaration.name}[@{declaration.at.name}]"
        if declaration.at_optional
        else (f"{declaration.name}@{declaration.at.name}")
    )


def explain_measure(name: str) -> str:
    """Return the explanation of a measure from its declaration, as text."""
    import difflib

    from doxel.measures.declaration import DEPENDS, show_value
    from doxel.measures.measure_table import map_measures

    if name in _OTHER_NAMES:
        return f"{name}: {_OTHER_NAMES[name]}\n"
    if name not in map_measures():
        near = difflib.get_close_matches(name, map_measures(), 3, cutoff=0.4)
        raise MeasureError(
            f"there is no measure {name!r}" + (f"; similar: {', '.join(near)}" if near else "")
        )
    declaration = map_measures()[name].declaration
    parameters = [*([declaration.at] if declaration.at else []), *declaration.parameters.values()]
    explanation = _strip_markup(declaration.explanation)
    lines = [
        f"{_format_signature(map_measures()[name])}: {declaration.summary}",
        "",
        explanation,
        "",
        "Parameters",
    ]
    for parameter in parameters:
        if parameter is declaration.at:
            default = "may be left out" if declaration.at_optional else "required, after @"
        else:
            shown = str(DEPENDS) if parameter.default is DEPENDS else show_value(parameter.default)
            default = f"default {shown}"
        about = f"{parameter.about[0].upper()}{parameter.about[1:]}"
        text = f"{parameter.name}: {parameter.kind}; {default}. {about}."
        lines += textwrap.wrap(text, 100, initial_indent="  ", subsequent_indent="      ")
    low, high = declaration.bounds
    bounds = f"from {show_value(low)}" + ("" if high == float("inf") else f" to {show_value(high)}")
    lines += ["", f"Bounds: {bounds}."]
    lines += [f"Official: {declaration.years}."] if declaration.years else []
    lines += [f"Also called: {', '.join(declaration.aliases)}."] if declaration.aliases else []
    lines += [f"Reference: {declaration.reference}."]
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


def _strip_markup(text: str) -> str:
    """Return a docstring as plain text, with formulas in Unicode symbols."""
    text = re.sub(r"^\.\. math:: (.*(?:\n {10}.*)*)", _format_formula, text, flags=re.MULTILINE)
    return text.replace("``", "")


def _format_formula(match: re.Match[str]) -> str:
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
    from doxel.measures.measure_table import MEASURES

    rows = [
        [
            measure.declaration.name,
            measure.declaration.years,
            *(getattr(measure.declaration.properties, name) for name in PROPERTY_LABELS),
        ]
        for measure in MEASURES
    ]
    show_table(["measure", "official", *PROPERTY_LABELS.values()], rows)
    click.echo(PROPERTY_NOTES)
