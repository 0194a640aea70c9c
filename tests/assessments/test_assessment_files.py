"""Files of assessments: sets in which a document is judged once per topic, and files that are rejected."""

import zipfile

import pytest

from doxel.assessments import read_assessments, write_assessments
from doxel.assessments.assessment_files import ASSESSMENT_FORMATS
from doxel.errors import InputError
from limits import in_time
from random_share import LONG_LINE


def pool(topic, number, *files):
    return f'<assessments pool="{number}" topic="{topic}" version="2">{"".join(files)}</assessments>'


def judged(name, *children):
    return f'\n<file collection="wikien" name="{name}">{"".join(children)}</file>'


PASSAGE = '<passage start="/article[1]/p[1]" end="/article[1]/p[2]" size="9"/>'
OTHER_PASSAGE = '<passage start="/article[1]/p[1]" end="/article[1]/p[1]" size="4"/>'
POINT = '<best-entry-point path="/article[1]/p[1]"/>'


@pytest.fixture
def campaign(tmp_path):
    """A folder as written by the campaign's export script, with its DTD and statistics."""

    def write(files):
        for name, text in files.items():
            path = tmp_path / "adhoc" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path / "adhoc"

    return write


FOLDER = {
    "done/assessments.dtd": "<!ELEMENT assessments (file*)>",
    "statistics.html": "<table/>",
    "done/adhoc/main/topic-1/pool-3.xml": pool(1, 3, judged("a", POINT, PASSAGE), judged("b")),
    "done/adhoc/main/topic-1/pool-4.xml": pool(1, 4, judged("c")),
    "in_progress/adhoc/main/topic-2/pool-5.xml": pool(2, 5, judged("a", POINT, PASSAGE)),
    "in_progress/adhoc/main/topic-9/pool-6.xml": pool(9, 6),
}


def test_a_folder_is_one_set(campaign):
    assessments = read_assessments(campaign(FOLDER))
    assert (assessments.scale, assessments.format) == ("2006", "inex2006")
    assert assessments.judged.select("topic", "doc", "pool").rows() == [
        ("1", "a", "3"),
        ("1", "b", "3"),
        ("1", "c", "4"),  # nothing relevant in this file: its year is assumed to be that of the others
        ("2", "a", "5"),
    ]
    assert assessments.highlights.height == assessments.beps.height == 2
    assert assessments.judged["file"][3].endswith("pool-5.xml")
    assert any("assessments.dtd" in note and "statistics.html" in note for note in assessments.notes)


def test_a_list_of_paths_and_an_archive_are_sets_too(campaign, tmp_path):
    folder = campaign(FOLDER)
    archive = tmp_path / "adhoc.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for path in folder.rglob("*.*"):
            packed.write(path, path.relative_to(folder))
    whole = read_assessments(folder).judged.drop("file")
    assert read_assessments(archive).judged.drop("file").equals(whole)
    assert read_assessments([folder / "done", folder / "in_progress"]).judged.drop("file").equals(whole)


def test_two_different_judgements_of_one_document_are_an_error(campaign):
    folder = campaign(
        {
            "main/topic-1/pool-3.xml": pool(1, 3, judged("a", POINT, PASSAGE)),
            "others/topic-1/pool-8.xml": pool(1, 8, judged("b"), judged("a", POINT, OTHER_PASSAGE)),
        }
    )
    with pytest.raises(InputError) as caught:
        read_assessments(folder)
    assert caught.value.file.endswith("others/topic-1/pool-8.xml")
    assert caught.value.line == 3
    assert "main/topic-1/pool-3.xml, line 2" in caught.value.found
    assert "topic 1, document a" in caught.value.problem
    assert read_assessments(folder / "main").judged.height == 1


def test_the_same_judgement_twice_counts_once(campaign):
    same = judged("a", POINT, PASSAGE)
    folder = campaign({"one.xml": pool(1, 3, same, judged("b")), "two.xml": pool(1, 3, judged("c"), same)})
    assessments = read_assessments(folder)
    assert sorted(assessments.judged["doc"]) == ["a", "b", "c"]
    assert assessments.highlights.height == assessments.beps.height == 1
    assert any("1 judgement is an exact repetition" in note for note in assessments.notes)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("1 Q0 a 5 10 0 0:5\n2 Q0 a 5 10 0 0:5\n1 Q0 a 5 10 0 0:5\n", 2),
        ("1 0 a 1\n1 0 b 1\n1 0 a 1\n", 2),
    ],
)
def test_a_repeated_line_counts_once(tmp_path, text, rows):
    (tmp_path / "x").write_text(text)
    assert read_assessments(tmp_path / "x").judged.height == rows


@pytest.mark.parametrize(
    "text", ["1 Q0 a 5 10 0 0:5\n1 Q0 b 0 10\n1 Q0 a 6 10 0 0:6\n", "1 0 a 1\n1 0 b 1\n1 0 a 2\n"]
)
def test_two_lines_that_disagree_are_an_error(tmp_path, text):
    (tmp_path / "x").write_text(text)
    with pytest.raises(InputError) as caught:
        read_assessments(tmp_path / "x")
    assert caught.value.line == 3
    assert caught.value.found.endswith("line 1")


def test_files_of_two_scales_are_an_error(tmp_path):
    (tmp_path / "a.qrels").write_text("1 Q0 a 5 10 0 0:5\n")
    (tmp_path / "b.qrels").write_text("2 0 a 1\n")
    with pytest.raises(InputError) as caught:
        read_assessments(tmp_path)
    assert caught.value.file.endswith("b.qrels")
    assert "a.qrels" in caught.value.wanted


