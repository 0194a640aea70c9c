"""Folders instead of files, files instead of folders, and unreadable files."""

from pathlib import Path

import pytest

import doxel
from documents.commands import doxel as command
from documents.commands import is_sentence
from doxel.errors import DoxelError
from fuzz import seeds
from fuzz.targets import fruit

READERS = {
    "topics": doxel.read_topics,
    "run": doxel.read_run,
    "assessments": doxel.read_assessments,
    "pool": doxel.read_pool,
    "collection": doxel.read_collection,
}


UNREADABLE = Path("/proc/self/mem")  # even root cannot read it from the beginning
KINDS = ("empty folder", "empty file", "null bytes", "byte order mark", "unreadable", "dangling")


@pytest.fixture(params=KINDS)
def odd(request, tmp_path):
    """A path that is not a file of any format."""
    path = tmp_path / "odd"
    if request.param == "empty folder":
        path.mkdir()
    elif request.param == "dangling":
        path.symlink_to(tmp_path / "nowhere")
    elif request.param == "unreadable":
        if not UNREADABLE.exists():
            pytest.skip("this system has no file that is always unreadable")
        path.symlink_to(UNREADABLE)
    else:
        contents = {"null bytes": bytes(100), "byte order mark": b"\xef\xbb\xbf"}
        path.write_bytes(contents.get(request.param, b""))
    return path


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_a_path_that_is_not_a_file_of_any_format_is_refused(reader, odd):
    with pytest.raises(DoxelError, match="odd"):
        reader(odd)


COMMANDS = {
    "evaluate": ("evaluate", "-a", "{odd}", "-m", "MAiP", "{run}"),
    "evaluate a run": ("evaluate", "-a", "{qrels}", "-m", "MAiP", "{odd}"),
    "evaluate in a collection": ("evaluate", "-a", "{qrels}", "-c", "{odd}", "-m", "MAiP", "{run}"),
    "compare": ("compare", "-a", "{odd}", "-m", "MAiP", "{run}", "{run}"),
    "convert": ("convert", "{odd}", "{out}", "--to", "jsonl"),
    "topics": ("topics", "{odd}"),
    "collection": ("collection", "{odd}"),
    "recallbase": ("recallbase", "-a", "{odd}", "-c", "{collection}"),
    "pool": ("pool", "--depth", "5", "-o", "{out}", "{odd}"),
    "simulate": ("simulate", "-c", "{collection}", "-a", "{odd}", "--system", "perfect", "-o", "{out}"),
    "evalj": ("evalj", "-config", "{odd}"),
    "chunks": ("chunks", "-c", "{collection}", "-a", "{odd}", "characters:5"),
    "report": ("report", "-a", "{odd}", "-m", "MAiP", "-o", "{out}", "{run}"),
    "restore": ("assess", "restore", "--database", "{out}.sqlite", "{odd}"),
}


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_commands_refuse_such_a_path_in_one_sentence_and_write_nothing(arguments, odd, tmp_path):
    run, qrels = tmp_path / "a.run", tmp_path / "a.qrels"
    run.write_text(seeds.RUNS["fol.run"])
    qrels.write_text(seeds.ASSESSMENTS["inex.qrels"])
    places = {"odd": odd, "run": run, "qrels": qrels, "out": tmp_path / "out"}
    outcome = command(
        *(argument.format(collection=fruit() / "fruit.doxel", **places) for argument in arguments)
    )
    assert outcome.status in {1, 2}, outcome.out
    assert outcome.messages
    assert all(map(is_sentence, outcome.messages)), outcome.err
    assert not (tmp_path / "out").exists()
    assert not list(tmp_path.glob(".*"))
