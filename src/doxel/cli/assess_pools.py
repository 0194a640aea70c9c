"""``doxel assess pool``: assign topics to assessors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from doxel.assess.scales import SNAPPINGS
from doxel.cli.assess_options import CAMPAIGN, COLLECTION, DATABASE, LAYOUT, SCALE_NAMES, needs_web, place_of
from doxel.cli.console import note, show_table
from doxel.cli.options import OrderedGroup
from doxel.wording import pluralise

__all__ = ["marks", "pool"]

_NUMBERS = click.argument("numbers", nargs=-1, required=True, type=click.IntRange(min=1), metavar="POOL...")


@click.group("pool", cls=OrderedGroup, short_help="Assign topics to assessors; lock and hand over pools.")
def pool() -> None:
    """Assign topics to assessors; lock pools, choose the official ones, and hand them over.

    A pool is the work of one assessor on one topic; 'doxel assess pool list' prints the numbers of all pools.
    """


@contextmanager
def _opened(campaign: str | None, database: str | None) -> Iterator[Any]:
    """Open an existing database and yield a connection for writing."""
    with place_of(campaign, database).store(create=False) as store, store.write() as connection:
        yield connection


@pool.command("list")
@CAMPAIGN
@DATABASE
@LAYOUT
@needs_web
def pool_list(campaign: str | None, database: str | None, layout: str) -> None:
    """List all pools by topic."""
    from doxel.assess.pools import pools

    with place_of(campaign, database).store(create=False) as store, store.read() as connection:
        entries = pools(connection)
    if layout == "json":
        click.echo(
            json.dumps({"pools": [entry.as_json() for entry in entries]}, indent=1, ensure_ascii=False)
        )
        return
    rows = [
        [
            *(entry.id, entry.topic, entry.assessor, entry.scale, entry.snapping),
            *(entry.validated, entry.documents, marks(entry)),
        ]
        for entry in entries
    ]
    show_table(["pool", "topic", "assessor", "scale", "snapping", "done", "documents", ""], rows)


def marks(entry: Any) -> str:
    """Return the properties of a pool in words: official, locked, finished."""
    properties = {"official": entry.official, "locked": entry.locked, "finished": entry.finished}
    return ", ".join(name for name, is_set in properties.items() if is_set)


@pool.command("give")
@click.argument("topics", nargs=-1, required=True, metavar="TOPIC...")
@click.option("--assessor", required=True, metavar="NAME", help="The user who judges.")
@click.option(
    "--scale",
    type=click.Choice(SCALE_NAMES),
    default=SCALE_NAMES[0],
    show_default=True,
    help="The relevance scale.",
)
@click.option(
    "--snapping",
    type=click.Choice(SNAPPINGS),
    default=SNAPPINGS[0],
    show_default=True,
    help="The unit to which a text selection is extended.",
)
@CAMPAIGN
@COLLECTION
@click.option(
    "--pool",
    "pools",
    multiple=True,
    metavar="POOL",
    help="The documents to judge, a file written by 'doxel pool'.",
)
@DATABASE
@needs_web
def pool_give(
    *,
    topics: tuple[str, ...],
    assessor: str,
    scale: str,
    snapping: str,
    campaign: str | None,
    collection: str | None,
    pools: tuple[str, ...],
    database: str | None,
) -> None:
    """Assign topics to an assessor, all or none; the first pool of a topic is the official one.

    The documents to judge are read from --pool or the campaign's pool, unless the server has read it before.
    """
    from doxel.assess.audit import COMMAND_LINE
    from doxel.assess.managing import give

    place = place_of(campaign, database, collection=collection, pools=pools)
    with place.store(create=False) as store:
        if place.pools:
            added = place.prepare(store, place.library())
            note(f"{pluralise(added, 'document')} added to the pools in {store.name}")
        with store.write() as connection:
            numbers = [give(connection, COMMAND_LINE, topic, assessor, scale, snapping) for topic in topics]
    for number, topic in zip(numbers, topics, strict=True):
        note(f"pool {number}: topic {topic}, assigned to {assessor.strip().lower()}")


@pool.command("lock")
@_NUMBERS
@CAMPAIGN
@DATABASE
@needs_web
def pool_lock(numbers: tuple[int, ...], campaign: str | None, database: str | None) -> None:
    """Lock pools, so that they cannot be changed."""
    _set_locks(numbers, campaign, database, locked=True)


@pool.command("unlock")
@_NUMBERS
@CAMPAIGN
@DATABASE
@needs_web
def pool_unlock(numbers: tuple[int, ...], campaign: str | None, database: str | None) -> None:
    """Unlock pools."""
    _set_locks(numbers, campaign, database, locked=False)


def _set_locks(numbers: tuple[int, ...], campaign: str | None, database: str | None, *, locked: bool) -> None:
    from doxel.assess.audit import COMMAND_LINE
    from doxel.assess.managing import named, set_lock

    with _opened(campaign, database) as connection:
        changed = [set_lock(connection, COMMAND_LINE, number, locked=locked) for number in numbers]
    for entry in changed:
        note(f"{named(entry)}: {'locked' if locked else 'unlocked'}")


@pool.command("official")
@_NUMBERS
@CAMPAIGN
@DATABASE
@needs_web
def pool_official(numbers: tuple[int, ...], campaign: str | None, database: str | None) -> None:
    """Make pools the official ones of their topics, which are exported."""
    from doxel.assess.audit import COMMAND_LINE
    from doxel.assess.managing import choose_official, named

    with _opened(campaign, database) as connection:
        changed = [choose_official(connection, COMMAND_LINE, number) for number in numbers]
    for entry in changed:
        note(f"{named(entry)}: official")


@pool.command("hand-over")
@_NUMBERS
@click.option("--assessor", required=True, metavar="NAME", help="The user who continues.")
@click.option("--with-work", is_flag=True, help="Copy the judgements made so far, instead of starting again.")
@CAMPAIGN
@COLLECTION
@DATABASE
@needs_web
def pool_hand_over(
    *,
    numbers: tuple[int, ...],
    assessor: str,
    with_work: bool,
    campaign: str | None,
    collection: str | None,
    database: str | None,
) -> int:
    """Assign the topics of pools to another assessor, who gets new pools.

    The old pools are locked; if they were official, the new ones become official.  --with-work needs the
    collection.
    """
    from doxel.assess.audit import COMMAND_LINE
    from doxel.assess.handing import hand_over

    library = place_of(campaign, database, collection=collection).library() if with_work else None
    with _opened(campaign, database) as connection:
        outcomes = [hand_over(connection, COMMAND_LINE, number, assessor, library) for number in numbers]
    for number, outcome in zip(numbers, outcomes, strict=True):
        for sentence in outcome.notes:
            note(f"pool {outcome.pool}: {sentence}")
        work = f" with {pluralise(outcome.documents, 'document')}" if with_work else ""
        note(f"pool {number} is locked; {assessor.strip().lower()} continues in pool {outcome.pool}{work}")
    return 1 if any(outcome.notes for outcome in outcomes) else 0
