"""A file that was given for something else: after the error, what it is."""

import pytest

from documents.commands import doxel, write_files

RUN = "1 Q0 d 1 0.9 r 0 5\n"
QRELS = "1 Q0 d 5 10 0 0:5\n"
TOPICS = "id\ttext\n1\tsome words\n"


@pytest.fixture
def folder(tmp_path):
    return write_files(
        tmp_path, {"a.run": RUN, "a.qrels": QRELS, "topics.tsv": TOPICS, "runs/b.run": RUN, "odd": "odd\n"}
    )


IS_RUN = "can be read as a run (fol); runs are named without an option"
IS_QRELS = "can be read as assessments (qrels); assessments are named with -a"
IS_TOPICS = "can be read as topics (tsv); topics are named with -t"


@pytest.mark.parametrize(
    ("call", "last"),
    [
        ("evaluate -a {0}/a.run -m MAiP {0}/a.run", f"{{0}}/a.run {IS_RUN}"),
        ("evaluate -a {0}/a.qrels -m MAiP {0}/a.qrels", f"{{0}}/a.qrels {IS_QRELS}"),
        ("evaluate -a {0}/topics.tsv -m MAiP {0}/a.run", f"{{0}}/topics.tsv {IS_TOPICS}"),
        ("evaluate -a {0}/runs -m MAiP {0}/a.run", f"{{0}}/runs/b.run {IS_RUN}"),
        ("evaluate -a {0}/a.qrels -m MAiP {0}/runs", "a run is a file: {0}/runs/* names those in the folder"),
        ("topics {0}/a.run", "{0}/a.run can be read as a run (fol)"),
    ],
)
def test_what_a_file_is_instead(folder, call, last):
    outcome = doxel(*call.format(folder).split())
    assert outcome.status == 2
    assert len(outcome.messages) == 2
    assert outcome.messages[-1] == f"doxel: {last.format(folder)}"


@pytest.mark.parametrize(
    "call",
    [
        "evaluate -a {0}/odd -m MAiP {0}/a.run",  # nothing known
        "evaluate -a {0}/a.qrels -m MAiP {0}/nowhere",
        "evaluate -a {0}/a.qrels -m MAIP {0}/a.run",  # not about a file
        "evaluate -a {0}/a.qrels -a {0}/a.qrels -c {0}/nowhere -m MAiP {0}/a.run",
        "convert {0}/a.run {0}/out --to qrels",  # it was taken for what it is
        "topics {0}/runs/nowhere",
    ],
)
def test_nothing_is_said_where_nothing_is_certain(folder, call):
    outcome = doxel(*call.format(folder).split())
    assert outcome.status == 2
    assert len(outcome.messages) == 1


def test_too_little_memory_is_said_in_a_sentence(folder, monkeypatch):
    def read(*_args, **_options):
        raise MemoryError

    monkeypatch.setattr("doxel.topics.read.read_file_set", read)
    outcome = doxel("topics", folder / "topics.tsv")
    assert (outcome.status, outcome.messages) == (2, ["doxel: there is not enough memory for this"])
