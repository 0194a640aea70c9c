"""``doxel assess user``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from doxel.cli.assess_options import CAMPAIGN, DATABASE, needs_web, place_of
from doxel.cli.console import note, show_table
from doxel.errors import InputError

__all__ = ["user"]


@click.group("user")
def user() -> None:
    """Add people, list them, change their passwords, keep them out."""


_PASSWORD = click.option(
    "--password-file",
    metavar="FILE",
    help="A file whose first line is the password; - reads it from stdin.  Default: it is asked for.",
)


@user.command("add")
@click.argument("name")
@click.option(
    "--role",
    type=click.Choice(["assessor", "organiser"]),
    default="assessor",
    show_default=True,
    help="What the person may do.",
)
@_PASSWORD
@CAMPAIGN
@DATABASE
@needs_web
def user_add(
    name: str, role: str, password_file: str | None, campaign: str | None, database: str | None
) -> None:
    """Add a person who may sign in."""
    from doxel.assess.accounts import add_user, hash_password
    from doxel.assess.audit import record

    store = place_of(campaign, database).store()
    hashed = hash_password(_password(password_file))
    with store.write() as connection:
        add_user(connection, name, hashed, role)
        record(connection, "(command line)", "user added", f"{name.strip().lower()} ({role})")
    note(f"{name.strip().lower()} can sign in as {role}")


@user.command("passwd")
@click.argument("name")
@_PASSWORD
@CAMPAIGN
@DATABASE
@needs_web
def user_passwd(name: str, password_file: str | None, campaign: str | None, database: str | None) -> None:
    """Change a password; the person is signed out everywhere."""
    from doxel.assess.accounts import change_password, hash_password
    from doxel.assess.audit import record

    store = place_of(campaign, database).store(create=False)
    found = _known(store, name)
    hashed = hash_password(_password(password_file))
    with store.write() as connection:
        change_password(connection, found.id, hashed)
        record(connection, "(command line)", "password changed", found.name)
    note(f"{found.name} has a new password")


@user.command("list")
@CAMPAIGN
@DATABASE
@needs_web
def user_list(campaign: str | None, database: str | None) -> None:
    """List the people who may sign in."""
    from doxel.assess.accounts import users
    from doxel.assess.clock import written

    with place_of(campaign, database).store(create=False).read() as connection:
        rows = [[one.name, one.role, one.disabled, written(one.created)] for one in users(connection)]
    show_table(["name", "role", "disabled", "since"], rows)


@user.command("disable")
@click.argument("name")
@click.option("--enable", is_flag=True, help="Let the person in again.")
@CAMPAIGN
@DATABASE
@needs_web
def user_disable(name: str, campaign: str | None, database: str | None, *, enable: bool) -> None:
    """Keep a person out, from now on; what they judged stays."""
    from doxel.assess.accounts import set_disabled
    from doxel.assess.audit import record

    store = place_of(campaign, database).store(create=False)
    found = _known(store, name)
    with store.write() as connection:
        set_disabled(connection, found.id, disabled=not enable)
        record(connection, "(command line)", "user enabled" if enable else "user disabled", found.name)
    note(f"{found.name} {'can sign in again' if enable else 'cannot sign in any more'}")


def _known(store: Any, name: str) -> Any:
    from doxel.assess.accounts import find_user

    with store.read() as connection:
        found = find_user(connection, name)
    if found is None:
        raise InputError("a user", wanted="a name that 'doxel assess user list' shows", found=repr(name))
    return found


def _password(file: str | None) -> str:
    """Return a password from a file, from stdin, or asked for twice without showing it."""
    if file is None:
        return str(click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True))
    text = sys.stdin.read() if file == "-" else Path(file).read_text("utf-8")
    return text.split("\n")[0].removesuffix("\r")
