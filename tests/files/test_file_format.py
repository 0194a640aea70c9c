import pytest

from doxel.assessments.assessment_files import ASSESSMENT_FORMATS
from doxel.errors import InputError
from doxel.files.file_format import FileFormat, WritingRefusal, find_format, recognise_format
from doxel.runs.run_files import RUN_FORMATS
from doxel.topics.topic_files import TOPIC_FORMATS


def declare(name, begins=b"", *, accepts=None):
    return FileFormat(
        name=name,
        about="",
        begins=begins,
        accepts=accepts,
        read=lambda data, _name: data,
        write=WritingRefusal(name),
        holds={},
    )


FORMATS = (declare("xml", b"<"), declare("json", rb"[{\[]"), declare("columns"))


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b"<a/>", "xml"),
        (b"\xef\xbb\xbf\r\n <a/>", "xml"),
        ("<a/>".encode("utf-16"), "xml"),
        (" \n<a/>".encode("utf-16-be"), "xml"),
        (b"[1]", "json"),
        (b'\t{"a": 1}', "json"),
        (b"1 Q0 a 1", "columns"),
        (b"", "columns"),
    ],
)
def test_the_beginning_after_the_first_blanks_decides_the_format(head, name):
    assert recognise_format(FORMATS, head, file="x", kind="runs").name == name


def test_a_dot_of_the_expression_matches_line_ends():
    marked = declare("marked", rb'\{.*"mark"')
    assert marked.recognises(b'{"a": 1,\n"mark": 2}')
    assert not marked.recognises(b'{"a": 1}')


def test_formats_that_begin_otherwise_are_not_asked():
    heads = []
    picky = declare("xml", b"<", accepts=lambda head: bool(heads.append(head)))
    with pytest.raises(InputError, match="not a known format of runs"):
        recognise_format([picky], b"1 Q0 a 1", file="x", kind="runs")
    assert not heads


@pytest.mark.parametrize(
    "file_format", [*RUN_FORMATS, *ASSESSMENT_FORMATS, *TOPIC_FORMATS], ids=lambda format_: format_.name
)
def test_a_format_is_found_by_its_name(file_format):
    formats = next(
        table for table in (RUN_FORMATS, ASSESSMENT_FORMATS, TOPIC_FORMATS) if file_format in table
    )
    assert find_format(formats, file_format.name, kind="files") is file_format


def test_an_unknown_name_is_an_error_that_lists_all_names():
    with pytest.raises(InputError, match="one of xml, json, columns, found 'yaml'"):
        find_format(FORMATS, "yaml", kind="runs")


def test_a_format_that_is_only_read_refuses_to_be_written():
    assert FORMATS[0].is_read_only
    with pytest.raises(InputError, match="xml is a format that doxel only reads"):
        FORMATS[0].check_writing()


@pytest.mark.parametrize(
    ("head", "kind", "wanted", "found"),
    [
        (b"\x89PNG\r\n\x1a\n\0,", "runs", "one of xml", "a PNG image"),
        (b"PK\x03\x04a,", "assessments", "one of xml", "a zip archive or an office document"),
        (b"%PDF-1.4\n", "topics", "one of xml", "a PDF document"),
        (b"q1,d,0,9\n", "runs", "such as topic,doc,start,end", "'q1,d,0,9\\n'"),
        (b"id,text\n", "topics", "an id, a tab and a text per line", "'id,text\\n'"),
        (b'{"qid": 1, "q": "x"}', "topics", '"id" and "text"', "JSON with the keys 'qid', 'q'"),
        (b'[{"question": 1}]', "assessments", '"reference_contexts"', "JSON with the keys 'question'"),
        (b"one two", "runs", "one of xml", "'one two'"),
    ],
)
def test_a_file_of_an_unknown_format_is_described(head, kind, wanted, found):
    with pytest.raises(InputError) as caught:
        recognise_format([declare("xml", b"<")], head, file="x", kind=kind)
    assert caught.value.wanted.endswith(wanted)
    assert caught.value.found == found
