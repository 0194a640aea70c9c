"""The gold file of somebody who judges alone, and the token that lets one browser in."""

import json
import threading

import pytest

from doxel.assess.judging_events import Arrival, Event
from doxel.assess.single_judge import GoldFile, OneTimeToken, find_working_file, prepare_judging
from doxel.assess.store.assignments import list_assignments
from doxel.assess.store.database import open_store
from doxel.assess.store.event_writer import Submission, append_events
from doxel.errors import InputError
from doxel.pooling import pool
from doxel.runs import RESULTS, Run


@pytest.fixture
def alone(tmp_path, library):
    """A working database with the results of a run, and its gold file."""
    rows = [{"topic": "1", "doc": "apples", "start": 0, "end": 6}, {"topic": "2", "doc": "pears"}]
    run = Run("r", RESULTS.from_rows(rows))
    with open_store(str(tmp_path / "gold.jsonl.judging")) as store:
        prepare_judging(store, library, pool([run], depth=5, collection=library.collection))
        yield GoldFile(tmp_path / "gold.jsonl", store, library)


def test_without_judgements_no_file_is_written(alone):
    assert alone.write() is None
    assert not alone.path.exists()


def test_documents_with_highlights_or_marked_as_done_are_gold_and_others_are_not(alone):
    def send(doc, assignment, sequence, kind, body):
        fingerprint = alone.library[doc].fingerprint
        arrival = Arrival(doc, "test", sequence, fingerprint, Event(kind, body))
        with alone.store.write() as connection:
            (outcomes,) = append_events(connection, alone.library, [Submission(1, assignment, (arrival,))])
        assert [outcome.status for outcome in outcomes] == ["stored"]

    send("apples", 1, 1, "show", {"pooled": True})
    assert alone.write() is None
    send("apples", 1, 2, "highlight", {"spans": [[0, 6]]})
    send("pears", 2, 3, "validate", {})
    alone.write()
    assert [json.loads(line) for line in alone.path.read_text().splitlines()] == [
        {"topic": "1", "doc": "apples", "start": 0, "end": 6, "text": "Apples"},
        {"topic": "2", "doc": "pears"},
    ]


def test_preparing_again_adds_new_topics_and_keeps_the_others(alone):
    run = Run("s", RESULTS.from_rows([{"topic": "3", "doc": "plums"}, {"topic": "1", "doc": "plums"}]))
    prepare_judging(alone.store, alone.library, pool([run], depth=5, collection=alone.library.collection))
    with alone.store.read() as connection:
        assignments = list_assignments(connection)
    assert [(entry.topic, entry.scale, entry.documents) for entry in assignments] == [
        ("1", "passages", 2),
        ("2", "passages", 1),
        ("3", "passages", 1),
    ]


def test_an_error_of_writing_is_reported_and_the_next_try_succeeds(alone, monkeypatch):
    counts = iter([0, 1, 1, 1, 1, 1])
    monkeypatch.setattr(GoldFile, "_count_events", lambda _: next(counts, 1))
    monkeypatch.setattr("doxel.assess.single_judge._SECONDS", 0.01)
    calls, sentences, is_done = [], [], threading.Event()

    def write(_gold):
        calls.append(len(calls))
        if len(calls) == 2:
            raise OSError("the disk is full")
        if len(calls) > 2:
            is_done.set()

    monkeypatch.setattr(GoldFile, "write", write)
    with alone.keep_current(sentences.append):
        assert is_done.wait(300)
    (sentence,) = sentences
    assert sentence.endswith("the judgements are in the working file: the disk is full")


def test_gold_that_was_made_elsewhere_is_not_replaced(tmp_path):
    (tmp_path / "gold.jsonl").write_text('{"topic": "q1", "doc": "guide"}\n')
    with pytest.raises(InputError, match=r"wanted a new file, or its working file gold.jsonl.judging"):
        find_working_file(tmp_path / "gold.jsonl")
    assert find_working_file(tmp_path / "new.jsonl").name == "new.jsonl.judging"
    with pytest.raises(InputError, match=r"wanted a name that ends in \.jsonl, found 'gold\.CSV'"):
        find_working_file(tmp_path / "gold.CSV")
    (tmp_path / "gold.csv.judging").touch()  # of an earlier version
    assert find_working_file(tmp_path / "gold.csv").name == "gold.csv.judging"


def test_a_token_is_accepted_once_by_many_at_the_same_time():
    token = OneTimeToken()
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(token.use(token.text))) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers.count(True) == 1
    assert not token.use("")
