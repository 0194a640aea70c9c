"""``doxel compare``: test the differences between runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click

from doxel.cli.commands.evaluate import score_runs, show_notes
from doxel.cli.console import choose_layout, print_note, show_table
from doxel.cli.options import SectionedCommand, comparing_options, format_option, scoring_options
from doxel.errors import InputError
from doxel.evaluation.analysis.run_comparison import PERSISTENCE, Comparison, correct_over_measures
from doxel.evaluation.evaluation_result import Evaluation, make_no_scores_error
from doxel.reports.output_files import to_plain

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
@format_option("table", "json", "tsv")
def command(runs: tuple[str, ...], layout: str | None, family: str, **options: Any) -> int:
    """Test whether the differences between runs are significant.

    For each measure (-m): means with confidence intervals (percentile bootstrap of topics); paired tests of
    all pairs of runs, or of all runs against a baseline, with p-values corrected over the pairs of each
    measure or of all measures (--family); effect sizes (d: mean difference in standard deviations; delta:
    Cliff's delta; wins, ties and losses over topics).  With several measures, also their agreement on the
    ranking of runs: Kendall's tau, tau_AP (with more weight on the top) and rank-biased overlap.

    \b
    doxel compare -a inex.qrels -m MAiP --baseline bm25 bm25.run lm.run dense.run
    """  # noqa: D301 -- for click, \\b keeps the line breaks of a paragraph
    settings = {
        name: options.pop(name) for name in ("baseline", "test", "correction", "level", "resamples", "seed")
    }
    result = score_runs(runs, options)
    show_notes(result)
    measures = result.scores["measure"].unique(maintain_order=True).to_list()
    comparisons, left_out = _compare_runs(result, measures, settings)
    if family == "all":
        comparisons = correct_over_measures(comparisons)
    agreement = result.agreement() if len(measures) > 1 else None
    layout = choose_layout(layout)
    missing = [comparison.friedman_or_reason[1] for comparison in comparisons] if layout != "tsv" else []
    notes = [comparison.note for comparison in comparisons]
    for sentence in dict.fromkeys([*left_out, *filter(None, notes), *filter(None, missing)]):
        print_note(sentence)
    if layout == "json":
        content: list[dict[str, object]] = [_comparison_to_dict(comparison) for comparison in comparisons]
        if agreement is not None:
            content.append({"agreement": agreement.to_dicts(), "rbo p": PERSISTENCE})
        click.echo(json.dumps(to_plain(content), indent=1, ensure_ascii=False))
    elif layout == "tsv":
        for number, comparison in enumerate(comparisons):
            click.echo(comparison.full_table.write_csv(separator="\t", include_header=number == 0), nl=False)
    else:
        for comparison in comparisons:
            _show_comparison(comparison)
        if agreement is not None:
            show_table(agreement.columns, agreement.rows(), title="agreement of measures")
            click.echo(
                f"RBO uses p = {PERSISTENCE}; tau_ap uses the ranking by the other measure as the reference."
            )
    return 1 if result.rejected or left_out else 0


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
        "note": comparison.note,
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
