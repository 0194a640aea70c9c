"""``doxel assess demo``: a site to try out, served at once."""

from __future__ import annotations

from pathlib import Path

import click

from doxel.cli.assess_options import PORT, needs_web
from doxel.cli.console import print_note
from doxel.cli.options import SectionedCommand

__all__ = ["demo_command"]


@click.command("demo", cls=SectionedCommand, short_help="Serve a bundled campaign, to try the site out.")
@click.option(
    "-o",
    "--out",
    default="doxel-assess-demo",
    show_default=True,
    metavar="DIR",
    help="The folder to write to.",
)
@PORT
@click.option("--open/--no-open", "opens", default=True, show_default=True, help="Open a browser.")
@needs_web
def demo_command(out: str, port: int, *, opens: bool) -> None:
    """Serve a bundled campaign with three people, to try the site out, until stopped with Ctrl+C.

    The passwords are printed.  Some assignments are half judged, two assessors disagree on a topic, and
    another topic waits for an assessor.  To continue later: doxel assess serve --database DIR/site.sqlite
    """
    from doxel.assess.demo_site import write_demo_site
    from doxel.assess.store.database import open_store
    from doxel.assess.store.pooled_documents import Library
    from doxel.assess.web.server import ServerAddress, adapt_settings, open_service, serve
    from doxel.assess.web.service import ServerSettings
    from doxel.documents import read_collection
    from doxel.topics import read_topics

    site = write_demo_site(Path(out))
    print_note(f"the campaign is in {site.folder}, its database is {site.database}")
    roles = {"olga": "organiser", "anna": "assessor", "ben": "assessor"}
    for name, password in site.passwords.items():
        print_note(f"sign in as {name} ({roles[name]}) with the password {password}")
    address = ServerAddress(port=port)
    settings = adapt_settings(address, ServerSettings(folder=site.folder.absolute()))
    library = Library(read_collection(site.collection))
    with open_store(site.database) as store:
        topics = read_topics(site.topics)
        with open_service(store, library, topics, settings) as service:
            serve(service, address, lambda bound: _announce(f"http://127.0.0.1:{bound}", opens=opens))


def _announce(url: str, *, opens: bool) -> None:
    import webbrowser

    print_note(f"serving on {url}")
    print_note("stop with Ctrl+C")
    if opens:
        webbrowser.open(url)
