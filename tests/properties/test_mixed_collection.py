"""Documents of all kinds through all commands: the same as XML documents with the same elements."""

import json
from xml.sax.saxutils import escape

import pytest

import doxel
from documents.commands import doxel as command
from documents.commands import write_files
from doxel.documents import Document

SOURCES = {
    "guide.md": "# Overlap 😀\r\n\r\nResults overlap.\r\n\r\n- one\r\n- two\r\n\r\n"
    "## Charges\r\n\r\nSeen twice.\r\n",
    "page.html": "<title>P</title><h1>Overlap</h1><p>It <b>overlaps</b> here.<!-- c --></p>"
    "<h2>More</h2><p>End.",
    "notes.txt": "First one. Second one overlaps.\n\nThird 😀 one.",
    "lines.jsonl": '{"id": "web/1", "text": "Said once. Said twice."}\n'
    '{"id": "web/2", "text": "# T\\n\\nText.", "format": "markdown"}\n',
    "old.xml": "<document><p>Old <s>text</s>.</p><p/></document>",
}
RUN = """1 Q0 guide 1 9 mixed /document[1]/section[1]/p[1]
1 Q0 web/1 2 8 mixed /document[1]/p[1]/s[2]
1 Q0 page 3 7 mixed /html[1]/body[1]/section[1]/p[1]
1 Q0 notes 4 6 mixed /document[1]/p[1]
1 Q0 old 5 5 mixed /document[1]/p[1]
2 Q0 notes 1 4 mixed /document[1]/p[1]/s[2]
2 Q0 web/2 2 3 mixed /document[1]/section[1]
2 Q0 guide 3 2 mixed /document[1]/section[1]/section[1]/p[1]
"""
MEASURES = (
    "MAiP, iP@0.01, nxCG@3, MAnxCG@3, MAep, HiXEval_F@3, MAgP, art_f1, char_rec@3, char_iou@3, T2I_AP, "
    "EPRUM, PRUM, GR@3, SRP@3, overlap@3"
)
HIGHLIGHTS = [
    ("1", "guide", "Results overlap."),
    ("1", "page", "overlaps here."),
    ("1", "web/1", "Said twice."),
    ("2", "notes", "Second one overlaps."),
    ("2", "guide", "Seen twice"),
]


def twin(document: Document) -> str:
    """Write a document as XML with the same elements and the same text."""
    written: list[str] = []

    def write(row: int) -> None:
        tag = document.elements["tag"][row]
        at, end = document.span(row)
        written.append(f"<{tag}>")
        for child in document.children(row):
            start, stop = document.span(child)
            written.append(characters(document.text[at:start]))
            write(child)
            at = stop
        written.append(f"{characters(document.text[at:end])}</{tag}>")

    write(0)
    return "".join(written)


