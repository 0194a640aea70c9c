"""A small collection, and both databases: what holds must hold on SQLite and on a real PostgreSQL."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import uuid
from pathlib import Path

import pytest

import doxel
from doxel.assess.accounts import add_user
from doxel.assess.library import Library
from doxel.assess.store import open_store
from doxel.assess.tasks import add_pooled, assign, remember_collection
from doxel.pooling import PooledDocument, PooledPart

DOCUMENTS = {
    "apples": "<article><title>Apples</title><sec><p>Red <em>apples</em> are ripe.</p>"
    "<p>Green ones are not.</p></sec><sec><p>Pears are no apples 🍏.</p></sec></article>",
    "pears": "<article><title>Pears</title><sec><p>Pears keep long.</p></sec></article>",
    "plums": "<article><title>Plums</title><sec><p>Plums do not.</p></sec></article>",
}


def _postgres_bin():
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin")) if Path("/usr/lib/postgresql").is_dir() else []
    if found:
        return found[-1]
    program = shutil.which("initdb")
    return None if program is None else Path(program).parent


def _free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL of our own on a free port; the address of its server."""
    programs = _postgres_bin()
    if programs is None:
        reason = "there is no PostgreSQL: 'make system' installs it"
        pytest.fail(reason) if os.environ.get("REQUIRE_POSTGRES") else pytest.skip(reason)
    folder = Path(tempfile.mkdtemp(prefix="doxel-postgres-"))
    data, port = folder / "data", _free_port()
    account = {}
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        shutil.chown(folder, "postgres")
        account = {"user": "postgres", "group": "postgres", "extra_groups": []}

    def run(*arguments):
        subprocess.run(arguments, check=True, cwd=folder, stdout=subprocess.DEVNULL, **account)

    run(programs / "initdb", "-D", data, "-U", "doxel", "--auth=trust", "-E", "UTF8", "--locale=C.UTF-8")
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder}"
    control = [programs / "pg_ctl", "-D", data, "-w", "-l", folder / "log"]
    run(*control, "-o", options, "start")
    yield f"postgresql://doxel@127.0.0.1:{port}"
    run(*control, "-m", "immediate", "stop")
    shutil.rmtree(folder)


@pytest.fixture
def new_database(request, tmp_path):
    """Makes addresses of empty databases of one kind."""

    def sqlite():
        return str(tmp_path / f"{uuid.uuid4().hex}.sqlite")

    def postgresql():
        import psycopg

        server, name = request.getfixturevalue("postgres"), f"t{uuid.uuid4().hex}"
        with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        return f"{server}/{name}"

    return {"sqlite": sqlite, "postgresql": postgresql}


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request, new_database):
    """The address of an empty database."""
    return new_database[request.param]()


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    """Three articles about fruit, one with an emoji."""
    folder = tmp_path_factory.mktemp("fruit")
    for name, text in DOCUMENTS.items():
        (folder / f"{name}.xml").write_text(text, encoding="utf-8")
    doxel.ingest(folder, folder / "fruit.doxel")
    return Library(doxel.read_collection(folder / "fruit.doxel"))


@pytest.fixture
def store(database):
    """An open database without anything in it."""
    opened = open_store(database)
    yield opened
    opened.close()


POOLED = [
    PooledDocument("1", "apples", 1, (PooledPart("/article[1]/sec[1]", 6, 43), PooledPart(None, 10, 16))),
    PooledDocument("1", "pears", 2),
    PooledDocument("2", "plums", 1),
]


@pytest.fixture
def campaign(store, library):
    """Two topics, assessors anna and ben, and pool 1: topic 1 of anna on the scale of 2006."""
    with store.write() as connection:
        remember_collection(connection, library)
        add_pooled(connection, library, POOLED)
        for name, role in (("anna", "assessor"), ("ben", "assessor"), ("olga", "organiser")):
            add_user(connection, name, "no hash: cannot sign in", role)
        assign(connection, "1", 1)
    return store
