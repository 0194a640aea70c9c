"""``doxel assess user`` and ``doxel assess assignment``: manage users, and assign topics to them."""

from __future__ import annotations

import sys
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
    POOL,
    find_workplace,
    needs_web,
    scale_option,
)
from doxel.cli.console import print_note, show_table
from doxel.cli.options import OrderedGroup
from doxel.files import read_text
from doxel.wording import format_json, pluralise

__all__ = ["assignment", "describe_state", "old_assignment", "user"]


class _AssignmentNumber(click.IntRange):
    name = "number of an assignment ('doxel assess assignment list' prints them)"


_NUMBERS = click.argument(
    "numbers", nargs=-1, required=True, type=_AssignmentNumber(min=1), metavar="ASSIGNMENT..."
)


@click.group(
    "assignment", cls=OrderedGroup, short_help="Assign topics to assessors; lock and hand over assignments."
)
def assignment() -> None:
    """Assign topics to assessors; lock assignments, choose the official ones, and hand them over.

    An assignment is the work of one assessor on one topic; 'doxel assess assignment list' prints the numbers
    of all.
    """


@contextmanager
def _open_for_writing(campaign: str | None, database: str | None) -> Iterator[Any]:
    """Open an existing database and yield a connection for writing."""
    with find_workplace(campaign, database).store(create=False) as store, store.write() as connection:
        yield connection


@assignment.command("list")
@CAMPAIGN
@DATABASE
@LAYOUT
@needs_web
def assignment_list(campaign: str | None, database: str | None, layout: str) -> None:
    """List all assignments by topic."""
    from doxel.assess.store.assignments import list_assignments

    with find_workplace(campaign, database).store(create=False) as store, store.read() as connection:
        entries = list_assignments(connection)
    if layout == "json":
        click.echo(format_json({"assignments": [entry.as_json() for entry in entries]}, indent=1))
        return
    rows = [
        [
            *(entry.id, entry.topic, entry.assessor, entry.scale, entry.snapping),
            *(entry.validated, entry.documents, describe_state(entry)),
        ]
        for entry in entries
    ]
    show_table(["assignment", "topic", "assessor", "scale", "snapping", "done", "documents", ""], rows)


def describe_state(entry: Any) -> str:
    """Return the properties of an assignment in words: official, locked, finished."""
    properties = {"official": entry.official, "locked": entry.locked, "finished": entry.finished}
    return ", ".join(name for name, is_set in properties.items() if is_set)


