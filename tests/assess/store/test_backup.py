"""Backups of a live database restore the same state, between both kinds of database."""

import gzip
import hashlib
import json
import re
import resource
import threading

import pytest
from sqlalchemy import select

from assess.databases import everything, lines
from assess.saying import arrival
from documents.commands import doxel_process
from doxel.assess.store import backup as module
from doxel.assess.store.accounts import open_session
from doxel.assess.store.assignments import list_assignments
from doxel.assess.store.backup import restore_backup, write_backup
from doxel.assess.store.database import open_store
from doxel.assess.store.database_schema import EVENTS, SESSIONS
from doxel.assess.store.event_log import read_states
from doxel.assess.store.event_writer import EventWriter, Submission
from doxel.errors import InputError
from random_share import take_some


def note(library, number):
    return Submission(1, 1, (arrival(library, number, "note", {"text": f"note {number} 🍏"}),))


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_backup_restores_to_the_same_state_in_either_database(
    campaign, library, new_database, tmp_path, kind
):
    with campaign.write() as connection:
        open_session(connection, 1)
    with EventWriter(campaign, library) as writer:
        for number in range(70):
            writer.submit(note(library, number)).result(30)
    counts = write_backup(campaign, tmp_path / "b.gz")
    assert counts["events"] == 70
    assert (tmp_path / "b.gz").stat().st_mode & 0o077 == 0
    other = open_store(new_database[kind]())
    assert restore_backup(other, tmp_path / "b.gz") == counts
    assert everything(other) == everything(campaign)
    with other.read() as connection, campaign.read() as before:
        assert read_states(connection, 1) == read_states(before, 1)
        assert list_assignments(connection) == list_assignments(before)
        assert connection.execute(select(SESSIONS)).all() == []
    with EventWriter(other, library) as writer:  # and work goes on
        (outcome,) = writer.submit(note(library, 100)).result(30)
    assert (outcome.status, outcome.seq) == ("stored", 71)
    other.close()


def test_a_backup_of_a_live_database_is_one_moment_of_it(campaign, library, new_database, tmp_path):
    stop, acknowledged = threading.Event(), []

    def go_on():
        number = 0
        while not stop.is_set():
            acknowledged.extend(writer.submit(note(library, number)).result(30))
            number += 1

    with EventWriter(campaign, library) as writer:
        thread = threading.Thread(target=go_on)
        thread.start()
        while len(acknowledged) < 20:
            stop.wait(0.01)
        before = len(acknowledged)
        write_backup(campaign, tmp_path / "b.gz")
        stop.set()
        thread.join()
    other = open_store(new_database["sqlite"]())
    restore_backup(other, tmp_path / "b.gz")
    restored = [row.seq for row in everything(other)["events"]]
    assert restored == list(range(1, len(restored) + 1))
    assert before <= len(restored) <= len(acknowledged)
    assert everything(campaign)["events"][: len(restored)] == everything(other)["events"]
    other.close()


@pytest.fixture
def kept(campaign, library, tmp_path):
    with EventWriter(campaign, library) as writer:
        writer.submit(note(library, 1)).result(30)
    write_backup(campaign, tmp_path / "b.gz")
    return tmp_path / "b.gz"


@pytest.mark.parametrize("size", take_some([50_000, 4_096, 150_000], 1))
def test_a_full_disk_leaves_no_database_behind(kept, tmp_path, size):
    """A limit on the size of files stands for the disk: too small for a page, the tables or the rows."""
    (tmp_path / "disk").mkdir()
    outcome = doxel_process(
        *("assess", "restore", kept, "--database", tmp_path / "disk" / "a.sqlite"),
        before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)),
    )
    assert outcome.status == 2
    assert re.fullmatch(r"doxel: .*a\.sqlite: cannot use the database: found .*\n", outcome.err)
    assert list((tmp_path / "disk").iterdir()) == []


