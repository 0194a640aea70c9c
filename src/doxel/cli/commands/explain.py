"""``doxel explain``: show how a score comes about, rank by rank."""

from __future__ import annotations

import shutil
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import click

from doxel.cli.commands.evaluate import build_scoring_keywords
from doxel.cli.console import format_cell, print_note, show_table
from doxel.cli.options import SectionedCommand, format_option, scoring_options
from doxel.wording import escape_unprintable, format_json

if TYPE_CHECKING:
    from doxel.evaluation.score_explanation import ScoreExplanation

__all__ = ["command"]

_SHOWN_RANKS = 30
_RESULT_COLUMNS = {"rank", "document", "path or span", "results", "size", "rsize", "contribution"}


@click.command("explain", cls=SectionedCommand)
@click.argument("run", metavar="RUN")
@scoring_options
@click.option("--topic", required=True, metavar="ID", help="The topic whose scores are explained.")
@click.option(
    "--depth",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"Number of ranks to show.  Default: {_SHOWN_RANKS} in tables and HTML, all in JSON and CSV.",
)
@format_option("table", "json", "csv", "html", default="table", about="Output format.")
def command(run: str, topic: str, depth: int | None, layout: str, **options: Any) -> int:
    """Show how the scores of one topic of a run come about, rank by rank.

    For each measure a table has one row per rank: the result, its size and relevant characters, the
    quantities of the measure under the symbols of its paper, and the contribution to the score; beside it the
    ideal ranking, if the measure has one.  The line below the table is the sum that gives the score.

    \b
    doxel explain -a gold.jsonl --topic 7 -m char_prec@5 chunks.jsonl
    doxel explain -a 2006/ -c wikipedia.doxel --topic 289 -m nxCG@10,MAep run.xml
    """  # noqa: D301 -- for click, \\b keeps the line breaks of a paragraph
    from doxel.evaluation import evaluate

    result = evaluate(
        run,
        options["assessments"],
        options["measures"] or None,
        collection=options["collection"],
        **build_scoring_keywords((run,), options),
    )
    (name,) = result.explainer.names if result.explainer else ("",)
    reasons = {rejection.measure: rejection.reason for rejection in result.rejected}
    measures = [*result.scores["measure"].unique(maintain_order=True)]
    explanations = [result.explain(name, topic, measure) for measure in measures]
    for measure, reason in reasons.items():
        print_note(f"{name}: {measure} not computed: {reason}")
    if explanations:
        _show(explanations, layout, depth)
    return 1 if reasons else 0


def _show(explanations: list[ScoreExplanation], layout: str, depth: int | None) -> None:
    from doxel.evaluation.score_explanation import render_explanations

    if layout == "json":
        content = [explanation.to_dict() for explanation in explanations]
        for entry in content:
            entry["ranks"] = entry["ranks"][:depth]
        click.echo(format_json({"explanations": content}, indent=1))
    elif layout == "csv":
        _show_csv(explanations, depth)
    elif layout == "html":
        click.echo(render_explanations(explanations, depth or _SHOWN_RANKS), nl=False)
    else:
        for explanation in explanations:
            _show_explanation(explanation, depth or _SHOWN_RANKS)


def _show_csv(explanations: list[ScoreExplanation], depth: int | None) -> None:
    import polars as pl

    from doxel.reports.score_tables import format_csv_table

    frames = []
    for explanation in explanations:
        frame = explanation.frame if depth is None else explanation.frame.head(depth)
        keys = {"run": explanation.run, "topic": explanation.topic, "measure": explanation.measure}
        totals = {"divisor": explanation.divisor, "score": explanation.score}
        frames.append(
            frame.select(
                *(pl.lit(value).alias(key) for key, value in keys.items()),
                pl.all(),
                *(pl.lit(value, pl.Float64).alias(key) for key, value in totals.items()),
            )
        )
    click.echo(format_csv_table(pl.concat(frames, how="diagonal")), nl=False)


def _show_explanation(explanation: ScoreExplanation, depth: int) -> None:
    header, rows = explanation.tabulate(depth)
    title = f"{explanation.measure} of {explanation.run}, topic {explanation.topic}"
    for heading, columns in _divide(header, _convert_cells(rows)):
        filled_rows = [
            row for row in _convert_cells(rows) if any(row[place] is not None for place in columns[1:])
        ]
        cells = [[row[place] for place in columns] for row in filled_rows]
        show_table([header[place] for place in columns], cells, title=heading or title)
    term_count = explanation.count_terms()
    click.echo(f"{explanation.formula}\n  = {explanation.sum}{f' ({term_count})' if term_count else ''}")
    for line in filter(None, [explanation.describe_rest(depth), *explanation.notes]):
        click.echo(escape_unprintable(textwrap.fill(line, 100)))
    symbols = explanation.explain_columns()
    width = max((len(symbol) for symbol, _ in symbols), default=0)
    click.echo("".join(f"\n  {symbol:<{width}}  {about}" for symbol, about in symbols) + "\n")


def _divide(header: list[str], rows: list[list[Any]]) -> list[tuple[str, list[int]]]:
    """Return the tables of an explanation, each with its heading and columns: as few as fit the terminal."""
    columns = list(range(len(header)))
    ideal = [place for place in columns if header[place].startswith("ideal ")]
    results = [place for place in columns if header[place] in _RESULT_COLUMNS]
    quantities = [place for place in columns if place not in {*ideal, *results}]
    ideal_table = [("Ideal ranking", [0, *ideal])] if ideal else []
    quantity_table = [("Quantities", [0, *quantities])] if quantities else []
    layouts = [
        [("", columns)],
        [("", [place for place in columns if place not in ideal]), *ideal_table],
        [("", [*results, *ideal]), *quantity_table],
        [("", results), *quantity_table, *ideal_table],
    ]
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    fitting = [
        layout for layout in layouts if width is None or _measure_width(header, rows, layout[0][1]) <= width
    ]
    return (fitting or layouts[-1:])[0]


def _measure_width(header: list[str], rows: list[list[Any]], columns: list[int]) -> int:
    cells = [[header[place] for place in columns], *([row[place] for place in columns] for row in rows)]
    return sum(3 + max(len(format_cell(row[place])) for row in cells) for place in range(len(columns)))


def _convert_cells(rows: list[list[Any]]) -> list[list[Any]]:
    """Return the cells to print: whole numbers as integers, and on a terminal only the last steps of a path.

    The rank is a text, so that every part of a divided table repeats it.
    """
    columns = [list(column) for column in zip(*rows, strict=True)]
    for number, column in enumerate(columns):
        values = [value for value in column if value is not None]
        if not number:
            columns[number] = [str(value) for value in column]
        elif all(isinstance(value, int | float) and float(value).is_integer() for value in values):
            columns[number] = [None if value is None else int(value) for value in column]
        elif sys.stdout.isatty():
            columns[number] = [_shorten(value) if isinstance(value, str) else value for value in column]
    return [list(row) for row in zip(*columns, strict=True)]


def _shorten(path: str) -> str:
    """Return the last steps of a path that fit its column."""
    longest = min(30, max(18, shutil.get_terminal_size().columns // 4))
    if len(path) <= longest or "/" not in path:
        return path
    steps = path.split("/")
    while len(steps) > 1 and len("/".join(steps)) + 4 > longest:
        steps = steps[1:]
    return f".../{'/'.join(steps)}"
