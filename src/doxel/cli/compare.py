"""``doxel compare``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click

from doxel.cli.console import note, or_default, show_table
from doxel.cli.evaluate import score, show_notes
from doxel.cli.options import comparing_options, format_option, scoring_options
from doxel.errors import InputError
from doxel.evaluation.agreement import PERSISTENCE
from doxel.evaluation.comparison import Comparison
from doxel.evaluation.evaluation import Evaluation, no_scores
from doxel.reports.plain import plain

__all__ = ["command"]


@click.command("compare")
@click.argument("runs", nargs=-1, required=True, metavar="RUN RUN...")
@scoring_options
@comparing_options(baseline="all pairs")
@format_option("table", "json", "tsv")
def command(runs: tuple[str, ...], layout: str | None, **options: Any) -> int:
    """Tell whether differences between runs are real.

    For each measure (-m): means with intervals, a paired test of all pairs of runs or against a
    baseline, with correction, and effect sizes (d: mean difference in standard deviations; delta:
    Cliff's; wins, ties, losses over topics).  With several measures also how far these rank the runs
    alike: Kendall's tau, tau_AP (the top counts more) and rank-biased overlap.

    \b
    doxel compare -a inex.qrels -m MAiP --baseline bm25 bm25.run lm.run dense.run
    """  # noqa: D301 -- click reads \\b as a sign to leave a paragraph as it is
    settings = {
        name: options.pop(name) for name in ("baseline", "test", "correction", "level", "resamples", "seed")
    }
    result = score(runs, options)
    show_notes(result)
    measures = result.scores["measure"].unique(maintain_order=True).to_list()
    compared, left_out = _compared(result, measures, settings)
    agreement = result.agreement() if len(measures) > 1 else None
    layout = or_default(layout)
    missing = [one.friedman_or_why[1] for one in compared] if layout != "tsv" else []
    for sentence in dict.fromkeys([*left_out, *filter(None, missing)]):
        note(sentence)
    if layout == "json":
        said = [_as_dict(one) for one in compared]
        found = [] if agreement is None else [{"agreement": agreement.to_dicts(), "rbo p": PERSISTENCE}]
        click.echo(json.dumps(plain([*said, *found]), indent=1, ensure_ascii=False))
    elif layout == "tsv":
        for number, one in enumerate(compared):
            click.echo(one.described.write_csv(separator="\t", include_header=number == 0), nl=False)
    else:
        for one in compared:
            _show(one)
        if agreement is not None:
            show_table(agreement.columns, agreement.rows(), title="agreement of measures")
            click.echo(
                f"RBO with p = {PERSISTENCE}; tau_ap takes the ranking by the other measure as the truth."
            )
    return 1 if result.rejected or left_out else 0


def _compared(
    result: Evaluation, measures: Sequence[str], settings: dict[str, Any]
) -> tuple[list[Comparison], list[str]]:
    """Compare the runs by every measure that allows it; say by which they cannot be, and why."""
    compared: list[Comparison] = []
    errors: dict[str, InputError] = {}
    for measure in measures:
        try:
            compared.append(result.compare(measure, **settings))
        except InputError as error:  # a measure has refused too many runs, or the baseline
            errors[measure] = error
    if not compared:
        raise next(iter(errors.values()), no_scores("nothing to compare", result.rejected))
    return compared, [f"{measure} is left out: {error}" for measure, error in errors.items()]


def _as_dict(compared: Comparison) -> dict[str, object]:
    return {
        "settings": compared.settings,
        "means": compared.means.to_dicts(),
        "pairs": compared.pairs.to_dicts(),
        "friedman": compared.friedman_or_why[0],
    }


def _show(compared: Comparison) -> None:
    show_table(compared.means.columns, compared.means.rows(), title=compared.measure)
    show_table(compared.pairs.columns, compared.pairs.rows())
    said = ", ".join(f"{name}: {value}" for name, value in compared.settings.items() if name != "measure")
    friedman, _ = compared.friedman_or_why
    click.echo(f"{said}." + ("" if friedman is None else f"  Friedman p = {friedman:.4f}."))
