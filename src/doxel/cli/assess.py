"""``doxel assess``: the server, and what is done beside it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from doxel.cli.assess_files import agreement_command, export_command, import_command
from doxel.cli.assess_options import (
    CAMPAIGN,
    COLLECTION,
    DATABASE,
    LAYOUT,
    SCALE_NAMES,
    needs_web,
    place_of,
)
from doxel.cli.assess_pools import marks, pool
from doxel.cli.assess_users import user
from doxel.cli.console import note, show_table
from doxel.wording import counted

if TYPE_CHECKING:
    from doxel.assess.serving import Address
    from doxel.assess.store import Store

__all__ = ["command"]


@click.group("assess")
def command() -> None:
    """Let people judge: a server for assessors, and what organisers do beside it.

    Every command names a campaign, or a database; without either, it is ./assess.sqlite.

    \b
    doxel assess user add olga --role organiser --campaign DIR
    doxel assess pool give 1 2 3 --assessor anna --campaign DIR
    doxel assess serve --campaign DIR
    doxel assess export official.qrels --to qrels --campaign DIR
    """  # noqa: D301 -- click reads \\b as a sign to leave a paragraph as it is


@command.command("serve", short_help="Serve the pages on which people judge.")
@CAMPAIGN
@COLLECTION
@click.option(
    "-t", "--topic-file", "topic_files", multiple=True, metavar="TOPICS", help="What the topics ask."
)
@click.option("--pool", "pools", multiple=True, metavar="POOL", help="Documents to judge, by 'doxel pool'.")
@DATABASE
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=8080,
    show_default=True,
    help="The port; 0 takes a free one.",
)
@click.option(
    "--public-url",
    metavar="URL",
    help="How people reach the server through another one, such as https://assess.example.org.",
)
@click.option("--certificate", metavar="FILE", help="A certificate, to speak https without another server.")
@click.option("--key", metavar="FILE", help="The key of the certificate.")
@click.option(
    "--scale",
    type=click.Choice(SCALE_NAMES),
    default=SCALE_NAMES[0],
    show_default=True,
    help="The scale that is proposed for new pools.",
)
@click.option(
    "--styles",
    metavar="FILE",
    help="How tags look on the page, in JSON.  Default: styles.json of the campaign, if it is there.",
)
@click.option(
    "--session-hours",
    type=click.FloatRange(min=0.1, max=720),
    default=12.0,
    show_default=True,
    help="How long one stays signed in.",
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
    session_hours: float,
) -> None:
    """Serve the pages on which people judge, until stopped with Ctrl+C.

    Only this machine can reach it, unless --host says otherwise; then cookies need https: a certificate, or
    a server in front that has one.
    """
    from doxel.assess.service import Settings
    from doxel.assess.serving import Address, opened_service, settings_for
    from doxel.assess.serving import serve as run

    place = place_of(
        campaign, database, collection=collection, topics=topic_files, pools=pools, styles=styles
    )
    address = Address(host, port, public_url, certificate, key)
    settings = settings_for(address, Settings(scale=scale, session_hours=session_hours))
    looks = place.read_styles()
    library, topics = place.library(), place.read_topics()
    with place.store() as store:
        added = place.prepare(store, library)
        note(f"{counted(added, 'document is', 'documents are')} new in the pools of {store.name}")
        _warn(store, address)
        scheme = "https" if certificate else "http"
        shown = f"[{host}]" if ":" in host else host
        with opened_service(store, library, topics, settings, looks) as service:
            run(service, address, lambda port: note(f"serving on {scheme}://{shown}:{port}"))


def _warn(store: Store, address: Address) -> None:
    from doxel.assess.accounts import users
    from doxel.assess.serving import is_loopback

    with store.read() as connection:
        if not any(user.role == "organiser" and not user.disabled for user in users(connection)):
            note("warning: there is no organiser yet: 'doxel assess user add NAME --role organiser'")
    if not is_loopback(address.host):
        note(f"warning: others can reach {address.host}")
        if address.certificate is None:
            note(
                "warning: from elsewhere one signs in through https only: see --certificate and --public-url"
            )


@command.command("status")
@CAMPAIGN
@DATABASE
@LAYOUT
@needs_web
def status(campaign: str | None, database: str | None, layout: str) -> None:
    """Say how far the pools have come."""
    from doxel.assess.status import assessment_status

    with place_of(campaign, database).store(create=False) as store:
        found = assessment_status(store)
    if layout == "json":
        click.echo(json.dumps(found.as_json(), indent=1, ensure_ascii=False))
        return
    rows = [
        [one.topic, one.assessor, one.scale, one.validated, one.open, one.documents, marks(one)]
        for one in found.pools
    ]
    show_table(["topic", "assessor", "scale", "done", "begun", "documents", ""], rows)
    known = found.fingerprint or "not known yet"
    note(f"{counted(found.events, 'event')} in {store.name}; the collection's fingerprint is {known}")
    if found.waiting:
        note(f"topics without assessor: {', '.join(found.waiting)}")


@command.command("backup")
@click.argument("target", metavar="OUT")
@CAMPAIGN
@DATABASE
@needs_web
def backup(target: str, campaign: str | None, database: str | None) -> None:
    """Write everything to one file, while the server may go on.

    The file fits SQLite and PostgreSQL alike.  It holds the hashes of passwords: keep it private.
    """
    from doxel.assess.backup import backup as write
    from doxel.assess.backup import told

    with place_of(campaign, database).store(create=False) as store:
        counts = write(store, target)
    note(f"{target}: {told(counts)}")


@command.command("restore")
@click.argument("source", metavar="BACKUP")
@CAMPAIGN
@DATABASE
@needs_web
def restore(source: str, campaign: str | None, database: str | None) -> None:
    """Fill an empty database from a backup."""
    from doxel.assess.backup import check, fill, told

    counts = check(source)  # before a database is made for it
    with place_of(campaign, database).store() as store:
        fill(store, source)
    note(f"{store.name}: {told(counts)}")


for _command in (user, pool, export_command, import_command, agreement_command):
    command.add_command(_command)
