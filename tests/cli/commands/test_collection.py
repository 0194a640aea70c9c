"""``doxel collection``: statistics, outline, text."""

import os
import re

import pytest

from documents.commands import (
    change_manifest,
    doxel,
    doxel_process,
    is_sentence,
    remove_checksums,
    write_files,
)
from doxel.documents import ingestion, read_collection

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


def test_statistics_are_shown(collection):
    """Numbers counted by hand: 6 + 2 elements, 30 + 5 characters, depths 1 2 2 3 3 4 and 1 2."""
    outcome = doxel("collection", collection)
    assert outcome.status == 0
    assert outcome.err == ""
    rows = cells(outcome.out)
    assert rows[:15] == [
        [str(collection)],
        ["documents", "2"],
        ["megabytes of sources", "0.0"],
        ["elements", "8"],
        ["elements (nodes) per document", "4.0"],
        ["characters", "35"],
        ["mean document length", "17.5 characters"],
        ["mean depth of an element", "2.25"],
        ["greatest depth", "4"],
        ["distinct tags", "5"],
        ["distinct label paths (nodes in the summary)", "6"],
        ["links", "0"],
        ["document ids from", "name"],
        ["text rule", "xml-text-nodes"],
        ["fingerprint", read_collection(collection).fingerprint],
    ]


def test_links_and_the_size_of_the_sources_are_shown(tmp_path):
    xlink = 'xmlns:x="http://www.w3.org/1999/xlink"'
    links = '<collectionlink>a</collectionlink><ref x:href="b">c</ref>'
    text = f"<article {xlink}>{links}{'<p>d</p>' * 6}</article>"
    text += " " * (1_250_000 - len(text))
    write_files(tmp_path / "s", {"one.xml": text, "two.html": '<p><a href="e">f</a><a>g</a></p>'})
    ingestion.ingest(tmp_path / "s", tmp_path / "c")
    assert read_collection(tmp_path / "c").link_counts() == {"collectionlink": 1, "ref": 1, "a": 1}
    rows = dict(row for row in cells(doxel("collection", tmp_path / "c").out) if len(row) == 2)
    assert rows["megabytes of sources"] == "1.3"
    assert rows["links"].startswith("3 (")
    assert rows["links"].endswith(" of the elements): a 1, collectionlink 1, ref 1")


def test_a_collection_that_does_not_record_the_size_of_its_sources_is_shown(tmp_path):
    write_files(tmp_path / "s", {"one.xml": "<article>a</article>"})
    ingestion.ingest(tmp_path / "s", tmp_path / "c")
    change_manifest(tmp_path / "c", lambda data: data["parts"][0].pop("source_bytes"))
    rows = dict(row for row in cells(doxel("collection", tmp_path / "c").out) if len(row) == 2)
    assert rows["megabytes of sources"] == "unknown: the collection was made by doxel 1.0"


def test_tags_are_listed_by_frequency(collection):
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
def test_the_outline_lists_all_elements(collection, reference):
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
        (("{c}", "t0113"), "doxel: {c}: no document 't0113'; similar: t0112, t0111"),
        (("{c}", "zebra"), "doxel: {c}: no document 'zebra'"),
        (("{c}", "t0113", "/article[1]"), "doxel: {c}: no document 't0113'; similar: t0112, t0111"),
        (("{c}", "t0111", "/article[1]/p[1]"), "doxel: document 't0111' has no element /article[1]/p[1]"),
        (("{c}", "t0111", "/nothing[1]"), "doxel: document 't0111' has no element /nothing[1]"),
        (("{c}", "t0111", "p"), "doxel: element path: wanted steps such as /article[1]/p[2]"),
        (("{c}", "t0111", "/article[0]"), "doxel: element path: wanted steps such as /article[1]/p[2]"),
        (("{c}/gone",), "doxel: {c}/gone: does not exist: wanted a folder made by"),
        (("{c}/manifest.json",), "doxel: {c}/manifest.json: is not a collection: wanted a folder made by"),
        (("{c}/..",), "doxel: {c}/..: is not a collection: wanted a folder made by"),
    ],
)
def test_unknown_documents_and_paths_are_reported(collection, arguments, sentence):
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
    assert ["document ids from", "not decided yet"] in cells(outcome.out)
    assert doxel("collection", tmp_path / "c", "1", "/a[1]").out == "one"


def test_a_collection_interrupted_before_its_first_part_is_reported(tmp_path):
    write_files(tmp_path / "s", {"1.xml": "<a/>"})
    ingestion.ingest(tmp_path / "s", tmp_path / "c")
    change_manifest(tmp_path / "c", lambda data: data.update(parts=[], complete=False))
    outcome = doxel("collection", tmp_path / "c")
    assert outcome.status == 2
    assert (
        outcome.messages[-1] == f"doxel: {tmp_path / 'c'}: the collection is empty: "
        "its ingestion was interrupted before the first part"
    )


