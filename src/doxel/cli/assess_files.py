"""``doxel assess export``, ``import`` and ``agreement``: assessments out of the database and into it."""

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
    needs_web,
    place_of,
)
from doxel.cli.console import note, show_table
from doxel.errors import InputError
from doxel.wording import counted

__all__ = ["agreement_command", "export_command", "import_command"]


@click.command("export", short_help="Write the official assessments as they are now.")
@click.argument("target", metavar="OUT")
@click.option(
    "--to", "format_name", required=True, metavar="F", help="The format, as 'doxel convert' has it."
)
@CAMPAIGN
@COLLECTION
@DATABASE
@ASSESSOR
@TOPIC
@SCALE
@click.option("--include-open", is_flag=True, help="Also documents that were begun and are not done.")
@click.option("--lossy", is_flag=True, help="Leave out what the format cannot hold.")
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
    """Write the official assessments as they are now, in any format of assessments.

    The server may go on meanwhile.  Documents that are not done are left out and counted.  OUT.about.json
    says beside the file which texts and pools it comes from.
    """
    from doxel.assess.export import export, write_export

    place = place_of(campaign, database, collection=collection)
    with place.store(create=False) as store:
        made = export(
            store,
            place.library(),
            format_name,
            assessor=assessor,
            topics=topics,
            scale=scale,
            include_open=include_open,
            lossy=lossy,
        )
    for sentence in made.notes:
        note(sentence)
    for loss in made.losses:
        note(f"left out: {loss}")
    beside = write_export(made, target)
    note(f"{target}: {counted(made.about['documents'], 'document')}, written as {format_name}")
    note(f"{beside}: text rule {made.about['text_rule']}, collection {made.about['fingerprint']}")


@click.command("import", short_help="Take over assessments of an earlier campaign.")
@click.argument("sources", nargs=-1, required=True, metavar="ASSESSMENTS...")
@click.option("--assessor", required=True, metavar="NAME", help="The person whose work it becomes.")
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
    """Take over assessments of an earlier campaign, to go on from them or to compare.

    They become pools of an assessor who has not begun these topics.  The same import again changes nothing.
    The exit status is 1 when something was left out, or is not done by the rules of its scale.
    """
    from doxel.assess.importing import import_assessments
    from doxel.assessments import read_assessments

    place = place_of(campaign, database, collection=collection)
    read = read_assessments(list(sources), format=format_name)
    for sentence in read.notes:
        note(sentence)
    with place.store(create=False) as store:
        found = import_assessments(store, place.library(), read, assessor)
    for sentence in found.notes:
        note(sentence)
    again = f", {counted(found.known, 'was', 'were')} there" if found.known else ""
    where = f"{counted(found.documents, 'document')} in {counted(len(found.pools), 'pool')}"
    note(f"{where}: {counted(found.stored, 'event')} stored{again}")
    return 0 if found.complete else 1


@click.command("agreement", short_help="Say how far two assessors agree.")
@click.argument("sources", nargs=-1, metavar="[ASSESSMENTS ASSESSMENTS]")
@CAMPAIGN
@COLLECTION
@DATABASE
@click.option("--assessor", "assessors", multiple=True, metavar="NAME", help="The two people to compare.")
@TOPIC
@SCALE
@click.option("--include-open", is_flag=True, help="Also documents that were begun and are not done.")
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
    """Say how far two assessors agree: in characters, in documents, and grade by grade.

    Compared are two people of the database, or two files of assessments.  Only documents that both have
    judged count.  shared: the part that both marked of all that was marked; f: how likely one marks what the
    other does; kappa: agreement beyond chance.
    """
    from doxel.assess.agreement import agreement
    from doxel.assess.gathering import choose, gather
    from doxel.assessments import read_assessments

    place = place_of(campaign, database, collection=collection)
    library = place.library()
    if len(sources) == 2 and not assessors:
        pair = [read_assessments(source) for source in sources]
    elif len(assessors) == 2 and not sources:
        with place.store(create=False) as store, store.read() as connection:
            pair = [
                gather(
                    connection,
                    library,
                    choose(connection, assessor=name, topics=topics, scale=scale),
                    include_open=include_open,
                ).assessments
                for name in assessors
            ]
    else:
        found = f"{counted(len(sources), 'file')} and {counted(len(assessors), 'assessor')}"
        raise InputError("agreement", wanted="two files, or --assessor twice", found=found)
    _show_agreement(agreement(pair[0], pair[1], library.collection), layout)


def _show_agreement(found: Any, layout: str) -> None:
    import json
    import math

    tables = {"characters": found.characters, "grades": found.grades, "kappas": found.kappas}
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
        click.echo(json.dumps({**clean, "alone": list(found.alone)}, indent=1, ensure_ascii=False))
        return
    counts = ["topic", "documents", "both", "only_one", "only_other", "neither"]
    figures = ["topic", "shared", "f", "kappa", "documents_kappa", "bep_distance"]
    shown = [found.characters.select(counts), found.characters.select(figures), found.kappas, found.grades]
    for table in shown:
        if table.height:
            show_table(table.columns, table.rows())
    if any(found.alone):
        first, second = found.alone
        note(f"documents that only one of them judged, not compared: {first:,} and {second:,}")