def test_formats_of_one_scale_may_be_mixed(tmp_path):
    (tmp_path / "a.qrels").write_text("1 Q0 a 5 10 0 0:5\n")
    (tmp_path / "b.jsonl").write_text('{"topic": "2", "doc": "a", "start": 1, "end": 2}\n')
    assessments = read_assessments(tmp_path)
    assert (assessments.scale, assessments.format, assessments.topics) == ("2006", None, ["1", "2"])


def test_files_that_count_text_nodes_differently_are_an_error(tmp_path):
    for number, rule in enumerate(("keep", "strip")):
        text = pool(number, number, judged("a", POINT)).replace(
            "version", f'whitespace-text-node="{rule}" version'
        )
        (tmp_path / f"{number}.xml").write_text(text)
    with pytest.raises(InputError, match="whitespace-text-node"):
        read_assessments(tmp_path)


def test_a_folder_without_assessments_is_an_error(tmp_path):
    (tmp_path / "README").write_text("nothing here")
    with pytest.raises(InputError, match="nothing to read"):
        read_assessments(tmp_path)
    (tmp_path / "pool.xml").write_text(pool(1, 1))
    with pytest.raises(InputError, match="no assessments"):
        read_assessments(tmp_path)


@pytest.mark.parametrize("name", ["x.qrels", "x.qrels.gz", "x.qrels.xz", "x.qrels.zst"])
def test_written_files_can_be_read_compressed_or_not(tmp_path, name):
    if name.endswith("zst"):
        pytest.importorskip("zstandard")
    (tmp_path / "in").write_text("1 Q0 a 5 10 0 0:5\n")
    assessments = read_assessments(tmp_path / "in")
    write_assessments(assessments, tmp_path / name, "qrels")
    assert read_assessments(tmp_path / name).highlights.equals(assessments.highlights)
    assert name == "x.qrels" or (tmp_path / name).read_bytes() != b"1 Q0 a 5 10 0 0:5\n"


def test_a_failed_write_keeps_the_old_file(tmp_path):
    target = tmp_path / "kept.qrels"
    target.write_text("as it was")
    (tmp_path / "in").write_text("1 0 a 1\n")
    with pytest.raises(InputError):
        write_assessments(read_assessments(tmp_path / "in"), target, "qrels")
    assert target.read_text() == "as it was"


def test_an_unknown_format_is_rejected_with_a_list_of_the_formats(tmp_path):
    (tmp_path / "in").write_text("1 0 a 1\n")
    with pytest.raises(
        InputError, match=f"one of {', '.join(form.name for form in ASSESSMENT_FORMATS)}, found 'qrel'"
    ):
        read_assessments(tmp_path / "in", format="qrel")


@pytest.mark.parametrize("content", [b"", b"\n \r\n", b"\xef\xbb\xbf\n"])
def test_an_empty_file_is_rejected(tmp_path, content):
    (tmp_path / "empty").write_bytes(content)
    with pytest.raises(InputError, match="empty file"):
        read_assessments(tmp_path / "empty")


def test_a_missing_file_is_reported(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_assessments(tmp_path / "nowhere")


@pytest.mark.parametrize(
    "content",
    [b"<article><p>text</p></article>", b"one two\n", b"{}\n", b"\x00\x01\x02", b"colour,size,rel\n1,2,3\n"],
)
def test_a_file_that_is_not_assessments_is_rejected_with_a_list_of_the_formats(tmp_path, content):
    (tmp_path / "other").write_bytes(content)
    with pytest.raises(InputError, match=r"one of inex2006, .*, qrels"):
        read_assessments(tmp_path / "other")


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"1 Q0 a 5 10 0 0:5\n1 Q0 caf\xe9 5 10\n", 2),
        (b"1 0 a 1\n\n1 0 \xff 1\n", 3),
        (b'{"topic": "1", "doc": "a"}\n{"topic": "1", "doc": "\xe9"}\n', 2),
        (b'[{"type": "Annotation",\n"target": "\xe9"}]', 2),
        (b'<assessments topic="1">\n<file file="\xe9"/></assessments>', 2),
    ],
    ids=["qrels", "trec", "jsonl", "web-annotation", "xml"],
)
def test_invalid_bytes_are_reported_with_their_line(tmp_path, content, line):
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_assessments(tmp_path / "x")
    assert caught.value.line == line


@pytest.mark.long_line
@pytest.mark.parametrize(
    "beginning", [b"1 Q0 a 5 10 0 ", b"1 0 a 1 ", b'{"topic": "1", "doc": "', b"word word "]
)
def test_a_line_of_many_megabytes_is_rejected_quickly_and_not_repeated(tmp_path, beginning):
    path = tmp_path / "long"
    path.write_bytes(beginning + b"12:34 " * (LONG_LINE // 6))
    with pytest.raises(InputError) as caught, in_time(20):  # reading it all would take minutes
        read_assessments(path)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("name", ["qrels", "trec", "jsonl"])
def test_a_very_long_line_is_reported_by_its_number(tmp_path, name):
    path = tmp_path / "long"
    path.write_bytes(b"1 0 a 1\n" + b"x" * 11_000_000 + b"\n1 0 b 1\n")
    with pytest.raises(InputError) as caught:
        read_assessments(path, format=name)
    assert caught.value.line == 2
    assert caught.value.found == "11,000,000 bytes"
