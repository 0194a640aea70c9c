"""``doxel measures``: list measures, or explain one."""

from __future__ import annotations

import inspect
import re
import textwrap
from typing import TYPE_CHECKING

import click

from doxel.cli.console import show_table
from doxel.cli.options import SectionedCommand
from doxel.errors import MeasureError, MissingExtraError

if TYPE_CHECKING:
    from doxel.evaluation.compat.campaigns.scorer_declaration import CampaignScorer

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
    help="Show the properties of each measure, such as credit for near misses, as in the table of Pehcevski "
    "and Piwowarski.",
)
@click.option(
    "--bibtex",
    is_flag=True,
    help="Print the papers of a measure, or of the measures of a set, as BibTeX, and the entry of doxel.",
)
@click.option(
    "--compat",
    type=click.Choice(["inex_eval", "trec_eval", "bioasq", "locomo"]),
    help="List the known faults of another tool, whose figures 'doxel evaluate --compat' computes.",
)
def command(name: str | None, properties: bool, bibtex: bool, compat: str | None) -> None:
    """List measures, named sets and curves, or explain one of them.

    The explanation of a measure has its formula, parameters, limitations and paper.  NAME may also be a set,
    such as inex2006-focused, a curve, such as ep/gr, or a measure of your own: FILE.py:NAME, whose code is
    executed: pass only files that you trust.

    \b
    doxel measures nxCG
    doxel measures inex2009-focused
    doxel measures MAiP --bibtex
    doxel measures --compat bioasq
    doxel measures my_measures.py:found
    """  # noqa: D301 -- for click, \\b keeps the line breaks of a paragraph
    from doxel.evaluation.compat.campaigns.campaign_scorers import find_figure, list_campaign_sets
    from doxel.evaluation.inputs.measure_sets import SETS
    from doxel.measures.chunks.classic_library import CLASSICS
    from doxel.measures.curves import CURVES
    from doxel.measures.measure_table import MEASURES
    from doxel.measures.own_measures import list_packaged_measures

    sets = {**SETS, **list_campaign_sets()}
    if bibtex:
        click.echo(_format_sources(name), nl=False)
    elif compat is not None:
        _show_faults(compat)
    elif properties:
        _show_properties()
    elif name is None:
        show_table(
            ["measure", "what it measures", "official"],
            [
                [_format_signature(measure), measure.declaration.summary, measure.declaration.years]
                for measure in MEASURES
            ],
        )
        show_table(["set", "measures"], [[key, value] for key, value in sets.items()])
        show_table(["curve", "what it shows"], [[curve.name, curve.about] for curve in CURVES])
        show_table(["of ir_measures", "what it measures"], [list(item) for item in CLASSICS.items()])
        if packaged := [list(item) for item in list_packaged_measures()]:
            show_table(["of packages", "package"], packaged)
    elif name in sets:
        click.echo(f"{name}: {sets[name]}")
    elif (scorer := find_figure(name)) is not None:
        click.echo(_explain_figure(name, scorer))
    elif "/" in name and ":" not in name:
        click.echo(_explain_curve(name))
    else:
        click.echo(explain_measure(name), nl=False)


def _format_sources(name: str | None) -> str:
    """Return the BibTeX of a measure, a set or a curve and of doxel; of all measures without a name."""
    from doxel.evaluation.compat.campaigns.campaign_scorers import CAMPAIGN_SETS
    from doxel.evaluation.inputs.measure_sets import SETS
    from doxel.measures.bibliography import describe_software, find_sources, format_bibtex, list_sources
    from doxel.measures.curves import curve
    from doxel.measures.measure_table import MEASURES, map_measures, parse_measure

    if name in CAMPAIGN_SETS:
        campaign = f"campaign {CAMPAIGN_SETS[name].name}"
        return format_bibtex([describe_software(), *find_sources(campaign)])
    if name is None:
        measures = list(MEASURES)
    elif name in map_measures():
        measures = [map_measures()[name]]
    elif "/" in name:
        shape = curve(name)
        measures = [measure for measure in (shape.x, shape.y) if measure is not None]
    else:
        measures = parse_measure(SETS.get(name, name))
    return format_bibtex([describe_software(), *list_sources(measures)])


