"""``doxel study``."""

from __future__ import annotations

import json
from typing import Any

import click

from doxel.cli.console import note, or_default, show_table
from doxel.cli.evaluate import scoring_keywords, show_notes
from doxel.cli.options import format_option, one_or_many, scoring_options
from doxel.errors import InputError
from doxel.reports.plain import plain
from doxel.studies.declare import Option, Study, StudyResult
from doxel.studies.table import STUDIES
from doxel.wording import counted

__all__ = ["command"]

_FLAGS = {"settings": "--setting", "a": "--a", "b": "--b"}
_RANGES: dict[type, Any] = {int: click.IntRange, float: click.FloatRange}


class _InOrder(click.Group):
    """Lists the studies as they are declared."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(self.commands)


@click.group("study", cls=_InOrder)
def command() -> None:
    """Ask how measures and settings rank systems.

    Each study asks a question of the papers about any runs and assessments, or, where none are named,
    about the bundled campaign.  It prints tables and what they say; -o writes a page, its tables and its
    pictures.

    \b
    doxel study agreement
    doxel study settings -c c.doxel -a inex.qrels --b quant=strict -m nxCG@10 -o study a.run b.run
    """  # noqa: D301 -- click reads \\b as a sign to leave a paragraph as it is


def _built(study: Study) -> click.Command:
    """Return the command of a study, from its declaration."""

    def run(**options: Any) -> int:
        return _run(study, **options)

    run.__doc__ = _help(study)
    built: Any = _output_options(run)
    for option in reversed(study.options):
        built = _option(option)(built)
    built = scoring_options(built)
    if study.takes_runs:
        built = click.argument("runs", nargs=-1, metavar="[RUN...]")(built)
    made: click.Command = click.command(study.name, short_help=study.question)(built)
    for parameter in made.params:
        if parameter.name == "assessments":  # the bundled campaign has its own
            parameter.required = False
    return made


def _help(study: Study) -> str:
    named = ", ".join(study.measures)
    return f"{study.question}\n\n{study.about}\n\nMeasures, if none are named: {named}."


def _option(option: Option) -> Any:
    flag = _FLAGS.get(option.name, f"--{option.name.replace('_', '-')}")
    given: dict[str, Any] = {"multiple": True} if option.many else {"default": option.default}
    shown = not option.many and option.default not in ("", None)
    kind = _RANGES[option.kind](option.lowest, option.highest) if option.kind in _RANGES else option.kind
    return click.option(flag, option.name, type=kind, help=option.about, show_default=shown, **given)


def _output_options(function: Any) -> Any:
    options = (
        click.option("-o", "--out", metavar="DIR", help="Write a page, tables and pictures there."),
        format_option("table", "json", "tsv"),
        click.option(
            "--panel", metavar="NAME", help="The table to print as tsv, in full.  Default: the first one."
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


def _run(
    study: Study,
    *,
    out: str | None,
    layout: str | None,
    panel: str | None,
    runs: tuple[str, ...] = (),
    **options: Any,
) -> int:
    own = {one.name: options.pop(one.name) for one in study.options}
    result = _ask(study, runs, options, own)
    show_notes(result)
    _show(result, or_default(layout), panel)
    if out is not None:
        from doxel.reports.study_pages import write_study

        written, missing = write_study(study, result, out)
        for one in missing:
            note(one)
        note(f"{counted(len(written), 'file')}; open the page in a browser: {written[-1]}")
    return 1 if result.rejected else 0


def _ask(study: Study, runs: tuple[str, ...], options: dict[str, Any], own: dict[str, Any]) -> StudyResult:
    keywords = {**scoring_keywords(runs, options), **own}
    measures = list(options["measures"]) or None
    given = [*runs, *options["assessments"], *([options["collection"]] if options["collection"] else [])]
    if not given:
        return _ask_demo(study, measures, keywords)
    assessments: Any = None
    if not own.get("simulate_grades"):
        if not options["assessments"]:
            raise InputError(
                "a study", wanted="assessments (-a), or no data at all for the demo", found="none"
            )
        assessments = one_or_many(options["assessments"])
    if study.takes_runs and not runs:
        raise InputError("a study", wanted="runs, or no data at all for the demo", found="none")
    return study.ask(list(runs), assessments, measures, collection=options["collection"], **keywords)


def _ask_demo(study: Study, measures: list[str] | None, keywords: dict[str, Any]) -> StudyResult:
    """Ask the bundled campaign, laid out in a folder that is gone afterwards."""
    import tempfile

    from doxel.campaign import write_demo

    note("no data named: the bundled campaign is asked")
    with tempfile.TemporaryDirectory() as folder:
        demo = write_demo(folder)
        by_name = {path.stem: str(path) for path in demo.runs}
        # one of two settings that is named is compared with nothing else than the other one
        named = any(keywords.get(name) for name in study.demo_options)
        filled = {} if named else study.demo_options
        return study.ask(
            [by_name[name] for name in study.demo_runs],
            demo.assessments[study.demo_assessments],
            measures,
            **{**keywords, **filled, "topic_file": keywords.get("topic_file") or demo.topics},
            collection=demo.collection,
        )


def _show(result: StudyResult, layout: str, panel: str | None) -> None:
    if layout == "json":
        whole = {
            "findings": result.findings,
            "tables": {one.name: one.frame.to_dicts() for one in result.panels},
            "parameters": dict(result.parameters),
        }
        click.echo(json.dumps(plain(whole), indent=1, ensure_ascii=False))
    elif layout == "tsv":
        names = [one.name for one in result.panels]
        if panel is not None and panel not in names:
            raise InputError("--panel", wanted=f"one of {', '.join(names)}", found=repr(panel))
        chosen = result.panels[names.index(panel) if panel else 0]
        click.echo(chosen.frame.write_csv(separator="\t"), nl=False)
    else:
        for one in result.panels:
            if one.table.height:
                show_table(one.table.columns, one.table.fill_nan(None).rows(), title=one.caption)
        for sentence in result.findings:
            click.echo(f"- {sentence}")


for _study in STUDIES:
    command.add_command(_built(_study))
