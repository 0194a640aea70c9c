"""``doxel audit``: test a scorer against the laws that a sound scorer keeps."""

from __future__ import annotations

from typing import Any

import click

from doxel.cli.console import print_note
from doxel.cli.options import RUNS_CODE, SectionedCommand
from doxel.errors import InputError
from doxel.wording import format_json

__all__ = ["command"]


@click.command("audit", cls=SectionedCommand)
@click.option(
    "--command",
    metavar="COMMAND",
    help="The scorer: a program with {gold} and {run} in its arguments, which become names of files.  It is "
    "run without a shell, many times.",
)
@click.option(
    "--function",
    metavar="FILE.py:NAME",
    help=f"The scorer: a function NAME(gold, run) that returns a number.  {RUNS_CODE}",
)
@click.option(
    "-m", "--measure", "measures", multiple=True, metavar="MEASURE", help="A measure or set of doxel."
)
@click.option(
    "--compat",
    type=click.Choice(["bioasq", "genomics"]),
    help="Audit the figures of this campaign's program, as doxel reproduces them; -m names figures or a set.",
)
@click.option(
    "--format",
    metavar="FORMAT",
    help="The format of gold and run for --command, such as jsonl, trec, fol or GOLD:RUN (default: jsonl); "
    "for --function spans (default) or documents.",
)
@click.option(
    "--figure",
    multiple=True,
    metavar="REGEX",
    help="With --command: a regular expression with one group, the figure in the output, such as "
    "'MAP: ([0-9.]+)'.  Can be repeated.",
)
@click.option(
    "--kind",
    multiple=True,
    type=click.Choice(["text", "recall", "mean"]),
    help="The kind of figure: text (a share of the text of the results), recall (a share of the gold) or "
    "mean (a mean over all assessed topics).  Without it, laws for one kind only are tested too, but not "
    "counted as broken.",
)
@click.option(
    "--bounds",
    nargs=2,
    type=float,
    default=(0.0, 1.0),
    show_default=True,
    metavar="LOW HIGH",
    help="The lowest and the highest figure.",
)
@click.option("--lower-is-better", is_flag=True, help="Lower figures are better.")
@click.option(
    "--cases",
    type=click.IntRange(1, 1_000_000),
    default=2000,
    show_default=True,
    metavar="N",
    help="Number of random cases.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0, 1e6, min_open=True),
    metavar="S",
    help="Time limit.  Default: 120 with --command, else none.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(0, 1e6, min_open=True),
    default=10.0,
    show_default=True,
    metavar="S",
    help="Seconds that the scorer has for one case.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, metavar="N", help="Seed of the cases."
)
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    help="The folder for counterexamples and tables.  Default: doxel-audit, written only if there is a "
    "counterexample.",
)
@click.option(
    "-f",
    "--layout",
    type=click.Choice(["table", "markdown", "html", "json"]),
    default="table",
    show_default=True,
    help="Output format.",
)
def command(layout: str, output: str | None, bounds: tuple[float, float], **options: Any) -> int:
    """Test any scorer against the laws that a sound scorer keeps.

    Small random cases are scored, changed in a way whose effect is known, and scored again: junk at the end
    never helps, the perfect answer gets the highest score, and so on.  The smallest counterexample of each
    broken law is printed, and written as files with the command line that reproduces it.  The exit status is
    1 if a law is broken or the scorer fails.  Needs the extra "audit".

    \b
    doxel audit --command 'java -jar scorer.jar {gold} {run}' --format bioasq --figure 'MAP: ([0-9.]+)'
    doxel audit --function scorer.py:recall
    doxel audit -m char_rec,chroma_rec -o found
    """  # noqa: D301 -- for click, \\b keeps the line breaks of a paragraph
    from doxel.auditing.audit_reports import describe_audit, write_audit
    from doxel.auditing.auditor import audit

    has_measures = bool(options["measures"] or options["compat"])
    scorers = {"--command": options["command"], "--function": options["function"], "-m": has_measures}
    chosen = [option for option, value in scorers.items() if value]
    if len(chosen) != 1:
        found = " and ".join(chosen) or "none"
        raise InputError("the scorer", wanted=f"one of {', '.join(scorers)}", found=found)
    options["measures"] = list(options["measures"]) or None
    result = audit(options.pop("measures"), bounds=bounds, **options)
    if layout == "json":
        click.echo(format_json(describe_audit(result), indent=1))
    else:
        renderers = {"table": result.to_text, "markdown": result.to_markdown, "html": result.to_html}
        click.echo(renderers[layout](), nl=False)
    if output is not None or any(finding.counterexample for finding in result.findings):
        places = write_audit(result, output or "doxel-audit")
        for place in places:
            print_note(f"{place}/README.txt: a counterexample, and how to run it")
    return 0 if result.is_acquitted else 1
