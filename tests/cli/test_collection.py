"""``doxel collection``: statistics, outline, text."""

import json
import os
import re

import pytest

from documents.commands import doxel, doxel_process, is_sentence, write_files
from doxel.documents import ingest as ingestion
from doxel.documents import read_collection

ARTICLE = (
    "<article><title>On doxels</title><body>\n<p>First 😀.</p><p>Second\r\n <i>one</i>.</p></body></article>"
)
FILES = {"tc/2001/t0111.xml": ARTICLE, "tc/2002/t0112.xml": "<article><p>Short</p></article>"}


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    folder = tmp_path_factory.mktemp("collection")
    write_files(folder / "s", FILES)
    ingestion.ingest(folder / "s", folder / "c")
    return folder / "c"


def cells(out: str) -> list[list[str]]:
    """The cells of the tables on stdout, row by row; two spaces or more separate them."""
    return [re.split(r"\s{2,}", line.strip()) for line in out.splitlines() if line.strip(" ─")]


def test_statistics(collection):
    """Numbers counted by hand: 6 + 2 elements, 30 + 5 characters, depths 1 2 2 3 3 4 and 1 2."""
    outcome = doxel("collection", collection)
    assert outcome.status == 0
    assert outcome.err == ""
    rows = cells(outcome.out)
    assert rows[:12] == [
        [str(collection)],
        ["documents", "2"],
        ["elements", "8"],
        ["characters", "35"],
        ["mean document length", "17.5 characters"],
        ["mean depth of an element", "2.25"],
        ["greatest depth", "4"],
        ["distinct tags", "5"],
        ["distinct label paths", "6"],
        ["document ids by", "name"],
        ["text rule", "xml-text-nodes"],
        ["fingerprint", read_collection(collection).fingerprint],
    ]


def test_tags_by_frequency(collection):
    rows = cells(doxel("collection", collection).out)
    table = rows[rows.index(["Tags by frequency"]) + 1 :]
    assert table == [
        ["tag", "elements", "share"],
        ["p", "3", "37.5%"],
        ["article", "2", "25.0%"],
        ["body", "1", "12.5%"],
        ["i", "1", "12.5%"],
        ["title", "1", "12.5%"],
    ]


@pytest.mark.parametrize("reference", ["t0111", "t0111.xml", "tc/2001/t0111", "2001/t0111.xml"])
def test_outline(collection, reference):
    outcome = doxel("collection", collection, reference)
    assert outcome.status == 0
    assert cells(outcome.out) == [
        ["t0111 (tc/2001/t0111.xml)"],
        ["element", "start", "end", "size"],
        ["/article[1]", "0", "30", "30"],
        ["/article[1]/title[1]", "0", "9", "9"],
        ["/article[1]/body[1]", "9", "30", "21"],
        ["/article[1]/body[1]/p[1]", "10", "18", "8"],
        ["/article[1]/body[1]/p[2]", "18", "30", "12"],
        ["/article[1]/body[1]/p[2]/i[1]", "26", "29", "3"],
    ]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("/article[1]/body[1]/p[1]", "First 😀."),
        ("/article/body/p[2]", "Second\n one."),
        ("/article[1]", "On doxels\nFirst 😀.Second\n one."),
    ],
)
def test_the_text_of_an_element_is_exactly_what_is_counted(collection, path, text):
    outcome = doxel("collection", collection, "t0111", path)
    assert (outcome.status, outcome.out, outcome.err) == (0, text, "")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("{c}", "t0113"), "doxel: {c}: no document 't0113'; near: t0112, t0111"),
        (("{c}", "zebra"), "doxel: {c}: no document 'zebra'"),
        (("{c}", "t0113", "/article[1]"), "doxel: {c}: no document 't0113'; near: t0112, t0111"),
        (("{c}", "t0111", "/article[1]/p[1]"), "doxel: document 't0111' has no element /article[1]/p[1]"),
        (("{c}", "t0111", "/nothing[1]"), "doxel: document 't0111' has no element /nothing[1]"),
        (("{c}", "t0111", "p"), "doxel: element path: wanted steps such as /article[1]/p[2]"),
        (("{c}", "t0111", "/article[0]"), "doxel: element path: wanted steps such as /article[1]/p[2]"),
        (("{c}/gone",), "doxel: {c}/gone: does not exist: wanted a collection made by 'doxel ingest'"),
        (("{c}/..",), "doxel: {c}/..: has no manifest: wanted a collection made by 'doxel ingest'"),
        (("{c}/manifest.json",), "doxel: {c}/manifest.json/manifest.json: cannot be read: not a directory"),
    ],
)
def test_what_is_not_there_is_said_in_one_sentence(collection, arguments, sentence):
    outcome = doxel("collection", *(argument.format(c=collection) for argument in arguments))
    assert outcome.status == 2
    assert outcome.out == ""
    (message,) = outcome.messages
    assert message.startswith(sentence.format(c=collection))
    assert is_sentence(message)


