"""``doxel assess export``, ``import`` and ``compare_assessors``: assessments from and to the database."""

from __future__ import annotations

from typing import Any

import click

from doxel.cli.assess_options import (
    ASSESSOR,
    CAMPAIGN,
    COLLECTION,
    DATABASE,
    LAYOUT,
    SCALE,
    TOPIC,
    find_workplace,
    needs_web,
)
from doxel.cli.console import print_note, show_table
from doxel.cli.options import SectionedCommand
from doxel.errors import InputError
from doxel.wording import pluralise

__all__ = ["agreement_command", "export_command", "import_command"]


@click.command("export", cls=SectionedCommand, short_help="Write the official assessments to a file.")
@click.argument("target", metavar="OUT")
@click.option(
    "--to", "format_name", required=True, metavar="F", help="The format; 'doxel convert --help' lists them."
)
@CAMPAIGN
@COLLECTION
@DATABASE
@ASSESSOR
@TOPIC
@SCALE
@click.option("--include-open", is_flag=True, help="Include documents that are begun but not finished.")
@click.option("--lossy", is_flag=True, help="Write the file even if the format cannot represent everything.")
@needs_web
def export_command(
    *,
    target: str,
    format_name: str,
    campaign: str | None,
    collection: str | None,
    database: str | None,
    assessor: str | None,
    topics: tuple[str, ...],
    scale: str | None,
    include_open: bool,
    lossy: bool,
) -> None:
    """Write the official assessments to a file, in any assessment format.

    The server may be running.  Unfinished documents are left out and counted.  OUT.about.json records the
    collection and the assignments that the assessments come from.
    """
    from doxel.assess.office.assessment_export import export_assessments, write_export

    place = find_workplace(campaign, database, collection=collection)
    with place.store(create=False) as store:
        exported = export_assessments(
            store,
            place.library(),
            format_name,
            assessor=assessor,
            topics=topics,
            scale=scale,
            include_open=include_open,
            lossy=lossy,
        )
    for sentence in exported.notes:
        print_note(sentence)
    for loss in exported.losses:
        print_note(f"left out: {loss}")
    beside = write_export(exported, target)
    print_note(f"{target}: {pluralise(exported.about['documents'], 'document')}, written as {format_name}")
    print_note(
        f"{beside}: text rule {exported.about['text_rule']}, collection {exported.about['fingerprint']}"
    )


@click.command("import", cls=SectionedCommand, short_help="Import assessments from files.")
@click.argument("sources", nargs=-1, required=True, metavar="ASSESSMENTS...")
@click.option("--assessor", required=True, metavar="NAME", help="The user who gets the assessments.")
@click.option("--from", "format_name", metavar="F", help="The format.  Default: recognised by content.")
@CAMPAIGN
@COLLECTION
@DATABASE
@needs_web
def import_command(
    sources: tuple[str, ...],
    assessor: str,
    format_name: str | None,
    campaign: str | None,
    collection: str | None,
    database: str | None,
) -> int:
    """Import assessments from files, to continue or to compare them.

    They become assignments of an assessor who has not begun these topics.  Importing the same files again
    changes nothing.  The exit status is 1 if something was left out, or is not finished by the rules of its
    scale.
    """
    from doxel.assess.office.assessment_import import import_assessments
    from doxel.assessments import read_assessments

    place = find_workplace(campaign, database, collection=collection)
    assessments = read_assessments(list(sources), format=format_name)
    for sentence in assessments.notes:
        print_note(sentence)
    with place.store(create=False) as store:
        imported = import_assessments(store, place.library(), assessments, assessor)
    for sentence in imported.notes:
        print_note(sentence)
    again = f", {imported.known:,} already stored" if imported.known else ""
    where = (
        f"{pluralise(imported.documents, 'document')} in {pluralise(len(imported.assignments), 'assignment')}"
    )
    print_note(f"{where}: {pluralise(imported.stored, 'event')} stored{again}")
    return 0 if imported.complete else 1


@click.command("agreement", cls=SectionedCommand, short_help="Measure the agreement of two assessors.")
@click.argument("sources", nargs=-1, metavar="[ASSESSMENTS ASSESSMENTS]")
@CAMPAIGN
@COLLECTION
@DATABASE
@click.option(
    "--assessor", "assessors", multiple=True, metavar="NAME", help="One of the two users to compare."
)
@TOPIC
@SCALE
@click.option("--include-open", is_flag=True, help="Include documents that are begun but not finished.")
@LAYOUT
@needs_web
def agreement_command(
    *,
    sources: tuple[str, ...],
    campaign: str | None,
    collection: str | None,
    database: str | None,
    assessors: tuple[str, ...],
    topics: tuple[str, ...],
    scale: str | None,
    include_open: bool,
    layout: str,
) -> None:
    """Measure the agreement of two assessors: in characters, in documents, and by grade.

    Compare two users of the database, or two files of assessments, on the documents that both judged.
    shared: highlighted by both, as a share of all highlighted text; f: how likely one highlights what the
    other did; kappa: agreement beyond chance.
    """
    from doxel.assess.office.assessment_agreement import compare_assessors
    from doxel.assess.office.assessment_export import choose_assignments, collect_assessments
    from doxel.assessments import read_assessments

    place = find_workplace(campaign, database, collection=collection)
    library = place.library()
    if len(sources) == 2 and not assessors:
        pair = [read_assessments(source) for source in sources]
    elif len(assessors) == 2 and not sources:
        with place.store(create=False) as store, store.read() as connection:
            pair = [
                collect_assessments(
                    connection,
                    library,
                    choose_assignments(connection, assessor=name, topics=topics, scale=scale),
                    include_open=include_open,
                ).assessments
                for name in assessors
            ]
    else:
        passed = f"{pluralise(len(sources), 'file')} and {pluralise(len(assessors), 'assessor')}"
        raise InputError("agreement", wanted="two files, or --assessor twice", found=passed)
    _show_agreement(compare_assessors(pair[0], pair[1], library.collection), layout)


def _show_agreement(result: Any, layout: str) -> None:
    import json
    import math

    tables = {"characters": result.characters, "grades": result.grades, "kappas": result.kappas}
    if layout == "json":
        clean = {
            name: [
                {
                    key: None if isinstance(value, float) and math.isnan(value) else value
                    for key, value in row.items()
                }
                for row in table.iter_rows(named=True)
            ]
            for name, table in tables.items()
        }
        click.echo(json.dumps({**clean, "alone": list(result.alone)}, indent=1, ensure_ascii=False))
        return
    counts = ["topic", "documents", "both", "only_one", "only_other", "neither"]
    figures = ["topic", "shared", "f", "kappa", "documents_kappa", "bep_distance"]
    shown = [
        result.characters.select(counts),
        result.characters.select(figures),
        result.kappas,
        result.grades,
    ]
    for table in shown:
        if table.height:
            show_table(table.columns, table.rows())
    if any(result.alone):
        first, second = result.alone
        print_note(f"documents judged by one assessor only, not compared: {first:,} and {second:,}")
