"""``doxel chunks``: tables, JSON, pictures, files, and wrong calls."""

import json

import pytest

from documents.commands import doxel
from doxel.documents.ingestion import ingest

TEXT = "x" * 100
GOLD = [("1", "a", 10, 30), ("1", "a", 45, 55), ("2", "a", 0, 50), ("3", "b", 0, 10)]
TEXTS = {"a": TEXT, "b": "y" * 30}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("chunks")
    (folder / "sources").mkdir()
    for name, text in TEXTS.items():
        (folder / "sources" / f"{name}.txt").write_text(text)
    ingest([str(folder / "sources")], str(folder / "c"))
    rows = [dict(zip(("topic", "doc", "start", "end"), span, strict=True)) for span in GOLD]
    (folder / "gold.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in rows))
    (folder / "mine.py").write_text(
        "def halves(text):\n    m = len(text) // 2\n    return [(0, m), (m, len(text))]\n"
    )
    return folder


@pytest.fixture
def chunks(folder, monkeypatch):
    """Call the command in the folder of the files."""
    monkeypatch.chdir(folder)
    return lambda *arguments: doxel("chunks", "-c", "c", "-a", "gold.jsonl", *arguments)


def test_the_command_prints_tsv_and_json(chunks):
    outcome = chunks("characters:50", "mine.py:halves", "--cutoff", "1")
    assert outcome.status == 0, outcome.err
    lines = [line.split("\t") for line in outcome.out.splitlines()]
    assert lines[0][:3] == ["chunking", "chunks", "mean"]
    assert [line[0] for line in lines[1:]] == ["characters:50", "mine.py:halves"]
    whole = json.loads(chunks("characters:50", "-f", "json", "--cutoff", "1").out)
    assert whole["topics"] == 3
    assert whole["chunkings"][0]["greedy_rec@1"] == pytest.approx((25 / 30 + 1 + 1) / 3)
    assert len(whole["curve"]) == 20
    assert whole["chunkings"][0]["maxima"] == ["omega_rec", "greedy_rec@1"]


def test_the_command_prints_a_table_and_writes_a_picture_and_files(folder, chunks):
    outcome = chunks("characters:50", "-f", "table", "--plot", "a.svg", "--write", "out")
    assert outcome.status == 0, outcome.err
    assert "3 topics with 30 characters of gold each; cost of recall 0.9" in outcome.out
    assert "omega, a reference choice: all chunks with relevant text; omega_rec is a maximum" in outcome.out
    assert "that knows the gold; greedy_rec@5 is a maximum for characters:50" in outcome.out
    assert (folder / "a.svg").read_text().startswith("<?xml")
    records = [json.loads(line) for line in (folder / "out" / "characters-50.jsonl").read_text().splitlines()]
    assert records[0] == {"doc": "a", "start": 0, "end": 50, "text": "x" * 50}
    again = chunks("out/characters-50.jsonl", "paragraphs", "-f", "tsv")
    assert (
        again.out.splitlines()[1].split("\t")[1:]
        == (chunks("characters:50", "-f", "tsv").out.splitlines()[1].split("\t")[1:])
    )


def test_overlapping_chunks_have_no_maximum_of_the_greedy_choice(chunks):
    outcome = chunks("characters:50:25", "-f", "table")
    assert "greedy, a reference choice that knows the gold; no maximum" in outcome.out


def test_the_command_runs_a_splitter_of_a_file_and_its_help_warns_of_that(folder, chunks):
    (folder / "library.py").write_text(
        "class Splitter:\n    def create_documents(self, texts):\n"
        "        return [{'text': t[:50], 'metadata': {'start_index': 0}} for t in texts]\n"
        "splitter = Splitter()\n"
    )
    outcome = chunks("library.py:splitter", "-f", "json")
    assert outcome.status == 0, outcome.err
    assert json.loads(outcome.out)["chunkings"][0]["chunks"] == 2
    assert "FILE.py:NAME runs the code of the file" in " ".join(doxel("chunks", "--help").out.split())


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["lines"], "doxel: a chunker: wanted one of characters"),
        (["tokens:many"], "chunker 'tokens:many': wanted tokens:SIZE or tokens:SIZE:OVERLAP, in whole"),
        (["paragraphs", "paragraphs"], "chunkings: wanted different ones, found the same twice"),
        (["paragraphs", "--plot", "a.gif"], "wanted a file that ends in .svg, .png or .pdf, found 'a.gif'"),
        (["none.jsonl"], "none.jsonl"),
        (["nowhere"], "FILE.py:NAME, or a file of chunks that ends in .jsonl, found 'nowhere'"),
        (["mine.py:thirds"], "mine.py: a chunker: wanted a function thirds(text) or a splitter thirds"),
    ],
)
def test_a_wrong_call_prints_one_sentence(chunks, arguments, sentence):
    outcome = chunks(*arguments)
    assert outcome.status == 2
    assert sentence in outcome.err
    assert "Traceback" not in outcome.err


def test_budgets_without_a_picture_have_no_effect(chunks):
    outcome = chunks("paragraphs", "--budgets")
    assert outcome.status == 0
    assert "doxel: --budgets has no effect without --plot FILE" in outcome.messages
