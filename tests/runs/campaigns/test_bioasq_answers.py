"""Answers of BioASQ: snippets become spans of document and section, and are written as they were."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxel.errors import InputError
from doxel.runs import RESULTS, Run, read_run, write_run
from doxel.runs.campaigns.bioasq_answers import BIOASQ_ANSWERS
from runs.campaigns.bioasq_files import URL, encode, question, snippet

PLACES = ("topic", "doc", "rank", "start", "end", "text")


def read(*questions):
    return BIOASQ_ANSWERS.read(encode(*questions), "answers.json")


def test_a_snippet_is_a_span_of_document_and_section():
    run = read(
        question("q", snippet(11, 100, 103), snippet(12, 0, 2, "title"), snippet(13, 5, 6, "sections.0"))
    )
    assert run.results.select(PLACES).rows() == [
        ("q", "11/abstract", 1, 100, 103, "xxx"),
        ("q", "12/title", 2, 0, 2, "xx"),
        ("q", "13/sections.0", 3, 5, 6, "x"),
    ]
    assert run.results["line"].to_list() == [8, 16, 24]


def test_both_sections_belong_to_the_identity_of_a_snippet():
    run = read(question("q", snippet(1, 4, 9, "title", "abstract"), snippet(1, 40, 9, "title", "abstract")))
    assert run.results.select(PLACES[1:5]).rows() == [
        ("1/title..abstract", 1, 4, 9),
        ("1/title..abstract", 2, -1, -1),  # where the title ends is unknown
    ]


def test_a_file_without_snippets_is_a_run_of_documents():
    run = read(question("q", documents=[7, 8, 7]), question("r"))
    assert run.results.select("topic", "doc", "rank").rows() == [("q", "7", 1), ("q", "8", 2)]


def test_an_unchanged_run_is_written_with_all_keys_it_had(tmp_path):
    first = question(
        "q", snippet(1, 0, 5, score=0.5), snippet(1, 0, 5), documents=[1, 9, 9], type="list", triples=[]
    )
    other = snippet(2, 3, 4) | {"document": "https://pubmed.ncbi.nlm.nih.gov/2"}
    content = {
        "questions": [first, question("empty"), question("r", other, snippet(2, 9, 5, "title", "abstract"))]
    }
    (tmp_path / "a.json").write_text(json.dumps(content))
    run = read_run(tmp_path / "a.json")
    assert (run.id, run.format) == ("a", "bioasq")
    write_run(run, tmp_path / "b.json", "bioasq")
    assert json.loads((tmp_path / "b.json").read_bytes()) == content


def test_a_run_of_another_format_is_written_in_the_order_of_its_ranks():
    rows = [
        {"topic": "q", "doc": "5/abstract", "rank": 2, "start": 1, "end": 4},
        {"topic": "q", "doc": "6/title..abstract", "rank": 1, "start": 0, "end": 9, "text": "one words"},
    ]
    data = BIOASQ_ANSWERS.write(Run("mine", RESULTS.from_rows(rows)))
    questions = json.loads(data)["questions"][0]
    assert questions["documents"] == [f"{URL}6", f"{URL}5"]
    assert [(entry["beginSection"], entry["endSection"]) for entry in questions["snippets"]] == [
        ("title", "abstract"),
        ("abstract", "abstract"),
    ]
    again = BIOASQ_ANSWERS.read(data, "again")
    assert again.results.sort("rank").select(PLACES).rows() == [
        ("q", "6/title..abstract", 1, 0, 9, "one words"),
        ("q", "5/abstract", 2, 1, 4, None),
    ]
    assert BIOASQ_ANSWERS.recognises(data)


def test_whole_documents_are_written_as_documents():
    rows = [{"topic": "q", "doc": "5", "rank": 1}, {"topic": "q", "doc": "6", "rank": 2}]
    again = BIOASQ_ANSWERS.read(BIOASQ_ANSWERS.write(Run("mine", RESULTS.from_rows(rows))), "again")
    assert again.results.select("topic", "doc", "rank").rows() == [("q", "5", 1), ("q", "6", 2)]


@pytest.mark.parametrize(
    ("row", "wanted"),
    [
        (
            {"doc": "5", "start": 1, "end": 2},
            "a document id made of a PubMed id and a section, such as 11/abstract",
        ),
        ({"doc": "5/title", "start": 1}, "an end as well"),
        ({"doc": "5/title", "start": -1, "end": -1}, "offsets of 0 or more"),
    ],
)
def test_results_that_the_format_cannot_express_are_rejected(row, wanted):
    with pytest.raises(InputError) as caught:
        BIOASQ_ANSWERS.write(Run("r", RESULTS.from_rows([{"topic": "q", **row}])))
    assert caught.value.wanted == wanted


def test_other_json_is_not_taken_for_bioasq():
    assert not BIOASQ_ANSWERS.recognises(b'{"data": [{"questions": []}]}')
    assert BIOASQ_ANSWERS.recognises(b'{"username": "x", "version": 2, "questions": [')


rows = st.builds(
    lambda topic, doc, section, start, size, text: {
        "topic": topic,
        "doc": f"{doc}/{section}",
        "start": start,
        "end": start + size,
        "text": text,
    },
    st.sampled_from(["q1", "q2"]),
    st.integers(1, 10**8),
    st.sampled_from(["title", "abstract", "sections.0", "title..abstract"]),
    st.integers(0, 5000),
    st.integers(0, 500),
    st.none() | st.text("ab é😀", min_size=1, max_size=5),
)


@given(st.lists(rows, min_size=1, max_size=6))
def test_written_runs_are_read_unchanged(drawn):
    drawn.sort(key=lambda row: row["topic"])
    topics = [row["topic"] for row in drawn]
    ranked = [{**row, "rank": topics[:place].count(row["topic"]) + 1} for place, row in enumerate(drawn)]
    results = RESULTS.from_rows(ranked)
    again = BIOASQ_ANSWERS.read(BIOASQ_ANSWERS.write(Run("mine", results)), "again")
    assert again.results.select(PLACES).equals(results.select(PLACES))
