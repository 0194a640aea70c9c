"""Gold of TREC Genomics: passages in bytes with aspects, and files of pools."""

import pytest

from doxel.assessments import read_assessments
from doxel.assessments.assessments import HIGHLIGHTS, JUDGED, Assessments
from doxel.assessments.campaigns.genomics_gold import GENOMICS_GOLD, list_gold_passages
from doxel.errors import InputError

GOLD = "201\t1001\t100\t50\tBRCA1| TP53\n201\t1001\t300\t20\tTP53\n007\t9\t0\t40\t\n"


def read(text, name="g.tsv"):
    return GENOMICS_GOLD.read(text if isinstance(text, bytes) else text.encode(), name)


def test_passages_are_highlights_and_keep_their_aspects():
    gold = read(GOLD)
    assert gold.judged.select("topic", "doc").rows() == [("201", "1001"), ("7", "9")]
    spans = gold.highlights.select("topic", "doc", "start", "end").unique(maintain_order=True).rows()
    assert spans == [("201", "1001", 100, 150), ("201", "1001", 300, 320), ("7", "9", 0, 40)]
    assert [passage["aspects"] for passage in list_gold_passages(gold)] == [["BRCA1", "TP53"], ["TP53"], [""]]


def test_gold_is_latin_1():
    assert list_gold_passages(read("1\t2\t3\t4\tSjögren".encode("latin-1")))[0]["aspects"] == ["Sjögren"]


def test_lines_with_fewer_columns_are_named():
    gold = read(f"{GOLD}201\t1001\t5\t5\n")
    assert gold.notes == ("lines with fewer than five columns are not gold and are left out: 4",)


def test_files_of_pools_have_grades():
    gold = read("# 2007\n1\t2\t0\t5\tRELEVANT\n1\t3\t0\t5\tNOT_RELEVANT\n")
    assert gold.judged["doc"].to_list() == ["2", "3"]
    assert gold.highlights.select("doc", "grade").rows() == [("2", 1.0)]
    gold = read("1\t2\t0\t5\tx\tDEFINITELY\n1\t2\t9\t5\tx\tPOSSIBLY\n1\t3\t0\t5\tx\tNOT\n")
    assert gold.highlights.select("doc", "start", "grade").rows() == [("2", 0, 2.0), ("2", 9, 1.0)]


def test_gold_is_recognised_and_written_as_it_was(tmp_path):
    (tmp_path / "g.tsv").write_text(GOLD)
    gold = read_assessments(tmp_path / "g.tsv")
    assert gold.format == "genomics"
    data = GENOMICS_GOLD.write(gold)
    assert data.decode() == GOLD.replace("| ", "|").replace("007", "7")
    assert GENOMICS_GOLD.recognises(data)


def test_highlights_of_another_format_are_written():
    gold = Assessments(
        "2006",
        JUDGED.from_rows([{"topic": "1", "doc": "2"}]),
        HIGHLIGHTS.from_rows([{"topic": "1", "doc": "2", "start": 3, "end": 8}]),
    )
    assert GENOMICS_GOLD.write(gold) == b"1\t2\t3\t5\t\n"


@pytest.mark.parametrize(("topic", "highlights"), [("q", True), ("1", False)])
def test_gold_that_the_format_cannot_express_is_rejected(topic, highlights):
    rows = [{"topic": topic, "doc": "2", "start": 0, "end": 1}] if highlights else []
    gold = Assessments("2006", JUDGED.from_rows([{"topic": topic, "doc": "2"}]), HIGHLIGHTS.from_rows(rows))
    with pytest.raises(InputError, match="cannot be written as genomics"):
        GENOMICS_GOLD.write(gold)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("x\t1\t1\t1\tA", "the topic: wanted a whole number, 0 or more, found 'x'"),
        ("1\t1\t-1\t1\tA", "the offset: wanted a whole number, 0 or more, found '-1'"),
        ("1\t1\t1\t1.5\tA", "the length: wanted a whole number, 0 or more, found '1.5'"),
        ("1\t\t1\t1\tA", "the PMID: wanted an id"),
    ],
)
def test_an_odd_line_is_an_error_with_its_number(line, message):
    with pytest.raises(InputError) as caught:
        read(f"{GOLD}{line}\n")
    assert str(caught.value).startswith(f"g.tsv, line 4: {message}")


@pytest.mark.parametrize(
    "line", [b"1 Q0 2 30 100 0 0:30", b"1\t0\t2\t1", b"q\t1\t3\t4\tA", b"1\tQ0\t3\t4\t5\t6"]
)
def test_other_assessments_are_not_taken_for_genomics(line):
    assert not GENOMICS_GOLD.recognises(line)
