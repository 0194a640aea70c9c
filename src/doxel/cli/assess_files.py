"""``doxel assess export``, ``import`` and ``agreement``: assessments from and to the database."""

from __future__ import annotations

import math
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
from doxel.wording import format_json, pluralise

__all__ = ["agreement_command", "export_command", "import_command"]


@click.command("export", cls=SectionedCommand, short_help="Write the official assessments to a file.")
@click.argument("target", metavar="OUT")
@click.option(
    "--to",
    "format_name",
    required=True,
    metavar="F",
    help="The format; 'doxel convert --help' explains them.",
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
    collection and the assignments that the assessments come from; there is none for a pipe or a device.
    """
    from doxel.assess.office.assessment_export import export_assessments, write_export

    place = find_workplace(campaign, database, collection=collection)
    with place.store(create=False) as store:
        export = export_assessments(
            store,
            place.library(),
            format_name,
            assessor=assessor,
            topics=topics,
            scale=scale,
            include_open=include_open,
            lossy=lossy,
        )
    for sentence in export.notes:
        print_note(sentence)
    for loss in export.losses:
        print_note(f"left out: {loss}")
    beside = write_export(export, target)
    print_note(f"{target}: {pluralise(export.about['documents'], 'document')}, written as {format_name}")
    if beside is not None:
        print_note(
            f"{beside}: text rule {export.about['text_rule']}, collection {export.about['fingerprint']}"
        )


@click.command("import", cls=SectionedCommand, short_help="Import assessments from files.")
@click.argument("sources", nargs=-1, required=True, metavar="ASSESSMENTS...")
@click.option("--assessor", required=True, metavar="NAME", help="The user who gets the assessments.")
@click.option(
    "--from",
    "format_name",
    metavar="F",
    help="The format; 'doxel convert --help' explains them.  Default: recognised by content.",
)
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
        result = import_assessments(store, place.library(), assessments, assessor)
    for sentence in result.notes:
        print_note(sentence)
    again = f", {result.known:,} already stored" if result.known else ""
    where = f"{pluralise(result.documents, 'document')} in {pluralise(len(result.assignments), 'assignment')}"
    print_note(f"{where}: {pluralise(result.stored, 'event')} stored{again}")
    return 0 if result.complete else 1


@click.command("agreement", cls=SectionedCommand, short_help="Measure the agreement of assessors.")
@click.argument("sources", nargs=-1, metavar="[ASSESSMENTS ASSESSMENTS ...]")
@CAMPAIGN
@COLLECTION
@DATABASE
@click.option("--assessor", "assessors", multiple=True, metavar="NAME", help="One of the users to compare.")
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
    """Measure the agreement of assessors: in characters, in documents, and by grade.

    Compare users of the database, or files of assessments, on the documents that two or more judged.  Users
    who have several scales are compared on the one that they share.
    The columns are: shared, the text that both highlighted, as a share of all highlighted text; f, the
    probability that one assessor highlights a character that the other highlighted; kappa, the agreement of
    a pair beyond chance; alpha, Krippendorff's alpha of all assessors.  More than two assessors are compared
    pair by pair, and the documents with the most disputed characters are listed.

    \b
    doxel assess agreement --campaign DIR --assessor anna --assessor ben
    doxel assess agreement -c handbook.doxel anna.jsonl ben.jsonl
    """  # noqa: D301 -- for click, \\b keeps the line breaks of a paragraph
    from doxel.assess.office.assessment_agreement import compare_assessors
    from doxel.assess.office.group_agreement import compare_group
    from doxel.assessments import read_assessments

    place = find_workplace(campaign, database, collection=collection)
    library = place.library()
    late: list[Any] = []
    if len(sources) >= 2 and not assessors:
        labels = [f"{source} ({number})" for number, source in enumerate(sources, 1)]
        names = sources if len(set(sources)) == len(sources) else labels
        group = {name: read_assessments(source) for name, source in zip(names, sources, strict=True)}
    elif len(set(assessors)) >= 2 and not sources:
        options = {"topics": topics, "scale": scale, "include_open": include_open}
        group, late = _collect_group(place, library, assessors, options)
    else:
        passed = f"{pluralise(len(sources), 'file')} and {pluralise(len(assessors), 'assessor')}"
        raise InputError("agreement", wanted="two files or more, or --assessor twice or more", found=passed)
    first, second, *others = group.values()
    pair = None if others else compare_assessors(first, second, library.collection)
    _show_agreement(pair, compare_group(group, library.collection), late, layout)


def _collect_group(
    place: Any, library: Any, assessors: tuple[str, ...], options: dict[str, Any]
) -> tuple[dict[str, Any], list[Any]]:
    """Return the assessments of users by name, and who changed marks after seeing those of others."""
    from doxel.assess.office.assessment_export import (
        choose_assignments,
        collect_assessments,
        find_shared_scale,
    )
    from doxel.assess.store.adjudications import find_late_changes

    names = list(dict.fromkeys(name.strip().lower() for name in assessors))
    chosen_topics, scale = options["topics"], options["scale"]
    group: dict[str, Any] = {}
    with place.store(create=False) as store, store.read() as connection:
        if scale is None:
            scale = find_shared_scale(connection, names, chosen_topics)
        assignments = {
            name: choose_assignments(connection, assessor=name, topics=chosen_topics, scale=scale)
            for name in names
        }
        for name, own_assignments in assignments.items():
            selection = collect_assessments(
                connection, library, own_assignments, include_open=options["include_open"]
            )
            group[name] = selection.assessments
        topics = dict.fromkeys(
            item.topic for own_assignments in assignments.values() for item in own_assignments
        )
        late = [change for topic in topics for change in find_late_changes(connection, topic)]
    return group, [change for change in late if change.assessor in names]


_MOST_LISTED = 10  # documents


def _show_agreement(pair: Any, group: Any, late: list[Any], layout: str) -> None:
    """Print the figures of two assessors, if there are two, then those of the group."""
    tables = {"topics": group.topics, "documents": group.documents, "pairs": group.pairs}
    if layout == "json":
        if pair is not None:
            tables = {"characters": pair.characters, "grades": pair.grades, "kappas": pair.kappas, **tables}
        content: dict[str, Any] = {name: _list_rows(table) for name, table in tables.items()}
        if pair is not None:
            content["alone"] = list(pair.alone)
        click.echo(format_json({**content, "late": [vars(change) for change in late]}, indent=1))
        return
    if pair is not None:
        _show_pair(pair, group)
    else:
        for table in (group.topics, group.pairs):
            show_table(table.columns, table.rows())
        disputed = group.documents.filter(group.documents["disputed"] > 0)
        if disputed.height:
            show_table(disputed.columns, disputed.head(_MOST_LISTED).rows())
        if disputed.height > _MOST_LISTED:
            more_documents = pluralise(disputed.height - _MOST_LISTED, "more document")
            print_note(f"{more_documents} with disputed characters; -f json lists all")
    for change in late:
        print_note(change.sentence)


def _list_rows(table: Any) -> list[dict[str, Any]]:
    """Return the rows of a table with None instead of NaN, which JSON does not have."""
    return [
        {key: None if isinstance(value, float) and math.isnan(value) else value for key, value in row.items()}
        for row in table.iter_rows(named=True)
    ]


def _show_pair(result: Any, group: Any) -> None:
    alphas = group.topics.select("topic", "alpha", "documents_alpha")
    characters = result.characters.join(alphas, on="topic", how="left", maintain_order="left")
    counts = ["topic", "documents", "both", "only_one", "only_other", "neither"]
    figures = ["topic", "shared", "f", "kappa", "alpha", "documents_kappa", "documents_alpha", "bep_distance"]
    rows = [
        characters.select(counts),
        characters.select(figures),
        result.kappas,
        result.grades,
    ]
    for table in rows:
        if table.height:
            show_table(table.columns, table.rows())
    if any(result.alone):
        first, second = result.alone
        print_note(f"documents judged by one assessor only, not compared: {first:,} and {second:,}")
