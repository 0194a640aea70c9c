"""Assessments in columns: qrels and TREC qrels; the real ones of INEX 2009 and 2010."""

import re
from random import Random

import pytest
from polars.testing import assert_frame_equal

from doxel.assessments import read_assessments
from doxel.assessments.assessment_files import ASSESSMENT_FORMATS, find_assessment_format
from doxel.assessments.assessments import ASSESSMENT_TABLES, Assessments
from doxel.assessments.qrels import (
    _read_qrels_by_line,
    _read_qrels_in_bulk,
    _read_trec_by_line,
    _read_trec_in_bulk,
)
from doxel.errors import InputError
from limits import in_time


@pytest.fixture
def read(tmp_path):
    def from_text(text, **options):
        path = tmp_path / "assessments"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_assessments(path, **options)

    return from_text


QRELS = "1 Q0 a 300 1000 50 100:200 500:100\n1 Q0 b 0 500\n2 Q0 a 9 1000 -1 0:9\n"


def test_qrels_are_read_completely(read):
    assessments = read(QRELS)
    assert (assessments.scale, assessments.format, assessments.topics) == ("2006", "qrels", ["1", "2"])
    assert assessments.judged.select("topic", "doc", "rsize", "docsize", "line").rows() == [
        ("1", "a", 300, 1000, 1),
        ("1", "b", 0, 500, 2),
        ("2", "a", 9, 1000, 3),
    ]
    assert assessments.highlights.select("topic", "start", "end").rows() == [
        ("1", 100, 300),
        ("1", 500, 600),
        ("2", 0, 9),
    ]
    assert assessments.beps.select("topic", "doc", "position").rows() == [("1", "a", 50)]


def test_qrels_are_written_as_they_were_read(read):
    assert find_assessment_format("qrels").write(read(QRELS)).decode() == QRELS


def test_a_missing_relevant_size_is_the_size_of_the_union():
    judged = ASSESSMENT_TABLES["judged"].from_rows([{"topic": "1", "doc": "a", "docsize": 50}])
    spans = [
        {"topic": "1", "doc": "a", "start": 0, "end": 10},
        {"topic": "1", "doc": "a", "start": 5, "end": 20},
    ]
    assessments = Assessments("2006", judged, ASSESSMENT_TABLES["highlights"].from_rows(spans))
    assert find_assessment_format("qrels").write(assessments) == b"1 Q0 a 20 50 -1 0:10 5:15\n"


@pytest.mark.parametrize(
    "text", [QRELS.replace("\n", "\r\n"), "\ufeff" + QRELS, QRELS.replace(" ", "\t"), f"\n{QRELS}\n"]
)
def test_white_space_and_line_ends_of_qrels_do_not_matter(read, text):
    assert read(text).highlights.drop("line").equals(read(QRELS).highlights.drop("line"))


@pytest.mark.parametrize(
    ("text", "line", "wanted"),
    [
        ("1 Q0 a 3 10\n1 Q0 b 3\n", 2, "topic Q0 doc rsize docsize"),
        ("1 Q0 a 3 10 0:3\n", 1, "topic Q0 doc rsize docsize"),
        ("1 Q0 a 3 10 0 0-3\n", 1, "off:len"),
        ("1 Q0 a 3 10 0 0:3 5\n", 1, "off:len"),
        ("1 Q0 a 3 10 0 0:-3\n", 1, "a whole number"),
        ("1 Q0 a 3 10 0 x:3\n", 1, "a whole number"),
        ("1 Q0 a 3 ten\n", 1, "a whole number"),
        ("1 Q0 a 3 99999999999999999999\n", 1, "a whole number"),
        ("1 Q0 a 3 10 five 0:3\n", 1, "a whole number"),
        ("1 Q0 a 3 10\n1 0 b 1\n", 2, "topic Q0 doc rsize docsize"),
    ],
)
def test_bad_qrels_are_reported_with_their_line(read, text, line, wanted):
    with pytest.raises(InputError) as caught:
        read(text)
    assert caught.value.line == line
    assert wanted in caught.value.wanted


