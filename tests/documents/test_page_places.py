"""Pages in runs, assessments and rows of Python mean the same place as offsets in the document."""

import json

import polars as pl
import pytest

import doxel
from documents.commands import doxel as command
from documents.small_pdf import build_pdf
from doxel.assessments.assessment_spans import resolve_assessments
from doxel.documents.ingestion import ingest
from doxel.documents.page_places import convert_pages, is_page_path
from doxel.errors import InputError
from doxel.evaluation.inputs.input_tables import as_assessments

# the header is on every page; pages begin at 0, 28 and 60
PAGES = [["Manual", "Switch it off first."], ["Manual", "Then remove the hot lid."], ["Manual", "Done."]]
OFFSETS = {1: 0, 2: 28, 3: 60}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    pytest.importorskip("pypdfium2")
    folder = tmp_path_factory.mktemp("pages")
    (folder / "manual.pdf").write_bytes(build_pdf(PAGES))
    ingest(folder / "manual.pdf", folder / "c")
    return folder


def score(folder, run, gold, measure="char_prec"):
    result = doxel.evaluate({"r": run}, gold, [measure, "char_rec"], collection=folder / "c")
    assert not [warning for warning in result.warnings if "not found" in str(warning)]
    return result.scores["score"].to_list()


SPAN = [{"topic": "1", "doc": "manual", "start": 35, "end": 59}]  # "Then remove the hot lid."


@pytest.mark.parametrize(
    "row",
    [
        {"start": 35, "end": 59},
        {"page": 2, "start": 7, "end": 31},
        {"page": 2, "start": 7, "end": 31, "text": "Then remove the hot lid."},
        {"page": 2, "text": "Then remove the hot lid."},
        {"page": 1, "text": "Then remove the hot lid."},  # the text decides
        {"page": 9, "text": "Then remove the hot lid."},
        {"page": 2, "start": 0, "end": 5, "text": "Then remove the hot lid."},
    ],
)
def test_a_page_with_offsets_or_text_is_the_same_place_as_offsets(folder, row):
    place = [{"topic": "1", "doc": "manual", **row}]
    assert score(folder, place, SPAN) == [1, 1]
    assert score(folder, SPAN, place) == [1, 1]


def test_a_page_alone_is_the_whole_page(folder):
    page = [{"topic": "1", "doc": "manual", "page": 2}]
    assert score(folder, page, SPAN) == [24 / 31, 1]
    assert score(folder, SPAN, page) == [1, 24 / 31]


@pytest.mark.parametrize("page", OFFSETS)
def test_a_text_on_every_page_is_taken_from_the_given_one(folder, page):
    gold = [{"topic": "1", "doc": "manual", "start": OFFSETS[page], "end": OFFSETS[page] + 6}]
    header = [{"topic": "1", "doc": "manual", "page": page, "text": "Manual"}]
    assert score(folder, header, gold) == [1, 1]
    assert score(folder, gold, header) == [1, 1]


def test_files_give_the_same_scores_as_rows(folder):
    gold = [{"topic": "1", "doc": "manual.pdf", "page": 2, "start": 7, "end": 31}]
    run = [
        {"topic": "1", "doc": "manual", "page": 2, "score": 0.5},
        {"topic": "1", "doc": "manual", "page": 3},
    ]
    for name, rows in (("gold", gold), ("run", run)):
        (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    outcome = command(
        "evaluate", "-a", folder / "gold.jsonl", "-c", folder / "c", "-m", "char_prec@1", "-f", "tsv",
        folder / "run.jsonl",
    )  # fmt: skip
    assert outcome.out.splitlines()[-1].split("\t")[-1] == str(24 / 31)


def test_frames_and_chunks_by_topic_may_give_pages(folder):
    frame = pl.DataFrame({"topic": ["1"], "doc": ["manual"], "page": [2], "start": [7], "end": [31]})
    assert score(folder, frame, SPAN) == [1, 1]
    assert score(folder, {"1": [{"doc": "manual", "page": 2, "start": 7, "end": 31}]}, SPAN) == [1, 1]


def test_offsets_after_the_end_of_a_page_are_not_found(folder):
    run = [{"topic": "1", "doc": "manual", "page": 2, "start": 7, "end": 32}]
    result = doxel.evaluate({"r": run}, SPAN, ["char_rec"], collection=folder / "c")
    assert result.scores["score"].to_list() == [0]
    assert any("1 result was not found in the collection" in str(text) for text in result.warnings)


def test_without_a_collection_pages_are_never_read_as_offsets():
    run = [{"topic": "1", "doc": "manual", "page": 2, "start": 35, "end": 59}]
    with pytest.raises(InputError, match=r"wanted a collection \(-c\), to find them in its documents"):
        doxel.evaluate({"r": run}, SPAN, ["char_rec"])
    with pytest.raises(InputError, match=r"1 place is given by its page: wanted a collection \(-c\)"):
        doxel.evaluate({"r": SPAN}, run, ["char_rec"])


def test_a_best_entry_point_counts_within_its_page(folder, tmp_path):
    row = {"topic": "1", "doc": "manual", "page": 2, "bep": 7}
    (tmp_path / "gold.jsonl").write_text(json.dumps(row))
    collection = doxel.read_collection(folder / "c")
    for gold in ([row, *SPAN], [str(tmp_path / "gold.jsonl")]):
        resolved = resolve_assessments(as_assessments(gold, collection), collection)
        assert resolved.beps["position"].to_list() == [35]
        assert resolved.highlights.height == len(gold) - 1


@pytest.mark.parametrize("page", [0, -1, 1.5])
def test_pages_count_from_one(folder, page):
    run = [{"topic": "1", "doc": "manual", "page": page}]
    with pytest.raises(InputError, match="wanted page as a whole number, 1 or more"):
        score(folder, run, SPAN)


def test_rows_without_pages_stay_as_they_are():
    frame = pl.DataFrame({"topic": ["1"], "page": [None]})
    assert convert_pages(frame) is frame
    lost = convert_pages(pl.DataFrame({"page": [3, 3], "start": [-1, None], "end": [-1, None]}))
    assert lost.select("start", "end", "path").rows() == [
        (-1, -1, None),
        (None, None, "/document[1]/page[3]"),
    ]


def test_a_span_of_a_page_becomes_a_range_of_its_text():
    span = convert_pages(pl.DataFrame({"page": [3, 3], "start": [4, 5], "end": [9, None]}))
    assert span.select("path", "path_end", "start", "end").rows() == [
        ("/document[1]/page[3]/text()[1].4", "/document[1]/page[3]/text()[1].9", None, None),
        ("/document[1]/page[3]/text()[1].5", "/document[1]/page[3]/text()[1].5", None, None),
    ]


def test_only_pages_are_page_paths():
    paths = pl.Series(["/document[1]/page[3]", "/document[1]/page[3]/text()[1].4", "/document[1]/p[1]", None])
    assert is_page_path(paths).tolist() == [True, True, False, False]
