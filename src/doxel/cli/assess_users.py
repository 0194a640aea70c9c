"""``doxel assess user``: who may sign in."""

from __future__ import annotations

import sys

import click

from doxel.cli.assess_options import CAMPAIGN, DATABASE, needs_web, place_of
from doxel.cli.console import note, show_table
from doxel.files import read_text

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
    from doxel.assess.accounts import hash_password
    from doxel.assess.audit import COMMAND_LINE
    from doxel.assess.managing import admit

    hashed = hash_password(_password(password_file))
    with place_of(campaign, database).store() as store, store.write() as connection:
        added = admit(connection, COMMAND_LINE, name, hashed, role)
    note(f"{added.name} can sign in as {role}")


@user.command("passwd")
@click.argument("name")
@_PASSWORD
@CAMPAIGN
@DATABASE
@needs_web
def user_passwd(name: str, password_file: str | None, campaign: str | None, database: str | None) -> None:
    """Change a password; the person is signed out everywhere."""
    from doxel.assess.accounts import hash_password
    from doxel.assess.audit import COMMAND_LINE
    from doxel.assess.managing import renew_password, user_named

    with place_of(campaign, database).store(create=False) as store:
        with store.read() as connection:
            found = user_named(connection, name)
        hashed = hash_password(_password(password_file))
        with store.write() as connection:
            renew_password(connection, COMMAND_LINE, found, hashed)
    note(f"{found.name} has a new password")


@user.command("list")
@CAMPAIGN
@DATABASE
@needs_web
def user_list(campaign: str | None, database: str | None) -> None:
    """List the people who may sign in."""
    from doxel.assess.accounts import users
    from doxel.assess.clock import written

    with place_of(campaign, database).store(create=False) as store, store.read() as connection:
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
    from doxel.assess.audit import COMMAND_LINE
    from doxel.assess.managing import keep_out, user_named

    with place_of(campaign, database).store(create=False) as store, store.write() as connection:
        found = user_named(connection, name)
        keep_out(connection, COMMAND_LINE, found, disabled=not enable)
    note(f"{found.name} {'can sign in again' if enable else 'cannot sign in any more'}")


def _password(file: str | None) -> str:
    """Return a password from a file, from stdin, or asked for twice without showing it."""
    if file is None:
        return str(click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True))
    text = sys.stdin.read() if file == "-" else read_text(file)
    return text.split("\n")[0].removesuffix("\r")
