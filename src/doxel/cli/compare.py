"""``doxel compare``."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from typing import Any

import click

from doxel.cli.console import note, show_table
from doxel.cli.evaluate import score
from doxel.cli.options import comparing_options, format_option, scoring_options
from doxel.errors import MissingExtraError
from doxel.evaluation.agreement import PERSISTENCE
from doxel.evaluation.comparison import Comparison

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
    """
    settings = {
        name: options.pop(name) for name in ("baseline", "test", "correction", "level", "resamples", "seed")
    }
    result = score(runs, options)
    for warning in result.warnings:
        note(warning)
    for rejection in result.rejected:
        note(f"{rejection.run}: {rejection.measure} refused: {rejection.reason}")
    measures = result.scores["measure"].unique(maintain_order=True).to_list()
    compared = [result.compare(measure, **settings) for measure in measures]
    agreement = result.agreement() if len(measures) > 1 else None
    layout = layout or ("table" if sys.stdout.isatty() else "tsv")
    if layout != "tsv":
        _say_what_is_missing(compared)
    if layout == "json":
        said = [_as_dict(one) for one in compared]
        found = [] if agreement is None else [{"agreement": agreement.to_dicts(), "rbo p": PERSISTENCE}]
        click.echo(json.dumps(_without_nan([*said, *found]), indent=1, ensure_ascii=False))
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
    return 1 if result.rejected else 0


def _without_nan(value: Any) -> Any:
    """Return data with null for numbers that JSON does not know."""
    if isinstance(value, dict):
        return {key: _without_nan(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_without_nan(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _as_dict(compared: Comparison) -> dict[str, object]:
    return {
        "settings": compared.settings,
        "means": compared.means.to_dicts(),
        "pairs": compared.pairs.to_dicts(),
        "friedman": _friedman(compared),
    }


def _show(compared: Comparison) -> None:
    show_table(compared.means.columns, compared.means.rows(), title=compared.measure)
    show_table(compared.pairs.columns, compared.pairs.rows())
    said = ", ".join(f"{name}: {value}" for name, value in compared.settings.items() if name != "measure")
    friedman = _friedman(compared)
    click.echo(f"{said}." + ("" if friedman is None else f"  Friedman p = {friedman:.4f}."))


def _friedman(compared: Comparison) -> float | None:
    """Return p of Friedman's test; None where scipy, which has it, is not installed."""
    try:
        return compared.friedman
    except MissingExtraError:
        return None


def _say_what_is_missing(comparisons: Sequence[Comparison]) -> None:
    """Say once that the test over all runs is left out, where it is: the pairs stand without it."""
    try:
        for compared in comparisons:
            compared.friedman  # noqa: B018 -- whether it can be computed is the question
    except MissingExtraError as error:
        note(f"{error}; it is left out")