def test_trec_qrels_are_read_and_written(read):
    assessments = read("1 0 a 2\n1 0 b -1\n2 0 a 0.5\n")
    assert (assessments.scale, assessments.format) == ("documents", "trec")
    assert assessments.judged.select("topic", "doc", "grade").rows() == [
        ("1", "a", 2.0),
        ("1", "b", -1.0),
        ("2", "a", 0.5),
    ]
    assert find_assessment_format("trec").write(assessments) == b"1 0 a 2\n1 0 b -1\n2 0 a 0.5\n"


@pytest.mark.parametrize(
    ("text", "line", "wanted", "found"),
    [
        ("1 0 a 2\n1 0 b 0 100\n", 2, "4 columns", "5 columns"),
        ("1 0 a 2\n\n1 0 b yes\n", 3, "a number", "'yes'"),
        ("1 0 a nan\n", 1, "a number", "'nan'"),
        ("1 0 a 1_0\n", 1, "a number", "'1_0'"),
        ("1 0 a 1e999\n", 1, "a number", "'1e999'"),
    ],
)
def test_bad_trec_qrels_are_reported_with_their_line(read, text, line, wanted, found):
    with pytest.raises(InputError) as caught:
        read(text)
    assert caught.value.line == line
    assert wanted in caught.value.wanted
    assert caught.value.found == found


_GRADES = ("0", "1", "2", "-1", "+3", "0.5", "1e2", "017", ".5")


def _write_random_lines(kind, random):
    """Return a regular file of either kind, with everything that it may contain."""
    lines = []
    for _ in range(random.randrange(1, 30)):
        topic, doc = random.choice(["1", "t-2", "\u00e9"]), f"{random.choice('ab/.#')}{random.randrange(9)}"
        if kind == "trec":
            lines.append(f"{topic} 0 {doc} {random.choice(_GRADES)}")
            continue
        bep = random.choice(["", " -1", " X", " x", " 7", " 0"])
        spans = (f" {random.randrange(50)}:{random.randrange(50)}" for _ in range(random.randrange(4)))
        lines.append(f"{topic} Q0 {doc} {random.randrange(99)} 00900{bep}{''.join(spans) if bep else ''}")
    return ("\n".join(lines) + random.choice(["", "\n"])).encode()


@pytest.mark.parametrize("seed", range(20))
def test_regular_qrels_are_read_in_bulk_as_line_by_line(seed):
    data = _write_random_lines("qrels", Random(seed))
    in_bulk, by_line = _read_qrels_in_bulk(data, "f"), _read_qrels_by_line(data, "f")
    for table, expected in zip(in_bulk, by_line, strict=True):
        assert_frame_equal(table, expected, check_column_order=False)


@pytest.mark.parametrize("seed", range(20))
def test_regular_trec_qrels_are_read_in_bulk_as_line_by_line(seed):
    data = _write_random_lines("trec", Random(seed))
    in_bulk = _read_trec_in_bulk(data, "f")
    assert in_bulk is None or in_bulk.height
    if b"+" not in data:  # which the bulk reader does not read as a number
        assert_frame_equal(in_bulk, _read_trec_by_line(data, "f"), check_column_order=False)


@pytest.mark.parametrize(
    "blank", ["  ", "\xa0", "\u2028", "\x1c", "\x85", "\r"], ids=lambda blank: ascii(blank).strip("'")
)
def test_any_blank_separates_columns_of_qrels(read, blank):
    assert read(f"3 0 b 1\n1 0 a{blank}2\n").judged["doc"].to_list() == ["b", "a"]
    assert read(f"1 Q0 b 0 5\n1 Q0 a{blank}9 10\n").judged["doc"].to_list() == ["b", "a"]
    with pytest.raises(InputError, match="4 columns"):
        read(f"1 0 b 1\n1 0 a{blank}c 1\n")
    with pytest.raises(InputError, match="a whole number"):
        read(f"1 Q0 b 1 1\n1 Q0 a{blank}c 1 1\n")