class TestDamage:
    @pytest.fixture(params=["sqlite"])
    def database(self, request, new_database):
        return new_database[request.param]()

    def refused(self, path, new_database, message):
        empty = open_store(new_database["sqlite"]())
        with pytest.raises(InputError, match=message):
            restore_backup(empty, path)
        assert not any(everything(empty).values())
        empty.close()

    def test_a_database_that_is_not_empty_is_refused(self, kept, campaign):
        with pytest.raises(InputError, match=r"wanted an empty database, such as .*, found rows in settings"):
            restore_backup(campaign, kept)

    def test_a_backup_without_its_end_line_is_refused(self, kept, new_database):
        kept.write_bytes(gzip.compress(b"".join(lines(kept)[:-1])))
        self.refused(kept, new_database, "all rows, unchanged")

    def test_a_backup_with_a_missing_line_is_refused(self, kept, new_database):
        kept.write_bytes(gzip.compress(b"".join(lines(kept)[:-3] + lines(kept)[-2:])))
        self.refused(kept, new_database, "all rows, unchanged")

    def test_a_changed_backup_is_refused(self, kept, new_database):
        kept.write_bytes(gzip.compress(b"".join(lines(kept)).replace(b"note 1", b"note 2")))
        self.refused(kept, new_database, "all rows, unchanged")

    def test_a_truncated_backup_is_refused(self, kept, new_database):
        kept.write_bytes(kept.read_bytes()[:-20])
        self.refused(kept, new_database, "a backup")

    def test_files_that_are_not_backups_are_refused(self, kept, new_database, tmp_path):
        kept.write_bytes(b"hello")
        self.refused(kept, new_database, "cannot be read")
        kept.write_bytes(gzip.compress(b'{"hello": 1}\n'))
        self.refused(kept, new_database, "wanted doxel-assess-backup-1")
        kept.write_bytes(gzip.compress(b"hello\n"))
        self.refused(kept, new_database, "line 1")
        self.refused(tmp_path / "nothing", new_database, "no such file")

    def test_a_backup_of_a_later_version_is_refused(self, kept, new_database):
        first = {**json.loads(lines(kept)[0]), "migrations": ["9999-later"]}
        kept.write_bytes(gzip.compress(b"".join([json.dumps(first).encode() + b"\n", *lines(kept)[1:]])))
        self.refused(kept, new_database, "later version")

    def test_a_backup_with_an_unknown_table_is_refused(self, kept, new_database):
        kept.write_bytes(gzip.compress(b"".join(lines(kept)).replace(b'"audit"', b'"magic"')))
        self.refused(kept, new_database, "one of the tables|all rows")

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            (b"[1, 2]\n", r"line 2: a backup: wanted one JSON object per line, found \[1, 2\]"),
            (b"[" * 100_000 + b"\n", "line 2: a backup: wanted one JSON object per line"),
            (b'{"row": {}, "table": ["users"]}\n', r"wanted one of the tables .*, found \['users'\]"),
            (b'{"end": 1}\n', "all rows, unchanged"),
            (b'{"n": ' + b"9" * 5000 + b"}\n", "line 2: a backup: wanted one JSON object per line"),
        ],
    )
    def test_malformed_lines_are_refused(self, kept, new_database, line, message):
        kept.write_bytes(gzip.compress(lines(kept)[0] + line))
        self.refused(kept, new_database, message)

    @pytest.mark.parametrize(
        ("row", "message"),
        [
            ('{"name": "a"}', "wanted a row of settings: name, value, found {'name': 'a'}"),
            ('{"nome": "a", "value": "b"}', "line 2: a backup: wanted a row of settings: name, value"),
            ("[1]", "wanted a row of settings: name, value"),
            ("null", "wanted a row of settings: name, value"),
            ('{"name": [1], "value": "b"}', r"wanted a row of settings with a valid name, found \[1\]"),
            ('{"name": "a", "value": null}', "line 2: a backup: wanted a row of settings with a valid value"),
        ],
    )
    def test_rows_that_do_not_fit_are_refused_and_nothing_is_written(self, kept, new_database, row, message):
        """The checksum and the counts are right, as in a forged backup."""
        body = lines(kept)[0] + b'{"table": "settings", "row": %s}\n' % row.encode()
        counts = {table.name: int(table.name == "settings") for table in module.BACKUP_TABLES}
        end = {"end": counts, "sha256": hashlib.sha256(body).hexdigest()}
        kept.write_bytes(gzip.compress(body + json.dumps(end).encode() + b"\n"))
        self.refused(kept, new_database, message)

    def test_nothing_after_the_end_is_restored(self, kept, new_database):
        more = b'{"table": "settings", "row": {"name": "more", "value": "x"}}\n'
        kept.write_bytes(gzip.compress(b"".join(lines(kept)) + more))
        other = open_store(new_database["sqlite"]())
        restore_backup(other, kept)
        assert "more" not in {row.name for row in everything(other)["settings"]}
        other.close()

    def test_a_backup_has_no_sessions(self, campaign, tmp_path):
        with campaign.write() as connection:
            token, _ = open_session(connection, 1)
        write_backup(campaign, tmp_path / "c.gz")
        assert b'"sessions"' not in b"".join(lines(tmp_path / "c.gz"))
        assert EVENTS.name in b"".join(lines(tmp_path / "c.gz")).decode()
        assert token


def test_another_file_is_not_a_backup(tmp_path, new_database):
    (tmp_path / "b.gz").write_bytes(b"hello")
    store = open_store(new_database["sqlite"]())
    wanted = "a file that 'doxel assess backup' has written"
    with pytest.raises(InputError, match=f"cannot be read: not a backup: wanted {wanted}$"):
        restore_backup(store, tmp_path / "b.gz")
    store.close()
