"""``doxel assess``: the server, its database and its backups."""

import contextlib
import json
import re
import socket
import sqlite3

import httpx
import pytest

from assess.processes import served
from cli.assess_users import add
from documents.commands import doxel


def test_the_status_of_a_new_database_has_no_fingerprint(files, database):
    add(files, database)
    messages = doxel("assess", "status", "--database", database).messages
    assert messages[-1] == f"doxel: 0 events in {database}; the collection's fingerprint is unknown"


@pytest.mark.parametrize(
    "arguments",
    [["status"], ["user", "list"], ["backup", "b.gz"], ["export", "o", "--to", "qrels", "-c", "c"]],
)
def test_commands_without_a_database_create_none(tmp_path, arguments):
    outcome = doxel("assess", *arguments, "--database", tmp_path / "none.sqlite")
    assert outcome.status == 2
    assert not (tmp_path / "none.sqlite").exists()


def test_restoring_another_file_creates_no_database(tmp_path):
    (tmp_path / "b.gz").write_bytes(b"nothing")
    for name in ("b.gz", "nowhere.gz"):
        outcome = doxel("assess", "restore", tmp_path / name, "--database", tmp_path / "r.sqlite")
        assert (outcome.status, "cannot be read" in outcome.err) == (2, True)
    assert not (tmp_path / "r.sqlite").exists()


def test_judgements_are_served_exported_imported_compared_and_backed_up(files, tmp_path):
    database = files / "assess.sqlite"  # the default of a campaign
    password = files.parent / "password"
    for name, role in (("olga", "organiser"), ("anna", "assessor"), ("ben", "assessor")):
        options = ("--role", role, "--campaign", files, "--password-file", password)
        added = doxel("assess", "user", "add", name, *options)
        assert added.status == 0, added.err
    assert database.exists()
    with served("--campaign", files) as server:
        assert server.lines[0].startswith("doxel: 1 document added to the pools in")
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", server.address)
        with httpx.Client(base_url=server.address) as http:
            for name in ("olga", "anna"):
                signed = http.post("/api/session", json={"name": name, "password": "a long password"}).json()
                headers = {"x-csrf-token": signed["csrf"]}
                if name == "olga":
                    body = {"topic": "1", "assessor": "anna", "scale": "2006"}
                    assert http.post("/api/assignments", json=body, headers=headers).status_code == 201
            payload = http.get("/api/assignments/1/documents/a").json()
            common = {"doc": "a", "client": "c", "fingerprint": payload["fingerprint"]}
            actions = [("highlight", {"spans": [[0, 11]]}), ("bep", {"position": 0}), ("validate", {})]
            events = [
                {**common, "sequence": number, "kind": kind, "body": body}
                for number, (kind, body) in enumerate(actions)
            ]
            sent = http.post("/api/assignments/1/events", json={"events": events}, headers=headers)
            assert sent.status_code == 200
        assert "official, finished" in doxel("assess", "status", "--campaign", files).out
        backed = doxel("assess", "backup", tmp_path / "b.gz", "--campaign", files)
        assert "3 events" in backed.err
    status = json.loads(doxel("assess", "status", "--campaign", files, "-f", "json").out)
    assert (status["events"], status["assignments"][0]["validated"], status["waiting"]) == (3, 1, [])
    out = files / "assessments" / "official.qrels"
    exported = doxel("assess", "export", out, "--to", "qrels", "--campaign", files)
    assert exported.status == 0
    assert out.read_text() == "1 Q0 a 11 22 0 0:11\n"
    assert "text rule" in exported.err
    assert (files / "assessments" / "official.qrels.about.json").exists()
    scored = doxel("campaign", "evaluate", files, "-m", "char_rec@1", "-f", "tsv")
    assert scored.out.splitlines()[1].split("\t")[3] == "1.0", scored.err
    taken = doxel("assess", "import", out, "--assessor", "ben", "--campaign", files)
    assert (taken.status, taken.messages) == (0, ["doxel: 1 document in 1 assignment: 3 events stored"])
    compared = doxel("assess", "agreement", "--assessor", "anna", "--assessor", "ben", "--campaign", files)
    assert re.search(r"all\s+1\s+11\s+0\s+0\s+11\s*\n", compared.out)
    assert re.search(r"all\s+1\.0000\s+1\.0000\s+1\.0000", compared.out)
    as_json = json.loads(doxel("assess", "agreement", out, out, "--campaign", files, "-f", "json").out)
    assert as_json["characters"][0]["shared"] == 1.0
    alone = doxel("assess", "agreement", out, "--campaign", files)
    assert (alone.status, "found 1 file and 0 assessors" in alone.err) == (2, True)
    restored = doxel("assess", "restore", tmp_path / "b.gz", "--database", tmp_path / "r.sqlite")
    assert "3 events" in restored.err
    again = doxel(
        *("assess", "export", tmp_path / "again.qrels", "--to", "qrels", "-c", files / "collection.doxel"),
        *("--database", tmp_path / "r.sqlite"),
    )
    assert again.status == 0
    assert (tmp_path / "again.qrels").read_bytes() == out.read_bytes()
    refused = doxel("assess", "restore", tmp_path / "b.gz", "--database", tmp_path / "r.sqlite")
    assert (refused.status, "an empty database" in refused.err) == (2, True)


def test_the_server_warns_of_open_access(files, database):
    where = ("-c", files / "collection.doxel", "--database", database)
    with served(*where, "--host", "0.0.0.0") as server:  # noqa: S104 -- to be warned of
        assert any("no organiser exists yet" in line for line in server.lines)
        assert any("other machines can connect to 0.0.0.0" in line for line in server.lines)
        assert any("--certificate" in line for line in server.lines)


def test_wrong_options_of_the_server_are_rejected(files, database, tmp_path):
    (tmp_path / "no.pem").write_text("nothing")
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        for options, message in (
            (["--key", "k.pem"], "--key: wanted --certificate as well"),
            (
                ["--certificate", "nothing.pem"],
                "nothing.pem: --certificate: wanted a certificate and its key",
            ),
            (
                ["--certificate", tmp_path / "no.pem"],
                "no.pem: --certificate: wanted a certificate and its key",
            ),
            (["--public-url", "https://[::1"], "--public-url: wanted an address such as"),
            (["--public-url", "assess.example.org"], "--public-url: wanted an address such as"),
            (["--port", taken], f"127.0.0.1, port {taken}: Address already in use"),
            (["--port", "99999"], "99999 is not in the range"),
            (["--host", "nowhere.invalid"], "cannot listen: wanted a free address of this machine"),
        ):
            where = ("-c", files / "collection.doxel", "--database", database)
            outcome = doxel("assess", "serve", *where, *options)
            assert (outcome.status, message in outcome.err) == (2, True), outcome.err


def test_a_database_error_is_reported(files, database):
    add(files, database)
    with contextlib.closing(sqlite3.connect(database)) as connection:
        connection.execute("DROP TABLE users")
    outcome = doxel("assess", "user", "list", "--database", database)
    assert (outcome.status, outcome.messages) == (
        2,
        ["doxel: the database reports an error: found no such table: users"],
    )


def test_a_pool_of_other_texts_is_rejected(files, database, tmp_path):
    (tmp_path / "pool.jsonl").write_text('{"topic": "1", "doc": "a", "order": 1, "fingerprint": "00"}\n')
    outcome = doxel(
        *("assess", "serve", "-c", files / "collection.doxel", "--pool", tmp_path / "pool.jsonl"),
        *("--database", database),
    )
    assert outcome.status == 2
    assert "made from other texts" in outcome.err