def test_a_very_long_line_of_qrels_is_refused(read, monkeypatch):
    monkeypatch.setattr("doxel.files.contents.MAX_LINE_BYTES", 100)
    for text in ("1 0 a 1\n1 0 {} 1\n", "1 Q0 a 1 1\n1 Q0 {} 1 1\n"):
        with pytest.raises(InputError, match="line 2: a very long line"):
            read(text.format("a" * 200))


PLACE = {"topic": "1", "doc": "a"}


@pytest.mark.parametrize("name", ["qrels", "trec"])
def test_ids_with_spaces_cannot_be_written_in_columns(name):
    judged = ASSESSMENT_TABLES["judged"].from_rows([{"topic": "1", "doc": "a b", "docsize": 1, "grade": 1}])
    with pytest.raises(InputError, match="an id without white space"):
        find_assessment_format(name).write(Assessments("2006", judged))


def test_qrels_cannot_hold_two_best_entry_points():
    judged = ASSESSMENT_TABLES["judged"].from_rows([{"topic": "1", "doc": "a", "docsize": 1}])
    beps = ASSESSMENT_TABLES["beps"].from_rows([{**PLACE, "position": 1}, {**PLACE, "position": 2}])
    with pytest.raises(InputError, match="one best entry point per document"):
        find_assessment_format("qrels").write(Assessments("2006", judged, beps=beps))


# The real assessments of INEX 2009 and 2010.  The counts (120 topics, 10,329 lines, 21,108 passages) come
# from the file's description, and from ``wc`` and ``grep -o``.
@pytest.fixture(scope="module")
def path(shared_data):
    return shared_data / "inex-adhoc-2009-2010" / "inex-adhoc-2009-2010.qrels"


@pytest.fixture(scope="module")
def real(path):
    return read_assessments(path)


def test_all_topics_documents_and_passages_are_read(real):
    assert len(real.topics) == 120
    assert real.judged.height == 10_329
    assert real.highlights.height == 21_108
    assert real.beps.height == 10_329


def test_every_number_agrees_with_a_plain_reading_of_the_file(real, path):
    lines = path.read_text().splitlines()
    spans = [tuple(map(int, pair)) for line in lines for pair in re.findall(r" (\d+):(\d+)", line)]
    assert real.highlights.select("start", "end").rows() == [
        (start, start + length) for start, length in spans
    ]
    fields = [line.split()[:5] for line in lines]
    assert real.judged.select("topic", "doc", "rsize", "docsize").rows() == [
        (topic, doc, int(rsize), int(docsize)) for topic, _, doc, rsize, docsize in fields
    ]


def test_writing_reproduces_the_file(real, path):
    assert find_assessment_format("qrels").write(real) == path.read_bytes().replace(b"\r\n", b"\n")


@pytest.mark.parametrize("name", ["jsonl", "web-annotation"])
def test_other_formats_keep_all_highlights(real, name):
    form = find_assessment_format(name)
    again = form.read(form.write(real), name)
    assert again.highlights.select("topic", "doc", "start", "end").equals(
        real.highlights.select("topic", "doc", "start", "end")
    )
    assert again.beps.select("topic", "doc", "position").equals(real.beps.select("topic", "doc", "position"))
    assert form.losses(real.tables) == ["judged.rsize (10,329 rows)", "judged.docsize (10,329 rows)"]


def test_reading_is_fast(path):
    with in_time(15):  # usually half a second
        for _ in range(10):
            read_assessments(path)


def test_only_one_format_recognises_the_file(path):
    data = path.read_bytes()
    assert [form.name for form in ASSESSMENT_FORMATS if form.recognises(data)] == ["qrels"]