def test_an_interrupted_collection_is_shown_with_a_note(tmp_path, monkeypatch):
    monkeypatch.setattr(ingestion, "BATCH_BYTES", 1)
    write_files(tmp_path / "s", {"1.xml": "<a>one</a>", "2.xml": "<b>"})
    assert doxel("ingest", tmp_path / "s", "-o", tmp_path / "c", "--strict").status == 2
    outcome = doxel("collection", tmp_path / "c")
    assert outcome.status == 0
    assert outcome.messages == [
        f"doxel: {tmp_path / 'c'}: its ingestion was interrupted; repeat 'doxel ingest' to complete it"
    ]
    assert ["document ids by", "not decided yet"] in cells(outcome.out)
    assert doxel("collection", tmp_path / "c", "1", "/a[1]").out == "one"


def test_a_collection_interrupted_before_its_first_part(tmp_path):
    write_files(tmp_path / "s", {"1.xml": "<a/>"})
    ingestion.ingest(tmp_path / "s", tmp_path / "c")
    manifest = json.loads((tmp_path / "c/manifest.json").read_bytes())
    (tmp_path / "c/manifest.json").write_text(json.dumps({**manifest, "parts": [], "complete": False}))
    outcome = doxel("collection", tmp_path / "c")
    assert outcome.status == 2
    assert (
        outcome.messages[-1] == f"doxel: {tmp_path / 'c'}: the collection is empty: "
        "its ingestion was interrupted before the first part"
    )


def test_a_damaged_collection(tmp_path):
    write_files(tmp_path / "s", {"1.xml": "<a/>"})
    ingestion.ingest(tmp_path / "s", tmp_path / "c")
    (tmp_path / "c/part-0001/elements.parquet").write_bytes(b"PAR1")
    outcome = doxel("collection", tmp_path / "c")
    assert outcome.status == 2
    (message,) = outcome.messages
    assert "elements.parquet: cannot be read, the collection is damaged" in message


def test_a_name_with_markup_in_it_is_shown_as_it_is(tmp_path):
    """rich would take [bold] for a style."""
    write_files(tmp_path / "s", {"[bold]x.xml": "<a>text</a>"})
    ingestion.ingest(tmp_path / "s", tmp_path / "c")
    assert "[bold]x ([bold]x.xml)" in doxel("collection", tmp_path / "c", "[bold]x").out


# The output


def test_no_space_for_the_output(collection):
    if not os.path.exists("/dev/full"):  # noqa: PTH110
        pytest.skip("there is no /dev/full here")
    for arguments in ((collection,), (collection, "t0111", "/article[1]")):
        with open("/dev/full", "w") as full:  # noqa: PTH123
            outcome = doxel_process("collection", *arguments, stdout=full)
        assert outcome.status == 2
        assert outcome.messages == ["doxel: No space left on device"]


def test_a_reader_that_has_had_enough(collection):
    read, write = os.pipe()
    os.close(read)
    with open(write, "wb") as broken:  # noqa: PTH123
        outcome = doxel_process("collection", collection, stdout=broken)
    assert (outcome.status, outcome.err) == (0, "")


def test_an_output_that_cannot_hold_the_text(collection):
    narrow = {"PYTHONIOENCODING": "iso-8859-1", "PYTHONUTF8": "0"}
    outcome = doxel_process("collection", collection, "t0111", "/article[1]/body[1]/p[1]", environment=narrow)
    assert outcome.status == 2
    (message,) = outcome.messages
    assert message.startswith("doxel: the output cannot hold '\\U0001f600' in ")
    assert message.endswith(": set PYTHONUTF8=1")
    wide = {"PYTHONIOENCODING": "", "PYTHONUTF8": "1"}
    outcome = doxel_process("collection", collection, "t0111", "/article[1]/body[1]/p[1]", environment=wide)
    assert outcome.out == "First 😀."
