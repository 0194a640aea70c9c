"""End to end: a pool of the demo's runs is judged over HTTP, exported and scored; a server is killed."""

import contextlib
import random
import threading

import httpx
import pytest

from assess.processes import served
from assess.site_fixtures import PASSWORD, Visitor
from documents.commands import doxel
from doxel.assess.store.database import open_store
from doxel.assess.store.event_log import read_events
from doxel.assessments import read_assessments
from doxel.assessments.assessments import ASSESSMENT_TABLES
from doxel.campaign import write_demo
from doxel.documents import read_collection
from doxel.pooling import read_pool


@pytest.fixture(scope="session")
def demo(tmp_path_factory):
    """The files of the demo, and a pool of its runs."""
    folder = tmp_path_factory.mktemp("assessed-demo")
    files = write_demo(folder)
    pool = folder / "pool.jsonl"
    command = doxel("pool", *files.runs, "--depth", 20, "-c", files.collection, "-o", pool)
    assert command.status in {0, 1}, command.err  # one of the runs is invalid on purpose
    return files, pool


@pytest.fixture
def people(database, tmp_path):
    """An organiser and an assessor, added on the command line."""
    (tmp_path / "password").write_text(f"{PASSWORD}\n")
    for name, role in (("olga", "organiser"), ("anna", "assessor")):
        added = doxel(
            *("assess", "user", "add", name, "--role", role),
            *("--database", database, "--password-file", tmp_path / "password"),
        )
        assert added.status == 0, added.err


@contextlib.contextmanager
def visiting(server, name):
    visitor = Visitor(server.address)
    yield visitor.sign_in(name)
    visitor.http.close()


def arrivals(collection, truth, topic, doc, client):
    """The events that reproduce the assessments of one document."""
    digest = collection.documents["text_hash"][collection.number(doc)]
    spans = [
        list(span) for span in truth.highlights.filter(topic=topic, doc=doc).select("start", "end").rows()
    ]
    beps = truth.beps.filter(topic=topic, doc=doc)["position"].to_list()
    kinds = [("highlight", {"spans": spans}), ("bep", {"position": beps[0]})] if spans else []
    return [
        {"doc": doc, "client": client, "sequence": number, "fingerprint": digest, "kind": kind, "body": body}
        for number, (kind, body) in enumerate([*kinds, ("validate", {})])
    ]


def scores(files, assessments):
    """The scores of the demo's runs, as doxel evaluate prints them."""
    valid = [run for run in files.runs if "invalid" not in run.name]
    measures = ("-m", "nxCG@5,10", "-m", "MAep", "-m", "char_rec@10")
    result = doxel(
        "evaluate", "-q", "-c", files.collection, "-a", assessments, *measures, "-f", "tsv", *valid
    )
    assert result.status == 0, result.err
    return result.out


def test_pool_events_export_and_scores_from_the_demo(demo, database, people, tmp_path):
    del people
    files, pool = demo
    collection = read_collection(files.collection)
    pooled = {(document.topic, document.doc) for document in read_pool(pool)}
    truth = read_assessments(files.assessments["qrels"])
    judged = [key for key in truth.judged.select("topic", "doc").iter_rows() if key in pooled]
    assert len(judged) > 100
    where = ("-c", files.collection, "-t", files.topics, "--pool", pool, "--database", database)
    with served(*where) as server, visiting(server, "olga") as olga, visiting(server, "anna") as anna:
        numbers = {
            topic: olga.post(
                "/api/assignments", {"topic": topic, "assessor": "anna", "scale": "2006"}
            ).json()["id"]
            for topic in {topic for topic, _ in judged}
        }
        for topic, number in numbers.items():
            events = [
                event
                for place, (of, doc) in enumerate(judged)
                if of == topic
                for event in arrivals(collection, truth, topic, doc, f"d{place}")
            ]
            answer = anna.send(number, *events)
            assert answer.status_code == 200, answer.text
        live = olga.get("/api/export?format=qrels")
    exported = tmp_path / "exported.qrels"
    command = doxel(
        *("assess", "export", exported, "--to", "qrels"), "-c", files.collection, "--database", database
    )
    assert command.status == 0, command.err
    assert live.content == exported.read_bytes()
    direct = tmp_path / "direct.qrels"
    write_some(truth, judged, direct)
    table = scores(files, exported)
    assert table == scores(files, direct)
    assert len(table.splitlines()) > 500


def write_some(truth, keys, path):
    """Write the assessments of some documents."""
    from dataclasses import replace

    import polars as pl

    from doxel.assessments import write_assessments

    wanted = pl.DataFrame(keys, schema=["topic", "doc"], orient="row")
    tables = {
        name: getattr(truth, name).join(wanted, on=["topic", "doc"], how="semi") for name in ASSESSMENT_TABLES
    }
    write_assessments(replace(truth, **tables), path, "qrels")


def test_acknowledged_events_survive_a_killed_server(demo, database, people):
    """Clients send as fast as they can, the server is killed: every acknowledged event is stored once."""
    del people
    files, pool = demo
    collection = read_collection(files.collection)
    document = read_pool(pool).of("1")[0]
    digest = collection.documents["text_hash"][collection.number(document.doc)]
    where = ("-c", files.collection, "-t", files.topics, "--pool", pool, "--database", database)
    acknowledged, sent = [], []

    def event(client, number):
        common = {"doc": document.doc, "client": client, "sequence": number, "fingerprint": digest}
        return {**common, "kind": "note", "body": {"text": f"{client} {number}"}}

    def client(anna, name):
        with contextlib.suppress(httpx.HTTPError):
            for number in range(100_000):
                sent.append((name, number))
                (result,) = anna.send(1, event(name, number)).json()["results"]
                acknowledged.append((result["seq"], result["client"], result["sequence"]))

    with served(*where) as server, visiting(server, "olga") as olga:
        olga.post("/api/assignments", {"topic": "1", "assessor": "anna", "scale": "2006"})
        with contextlib.ExitStack() as visits:
            threads = [
                threading.Thread(
                    target=client, args=(visits.enter_context(visiting(server, "anna")), f"c{number}")
                )
                for number in range(4)
            ]
            for thread in threads:
                thread.start()
            while len(acknowledged) < 200 + random.Random(4).randrange(50):
                threads[0].join(0.01)
            server.kill()
            for thread in threads:
                thread.join()
    with served(*where) as server, visiting(server, "anna") as anna:
        events = anna.get(f"/api/assignments/1/events/{document.doc}").json()["events"]
        stored = [(entry["seq"], entry["client"], entry["sequence"]) for entry in events]
        assert set(acknowledged) <= set(stored)
        assert len({row[1:] for row in stored}) == len(stored)
        # those that were sent and never answered are sent again: now all are there, each once
        for at in range(0, len(sent), 100):
            again = [event(name, number) for name, number in sent[at : at + 100]]
            assert anna.send(1, *again).status_code == 200
    store = open_store(database)
    with store.read() as connection:
        keys = [(entry.client, entry.sequence) for entry in read_events(connection, 1, document.doc)]
    store.close()
    assert sorted(keys) == sorted(sent)
