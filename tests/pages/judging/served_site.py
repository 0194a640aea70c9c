"""Helpers for tests of pages: a served collection with assignments, and a browser that has signed in.

A test module makes a site from XML documents with ``judging_site``, and opens pages of it with ``judging``
or ``signed_in``, which fail at the end if the page had errors or sent requests to other hosts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

import doxel
from assess.site_fixtures import QUICK_HASH, Site, Visitor, running
from browser import Opened, new_tab, watched
from doxel.assess.document_styles import Styles
from doxel.assess.store.accounts import add_user
from doxel.assess.store.assignments import create_assignment
from doxel.assess.store.database import Store, open_store
from doxel.assess.store.pooled_documents import Library, add_pooled_documents, bind_collection
from doxel.assess.web.server import open_service
from doxel.assess.web.service import ServerSettings
from doxel.pooling import PooledDocument, PooledPart
from doxel.topics import Topic, Topics

__all__ = [
    "TOPIC",
    "judging",
    "judging_site",
    "judging_url",
    "served_store",
    "session_cookie",
    "signed_in",
    "unreachable_highlights",
]

PEOPLE = dict.fromkeys(("anna", "ben", "carl", "olga", "dora"), "assessor") | {"olga": "organiser"}
TOPIC = Topic("1", title="ripe fruit", narrative="Only text about fruit that is ripe.")


@contextmanager
def judging_site(
    folder: Path,
    documents: Mapping[str, str],
    *,
    scale: str = "2006",
    others: Sequence[tuple[str, str, str]] = (),
    parts: Mapping[str, Sequence[PooledPart]] | None = None,
    **options: Any,
) -> Iterator[Site]:
    """Serve XML documents, all of them pooled for topic 1: assignment 1 of anna and 2 of ben.

    olga is the organiser, carl and dora are assessors without assignment; all have the same password.
    ``others`` have assignments from 3 on: name, scale, snapping.  ``parts`` are pooled, by document.
    The order of documents is that of the mapping.  Other options are those of ``served_store``.
    """
    library = _library(folder, documents)
    pooled = [
        PooledDocument("1", doc, place, tuple((parts or {}).get(doc, ())))
        for place, doc in enumerate(documents, 1)
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "doxel.assess.store.database._SYNCHRONOUS", "OFF"
        )  # nobody waits for the disk of the tests
        store = open_store(str(folder / "assess.sqlite"))
        try:
            with store.write() as connection:
                bind_collection(connection, library)
                add_pooled_documents(connection, library, pooled)
                people = {name: add_user(connection, name, QUICK_HASH, role) for name, role in PEOPLE.items()}
                for name, *how in (("anna", scale, "word"), ("ben", scale, "word"), *others):
                    create_assignment(connection, "1", people[name], *how)
            with served_store(store, library, **options) as site:
                yield site
        finally:
            store.close()


@contextmanager
def served_store(
    store: Store,
    library: Library,
    *,
    settings: ServerSettings | None = None,
    styles: Styles | None = None,
    port: int = 0,
) -> Iterator[Site]:
    """Serve an existing database, on a free port if none is given."""
    topics = Topics.of([TOPIC])
    with (
        open_service(store, library, topics, settings or ServerSettings(), styles) as service,
        running(service, port) as site,
    ):
        yield site


def _library(folder: Path, documents: Mapping[str, str]) -> Library:
    source = folder / "source"
    source.mkdir()
    for name, text in documents.items():
        (source / f"{name}.xml").write_text(text, encoding="utf-8")
    doxel.ingest(source, folder / "collection.doxel")
    return Library(doxel.read_collection(folder / "collection.doxel"))


def judging_url(site: Site, doc: str, assignment: int = 1) -> str:
    """Return the address of a document's judging page."""
    return f"{site.address}/assignments/{assignment}/documents/{quote(doc)}"


@contextmanager
def signed_in(
    browser: Any,
    site: Site,
    path: str = "/",
    *,
    name: str | None = "anna",
    width: int = 1280,
    height: int = 900,
    scheme: str = "light",
    without_highlights: bool = False,
    **media: Any,
) -> Iterator[Opened]:
    """Open a page of the site as a user (None: without signing in), in a new tab without stored data.

    At the end the page must have had no errors, and sent no requests to other hosts.
    """
    script = unreachable_highlights if without_highlights else None
    with new_tab(browser, script) as page, watched(page) as visit:
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme, **media)
        if name is not None:
            page.context.add_cookies([session_cookie(site.visitor(name), site.address)])
        page.goto(path if "://" in path else f"{site.address}{path}")
        yield visit
        assert [url for url in visit.requests if not _is_own(url, site)] == []
        assert visit.complaints == []


def session_cookie(visitor: Visitor, address: str) -> Any:
    """Return the cookie with which a browser takes part in a visitor's session."""
    (cookie,) = visitor.http.cookies.jar
    return {"name": cookie.name, "value": cookie.value, "url": address, "httpOnly": True}


def _is_own(url: str, site: Site) -> bool:
    return url.startswith(f"{site.address}/") or urlsplit(url).scheme not in {"http", "https", "ws", "wss"}


@contextmanager
def judging(browser: Any, site: Site, doc: str, *, assignment: int = 1, **options: Any) -> Iterator[Opened]:
    """Open a document's judging page, signed in as anna unless another name is given."""
    with signed_in(browser, site, f"/assignments/{assignment}/documents/{quote(doc)}", **options) as visit:
        yield visit


unreachable_highlights = "delete CSS.highlights; delete globalThis.Highlight;"
"""A script that removes the Custom Highlight API from a browser; tests check that it is gone."""
