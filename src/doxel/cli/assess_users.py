"""``doxel assess user``: manage the users who may sign in."""

from __future__ import annotations

import sys

import click

from doxel.cli.assess_options import CAMPAIGN, DATABASE, needs_web, place_of
from doxel.cli.console import note, show_table
from doxel.cli.options import OrderedGroup
from doxel.files import read_text

__all__ = ["user"]


@click.group("user", cls=OrderedGroup)
def user() -> None:
    """Add, list and disable users, and change their passwords."""


_PASSWORD = click.option(
    "--password-file",
    metavar="FILE",
    help="A file whose first line is the password; - reads stdin.  Default: prompt for it.",
)


@user.command("add")
@click.argument("name")
@click.option(
    "--role",
    type=click.Choice(["assessor", "organiser"]),
    default="assessor",
    show_default=True,
    help="Assessors judge; organisers also manage users and pools.",
)
@_PASSWORD
@CAMPAIGN
@DATABASE
@needs_web
def user_add(
    name: str, role: str, password_file: str | None, campaign: str | None, database: str | None
) -> None:
    """Add a user."""
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
    """Change a password, and end all sessions of the user."""
    from doxel.assess.accounts import hash_password
    from doxel.assess.audit import COMMAND_LINE
    from doxel.assess.managing import renew_password, user_named

    with place_of(campaign, database).store(create=False) as store:
        with store.read() as connection:
            account = user_named(connection, name)
        hashed = hash_password(_password(password_file))
        with store.write() as connection:
            renew_password(connection, COMMAND_LINE, account, hashed)
    note(f"changed the password of {account.name}")


@user.command("list")
@CAMPAIGN
@DATABASE
@needs_web
def user_list(campaign: str | None, database: str | None) -> None:
    """List all users."""
    from doxel.assess.accounts import users
    from doxel.assess.clock import written

    with place_of(campaign, database).store(create=False) as store, store.read() as connection:
        rows = [
            [account.name, account.role, account.disabled, written(account.created)]
            for account in users(connection)
        ]
    show_table(["name", "role", "disabled", "since"], rows)


@user.command("disable")
@click.argument("name")
@click.option("--enable", is_flag=True, help="Enable the user again.")
@CAMPAIGN
@DATABASE
@needs_web
def user_disable(name: str, campaign: str | None, database: str | None, *, enable: bool) -> None:
    """Disable a user, who can no longer sign in; their judgements are kept."""
    from doxel.assess.audit import COMMAND_LINE
    from doxel.assess.managing import keep_out, user_named

    with place_of(campaign, database).store(create=False) as store, store.write() as connection:
        account = user_named(connection, name)
        keep_out(connection, COMMAND_LINE, account, disabled=not enable)
    note(f"{account.name} {'can sign in again' if enable else 'can no longer sign in'}")


def _password(file: str | None) -> str:
    """Read a password from a file or stdin, or prompt for it twice."""
    if file is None:
        return str(click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True))
    text = sys.stdin.read() if file == "-" else read_text(file)
    return text.split("\n")[0].removesuffix("\r")
