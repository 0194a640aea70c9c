"""The real assessments of INEX 2009 and 2010 are read and written without loss.

The counts (120 topics, 10,329 lines, 21,108 passages) come from the file's description, and from ``wc``
and ``grep -o``.
"""

import re
import time

import pytest

from doxel.assessments import read_assessments
from doxel.assessments.assessment_files import ASSESSMENT_FORMATS, find_assessment_format


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
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        read_assessments(path)
        seconds.append(time.perf_counter() - start)
    assert min(seconds) < 0.3  # usually about 0.05; the best of five avoids noise


def test_only_one_format_recognises_the_file(path):
    data = path.read_bytes()
    assert [form.name for form in ASSESSMENT_FORMATS if form.recognises(data)] == ["qrels"]
