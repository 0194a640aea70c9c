"""Fixtures of the assessment site: a small collection, empty databases, and a server with its visitors.

The conftest of every folder that tests the site imports those that it needs.
"""

from __future__ import annotations

import json
import queue
import ssl
import threading
from contextlib import contextmanager

import httpx
import pytest
from argon2 import PasswordHasher

import doxel
from doxel.assess.store.accounts import add_user
from doxel.assess.store.assignments import create_assignment
from doxel.assess.store.database import open_store
from doxel.assess.store.database_schema import USERS
from doxel.assess.store.pooled_documents import Library, add_pooled_documents, bind_collection
from doxel.assess.web.server import ServerAddress, build_server, create_app, open_service
from doxel.assess.web.service import ServerSettings
from doxel.pooling import PooledDocument, PooledPart
from doxel.topics import Topic, Topics

DOCUMENTS = {
    "apples": "<article><title>Apples</title><sec><p>Red <em>apples</em> are ripe.</p>"
    "<p>Green ones are not.</p></sec><sec><p>Pears are no apples 🍏.</p></sec></article>",
    "pears": "<article><title>Pears</title><sec><p>Pears keep long.</p></sec></article>",
    "plums": "<article><title>Plums</title><sec><p>Plums do not.</p></sec></article>",
}


@pytest.fixture(scope="module", autouse=True)
def _hasty():
    """Turn off SQLite's disk syncs and use quick password hashes; other tests check the safe settings."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("doxel.assess.store.database._SYNCHRONOUS", "OFF")
        patch.setattr("doxel.assess.store.accounts._hasher", lambda: QUICK)
        patch.setattr("doxel.assess.store.accounts._hash_of_nobody", lambda: QUICK_HASH)
        yield


@pytest.fixture
def new_database(request, tmp_path, sqlite):
    """Functions by kind of database that return the address of a database with tables and no rows."""
    taken = []

    def postgresql():
        taken.append(request.getfixturevalue("postgres").take())
        return taken[-1]

    yield {"sqlite": lambda: sqlite.take(tmp_path), "postgresql": postgresql}
    for address in taken:
        request.getfixturevalue("postgres").give_back(address)


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request, new_database):
    """The address of an empty database."""
    return new_database[request.param]()


def made_library(folder, documents):
    for name, text in documents.items():
        (folder / f"{name}.xml").write_text(text, encoding="utf-8")
    doxel.ingest(folder, folder / "fruit.doxel")
    return Library(doxel.read_collection(folder / "fruit.doxel"))


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    """Three articles about fruit, one with an emoji."""
    return made_library(tmp_path_factory.mktemp("fruit"), DOCUMENTS)


@pytest.fixture
def other_texts(tmp_path):
    """The same articles, with other words in them."""
    words = {name: text.replace("Red", "Yellow") for name, text in DOCUMENTS.items()}
    (tmp_path / "others").mkdir()
    return made_library(tmp_path / "others", words)


@pytest.fixture
def store(database):
    """An open, empty database."""
    opened = open_store(database)
    yield opened
    opened.close()


POOLED = [
    PooledDocument("1", "apples", 1, (PooledPart("/article[1]/sec[1]", 6, 45), PooledPart(None, 10, 16))),
    PooledDocument("1", "pears", 2),
    PooledDocument("2", "plums", 1),
]


@pytest.fixture
def campaign(store, library):
    """Two topics, assessors anna and ben, and assignment 1: topic 1 of anna on the scale of 2006."""
    with store.write() as connection:
        bind_collection(connection, library)
        add_pooled_documents(connection, library, POOLED)
        for name, role in (("anna", "assessor"), ("ben", "assessor"), ("olga", "organiser")):
            add_user(connection, name, "no hash: cannot sign in", role)
        create_assignment(connection, "1", 1)
    return store


PASSWORD = "correct horse battery staple"  # noqa: S105 -- of users that exist in tests only


QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
QUICK_HASH = QUICK.hash(PASSWORD)


TLS = ssl.create_default_context()  # made once: that takes longer than a request


class Visitor:
    """A client of the server: a browser or a program, with or without a session."""

    def __init__(self, address):
        self.http = httpx.Client(base_url=address, timeout=300, verify=TLS)
        self.csrf = None

    def sign_in(self, name, password=PASSWORD):
        answer = self.http.post("/api/session", json={"name": name, "password": password})
        assert answer.status_code == 200, answer.text
        self.csrf = answer.json()["csrf"]
        return self

    def get(self, path, **options):
        return self.http.get(path, **options)

    def post(self, path, data=None, **options):
        headers = {"content-type": "application/json", "x-csrf-token": self.csrf or ""}
        content = json.dumps({} if data is None else data)  # in ASCII, so that it can contain lone surrogates
        return self.http.post(path, content=content, headers=headers, **options)

    def delete(self, path):
        return self.http.delete(path, headers={"x-csrf-token": self.csrf} if self.csrf else {})

    def form(self, address, **fields):
        return self.http.post(address, data={"csrf": self.csrf or "", **fields})

    def send(self, assignment, *events):
        return self.post(f"/api/assignments/{assignment}/events", {"events": list(events)})


class Site:
    """A running server and its visitors."""

    def __init__(self, service, port):
        self.service, self.address, self._visitors = service, f"http://127.0.0.1:{port}", []

    def visitor(self, name=None):
        visitor = Visitor(self.address)
        self._visitors.append(visitor)
        return visitor if name is None else visitor.sign_in(name)

    def close(self):
        for visitor in self._visitors:
            visitor.http.close()


@contextmanager
def listening(app, port=0):
    """Serve an application in a thread, on a free port if none is given; yield the port."""
    started = queue.Queue()
    server = build_server(app, ServerAddress(port=port), started.put)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield started.get(timeout=300)
    finally:  # a server that goes on would keep the tests from ending
        server.should_exit = True
        thread.join()


@contextmanager
def running(service, port=0):
    """Serve in a thread, on a free port if none is given."""
    with listening(create_app(service), port) as bound_port:
        site = Site(service, bound_port)
        yield site
        site.close()


class Stage:
    """An application that can be exchanged, so that one server serves the sites of all tests in turn."""

    app = None

    async def __call__(self, scope, receive, send):
        await self.app(scope, receive, send)


@pytest.fixture(scope="session")
def stage():
    """A server for all tests, because starting and stopping one takes longer than most tests."""
    new_stage = Stage()
    with listening(new_stage) as new_stage.port:
        yield new_stage


@pytest.fixture
def settings():
    """The settings of the server; tests may override them."""
    return ServerSettings()


@pytest.fixture
def site(campaign, library, settings, stage):
    """The campaign, served; anna, ben, carl (all assessors) and olga (organiser) can sign in."""
    with campaign.write() as connection:
        add_user(connection, "carl", "none yet")
        connection.execute(USERS.update().values(password_hash=QUICK_HASH))
        create_assignment(connection, "1", 2)
    topics = Topics.of([Topic("1", title="ripe fruit", narrative="Only fruit <b>that is ripe</b>.")])
    with open_service(campaign, library, topics, settings) as service:
        stage.app = create_app(service)
        new_site = Site(service, stage.port)
        yield new_site
        new_site.close()


@pytest.fixture
def event(library):
    """Return a function that makes events as clients send them."""

    def make(sequence, kind="highlight", body=None, *, doc="apples", client="test"):
        return {
            "doc": doc,
            "client": client,
            "sequence": sequence,
            "fingerprint": library.find(doc).fingerprint,
            "kind": kind,
            "body": {"spans": [[0, 6]]} if body is None else body,
        }

    return make