def _show_faults(tool: str) -> None:
    """Print where another tool deviates from the definitions of its measures, or from doxel."""
    from doxel.evaluation.compat.other_tool import list_known_faults

    click.echo(f"Known faults and conventions of {tool}, which --compat {tool} reproduces:\n")
    for fault in list_known_faults(tool):
        click.echo(textwrap.fill(fault, 100, initial_indent="- ", subsequent_indent="  "))


def _explain_figure(name: str, scorer: CampaignScorer) -> str:
    """Return the explanation of an official figure: that of the file that computes it."""
    sets = [key for key, figures in scorer.sets.items() if name in figures]
    compat = f" with --compat {scorer.name}" if scorer.compat else ""
    explanation = inspect.getdoc(inspect.getmodule(scorer.score)) or ""
    return (
        f"{name}: of {scorer.about}; in the set {' or '.join(sets)}{compat}\n\n{_strip_markup(explanation)}"
    )


def _explain_curve(name: str) -> str:
    """Return the explanation of a curve; its parameters are those of its measures."""
    from doxel.measures.curves import curve

    declaration = curve(name)
    points = declaration.points
    over = f"over {declaration.x}" if declaration.x is not None else f"at {points[0]:g} ... {points[-1]:g}"
    if declaration.over_budgets:
        over = f"with budget={points[0]:,.0f} ... {points[-1]:,.0f}"
    advice = f"draw it with 'doxel report --curve {declaration.name}'"
    return f"{declaration.name}: {declaration.about}.  It is {declaration.y} {over}; {advice}."


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
    from doxel.evaluation.compat.campaigns.campaign_scorers import list_campaign_sets
    from doxel.evaluation.inputs.measure_sets import SETS, explain_unknown_set
    from doxel.measures.chunks.classic_library import CLASSICS, describe_classic
    from doxel.measures.measure_parameters import DEPENDS, show_value
    from doxel.measures.measure_table import explain_unknown_name, find_measure

    if ":" not in name:  # the explanation is the same for all cutoffs and parameters
        name = re.split(r"[@(]", name, maxsplit=1)[0] or name
    try:
        measure = find_measure(name, run_files=True)
    except MissingExtraError as error:
        return f"{name}: {CLASSICS[name]}\n\n{describe_classic(name)}\n\n{error}\n"
    if measure is None:
        sets = {**SETS, **list_campaign_sets()}
        raise MeasureError(explain_unknown_set(name, sets) or explain_unknown_name(name))
    declaration = measure.declaration
    parameters = [*([declaration.at] if declaration.at else []), *declaration.parameters.values()]
    explanation = _strip_markup(declaration.explanation)
    lines = [
        f"{_format_signature(measure)}: {declaration.summary}",
        "",
        explanation,
        "",
        "Parameters",
    ]
    for parameter in parameters:
        if parameter is declaration.at:
            default = "may be left out" if declaration.at_optional else "required, after @"
        else:
            value = str(DEPENDS) if parameter.default is DEPENDS else show_value(parameter.default)
            default = f"default {value}"
        about = f"{parameter.about[0].upper()}{parameter.about[1:]}"
        text = f"{parameter.name}: {parameter.kind}; {default}. {about}."
        lines += textwrap.wrap(text, 100, initial_indent="  ", subsequent_indent="      ")
    low, high = declaration.bounds
    bounds = f"from {show_value(low)}" + ("" if high == float("inf") else f" to {show_value(high)}")
    lines += ["", *([f"Bounds: {bounds}."] if low > float("-inf") else [])]
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
    r"\min": "min",
    r"\_": "_",
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
    formula = re.sub(r"([_^])\{([^{}]*)\}", r"\1(\2)", formula)
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