@assignment.command("give", short_help="Assign topics to an assessor, all or none.")
@click.argument("topics", nargs=-1, required=True, metavar="TOPIC...")
@click.option("--assessor", required=True, metavar="NAME", help="The user who judges.")
@scale_option("The relevance scale.")
@click.option(
    "--snapping",
    type=click.Choice(SNAPPINGS),
    default=SNAPPINGS[0],
    show_default=True,
    help="The unit to which a text selection is extended.",
)
@CAMPAIGN
@COLLECTION
@POOL
@DATABASE
@needs_web
def assignment_give(
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
    """Assign topics to an assessor, all or none; the first assignment of a topic is the official one.

    The documents to judge are read from --pool or the campaign's pool, unless the server has read it before.
    """
    from doxel.assess.office.administration import COMMAND_LINE, assign_topic

    place = find_workplace(campaign, database, collection=collection, pools=pools)
    with place.store(create=False) as store:
        if place.pools:
            count = place.prepare(store, place.library())
            print_note(f"{pluralise(count, 'document')} added to the pools in {store.name}")
        with store.write() as connection:
            numbers = [
                assign_topic(connection, COMMAND_LINE, topic, assessor, scale, snapping) for topic in topics
            ]
    for number, topic in zip(numbers, topics, strict=True):
        print_note(f"assignment {number}: topic {topic}, assigned to {assessor.strip().lower()}")


@assignment.command("lock")
@_NUMBERS
@CAMPAIGN
@DATABASE
@needs_web
def assignment_lock(numbers: tuple[int, ...], campaign: str | None, database: str | None) -> None:
    """Lock assignments, so that they cannot be changed."""
    _set_locks(numbers, campaign, database, locked=True)


@assignment.command("unlock")
@_NUMBERS
@CAMPAIGN
@DATABASE
@needs_web
def assignment_unlock(numbers: tuple[int, ...], campaign: str | None, database: str | None) -> None:
    """Unlock assignments."""
    _set_locks(numbers, campaign, database, locked=False)


def _set_locks(numbers: tuple[int, ...], campaign: str | None, database: str | None, *, locked: bool) -> None:
    from doxel.assess.office.administration import COMMAND_LINE, describe_assignment, set_assignment_locked

    with _open_for_writing(campaign, database) as connection:
        assignments = [
            set_assignment_locked(connection, COMMAND_LINE, number, locked=locked) for number in numbers
        ]
    for entry in assignments:
        print_note(f"{describe_assignment(entry)}: {'locked' if locked else 'unlocked'}")


@assignment.command("official", short_help="Make assignments the ones that are exported.")
@_NUMBERS
@CAMPAIGN
@DATABASE
@needs_web
def assignment_official(numbers: tuple[int, ...], campaign: str | None, database: str | None) -> None:
    """Make assignments the official ones of their topics, which are exported."""
    from doxel.assess.office.administration import COMMAND_LINE, choose_official, describe_assignment

    with _open_for_writing(campaign, database) as connection:
        assignments = [choose_official(connection, COMMAND_LINE, number) for number in numbers]
    for entry in assignments:
        print_note(f"{describe_assignment(entry)}: official")


@assignment.command("hand-over", short_help="Hand over topics to another assessor.")
@_NUMBERS
@click.option("--assessor", required=True, metavar="NAME", help="The user who continues.")
@click.option("--with-work", is_flag=True, help="Copy the judgements made so far, instead of starting again.")
@CAMPAIGN
@COLLECTION
@DATABASE
@needs_web
def assignment_hand_over(
    *,
    numbers: tuple[int, ...],
    assessor: str,
    with_work: bool,
    campaign: str | None,
    collection: str | None,
    database: str | None,
) -> int:
    """Hand over the topics of assignments to another assessor, who gets new assignments.

    The old assignments are locked; if they were official, the new ones become official.  --with-work needs
    the collection.
    """
    from doxel.assess.office.administration import COMMAND_LINE, hand_over

    library = find_workplace(campaign, database, collection=collection).library() if with_work else None
    with _open_for_writing(campaign, database) as connection:
        outcomes = [hand_over(connection, COMMAND_LINE, number, assessor, library) for number in numbers]
    for number, outcome in zip(numbers, outcomes, strict=True):
        for sentence in outcome.notes:
            print_note(f"assignment {outcome.assignment}: {sentence}")
        work = f" with {pluralise(outcome.documents, 'document')}" if with_work else ""
        print_note(
            f"assignment {number} is locked; {assessor.strip().lower()} continues in assignment "
            f"{outcome.assignment}{work}"
        )
    return 1 if any(outcome.notes for outcome in outcomes) else 0


@assignment.command("adjudicate", short_help="Let a user decide between assignments of a topic.")
@_NUMBERS
@click.option("--assessor", required=True, metavar="NAME", help="The user who decides.")
@click.option("--no-lock", is_flag=True, help="Let the assessors change their assignments meanwhile.")
@CAMPAIGN
@COLLECTION
@DATABASE
@needs_web
def assignment_adjudicate(
    *,
    numbers: tuple[int, ...],
    assessor: str,
    no_lock: bool,
    campaign: str | None,
    collection: str | None,
    database: str | None,
) -> int:
    """Begin an adjudication: a user decides between two or more assignments of a topic.

    The user gets a new assignment with everything that all agree on, and decides the rest on the judging
    page.  When they sign off, it becomes the official one.  The other assignments are locked.
    """
    from doxel.assess.office.adjudication import begin_adjudication
    from doxel.assess.office.administration import COMMAND_LINE

    library = find_workplace(campaign, database, collection=collection).library()
    with _open_for_writing(campaign, database) as connection:
        adjudication = begin_adjudication(
            connection, library, COMMAND_LINE, numbers, assessor, lock=not no_lock
        )
    for sentence in adjudication.notes:
        print_note(f"assignment {adjudication.assignment}: {sentence}")
    name = assessor.strip().lower()
    print_note(f"assignment {adjudication.assignment}: {name} adjudicates; {adjudication.sentence}")
    return 1 if adjudication.notes else 0


# The former name of the group, kept for scripts; the help does not list it.
old_assignment = OrderedGroup(
    "pool", commands=assignment.commands, help=assignment.help, short_help=assignment.short_help, hidden=True
)


@click.group("user", cls=OrderedGroup, short_help="Manage users, invitations and passwords.")
def user() -> None:
    """Add, invite, list, disable and remove users, and change their passwords."""


_ROLE = click.option(
    "--role",
    type=click.Choice(["assessor", "organiser"]),
    default="assessor",
    show_default=True,
    help="Assessors judge; organisers also manage users and assignments.",
)
_PASSWORD = click.option(
    "--password-file",
    metavar="FILE",
    help="A file whose first line is the password; - reads stdin.  Default: prompt for it.",
)


@user.command("add")
@click.argument("name")
@_ROLE
@_PASSWORD
@CAMPAIGN
@DATABASE
@needs_web
def user_add(
    name: str, role: str, password_file: str | None, campaign: str | None, database: str | None
) -> None:
    """Add a user."""
    from doxel.assess.office.administration import COMMAND_LINE, admit_user
    from doxel.assess.store.accounts import hash_password

    password_hash = hash_password(_read_password(password_file))
    with find_workplace(campaign, database).store() as store, store.write() as connection:
        account = admit_user(connection, COMMAND_LINE, name, password_hash, role)
    print_note(f"{account.name} can sign in as {role}")


@user.command("invite", short_help="Print a link to choose a password.")
@click.argument("name")
@_ROLE
@click.option(
    "--url",
    default="http://127.0.0.1:8080",
    show_default=True,
    metavar="URL",
    help="The address at which the invited person reaches the server.",
)
@CAMPAIGN
@DATABASE
@needs_web
def user_invite(name: str, role: str, url: str, campaign: str | None, database: str | None) -> None:
    """Print a link to choose a password, for a new user or one who has forgotten it.

    The link works once and expires after 14 days.  A new link replaces it.
    """
    from doxel.assess.office.administration import COMMAND_LINE, invite_user, send_new_link
    from doxel.assess.store.accounts import find_user, hash_unknown_password
    from doxel.assess.web.server import parse_public_url

    parse_public_url(url, "--url")
    password_hash = hash_unknown_password()
    with find_workplace(campaign, database).store() as store, store.write() as connection:
        account = find_user(connection, name)
        if account is None:
            account, token = invite_user(connection, COMMAND_LINE, name, password_hash, role)
        else:
            token = send_new_link(connection, COMMAND_LINE, account)
    print_note(f"the link for {account.name} ({account.role}), which works once:")
    click.echo(f"{url.rstrip('/')}/invitations/{token}")


@user.command("remove", short_help="Delete an account, but keep its judgements.")
@click.argument("name")
@CAMPAIGN
@DATABASE
@needs_web
def user_remove(name: str, campaign: str | None, database: str | None) -> None:
    """Delete a user's account and name; their judgements stay under a pseudonym."""
    from doxel.assess.office.administration import COMMAND_LINE, remove_user, require_user
    from doxel.assess.store.accounts import hash_unknown_password

    password_hash = hash_unknown_password()
    with find_workplace(campaign, database).store(create=False) as store, store.write() as connection:
        pseudonym = remove_user(connection, COMMAND_LINE, require_user(connection, name), password_hash)
    print_note(f"the account is removed; its judgements stay under the name {pseudonym}")


@user.command("passwd")
@click.argument("name")
@_PASSWORD
@CAMPAIGN
@DATABASE
@needs_web
def user_passwd(name: str, password_file: str | None, campaign: str | None, database: str | None) -> None:
    """Change a password, and end all sessions of the user."""
    from doxel.assess.office.administration import COMMAND_LINE, renew_password, require_user
    from doxel.assess.store.accounts import hash_password

    with find_workplace(campaign, database).store(create=False) as store:
        with store.read() as connection:
            account = require_user(connection, name)
        password_hash = hash_password(_read_password(password_file))
        with store.write() as connection:
            renew_password(connection, COMMAND_LINE, account, password_hash)
    print_note(f"changed the password of {account.name}")


@user.command("list")
@CAMPAIGN
@DATABASE
@needs_web
def user_list(campaign: str | None, database: str | None) -> None:
    """List all users."""
    from doxel.assess.store.accounts import list_users
    from doxel.assess.store.database_schema import format_time

    with find_workplace(campaign, database).store(create=False) as store, store.read() as connection:
        rows = [
            [account.name, account.role, account.disabled, format_time(account.created)]
            for account in list_users(connection)
        ]
    show_table(["name", "role", "disabled", "since"], rows)


@user.command("disable", short_help="Disable a user, or enable one again.")
@click.argument("name")
@click.option("--enable", is_flag=True, help="Enable the user again.")
@CAMPAIGN
@DATABASE
@needs_web
def user_disable(name: str, campaign: str | None, database: str | None, *, enable: bool) -> None:
    """Disable a user, who can no longer sign in; their judgements are kept."""
    from doxel.assess.office.administration import COMMAND_LINE, require_user, set_user_disabled

    with find_workplace(campaign, database).store(create=False) as store, store.write() as connection:
        account = require_user(connection, name)
        set_user_disabled(connection, COMMAND_LINE, account, disabled=not enable)
    print_note(f"{account.name} {'can sign in again' if enable else 'can no longer sign in'}")


def _read_password(file: str | None) -> str:
    """Return a password from a file or stdin, or prompt for it twice."""
    if file is None:
        return str(click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True))
    text = sys.stdin.read() if file == "-" else read_text(file)
    return text.split("\n")[0].removesuffix("\r")
