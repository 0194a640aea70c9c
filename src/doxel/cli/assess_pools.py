"""``doxel assess pool``: who judges which topic."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from doxel.assess.scales import SNAPPINGS
from doxel.cli.assess_options import (
    CAMPAIGN,
    COLLECTION,
    DATABASE,
    LAYOUT,
    SCALE_NAMES,
    needs_web,
    place_of,
)
from doxel.cli.console import note, show_table
from doxel.wording import counted

__all__ = ["marks", "pool"]

_NUMBERS = click.argument("numbers", nargs=-1, required=True, type=click.IntRange(min=1), metavar="POOL...")


@click.group("pool", short_help="Give topics to assessors, lock pools, hand them over.")
def pool() -> None:
    """Give topics to assessors, lock pools, choose the official ones, hand them over.

    A pool is the work of one assessor on one topic; 'doxel assess pool list' shows their numbers.
    """


@contextmanager
def _opened(campaign: str | None, database: str | None) -> Iterator[Any]:
    """Give a connection on which to write, to a database that is there."""
    with place_of(campaign, database).store(create=False) as store, store.write() as connection:
        yield connection


@pool.command("list")
@CAMPAIGN
@DATABASE
@LAYOUT
@needs_web
def pool_list(campaign: str | None, database: str | None, layout: str) -> None:
    """List all pools, by topic."""
    from doxel.assess.pools import pools

    with place_of(campaign, database).store(create=False) as store, store.read() as connection:
        found = pools(connection)
    if layout == "json":
        click.echo(json.dumps({"pools": [one.as_json() for one in found]}, indent=1, ensure_ascii=False))
        return
    rows = [
        [one.id, one.topic, one.assessor, one.scale, one.snapping, one.validated, one.documents, marks(one)]
        for one in found
    ]
    show_table(["pool", "topic", "assessor", "scale", "snapping", "done", "documents", ""], rows)


def marks(one: Any) -> str:
    """Return what there is to say of a pool in words."""
    known = {"official": one.official, "locked": one.locked, "finished": one.finished}
    return ", ".join(name for name, holds in known.items() if holds)


@pool.command("give")
@click.argument("topics", nargs=-1, required=True, metavar="TOPIC...")
@click.option("--assessor", required=True, metavar="NAME", help="The person who is to judge.")
@click.option(
    "--scale",
    type=click.Choice(SCALE_NAMES),
    default=SCALE_NAMES[0],
    show_default=True,
    help="The scale to judge on.",
)
@click.option(
    "--snapping",
    type=click.Choice(SNAPPINGS),
    default=SNAPPINGS[0],
    show_default=True,
    help="What a selection grows to.",
)
@CAMPAIGN
@COLLECTION
@click.option("--pool", "pools", multiple=True, metavar="POOL", help="Documents to judge, by 'doxel pool'.")
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
    """Give topics to an assessor, all or none; the first pool of a topic is its official one.

    What is to be judged is read from the campaign's pool, or --pool, unless the server has read it before.
    """
    from doxel.assess.audit import COMMAND_LINE
    from doxel.assess.managing import give

    place = place_of(campaign, database, collection=collection, pools=pools)
    with place.store(create=False) as store:
        if place.pools:
            added = place.prepare(store, place.library())
            note(f"{counted(added, 'document is', 'documents are')} new in the pools of {store.name}")
        with store.write() as connection:
            given = [give(connection, COMMAND_LINE, topic, assessor, scale, snapping) for topic in topics]
    for number, topic in zip(given, topics, strict=True):
        note(f"pool {number}: topic {topic}, to be judged by {assessor.strip().lower()}")


@pool.command("lock")
@_NUMBERS
@CAMPAIGN
@DATABASE
@needs_web
def pool_lock(numbers: tuple[int, ...], campaign: str | None, database: str | None) -> None:
    """Lock pools: nothing more is written to them."""
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
        done = [set_lock(connection, COMMAND_LINE, number, locked=locked) for number in numbers]
    for one in done:
        note(f"{named(one)}: {'locked' if locked else 'open'}")


@pool.command("official")
@_NUMBERS
@CAMPAIGN
@DATABASE
@needs_web
def pool_official(numbers: tuple[int, ...], campaign: str | None, database: str | None) -> None:
    """Make pools the official ones of their topics; those are exported."""
    from doxel.assess.audit import COMMAND_LINE
    from doxel.assess.managing import choose_official, named

    with _opened(campaign, database) as connection:
        done = [choose_official(connection, COMMAND_LINE, number) for number in numbers]
    for one in done:
        note(f"{named(one)}: official")


@pool.command("hand-over")
@_NUMBERS
@click.option("--assessor", required=True, metavar="NAME", help="The person who goes on.")
@click.option("--with-work", is_flag=True, help="Begin with what was said so far, instead of anew.")
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
    """Give the topics of pools to somebody else, who gets pools of their own.

    The old pools stay, locked; if they were official, the new ones are that.  --with-work needs the
    collection.
    """
    from doxel.assess.audit import COMMAND_LINE
    from doxel.assess.handing import hand_over

    library = place_of(campaign, database, collection=collection).library() if with_work else None
    with _opened(campaign, database) as connection:
        done = [hand_over(connection, COMMAND_LINE, number, assessor, library) for number in numbers]
    for number, one in zip(numbers, done, strict=True):
        for sentence in one.notes:
            note(f"pool {one.pool}: {sentence}")
        work = f" with {counted(one.documents, 'document')}" if with_work else ""
        note(f"pool {number} is locked; {assessor.strip().lower()} goes on in pool {one.pool}{work}")
    return 1 if any(one.notes for one in done) else 0
