"""Backups with a right checksum and rows that the server would never have written are refused."""

import gzip
import hashlib
import json

import pytest

from assess.databases import everything, lines
from assess.saying import arrival
from documents.commands import doxel
from doxel.assess.store.backup import restore_backup, write_backup
from doxel.assess.store.database import open_store
from doxel.assess.store.event_writer import EventWriter, Submission
from doxel.errors import InputError


def forge(path, change):
    """Change the rows of a backup, and compute its counts and its checksum again."""
    records = [json.loads(line) for line in lines(path)[:-1]]
    for record in records:
        if "row" in record:
            change(record["table"], record["row"])
    body = b"".join(json.dumps(record).encode() + b"\n" for record in records)
    end = {**json.loads(lines(path)[-1]), "sha256": hashlib.sha256(body).hexdigest()}
    path.write_bytes(gzip.compress(body + json.dumps(end).encode() + b"\n"))


def of(table, **values):
    def change(name, row):
        if name == table:
            row.update(values)

    return change


def setting(name, value):
    """Turn the text rule into another setting."""

    def change(table, row):
        if table == "settings" and row["name"] == "text_rule":
            row.update(name=name, value=value)

    return change


COSTLY = "$argon2id$v=19$m=%d,t=%d,p=1$c29tZXNhbHQ$aGFzaA"


class TestForgery:
    """Backups with a right checksum and rows that the server would never have written."""

    @pytest.fixture(params=["sqlite"])
    def database(self, request, new_database):
        return new_database[request.param]()

    @pytest.fixture
    def forged(self, campaign, library, tmp_path):
        events = [
            ("highlight", {"spans": [[0, 3]]}),
            ("bep", {"position": 0}),
            ("validate", {}),
        ]
        with EventWriter(campaign, library) as writer:
            for number, (kind, body) in enumerate(events):
                submission = Submission(1, 1, (arrival(library, number, kind, body),))
                (outcome,) = writer.submit(submission).result(30)
                assert outcome.status == "stored", outcome
        write_backup(campaign, tmp_path / "b.gz")
        return tmp_path / "b.gz"

    @pytest.mark.parametrize("has_texts", [True, False])
    def test_an_unchanged_backup_is_restored(self, forged, library, new_database, has_texts):
        forge(forged, lambda *_: None)
        other = open_store(new_database["sqlite"]())
        assert restore_backup(other, forged, library if has_texts else None)["events"] == 3
        other.close()

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (of("events", body="{"), "event 1: Expecting property name"),
            (of("events", body="[]"), "event 1: the body of highlight: wanted an object"),
            (of("events", kind="magic"), "event 1: the kind of an event: wanted one of"),
            (of("events", body='{"spans": [[3, 1]]}'), "event 1: a span: wanted"),
            (of("events", body='{"spans": [[4, 6], [0, 5]]}'), "event 1: its body: wanted"),
            (of("events", client="a b"), "event 1: client: wanted 1 to 80 letters"),
            (of("events", at="2026-13-45T00:00:00Z"), "row of events with a valid at, found '2026-13-45"),
            (of("events", at=10**18), "row of events with a valid at, found 1000000000000000000"),
            (of("events", at=-1), "row of events with a valid at, found -1"),
            (of("events", at=True), "row of events with a valid at, found True"),
            (of("events", reverts=7), "row of events with a valid reverts, found 7"),
            (of("events", seq=-1), "row of events with a valid seq, found -1"),
            (of("assignments", id=None), "row of assignments with a valid id, found None"),
            (of("pooled_documents", topic=1), "row of pooled_documents with a valid topic, found 1"),
            (of("users", disabled=1), "row of users with a valid disabled, found 1"),
            (of("events", sequence=-1), "event 1: sequence: wanted a whole number"),
            (of("events", fingerprint="f0"), "event 1: its document: wanted a text in the pool of its topic"),
            (of("events", doc="nobody"), "event 1: its document"),
            (of("events", user_id=2), "event 1: its user: wanted the assessor of its assignment, found 2"),
            (
                of("users", password_hash=COSTLY % (1 << 22, 3)),
                "user 1: its password hash: wanted a memory_cost",
            ),
            (
                of("users", password_hash=COSTLY % (8, 900)),
                "user 1: its password hash: wanted a time_cost of",
            ),
            (setting("topics", "{"), "settings: Expecting property name"),
            (setting("topics", "[]"), "settings: list indices"),
            (setting("topics", '{"file": "a", "text": 1}'), "settings: 'int' object"),
            (setting("topics", '{"file": "a", "text": "x"}'), "settings: a, line 1: not a"),
            (setting("guidelines_at", "soon"), "settings: invalid literal"),
            (of("assignments", scale="1999"), "assignment 1: a scale: wanted one of 2006"),
            (of("assignments", scale="2003"), "event 1: the scale 2003 has no events of the kind highlight"),
            (of("assignments", snapping="line"), "assignment 1: snapping: wanted one of"),
            (of("pooled_documents", parts="{}"), "its parts: wanted a list of paths or spans"),
            (of("pooled_documents", parts='[{"path": 3}]'), "its parts: wanted a list of paths or spans"),
        ],
    )
    def test_a_row_that_the_server_would_not_write_is_refused(self, forged, new_database, change, message):
        forge(forged, change)
        self.refuse(forged, new_database, message, None)

    def test_a_refused_backup_leaves_no_new_database_behind(self, forged, database, tmp_path):
        forge(forged, of("assignments", scale="1999"))
        (tmp_path / "link.sqlite").symlink_to("new.sqlite")
        for place in (tmp_path / "link.sqlite", tmp_path / "new.sqlite", database):
            outcome = doxel("assess", "restore", forged, "--database", place)
            assert (outcome.status, len(outcome.messages)) == (2, 1)
        assert not list(tmp_path.glob("new.sqlite*"))
        open_store(database, create=False).close()  # it existed before

    @pytest.mark.parametrize(
        ("kind", "body", "message"),
        [
            ("highlight", '{"spans": [[0, 1000000]]}', "event 1: a position is outside the document"),
            ("bep", '{"position": 1000000}', "event 2: a position is outside the document"),
            ("bep", '{"position": null}', "event 3: not done: "),
        ],
    )
    def test_with_the_texts_positions_and_rules_are_checked(
        self, forged, library, new_database, kind, body, message
    ):
        def change(table, row):
            if table == "events" and row["kind"] == kind:
                row["body"] = body

        forge(forged, change)
        self.refuse(forged, new_database, message, library)

    def test_with_the_texts_pooled_documents_of_other_texts_are_refused(self, forged, library, new_database):
        forge(forged, of("pooled_documents", fingerprint="f0"))
        self.refuse(forged, new_database, "its text: wanted the text in the collection", library)

    def test_a_name_that_no_user_can_have_is_refused(self, forged, new_database):
        def change(table, row):
            if table == "users":
                row["name"] = f"{row['name']}\n"

        forge(forged, change)
        self.refuse(forged, new_database, "user 1: a user name: wanted at most 80 letters", None)

    def test_an_origin_of_another_event_is_refused(self, forged, new_database):
        def change(table, row):
            if table == "events":
                row["origin"] = f"9{row['origin']}"

        forge(forged, change)
        self.refuse(forged, new_database, "event 1: its origin", None)

    def refuse(self, path, new_database, message, library):
        empty = open_store(new_database["sqlite"]())
        with pytest.raises(InputError, match=message):
            restore_backup(empty, path, library)
        assert not any(everything(empty).values())
        empty.close()
