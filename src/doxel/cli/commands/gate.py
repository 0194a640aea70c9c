"""``doxel gate``: fail if a run is worse than a stored result."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from doxel.cli.commands.evaluate import score_runs, show_notes
from doxel.cli.console import ignore_closed_pipe, print_note, show_table
from doxel.cli.options import SectionedCommand, format_option, scoring_options
from doxel.errors import InputError, UnscoredRunError

if TYPE_CHECKING:
    from doxel.evaluation.analysis.regression_gate import GateVerdict
    from doxel.evaluation.evaluation_result import Evaluation

__all__ = ["command"]


@click.command("gate", cls=SectionedCommand)
@click.argument("run", metavar="RUN")
@click.option(
    "--baseline",
    required=True,
    metavar="FILE",
    help="The stored result to compare with: written by --update, by result.save() in Python or by "
    "'doxel evaluate -q -f json'.",
)
@click.option("--baseline-run", metavar="RUN-ID", help="The run of the baseline, if it has several.")
@click.option("--min", "minimum", type=float, metavar="X", help="Fail if the mean of any measure is below X.")
@click.option(
    "--max-drop",
    type=click.FloatRange(min=0),
    default=0.0,
    show_default=True,
    metavar="D",
    help="Fail if the one-sided interval shows that the mean fell by more than D.  With 0, any fall that "
    "is larger than chance fails.",
)
@click.option(
    "--level",
    type=click.FloatRange(0.5, 0.999),
    default=0.95,
    show_default=True,
    metavar="SHARE",
    help="Confidence level of the interval.  A run that is as good as the baseline fails with a probability "
    "of at most 1 - level.",
)
@click.option(
    "--update",
    is_flag=True,
    help="Store the scores of RUN as the new baseline, unless a mean is below --min.",
)
@functools.partial(scoring_options, default_measures="those of the baseline")
@format_option("table", "markdown", "json", default="table", about="Output format.")
def command(run: str, layout: str, baseline: str, update: bool, **options: Any) -> int:
    """Fail if a run is worse than a stored result, for use in continuous integration.

    The scores of RUN are compared with those of the baseline, topic by topic.  The exit status is 0 if the
    run passes, 1 if it fails, and 2 if it cannot be compared, because the assessments, the documents or the
    parameters have changed or a file cannot be read.  Without -m, the measures are those of the baseline;
    with several measures each is tested at a higher level.  The topics that became worse are listed, with
    their text if the topics are given (-t) or the assessments have it.  The column limit is the upper
    end of the interval of the change: if it is -0.02, the mean has fallen by at least 0.02.  For measures
    whose low scores are good it is the lower end.

    The documents are those of the collection: after an edit, run 'doxel ingest' again.  In pytest, the
    fixture and the marker doxel_gate do the same.

    \b
    doxel gate -a gold.jsonl -c docs.doxel --baseline main.json -m char_rec@5 --update run.jsonl
    doxel gate -a gold.jsonl -c docs.doxel --baseline main.json --max-drop 0.01 -f markdown run.jsonl
    """  # noqa: D301 -- for click, \\b keeps the line breaks of a paragraph
    settings = {name: options.pop(name) for name in ("minimum", "max_drop", "level", "baseline_run")}
    old_baseline = _find_old_baseline(baseline) if update else _load_baseline(baseline)
    if not options["measures"] and old_baseline is not None:
        options["measures"] = tuple(old_baseline.scores["measure"].unique(maintain_order=True))
    result = _score_run(run, options)
    if update or old_baseline is None:
        return _update(result, old_baseline, baseline, settings["minimum"])
    from doxel.evaluation.analysis.regression_gate import gate

    verdict = gate(result, old_baseline, **settings)
    with ignore_closed_pipe():
        _show(verdict, layout)
    return verdict.exit_status


def _score_run(run: str, options: dict[str, Any]) -> Evaluation:
    """Score the run; if no score of it would be right, it cannot be compared, which is exit status 2."""
    try:
        result = score_runs((run,), options)
    except UnscoredRunError as error:
        raise InputError(f"the run cannot be compared: {error}") from error
    show_notes(result)
    return result


def _load_baseline(path: str) -> Evaluation:
    from doxel.evaluation.saved_results import load_result

    if not Path(path).exists():
        raise InputError("the baseline does not exist", file=path, wanted="a file that --update writes")
    return load_result(path)


def _find_old_baseline(path: str) -> Evaluation | None:
    """Return the baseline that is to be replaced.

    One that is missing or damaged can be replaced, too, but not a folder, a run, assessments or topics.
    """
    try:
        return _load_baseline(path) if Path(path).exists() else None
    except InputError as error:
        _refuse_other_files(path)
        print_note(f"the old baseline is replaced: {error}")
        return None


def _refuse_other_files(path: str) -> None:
    """Raise an error if the file to replace was never a baseline."""
    from doxel.cli.main import describe_formats, list_readable_formats

    wanted = "a baseline or a new file"
    if Path(path).is_dir():
        raise InputError("--baseline", file=path, wanted=wanted, found="a folder")
    try:
        formats = list_readable_formats(Path(path))
    except InputError:
        return
    if formats:
        found = describe_formats(formats)
        raise InputError("--update would overwrite it", file=path, wanted=wanted, found=found)


def _update(result: Evaluation, old_baseline: Evaluation | None, path: str, minimum: float | None) -> int:
    """Store the scores as the new baseline; refuse scores below the minimum and runs without scores."""
    from doxel.evaluation.analysis.regression_gate import gate
    from doxel.evaluation.evaluation_result import make_no_scores_error

    if not result.scores.height:
        raise make_no_scores_error("no baseline", result.rejected)
    self_check = gate(result, result, minimum=minimum)
    if self_check.failures:
        for failure in self_check.failures:
            print_note(f"{failure}; the baseline stays as it was")
        return 1
    result.save(path)
    for measure, score in result.means.select("measure", "score").iter_rows():
        before = (
            None if old_baseline is None else old_baseline.means.filter(measure=measure)["score"].to_list()
        )
        change = f" (was {before[0]:.4f})" if before else ""
        click.echo(f"{measure}\t{score:.4f}{change}")
    print_note(f"{path}: written")
    return 1 if result.rejected else 0


def _show(verdict: GateVerdict, layout: str) -> None:
    from doxel.reports.gate_summary import (
        BROKEN_SHOWN,
        describe_verdict,
        list_broken_topics,
        render_gate_markdown,
        tabulate_checks,
    )

    if layout == "json":
        click.echo(json.dumps(describe_verdict(verdict), indent=1, ensure_ascii=False))
        return
    if layout == "markdown":
        click.echo(render_gate_markdown(verdict), nl=False)
        return
    if verdict.checks:
        show_table(*tabulate_checks(verdict))
    for check in verdict.checks:
        broken = list_broken_topics(verdict, check, BROKEN_SHOWN)
        if broken.height:
            title = f"worse by {check.measure}: {broken.height} of {check.broken.height}"
            show_table(broken.columns, broken.rows(), title=title)
    for sentence in (*verdict.notes, *verdict.obstacles, *verdict.failures):
        click.echo(sentence)
    click.echo(f"gate: {verdict.status}")
