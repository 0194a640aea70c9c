"""``doxel study``: study how measures and settings rank systems."""

from __future__ import annotations

from typing import Any

import click

from doxel.cli.commands.evaluate import build_scoring_keywords, show_notes
from doxel.cli.console import choose_layout, print_note, show_table
from doxel.cli.options import OrderedGroup, SectionedCommand, format_option, scoring_options
from doxel.errors import InputError
from doxel.reports.output_files import to_plain
from doxel.studies.study_declaration import Study, StudyOption, StudyResult
from doxel.studies.study_table import STUDIES
from doxel.wording import format_json, pluralise

__all__ = ["command"]

_FLAGS = {"settings": "--setting", "claims": "--claim"}
_PLACEHOLDERS = {"settings": "SETTING", "a": "SETTING", "b": "SETTING"}
_RANGES: dict[type, Any] = {int: click.IntRange, float: click.FloatRange}


@click.group("study", cls=OrderedGroup)
def command() -> None:
    """Study how measures and settings rank systems.

    Each study repeats an analysis from the literature on your runs and assessments, or on the bundled
    campaign if you name none.  It prints tables and findings; -o also writes a page with pictures.

    \b
    doxel study agreement
    doxel study settings -c c.doxel -a inex.qrels --b quant=strict -m nxCG@10 -o study a.run b.run
    """  # noqa: D301 -- for click, \\b keeps the line breaks of a paragraph


def _build_command(study: Study) -> click.Command:
    """Return the command of a study, built from its declaration."""

    def run(**options: Any) -> int:
        return _run_study(study, **options)

    run.__doc__ = _build_help(study)
    function: Any = _add_output_options(run)
    for option in reversed(study.options):
        function = _build_option(option)(function)
    function = scoring_options(function, default_measures="those of the study")
    if study.takes_runs:
        function = click.argument("runs", nargs=-1, metavar="[RUN...]")(function)
    built = click.command(study.name, cls=SectionedCommand, short_help=study.question)(function)
    for parameter in built.params:
        if parameter.name == "assessments":  # the bundled campaign has its own
            parameter.required = False
    return built


def _build_help(study: Study) -> str:
    measures = f"\n\nDefault measures: {', '.join(study.measures)}." if study.measures else ""
    return f"{study.question}\n\n{study.about}{measures}"


def _build_option(option: StudyOption) -> Any:
    flag = _FLAGS.get(option.name, f"--{option.name.replace('_', '-')}")
    values: dict[str, Any] = {"multiple": True} if option.many else {"default": option.default}
    shows_default = not option.many and option.default not in ("", None)
    kind = _RANGES[option.kind](option.lowest, option.highest) if option.kind in _RANGES else option.kind
    placeholder = _PLACEHOLDERS.get(option.name, {int: "N", float: "SHARE"}.get(option.kind, "NAME"))
    return click.option(
        flag,
        option.name,
        type=kind,
        metavar=placeholder,
        help=option.about,
        show_default=shows_default,
        **values,
    )


def _add_output_options(function: Any) -> Any:
    options = (
        click.option("-o", "--out", metavar="DIR", help="Write a page, tables and pictures to this folder."),
        format_option("table", "json", "tsv"),
        click.option(
            "--panel", metavar="NAME", help="The table to print with -f tsv.  Default: the first one."
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


def _run_study(
    study: Study,
    *,
    out: str | None,
    layout: str | None,
    panel: str | None,
    runs: tuple[str, ...] = (),
    **options: Any,
) -> int:
    study_options = {option.name: options.pop(option.name) for option in study.options}
    result = _ask_study(study, runs, options, study_options)
    show_notes(result)
    _show_result(result, choose_layout(layout), panel)
    if out is not None:
        from doxel.reports.study_pages import write_study

        paths, notes = write_study(study, result, out)
        for message in notes:
            print_note(message)
        print_note(f"{pluralise(len(paths), 'file')} written; open the page in a browser: {paths[-1]}")
    return 1 if result.rejected else 0


def _ask_study(
    study: Study, runs: tuple[str, ...], options: dict[str, Any], study_options: dict[str, Any]
) -> StudyResult:
    keywords = {**build_scoring_keywords(runs, options), **study_options}
    measures = list(options["measures"]) or None
    sources = [*runs, *options["assessments"], *([options["collection"]] if options["collection"] else [])]
    if not sources:
        return _ask_demo(study, measures, keywords)
    assessments: Any = None
    if not study_options.get("simulate_grades"):
        if not options["assessments"]:
            raise InputError(
                "study", wanted="assessments (-a), or no data at all to use the demo", found="none"
            )
        assessments = options["assessments"]
    if study.takes_runs and not study.runs_optional and not runs:
        raise InputError("study", wanted="runs, or no data at all to use the demo", found="none")
    return study.ask(list(runs), assessments, measures, collection=options["collection"], **keywords)


def _ask_demo(study: Study, measures: list[str] | None, keywords: dict[str, Any]) -> StudyResult:
    """Run a study on the bundled campaign, written to a temporary folder."""
    import tempfile

    from doxel.campaign import write_demo

    print_note("no data given; using the bundled campaign")
    with tempfile.TemporaryDirectory() as folder:
        demo = write_demo(folder)
        by_name = {path.stem: str(path) for path in demo.runs}
        # if the user sets one of two settings, the demo must not fill in the other
        is_set = any(keywords.get(name) for name in study.demo_options)
        defaults = {} if is_set else study.demo_options
        return study.ask(
            [by_name[name] for name in study.demo_runs],
            study.choose_demo_assessments(demo.assessments),
            measures,
            **{**keywords, **defaults, "topic_file": keywords.get("topic_file") or demo.topics},
            collection=demo.collection,
        )


def _show_result(result: StudyResult, layout: str, panel: str | None) -> None:
    if layout == "json":
        content = {
            "findings": result.findings,
            "tables": {table.name: table.frame.to_dicts() for table in result.panels},
            "parameters": dict(result.parameters),
        }
        click.echo(format_json(to_plain(content), indent=1))
    elif layout == "tsv":
        names = [table.name for table in result.panels]
        if panel is not None and panel not in names:
            raise InputError("--panel", wanted=f"one of {', '.join(names)}", found=repr(panel))
        table = result.panels[names.index(panel) if panel else 0]
        from doxel.reports.score_tables import format_tsv_table

        click.echo(format_tsv_table(table.frame), nl=False)
    else:
        for result_panel in result.panels:
            if result_panel.table.height:
                show_table(
                    result_panel.table.columns,
                    result_panel.table.fill_nan(None).rows(),
                    title=result_panel.caption,
                )
        for sentence in result.findings:
            click.echo(f"- {sentence}")


for _study in STUDIES:
    command.add_command(_build_command(_study))
