"""Hints: after an error, the kind of a file that was passed as something else."""

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


IS_RUN = "can be read as a run (fol); pass runs without an option"
IS_QRELS = "can be read as assessments (qrels); pass assessments with -a"
IS_TOPICS = "can be read as topics (tsv); pass topics with -t"


@pytest.mark.parametrize(
    ("call", "last"),
    [
        ("evaluate -a {0}/a.run -m MAiP {0}/a.run", f"{{0}}/a.run {IS_RUN}"),
        ("evaluate -a {0}/a.qrels -m MAiP {0}/a.qrels", f"{{0}}/a.qrels {IS_QRELS}"),
        ("evaluate -a {0}/topics.tsv -m MAiP {0}/a.run", f"{{0}}/topics.tsv {IS_TOPICS}"),
        ("evaluate -a {0}/runs -m MAiP {0}/a.run", f"{{0}}/runs/b.run {IS_RUN}"),
        (
            "evaluate -a {0}/a.qrels -m MAiP {0}/runs",
            "a run is a file; pass {0}/runs/* for all files in the folder",
        ),
        ("topics {0}/a.run", "{0}/a.run can be read as a run (fol)"),
    ],
)
def test_the_hint_names_the_kind_of_the_file(folder, call, last):
    outcome = doxel(*call.format(folder).split())
    assert outcome.status == 2
    assert len(outcome.messages) == 2
    assert outcome.messages[-1] == f"doxel: {last.format(folder)}"


@pytest.mark.parametrize(
    "call",
    [
        "evaluate -a {0}/odd -m MAiP {0}/a.run",  # unknown format
        "evaluate -a {0}/a.qrels -m MAiP {0}/nowhere",
        "evaluate -a {0}/a.qrels -m MAIP {0}/a.run",  # not about a file
        "evaluate -a {0}/a.qrels -a {0}/a.qrels -c {0}/nowhere -m MAiP {0}/a.run",
        "convert {0}/a.run {0}/out --to qrels",  # the file is of the right kind
        "topics {0}/runs/nowhere",
    ],
)
def test_there_is_no_hint_in_case_of_doubt(folder, call):
    outcome = doxel(*call.format(folder).split())
    assert outcome.status == 2
    assert len(outcome.messages) == 1


def test_a_lack_of_memory_is_reported(folder, monkeypatch):
    def read(*_args, **_options):
        raise MemoryError

    monkeypatch.setattr("doxel.topics.topic_files.read_file_set", read)
    outcome = doxel("topics", folder / "topics.tsv")
    assert (outcome.status, outcome.messages) == (2, ["doxel: out of memory"])
