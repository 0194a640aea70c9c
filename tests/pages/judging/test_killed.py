"""The server is killed repeatedly while somebody works: afterwards every event is stored once."""

import socket

import pytest

from assess.processes import Served
from assess.site_fixtures import PASSWORD
from browser import new_profile
from doxel.assess.document_state import fold_events, state_to_json
from doxel.assess.store.accounts import add_user, hash_password
from doxel.assess.store.assignments import create_assignment
from doxel.assess.store.database import open_store
from doxel.assess.store.event_log import read_events
from doxel.assess.store.pooled_documents import Library, add_pooled_documents, bind_collection
from doxel.documents.collection import read_collection
from doxel.documents.ingestion import ingest
from doxel.pooling import PooledDocument
from pages.judging.work import FRUIT, Worker


@pytest.fixture
def arguments(tmp_path):
    """The arguments of the server, always with the same port."""
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "fruit.xml").write_text(FRUIT, encoding="utf-8")
    collection, database = tmp_path / "fruit.doxel", tmp_path / "assess.sqlite"
    ingest(tmp_path / "source", collection)
    library, store = Library(read_collection(collection)), open_store(database)
    with store.write() as connection:
        bind_collection(connection, library)
        add_pooled_documents(connection, library, [PooledDocument("1", "fruit", 1)])
        add_user(connection, "anna", hash_password(PASSWORD), "assessor")
        create_assignment(connection, "1", 1)
    store.close()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    return "-c", collection, "--database", database, "--port", port


@pytest.mark.integration
def test_a_server_that_is_killed_again_and_again(chromium, arguments):
    server = Served(*arguments)
    context = new_profile(chromium)
    try:
        context.request.post(f"{server.address}/api/session", data={"name": "anna", "password": PASSWORD})
        page = context.new_page()
        page.goto(f"{server.address}/api/health")
        worker = Worker(page, "fruit").begin()
        page.evaluate(
            """() => {
                 work.made = 0;
                 work.going = setInterval(async () => {
                   work.made += (await work.journal.act('note', {text: `note ${work.made}`})).length;
                 }, 15);
               }"""
        )
        for _ in range(3):
            page.wait_for_function("(made) => work.made > made + 15", arg=page.evaluate("work.made"))
            server.kill()
            worker.until("status.kind === 'offline' && status.waiting > 3")
            server.process.stderr.close()
            server = Served(*arguments)
        page.evaluate("clearInterval(work.going)")
        state, expected = worker.saves(), page.evaluate("work.made")
    finally:
        context.close()
        server.stop()
        server.process.stderr.close()
    store = open_store(arguments[3])
    with store.read() as connection:
        events = read_events(connection, 1, "fruit")
    store.close()
    assert [event.sequence for event in events] == list(range(expected))
    assert state == state_to_json(fold_events(event.event for event in events))
    assert expected > 45