def characters(text: str) -> str:
    return escape(text, {"\r": "&#13;"})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A mixed collection and its twin, assessments, and a run."""
    top = tmp_path_factory.mktemp("mixed")
    doxel.ingest(write_files(top / "sources", SOURCES), top / "mixed.doxel")
    mixed = doxel.read_collection(top / "mixed.doxel")
    # ids with a slash cannot be names of files: the twin of web/1 is 1 in the folder web
    twins = {f"{name}.xml": twin(mixed[name]) for name in mixed}
    doxel.ingest(write_files(top / "twins", twins), top / "xml.doxel", ids="path")
    quotes = [{"topic": topic, "doc": doc, "text": text} for topic, doc, text in HIGHLIGHTS]
    write_files(top, {"gold.jsonl": "\n".join(map(json.dumps, quotes)), "mixed.run": RUN})
    return top


def both(folder, *arguments):
    """Return the output of a command for the mixed collection and for its twin."""
    outcomes = [
        command(*(folder / name if argument == "C" else argument for argument in arguments))
        for name in ("mixed.doxel", "xml.doxel")
    ]
    assert [outcome.status for outcome in outcomes] == [outcomes[0].status] * 2
    return outcomes


def test_the_twin_collections_have_the_same_texts(folder):
    mixed, xml = (doxel.read_collection(folder / name) for name in ("mixed.doxel", "xml.doxel"))
    assert sorted(mixed) == sorted(xml) == ["guide", "notes", "old", "page", "web/1", "web/2"]
    for name in mixed:
        assert mixed[name].text == xml[name].text
        assert mixed[name].elements.equals(xml[name].elements)
    assert mixed.fingerprint != xml.fingerprint or list(mixed) == list(xml)


def test_measures_of_every_family_give_the_same_scores(folder):
    options = ("-a", folder / "gold.jsonl", "-q", "-f", "tsv", "-m", MEASURES)
    mixed, xml = both(folder, "evaluate", "-c", "C", *options, folder / "mixed.run")
    assert mixed.status == 0, mixed.err
    assert mixed.out == xml.out
    assert mixed.out.count("\n") == 1 + 3 * len(MEASURES.split(", "))


def test_characters_are_counted_in_the_source(folder):
    """By hand: topic 2 has 20 + 10 relevant characters; the run reads 20, 10 and 11, and finds all."""
    outcome = command(
        "evaluate", "-c", folder / "mixed.doxel", "-a", folder / "gold.jsonl", "-q", "-f", "tsv",
        "-m", "char_rec@3, char_prec@3", folder / "mixed.run",
    )  # fmt: skip
    scores = {
        tuple(line.split("\t")[1:3]): float(line.split("\t")[3]) for line in outcome.out.splitlines()[1:]
    }
    assert scores["2", "char_rec@3"] == 1
    assert scores["2", "char_prec@3"] == 30 / (20 + 10 + 11)


@pytest.mark.parametrize("system", ["perfect", "document", "parent", "ancestors", "biggest-child"])
def test_simulated_runs_are_the_same(folder, tmp_path, system):
    written = []
    for name in ("mixed.doxel", "xml.doxel"):
        arguments = (
            "-c",
            folder / name,
            "-a",
            folder / "gold.jsonl",
            "--system",
            system,
            "-o",
            tmp_path / name,
        )
        assert command("simulate", *arguments).status == 0
        written.append((tmp_path / name).read_text())
    assert written[0] == written[1]
    assert "/document[1]" in written[0]


@pytest.mark.parametrize("options", [[], ["--ideal"]])
def test_recall_bases_are_the_same(folder, options):
    mixed, xml = both(folder, "recallbase", "-c", "C", "-a", folder / "gold.jsonl", "-f", "tsv", *options)
    assert mixed.status == 0
    assert mixed.out == xml.out
    assert "/html[1]/body[1]/section[1]/p[1]" in mixed.out


def test_findings_are_the_same(folder):
    mixed, xml = both(folder, "check", "-c", "C", "-a", folder / "gold.jsonl", folder / "mixed.run")
    assert mixed.status == 0
    assert mixed.out == xml.out


@pytest.mark.parametrize("to", ["fol", "jsonl", "inex-xml"])
def test_runs_are_converted_and_back(folder, tmp_path, to):
    collection = folder / "mixed.doxel"
    forth = command(
        "convert", folder / "mixed.run", tmp_path / "there", "--to", to, "-c", collection, "--lossy"
    )
    assert forth.status == 0, forth.err
    back = command(
        "convert", tmp_path / "there", tmp_path / "back", "--to", "jsonl", "-c", collection, "--lossy"
    )
    assert back.status == 0, back.err
    assert len((tmp_path / "back").read_text().splitlines()) == RUN.count("\n")


def test_assessments_are_converted_to_text_positions_and_back(folder, tmp_path):
    collection = folder / "mixed.doxel"
    for name, to in (("a.qrels", "qrels"), ("b.jsonl", "jsonl")):
        source = folder / "gold.jsonl" if to == "qrels" else tmp_path / "a.qrels"
        outcome = command("convert", source, tmp_path / name, "--to", to, "-c", collection, "--lossy")
        assert outcome.status == 0, outcome.err
    texts = doxel.read_collection(collection)
    quoted = {
        (row["topic"], row["doc"], texts[row["doc"]].text[row["start"] : row["end"]])
        for row in map(json.loads, (tmp_path / "b.jsonl").read_text().splitlines())
        if "start" in row
    }
    assert quoted == set(HIGHLIGHTS)


def rows_of_table(out, header):
    """Return the lines of a table from its header on: the title above names the folder of the collection."""
    lines = out.splitlines()
    return lines[next(number for number, line in enumerate(lines) if line.strip().startswith(header)) :]


def test_collection_shows_outline_text_and_summary(folder):
    mixed, xml = both(folder, "collection", "C", "guide", "/document[1]/section[1]/section[1]")
    assert mixed.out == xml.out
    mixed, xml = both(folder, "collection", "C", "--summary")
    assert rows_of_table(mixed.out, "group ") == rows_of_table(xml.out, "group ")
    outline = command("collection", folder / "mixed.doxel", "guide").out
    assert "/document[1]/section[1]/ul[1]/li[2]" in outline
    statistics = command("collection", folder / "mixed.doxel").out
    assert "html-text-nodes, markdown-source, text-source, xml-text-nodes" in statistics
