"""``doxel assess``: the commands of organisers."""

import contextlib
import json
import re
import socket
import sqlite3

import httpx
import pytest

from assess.processes import served
from documents.commands import doxel


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A campaign with one document, one topic and a pool."""
    folder = tmp_path_factory.mktemp("campaign")
    created = doxel("campaign", "init", folder / "spring")
    assert created.status == 0, created.err
    spring = folder / "spring"
    (spring / "documents" / "a.xml").write_text("<a><p>Red apples.</p><p>Green ones.</p></a>")
    (spring / "topics" / "t.tsv").write_text("1\tapples\n")
    doxel("ingest", spring / "documents", "-o", spring / "collection.doxel")
    (spring / "runs" / "r.run").write_text("1 Q0 a 1 9.0 r /a[1]/p[1]\n")
    pooled = doxel("campaign", "pool", spring)
    assert pooled.status == 0, pooled.err
    (folder / "password").write_text("a long password\n")
    return spring


@pytest.fixture
def database(tmp_path):
    return tmp_path / "assess.sqlite"


def add(files, database, name="olga", role="organiser"):
    password = files.parent / "password"
    return doxel(
        *("assess", "user", "add", name, "--role", role, "--database", database, "--password-file", password)
    )


def test_users_are_added_changed_listed_and_disabled(files, database, tmp_path):
    assert add(files, database).messages == ["doxel: olga can sign in as organiser"]
    assert add(files, database, "Anna", "assessor").status == 0
    again = add(files, database, "ANNA", "assessor")
    assert (again.status, again.messages) == (
        2,
        ["doxel: user name already exists: 'anna'"],
    )
    listed = doxel("assess", "user", "list", "--database", database)
    assert re.search(r"anna\s+assessor\s+no", listed.out)
    assert "argon2" not in listed.out
    (tmp_path / "new").write_text("another password")
    options = ("--database", database, "--password-file", tmp_path / "new")
    changed = doxel("assess", "user", "passwd", "anna", *options)
    assert changed.messages == ["doxel: changed the password of anna"]
    assert doxel("assess", "user", "disable", "anna", "--database", database).status == 0
    assert re.search(r"anna\s+assessor\s+yes", doxel("assess", "user", "list", "--database", database).out)
    enabled = doxel("assess", "user", "disable", "anna", "--enable", "--database", database)
    assert enabled.messages == ["doxel: anna can sign in again"]
    unknown = doxel("assess", "user", "disable", "bob", "--database", database)
    assert (unknown.status, "found 'bob'" in unknown.err) == (2, True)


def test_an_invalid_password_is_rejected_and_no_database_is_created(database, tmp_path):
    (tmp_path / "short").write_text("short\n")
    (tmp_path / "no text").write_bytes(b"\xff" * 20)
    for file, message in (
        ("short", "a password: wanted 10 to 500 characters, found 5"),
        ("no text", f"{tmp_path / 'no text'}, line 1: wanted UTF-8 text, found byte 0xff"),
        ("nothing", f"{tmp_path / 'nothing'}: cannot be read: no such file or directory"),
    ):
        outcome = doxel(
            *("assess", "user", "add", "x", "--database", database, "--password-file", tmp_path / file)
        )
        assert (outcome.status, outcome.messages) == (2, [f"doxel: {message}"])
    assert not database.exists()


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
        assert server.said[0].startswith("doxel: 1 document added to the pools in")
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


def test_three_assessors_are_compared_and_adjudicated(files, database, tmp_path):
    where = ("--campaign", files, "--database", database)
    for name, line in {"anna": "11 22 0 0:11", "ben": "11 22 0 0:11", "carl": "5 22 0 0:5"}.items():
        add(files, database, name, "assessor")
        (tmp_path / f"{name}.qrels").write_text(f"1 Q0 a {line}\n")
    add(files, database)
    assert doxel("assess", "assignment", "give", "1", "--assessor", "anna", *where).status == 0
    for name in ("anna", "ben", "carl"):
        taken = doxel("assess", "import", tmp_path / f"{name}.qrels", "--assessor", name, *where)
        assert taken.status == 0, taken.err
    names = [word for name in ("anna", "ben", "carl") for word in ("--assessor", name)]
    three = doxel("assess", "agreement", *names, *where)
    assert re.search(r"anna\s+carl\s+1\s+0\.4545\s+0\.6250", three.out)  # 5 of 11; 2 x 5 of 16
    assert re.search(r"1\s+a\s+3\s+6\s+5\s+", three.out)  # one document, 3 assessors, 6 disputed, 5 agreed
    alphas = json.loads(doxel("assess", "agreement", *names, *where, "-f", "json").out)
    # 66 values, 27 of them marked; each of 6 disputed characters has 2 * 2 * 1 / 2 differing coincidences
    assert alphas["topics"][0]["alpha"] == pytest.approx(1 - 65 * 12 / (2 * 27 * 39))
    adjudicate = ("assess", "assignment", "adjudicate", "1", "2", "3", *where)
    begun = doxel(*adjudicate, "--assessor", "olga")
    assert begun.messages == [
        "doxel: assignment 4: olga adjudicates; 0 of 1 document are agreed by all and done"
    ]
    again = doxel(*adjudicate, "--assessor", "anna")
    assert (again.status, "anna, whose work is a source" in again.err) == (2, True)


def test_topics_are_assigned_locked_and_handed_over(files, database):
    for name, role in (("olga", "organiser"), ("anna", "assessor"), ("ben", "assessor")):
        add(files, database, name, role)
    where = ("--database", database)
    unknown = doxel("assess", "assignment", "give", "1", "--assessor", "anna", *where)
    assert (unknown.status, "a topic with pooled documents" in unknown.err) == (2, True)
    assigned = doxel("assess", "assignment", "give", "1", "--assessor", "Anna", "--campaign", files, *where)
    assert assigned.messages[1:] == ["doxel: assignment 1: topic 1, assigned to anna"]
    twice = doxel("assess", "assignment", "give", "1", "1", "--assessor", "ben", *where)
    assert (twice.status, "one who already has this topic" in twice.err) == (2, True)
    scaled = ("--scale", "2005", "--snapping", "sentence")
    assert doxel("assess", "assignment", "give", "1", "--assessor", "ben", *scaled, *where).status == 0
    listed = json.loads(doxel("assess", "assignment", "list", "-f", "json", *where).out)["assignments"]
    assert [(entry["id"], entry["scale"], entry["snapping"], entry["official"]) for entry in listed] == [
        (1, "2006", "word", True),
        (2, "2005", "sentence", False),
    ]
    official = doxel("assess", "assignment", "official", "2", *where)
    assert official.messages == ["doxel: assignment 2: topic 1 of ben: official"]
    locked = doxel("assess", "assignment", "lock", "1", "2", *where)
    assert [line.rpartition(" ")[2] for line in locked.messages] == ["locked", "locked"]
    assert doxel("assess", "assignment", "unlock", "1", *where).messages == [
        "doxel: assignment 1: topic 1 of anna: unlocked"
    ]
    handed = doxel(
        *("assess", "assignment", "hand-over", "2", "--assessor", "olga", "--with-work", *where),
        *("-c", files / "collection.doxel"),
    )
    assert (handed.status, handed.messages) == (
        0,
        ["doxel: assignment 2 is locked; olga continues in assignment 3 with 0 documents"],
    )
    shown = doxel("assess", "assignment", "list", *where).out
    assert re.search(r"3\s+1\s+olga\s+2005\s+sentence\s+0\s+1\s+official", shown)
    assert re.search(r"2\s+1\s+ben\s+2005\s+sentence\s+0\s+1\s+locked", shown)
    assert doxel("assess", "assignment", "lock", "9", *where).status == 2
    assert doxel("assess", "pool", "list", *where).out == shown  # the old name, for scripts
    assert doxel("assess", "pool", "unlock", "2", *where).messages == [
        "doxel: assignment 2: topic 1 of ben: unlocked"
    ]


def test_the_old_name_of_assignments_is_not_in_the_help():
    _, commands = doxel("assess", "--help").out.split("Commands:\n")
    names = [line.split()[0] for line in commands.splitlines()]
    assert "assignment" in names
    assert "pool" not in names


def test_the_server_warns_of_open_access(files, database):
    where = ("-c", files / "collection.doxel", "--database", database)
    with served(*where, "--host", "0.0.0.0") as server:  # noqa: S104 -- to be warned of
        assert any("no organiser exists yet" in line for line in server.said)
        assert any("other machines can connect to 0.0.0.0" in line for line in server.said)
        assert any("--certificate" in line for line in server.said)


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


def test_an_import_reports_what_it_leaves_out(files, database, tmp_path):
    add(files, database, "anna", "assessor")
    (tmp_path / "a.qrels").write_text("1 Q0 a 3 22 0 0:3\n1 Q0 b 0 9\n")
    outcome = doxel(
        *("assess", "import", tmp_path / "a.qrels", "--assessor", "anna"),
        *("-c", files / "collection.doxel", "--database", database),
    )
    assert outcome.status == 1
    assert "1 judged document was not found in the collection (unknown document)" in outcome.err


def test_a_missing_extra_is_reported(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    for name in [name for name in sys.modules if name.startswith("doxel.assess.")]:
        monkeypatch.delitem(sys.modules, name)
    outcome = doxel("assess", "status", "--database", "x.sqlite")
    assert (outcome.status, outcome.messages) == (
        2,
        ['doxel: doxel assess needs an optional dependency: pip install "doxel[web]"'],
    )
