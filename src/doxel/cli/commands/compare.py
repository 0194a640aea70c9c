"""``doxel compare``: test the differences between runs."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from doxel.checks.score_warnings import sort_by_gravity
from doxel.cli.commands.evaluate import score_runs, show_notes
from doxel.cli.console import check_picture_name, choose_layout, print_note, show_table
from doxel.cli.options import (
    SectionedCommand,
    comparing_options,
    drawing_options,
    format_option,
    scoring_options,
)
from doxel.errors import DoxelError, InputError
from doxel.evaluation.analysis.run_comparison import (
    NO_FRIEDMAN,
    PERSISTENCE,
    Comparison,
    correct_over_measures,
)
from doxel.evaluation.evaluation_result import Evaluation, make_no_scores_error
from doxel.evaluation.evaluation_warnings import UNEQUAL_TOPICS
from doxel.evaluation.saved_results import SCHEMA
from doxel.reports.output_files import to_plain
from doxel.wording import format_json, pluralise

if TYPE_CHECKING:
    import polars as pl

    from doxel.checks.score_warnings import ScoreWarning

__all__ = ["command"]


@click.command("compare", cls=SectionedCommand)
@click.argument("runs", nargs=-1, required=True, metavar="RUN RUN...")
@scoring_options
@comparing_options(baseline="all pairs")
@click.option(
    "--family",
    type=click.Choice(["measure", "all"]),
    default="measure",
    show_default=True,
    help="Correct p-values over the pairs of each measure, or over the pairs of all measures together.",
)
@format_option(
    "table",
    "json",
    "tsv",
    "latex",
    about="Output format; latex is a table of means with marks of significance, for the package booktabs.  "
    "Default: table on a terminal, tsv in a pipe.",
)
@click.option(
    "--plot",
    metavar="FILE",
    help="Write a picture of the means by the first measure with their intervals: .svg, .png or .pdf.",
)
@drawing_options
def command(runs: tuple[str, ...], layout: str | None, family: str, plot: str | None, **options: Any) -> int:
    """Test whether the differences between runs are significant.

    For each measure (-m): means with confidence intervals (percentile bootstrap of topics); paired tests of
    all pairs of runs, or of all runs against a baseline, with p-values corrected over the pairs of each
    measure or of all measures (--family); effect sizes (d: mean difference in standard deviations; delta:
    Cliff's delta; wins, ties and losses over topics).  With several measures, also their agreement on the
    ranking of runs: Kendall's tau, tau_AP (with more weight on the top) and rank-biased overlap.

    \b
    doxel compare -a inex.qrels -m MAiP --baseline bm25 bm25.run lm.run dense.run
    doxel compare -a inex.qrels -m MAiP,iP@0.01 -f latex bm25.run lm.run dense.run > table.tex
    """  # noqa: D301 -- for click, \\b keeps the line breaks of a paragraph
    settings = {
        name: options.pop(name) for name in ("baseline", "test", "correction", "level", "resamples", "seed")
    }
    drawing = {name: options.pop(name) for name in ("drawn_runs", "width")}
    form = _check_drawing(plot, drawing["drawn_runs"])
    _check_runs(runs, settings["baseline"])
    result = score_runs(runs, options)
    measures = result.scores["measure"].unique(maintain_order=True).to_list()
    try:
        comparisons, left_out = _compare_runs(result, measures, settings)
    except InputError:
        show_notes(result)  # why runs have no scores
        raise
    if family == "all":
        comparisons = correct_over_measures(comparisons)
    agreement = result.agreement() if len(measures) > 1 else None
    layout = choose_layout(layout)
    notes = dict.fromkeys(
        note
        for comparison in comparisons
        for note in comparison.notes
        if layout not in {"tsv", "latex"} or note.code != NO_FRIEDMAN  # they do not print its p-value
    )
    # a comparison is over the topics that all runs answer, unlike the means behind the agreement of measures
    warnings = [
        warning
        for warning in (*result.warnings, *notes)
        if agreement is not None or warning.code != UNEQUAL_TOPICS
    ]
    _print_comparisons(comparisons, agreement, warnings, layout)
    if plot is not None:
        _write_picture(result, comparisons[0], (plot, form), **drawing)
    for sentence in left_out:
        print_note(sentence)
    show_notes(replace(result, warnings=tuple(warnings)))
    return 1 if result.rejected or left_out else 0


def _check_runs(runs: Sequence[str], baseline: str | None) -> None:
    """Reject a single run, and a baseline that is a file instead of its run, before anything is scored."""
    if len(runs) < 2:
        raise InputError("nothing to compare", wanted="two runs or more", found="one")
    if baseline is not None and baseline in runs:
        from doxel.runs import read_run

        run_id = baseline
        with contextlib.suppress(DoxelError):  # scoring reports a run that cannot be read
            run_id = read_run(baseline).id
        if run_id != baseline:
            raise InputError("the baseline", wanted=f"the id of a run, {run_id!r}", found=repr(baseline))


def _print_comparisons(
    comparisons: Sequence[Comparison],
    agreement: pl.DataFrame | None,
    warnings: Sequence[ScoreWarning],
    layout: str,
) -> None:
    """Print comparisons by several measures, and the agreement of the measures."""
    if layout == "json":
        content: list[dict[str, object]] = [
            {
                "schema": SCHEMA,
                **_comparison_to_dict(comparison),
                "warnings": [warning.to_dict() for warning in sort_by_gravity(warnings)],
            }
            for comparison in comparisons
        ]
        if agreement is not None:
            content.append({"agreement": agreement.to_dicts(), "rbo p": PERSISTENCE})
        click.echo(format_json(to_plain(content), indent=1))
    elif layout == "tsv":
        from doxel.reports.score_tables import format_tsv_table

        for number, comparison in enumerate(comparisons):
            click.echo(format_tsv_table(comparison.full_table, header=number == 0), nl=False)
    elif layout == "latex":
        from doxel.reports.score_tables import format_run_comparisons

        click.echo(format_run_comparisons(comparisons), nl=False)
    else:
        for comparison in comparisons:
            _show_comparison(comparison)
        if agreement is not None:
            show_table(agreement.columns, agreement.rows(), title="agreement of measures")
            click.echo(
                f"RBO uses p = {PERSISTENCE}; tau_ap uses the ranking by the other measure as the reference."
            )


def _check_drawing(plot: str | None, drawn_runs: tuple[str, ...]) -> str:
    """Return the format of the picture; runs are chosen for a picture only."""
    if plot is None and drawn_runs:
        raise InputError("--runs", wanted="--plot FILE as well: it chooses the runs of the picture")
    return check_picture_name(plot)


def _write_picture(
    result: Evaluation, comparison: Comparison, file: tuple[str, str], drawn_runs: tuple[str, ...], width: str
) -> None:
    """Write a picture of the means of a comparison, the best first."""
    from doxel.evaluation.analysis.run_selection import choose_runs
    from doxel.files import write_file
    from doxel.reports.matplotlib_pictures import draw_means
    from doxel.reports.picture_data import build_comparison_picture

    visible_runs = None
    if drawn_runs:
        visible_runs = choose_runs(
            result, drawn_runs, measure=comparison.measure, baseline=comparison.baseline
        )
    path, file_format = file
    picture = build_comparison_picture(comparison, visible_runs)
    write_file(path, draw_means(picture, file_format, width=width))
    print_note(f"{path}: means of {pluralise(len(picture.rows), 'run')} by {comparison.measure}")


def _compare_runs(
    result: Evaluation, measures: Sequence[str], settings: dict[str, Any]
) -> tuple[list[Comparison], list[str]]:
    """Compare the runs by each measure; also return a message for each measure that is left out."""
    comparisons: list[Comparison] = []
    errors: dict[str, InputError] = {}
    for measure in measures:
        try:
            comparisons.append(result.compare(measure, **settings))
        except InputError as error:  # the measure rejected the baseline, or all runs but one
            errors[measure] = error
    if not comparisons:
        raise next(iter(errors.values()), make_no_scores_error("nothing to compare", result.rejected))
    return comparisons, [f"{measure} was left out: {error}" for measure, error in errors.items()]


def _comparison_to_dict(comparison: Comparison) -> dict[str, object]:
    return {
        "settings": comparison.settings,
        "means": comparison.means.to_dicts(),
        "pairs": comparison.pairs.to_dicts(),
        "friedman": comparison.friedman_or_reason[0],
    }


def _show_comparison(comparison: Comparison) -> None:
    show_table(comparison.means.columns, comparison.means.rows(), title=comparison.measure)
    show_table(comparison.pairs.columns, comparison.pairs.rows())
    settings = ", ".join(
        f"{name}: {value}"
        for name, value in comparison.settings.items()
        if name != "measure" and value is not None
    )
    friedman, _ = comparison.friedman_or_reason
    click.echo(f"{settings}." + ("" if friedman is None else f"  Friedman p = {friedman:.4f}."))
