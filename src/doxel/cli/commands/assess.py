"""``doxel assess``: the server for assessors, and its administration."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from doxel.cli.assess_demo import demo_command
from doxel.cli.assess_files import agreement_command, export_command, import_command
from doxel.cli.assess_options import (
    CAMPAIGN,
    COLLECTION,
    DATABASE,
    LAYOUT,
    POOL,
    PORT,
    find_workplace,
    needs_web,
    scale_option,
)
from doxel.cli.assess_people import assignment, describe_state, old_assignment, user
from doxel.cli.console import print_note, show_table
from doxel.cli.options import OrderedGroup
from doxel.wording import format_json, pluralise

if TYPE_CHECKING:
    from doxel.assess.store.database import Store
    from doxel.assess.store.invitations import OneTimeToken
    from doxel.assess.web.server import ServerAddress

__all__ = ["command"]


@click.group("assess", cls=OrderedGroup)
def command() -> None:
    """Serve the pages on which assessors judge documents, and manage their work.

    Pass a campaign or a database to every command; the default is ./assess.sqlite.  An empty server is set
    up in the browser: serve prints the address to open first.  The usual order, in the browser or by
    commands, is: pool documents ('doxel pool'), add users, assign topics, serve, compare assessors, export.
    If one person judges, or several judge independently of each other, 'doxel judge' is simpler.

    \b
    doxel assess demo
    doxel assess serve --database spring.sqlite
    doxel assess serve --campaign DIR
    doxel assess export official.qrels --to qrels --campaign DIR
    """  # noqa: D301 -- for click, \\b keeps the line breaks of a paragraph


@command.command("serve", short_help="Serve the pages for assessors.")
@CAMPAIGN
@COLLECTION
@click.option(
    "-t", "--topic-file", "topic_files", multiple=True, metavar="TOPICS", help="The topics (queries) to show."
)
@POOL
@DATABASE
@click.option(
    "--host", metavar="ADDRESS", default="127.0.0.1", show_default=True, help="The address to listen on."
)
@PORT
@click.option(
    "--public-url",
    metavar="URL",
    help="The address of the server behind a reverse proxy, such as https://assess.example.org.",
)
@click.option("--certificate", metavar="FILE", help="A TLS certificate, to serve https without a proxy.")
@click.option("--key", metavar="FILE", help="The private key of the certificate.")
@scale_option("The default relevance scale of new assignments.")
@click.option(
    "--styles",
    metavar="FILE",
    help="A JSON file with the styles of tags on the page.  Default: styles.json of the campaign, if any.",
)
@click.option(
    "--files",
    "folder",
    metavar="DIR",
    help="The folder in which organisers may choose collections, topics and pools.  Default: the current "
    "folder, or that of the campaign.",
)
@click.option(
    "--session-hours",
    type=click.FloatRange(min=0.1, max=720),
    default=12.0,
    show_default=True,
    metavar="H",
    help="End a session after H hours.",
)
@needs_web
def serve(
    *,
    campaign: str | None,
    collection: str | None,
    topic_files: tuple[str, ...],
    pools: tuple[str, ...],
    database: str | None,
    host: str,
    port: int,
    public_url: str | None,
    certificate: str | None,
    key: str | None,
    scale: str,
    styles: str | None,
    folder: str | None,
    session_hours: float,
) -> None:
    """Serve the pages on which assessors judge documents, until stopped with Ctrl+C.

    A server without an organiser prints an address that can be opened once, to become the first organiser
    and to set the campaign up in the browser.  Documents, topics and pools that were chosen before, in the
    browser or on the command line, are found again.

    By default only this machine can connect.  To serve other machines, set --host, and use https: pass a
    certificate, or run behind a reverse proxy that has one.
    """
    from doxel.assess.web.server import ServerAddress, adapt_settings, describe_trust, open_service
    from doxel.assess.web.server import serve as run
    from doxel.assess.web.service import ServerSettings

    place = find_workplace(
        campaign, database, collection=collection, topics=topic_files, pools=pools, styles=styles
    )
    address = ServerAddress(host, port, public_url, certificate, key)
    files = Path(folder or campaign or ".").absolute()
    settings = adapt_settings(address, ServerSettings(scale=scale, session_hours=session_hours, folder=files))
    looks = place.read_styles()
    library = place.find_library()
    with place.store() as store:
        topics = place.read_topics(store)
        count = place.prepare(store, library)
        print_note(f"{pluralise(count, 'document')} added to the pools in {store.name}")
        token = _make_first_token(store)
        _warn_of_access(address)
        for sentence in describe_trust(address, settings):
            print_note(sentence)
        with open_service(store, library, topics, settings, looks, token) as service:
            run(service, address, lambda port: _announce(address, port, token))


def _announce(address: ServerAddress, port: int, token: OneTimeToken | None) -> None:
    """Print the address of the server, and the one for the first visit to an empty server."""
    scheme = "https" if address.certificate else "http"
    host = f"[{address.host}]" if ":" in address.host else address.host
    url = f"{scheme}://{host}:{port}"
    if token is not None:
        print_note("no organiser exists yet: open this address, which works once, to become the first one")
        print_note(f"{(address.public or url).rstrip('/')}/set-up/{token.text}")
    print_note(f"serving on {url}")


def _make_first_token(store: Store) -> OneTimeToken | None:
    """Return a token for the first visit if there is no organiser yet."""
    from doxel.assess.store.accounts import list_users
    from doxel.assess.store.invitations import OneTimeToken

    with store.read() as connection:
        has_organiser = any(user.role == "organiser" for user in list_users(connection))
    return None if has_organiser else OneTimeToken()


def _warn_of_access(address: ServerAddress) -> None:
    from doxel.assess.web.server import is_loopback

    if not is_loopback(address.host):
        print_note(f"warning: other machines can connect to {address.host}")
        if address.certificate is None:
            print_note(
                "warning: other machines can sign in only through https; see --certificate and --public-url"
            )


@command.command("status")
@CAMPAIGN
@DATABASE
@LAYOUT
@needs_web
def status(campaign: str | None, database: str | None, layout: str) -> None:
    """Show the progress of all assignments."""
    from doxel.assess.office.progress import read_assessment_status

    with find_workplace(campaign, database).store(create=False) as store:
        progress = read_assessment_status(store)
    if layout == "json":
        click.echo(format_json(progress.as_json(), indent=1))
        return
    rows = [
        [
            entry.topic,
            entry.assessor,
            entry.scale,
            entry.validated,
            entry.open,
            entry.documents,
            describe_state(entry),
        ]
        for entry in progress.assignments
    ]
    show_table(["topic", "assessor", "scale", "done", "begun", "documents", ""], rows)
    fingerprint = progress.fingerprint or "unknown"
    print_note(
        f"{pluralise(progress.events, 'event')} in {store.name}; "
        f"the collection's fingerprint is {fingerprint}"
    )
    if progress.waiting:
        print_note(f"topics without an assessor: {', '.join(progress.waiting)}")


@command.command("backup", short_help="Write a backup of the database to a file.")
@click.argument("target", metavar="OUT")
@CAMPAIGN
@DATABASE
@needs_web
def backup(target: str, campaign: str | None, database: str | None) -> None:
    """Write a backup of the database to a file; the server may be running.

    The backup can be restored to SQLite or PostgreSQL.  It contains password hashes: keep it private.
    """
    from doxel.assess.store.backup import describe_counts, write_backup

    with find_workplace(campaign, database).store(create=False) as store:
        counts = write_backup(store, target)
    print_note(f"{target}: {describe_counts(counts)}")


@command.command("restore")
@click.argument("source", metavar="BACKUP")
@CAMPAIGN
@COLLECTION
@DATABASE
@needs_web
def restore(source: str, campaign: str | None, collection: str | None, database: str | None) -> None:
    """Restore a backup to an empty database.

    Every event is checked by the rules of the server before anything is written.  With a campaign or a
    collection, positions and paths are also compared with the texts.  The checksum of a backup protects
    against accidents, not against forgers: restore only backups that you trust.
    """
    from doxel.assess.store.backup import check_backup, describe_counts, fill_database

    counts = check_backup(source)  # before a database is created
    place = find_workplace(campaign, database, collection=collection)
    has_texts = place.collection is not None and (collection is not None or place.collection.exists())
    library = place.library() if has_texts else None
    with place.store() as store:
        try:
            fill_database(store, source, library)
        except BaseException:
            store.abandon()  # an empty database would look like a restored one
            raise
    if library is None and counts["events"]:
        print_note("positions were not compared with the texts: to do so, pass --campaign or -c")
    print_note(f"{store.name}: {describe_counts(counts)}")


for _command in (
    demo_command,
    user,
    assignment,
    old_assignment,
    export_command,
    import_command,
    agreement_command,
):
    command.add_command(_command)
