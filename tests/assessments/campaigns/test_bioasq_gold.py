"""Gold of BioASQ: snippets become highlights, and documents without snippets are judged as a whole."""

import json

import pytest

from doxel.assessments import read_assessments, write_assessments
from doxel.assessments.assessments import HIGHLIGHTS, JUDGED, Assessments
from doxel.assessments.campaigns.bioasq_gold import BIOASQ_GOLD
from doxel.errors import InputError
from runs.campaigns.bioasq_files import URL, encode, question, snippet


def test_snippets_are_highlights_and_other_documents_are_judged():
    gold = BIOASQ_GOLD.read(
        encode(question("q", snippet(1, 0, 5), snippet(1, 3, 9, "title"), documents=[1, 2]), question("r")),
        "g",
    )
    assert gold.judged.select("topic", "doc").rows() == [("q", "1/abstract"), ("q", "1/title"), ("q", "2")]
    assert gold.highlights.select("topic", "doc", "start", "end").rows() == [
        ("q", "1/abstract", 0, 5),
        ("q", "1/title", 3, 9),
    ]
    assert gold.questions == {"q": "Question q?", "r": "Question r?"}


def test_a_snippet_that_cannot_be_placed_is_noted():
    gold = BIOASQ_GOLD.read(encode(question("q", snippet(1, 50, 5, "title", "abstract"))), "g")
    assert gold.highlights.height == 0
    assert gold.notes == (
        "1 snippet ends in another section than it begins, at a smaller offset, and cannot be located",
    )


def test_gold_is_written_as_it_was_and_batches_are_joined(tmp_path):
    questions = [question("q", snippet(1, 0, 5, extra=1), documents=[1, 2], type="yesno"), question("r")]
    other = question("s", snippet(3, 1, 2))
    (tmp_path / "1.json").write_bytes(encode(*questions))
    (tmp_path / "2.json").write_bytes(encode(other))
    gold = read_assessments([tmp_path / "1.json", tmp_path / "2.json"])
    write_assessments(gold, tmp_path / "both.json", "bioasq")
    assert json.loads((tmp_path / "both.json").read_bytes()) == {"questions": [*questions, other]}


def test_assessments_of_another_format_are_written():
    gold = Assessments(
        "2006",
        JUDGED.from_rows([{"topic": "q", "doc": "1/abstract"}, {"topic": "q", "doc": "2"}]),
        HIGHLIGHTS.from_rows([{"topic": "q", "doc": "1/abstract", "start": 3, "end": 8, "text": "words"}]),
    )
    data = BIOASQ_GOLD.write(gold)
    assert json.loads(data)["questions"][0]["documents"] == [f"{URL}1", f"{URL}2"]
    again = BIOASQ_GOLD.read(data, "again")
    for table in ("judged", "highlights"):
        columns = sorted(BIOASQ_GOLD.holds[table])
        assert getattr(again, table).select(columns).equals(getattr(gold, table).select(columns))


@pytest.mark.parametrize(
    ("doc", "place"), [("1", {"start": 1, "end": 2}), ("1/title", {"text": "x"}), ("1/title", None)]
)
def test_gold_that_the_format_cannot_express_is_rejected(doc, place):
    rows = [] if place is None else [{"topic": "q", "doc": doc, **place}]
    gold = Assessments("2006", JUDGED.from_rows([{"topic": "q", "doc": doc}]), HIGHLIGHTS.from_rows(rows))
    with pytest.raises(InputError, match="cannot be written as bioasq"):
        BIOASQ_GOLD.write(gold)