def test_a_damaged_collection_is_reported(tmp_path):
    write_files(tmp_path / "s", {"1.xml": "<a/>"})
    ingestion.ingest(tmp_path / "s", tmp_path / "c")
    (tmp_path / "c/part-0001/elements.parquet").write_bytes(b"PAR1")
    outcome = doxel("collection", tmp_path / "c")
    assert outcome.status == 2
    (message,) = outcome.messages
    assert "elements.parquet: changed since it was written, the collection is damaged" in message


def test_markup_in_a_name_is_shown_as_text(tmp_path):
    """rich would take [bold] for a style."""
    write_files(tmp_path / "s", {"[bold]x.xml": "<a>text</a>"})
    ingestion.ingest(tmp_path / "s", tmp_path / "c")
    assert "[bold]x ([bold]x.xml)" in doxel("collection", tmp_path / "c", "[bold]x").out


# The output


def test_a_full_disk_is_reported(collection):
    if not os.path.exists("/dev/full"):  # noqa: PTH110
        pytest.skip("no /dev/full on this system")
    for arguments in ((collection,), (collection, "t0111", "/article[1]")):
        with open("/dev/full", "w") as full:  # noqa: PTH123
            outcome = doxel_process("collection", *arguments, stdout=full)
        assert outcome.status == 2
        assert outcome.messages == ["doxel: No space left on device"]


def test_a_closed_pipe_ends_the_command_quietly(collection):
    read, write = os.pipe()
    os.close(read)
    with open(write, "wb") as broken:  # noqa: PTH123
        outcome = doxel_process("collection", collection, stdout=broken)
    assert (outcome.status, outcome.err) == (0, "")


def test_an_encoding_without_the_characters_is_reported(collection):
    narrow = {"PYTHONIOENCODING": "iso-8859-1", "PYTHONUTF8": "0"}
    outcome = doxel_process("collection", collection, "t0111", "/article[1]/body[1]/p[1]", environment=narrow)
    assert outcome.status == 2
    (message,) = outcome.messages
    assert message.startswith("doxel: '\\U0001f600' cannot be printed as ")
    assert message.endswith("; set PYTHONUTF8=1")
    wide = {"PYTHONIOENCODING": "", "PYTHONUTF8": "1"}
    outcome = doxel_process("collection", collection, "t0111", "/article[1]/body[1]/p[1]", environment=wide)
    assert outcome.out == "First 😀."


def test_verifying_lists_damage_and_fails(tmp_path):
    write_files(tmp_path / "s", {"1.xml": "<a>one</a>"})
    ingestion.ingest(tmp_path / "s", tmp_path / "c")
    path = tmp_path / "c/part-0001/elements.parquet"
    path.write_bytes(path.read_bytes()[:10] + b"x" + path.read_bytes()[11:])
    outcome = doxel("collection", tmp_path / "c", "--verify")
    assert outcome.status == 1
    (message,) = outcome.messages
    assert message.startswith(f"doxel: {path}: changed since it was written: wanted the SHA-256 ")
    assert ["problems", "1"] in cells(outcome.out)


def test_verifying_an_intact_collection_prints_its_fingerprint(collection):
    outcome = doxel("collection", collection, "--verify")
    assert (outcome.status, outcome.err) == (0, "")
    fingerprint = read_collection(collection).fingerprint
    rows = cells(outcome.out)
    assert ["fingerprint computed from the texts", fingerprint] in rows
    assert ["fingerprint in the manifest", fingerprint] in rows
    assert ["files with checksums", "6"] in rows
    assert ["problems", "0"] in rows


def test_a_collection_without_checksums_is_shown_and_verified_with_a_note(tmp_path):
    write_files(tmp_path / "s", {"1.xml": "<a>one</a>"})
    ingestion.ingest(tmp_path / "s", tmp_path / "c")
    remove_checksums(tmp_path / "c")
    for options in ([], ["--verify"]):
        outcome = doxel("collection", tmp_path / "c", *options)
        assert outcome.status == 0
        (message,) = outcome.messages
        assert message.startswith(f"doxel: {tmp_path / 'c'}: 1 part carries no checksums, because doxel 1.x ")


def test_verifying_reports_a_part_that_is_not_listed_and_a_damaged_search_index(tmp_path):
    write_files(tmp_path / "s", {"1.xml": "<a>one</a>"})
    ingestion.ingest(tmp_path / "s", tmp_path / "c")
    write_files(tmp_path / "c", {"part-0007/x": "", "search-english-0123/index.json": "{"})
    outcome = doxel("collection", tmp_path / "c", "--verify")
    assert outcome.status == 1
    assert "index.json cannot be read" in outcome.messages[0]
    assert outcome.messages[1].endswith("does not list part-0007, which is not part of the collection")
