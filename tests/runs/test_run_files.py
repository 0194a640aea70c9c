"""Files of runs: read alone or as sets, recognised by format, or rejected with file and line."""

import gzip
import io
import re
import tarfile
import zipfile

import pytest

from doxel.errors import InputError
from doxel.runs import RUN_FORMATS, read_run, read_runs, write_run
from limits import in_time
from random_share import LONG_LINE
from runs.small_runs import RANKED, run_of

LINE = "1 Q0 {doc} 1 0.9 {id}\n"


@pytest.fixture
def folder(tmp_path):
    """Three runs, two of which share an id, and a hidden file."""
    path = tmp_path / "runs"
    (path / "team").mkdir(parents=True)
    (path / "b.run").write_text(LINE.format(doc="b", id="shared"))
    (path / "a.run").write_text(LINE.format(doc="a", id="alone"))
    (path / "team" / "c.run").write_text(LINE.format(doc="c", id="shared"))
    (path / ".hidden").write_text("nothing")
    return path


def test_a_folder_is_a_set_of_runs(folder):
    runs = read_runs(folder)
    assert [run.id for run in runs] == ["alone", "shared:b.run", "shared:c.run"]
    assert [run.results["doc"].item() for run in runs] == ["a", "b", "c"]
    assert runs[0].file == str(folder / "a.run")


def test_archives_are_sets_of_runs(folder, tmp_path):
    with zipfile.ZipFile(tmp_path / "runs.zip", "w") as archive:
        for path in sorted(folder.rglob("*.run")):
            archive.write(path, path.relative_to(folder))
    with tarfile.open(tmp_path / "runs.tar.gz", "w:gz") as archive:
        for path in sorted(folder.rglob("*.run")):
            archive.add(path, path.relative_to(folder))
    for name in ("runs.zip", "runs.tar.gz"):
        runs = read_runs([tmp_path / name])
        assert [run.id for run in runs] == ["alone", "shared:b.run", "shared:c.run"]
        assert runs[0].file == f"{tmp_path / name}:a.run"


def test_a_folder_without_runs_is_rejected(tmp_path):
    with pytest.raises(InputError, match="wanted files of runs, found none"):
        read_runs(tmp_path)


def test_the_error_names_the_bad_run_of_a_folder(folder):
    (folder / "bad.run").write_text("1 Q0 d 1 high r\n")
    with pytest.raises(InputError, match=r"bad\.run, line 1: the rsv"):
        read_runs(folder)


def test_a_failed_write_keeps_the_old_file(tmp_path):
    path = tmp_path / "a.run"
    path.write_text("precious")
    with pytest.raises(InputError):
        write_run(run_of(RANKED), path, "fol")
    assert path.read_text() == "precious"
    with pytest.raises(InputError, match="cannot be written"):
        write_run(run_of(RANKED), tmp_path / "nowhere" / "a.run", "trec")


FOL = "1 Q0 d 1 0.9 r 5 10\n"
PATH = "1 Q0 d 1 0.9 r /a[1]\n"
RANGE = "1 Q0 d 1 0.9 r /a[1] /a[1]/p[2]\n"
TREC = "1 Q0 d 1 0.9 r\n"
BEP = "1 Q0 d 1 0.9 r 5\n"
JSON = '{"topic": "1", "doc": "d", "start": 5, "end": 9, "run": "r"}\n'


@pytest.fixture
def read_error(tmp_path):
    def read_content(content, **options):
        path = tmp_path / "bad.run"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        with pytest.raises(InputError) as caught:
            read_run(path, **options)
        assert caught.value.file == str(path)
        return caught.value

    return read_content


@pytest.mark.parametrize(
    ("good", "bad", "problem", "wanted", "found"),
    [
        # a line with other columns
        (
            FOL,
            "1 Q0 d 2 0.8 r 5\n",
            "a result",
            "8 columns: topic Q0 doc rank rsv run-id offset length",
            "7 columns",
        ),
        (FOL, "1 Q0 d 2 0.8 r 5 1 9\n", "a result", "8 columns", "9 columns"),
        (FOL, "1 Q0 d 2 0.8 r /a[1] /a[1]\n", "the offset of a result", "or X", "'/a[1]'"),
        (
            RANGE,
            "1 Q0 d 2 0.8 r /a[1]\n",
            "a result",
            "8 columns: topic Q0 doc rank rsv run-id path path",
            "7 columns",
        ),
        (RANGE, "1 Q0 d 2 0.8 r 5 10\n", "the path of a result", "a path such as", "'5'"),
        (PATH, "1 Q0 d 2 0.8 r 5\n", "the path of a result", "steps such as", "'5'"),
        (PATH, "1 Q0 d 2 0.8 r /a[1] /a[1]\n", "a result", "7 columns", "8 columns"),
        (BEP, "1 Q0 d 2 0.8 r /a[1]\n", "the offset of a result", "0 or more", "'/a[1]'"),
        (TREC, "1 Q0 d 2 0.8 r 5\n", "a result", "6 columns: topic Q0 doc rank rsv run-id", "7 columns"),
        # an invalid field
        (TREC, "1 Q0 d first 0.8 r\n", "the rank of a result", "a whole number", "'first'"),
        (TREC, "1 Q0 d 2.0 0.8 r\n", "the rank of a result", "a whole number", "'2.0'"),
        (TREC, "1 Q0 d 99999999999999999999 0.8 r\n", "the rank of a result", "a whole number", "'9999"),
        (TREC, "1 Q0 d 2 high r\n", "the rsv of a result", "a number", "'high'"),
        (TREC, "1 Q0 d 2 nan r\n", "the rsv of a result", "a number", "'nan'"),
        (TREC, "1 Q0 d 2 1_0 r\n", "the rsv of a result", "a number", "'1_0'"),
        (FOL, "1 Q0 d 2 0.8 r 5 -10\n", "the length of a result", "0 or more", "'-10'"),
        (FOL, "1 Q0 d 2 0.8 r -5 10\n", "the offset of a result", "0 or more", "'-5'"),
        (FOL, "1 Q0 d 2 0.8 r 5 X\n", "the length of a result", "0 or more", "'X'"),
        (
            FOL,
            "1 Q0 d 2 0.8 r 5 9223372036854775807\n",
            "the length of a result",
            "characters",
            "'9223372036854775807'",
        ),
        (PATH, "1 Q0 d 2 0.8 r /a[1]/p[0]\n", "the path of a result", "positions from 1", "'/a[1]/p[0]'"),
        (
            PATH,
            "1 Q0 d 2 0.8 r a[1]/p[1]\n",
            "the path of a result",
            "steps such as /article[1]",
            "'a[1]/p[1]'",
        ),
        (PATH, "1 Q0 d 2 0.8 r /a[1]/text()[1].5\n", "the path of a result", "steps", "'/a[1]/text()[1].5'"),
        (RANGE, "1 Q0 d 2 0.8 r /a[1] a[1]\n", "the path of a result", "a path", "'a[1]'"),
        (
            RANGE,
            "1 Q0 d 2 0.8 r /a[1] /a[1]/text()[0].5\n",
            "the path of a result",
            "a path",
            "'/a[1]/text()[0].5'",
        ),
        # two runs
        (TREC, "1 Q0 d 2 0.8 s\n", "a second run-id", "'r' as in line 1", "'s'"),
        # JSON lines
        (JSON, '{"topic": "1", "doc": "d", "start": "5", "end": 9}\n', "the start", "a whole number", "'5'"),
        (JSON, '{"topic": "1", "doc": "d", "start": 5.0, "end": 9}\n', "the start", "a whole number", "5.0"),
        (
            JSON,
            '{"topic": "1", "doc": "d", "start": true, "end": 9}\n',
            "the start",
            "a whole number",
            "True",
        ),
        (JSON, '{"topic": "1", "doc": "d", "start": -2, "end": 9}\n', "the start", "0 or more", "-2"),
        (JSON, '{"topic": "1", "doc": "d", "start": 5, "end": 4}\n', "the end", "not before", "4"),
        (JSON, '{"topic": "1", "doc": "d", "end": 4}\n', "the end", "a start", "4"),
        (JSON, '{"topic": "1", "doc": "d", "path": "a"}\n', "the path", "steps such as", "'a'"),
        (JSON, '{"topic": "1", "doc": "d", "path_end": "/a"}\n', "the path_end", "a path", "'/a'"),
        (JSON, '{"topic": "1", "doc": "d", "text": 5}\n', "the text", "a string", "5"),
        (JSON, '{"topic": "1", "doc": "d", "rank": 1.5}\n', "the rank", "a whole number", "1.5"),
        (JSON, '{"topic": "1", "doc": "d", "score": "x"}\n', "the score", "a number", "'x'"),
        (JSON, '{"topic": "1", "doc": "d", "score": 1, "rsv": 2}\n', "the rsv", "not both", "2"),
        (JSON, '{"topic": "1"}\n', "the doc", "not empty", "none"),
        (JSON, '{"topic": "", "doc": "d"}\n', "the topic", "not empty", "''"),
        (JSON, '{"topic": "1", "doc": "d", "rank": 99999999999999999999}\n', "the rank", "18 digits", "more"),
        (JSON, '{"topic": "1", "doc": "d", "run": "s"}\n', "a second run-id", "'r' as in line 1", "'s'"),
        (JSON, '{"topic": "1", "doc": "\\ud800"}\n', "the doc", "valid Unicode text", "half"),
        (JSON, '{"topic": "1", "doc": "d"\n', "JSON lines", "a JSON object", "Expecting"),
        (JSON, '{"topic": "1", "doc": "d", "score": NaN}\n', "JSON lines", "a JSON object", "NaN"),
        (JSON, '{"topic": "1"}, {"doc": "d"}\n', "JSON lines", "a JSON object", "Extra data"),
        (JSON, '["1", "d"]\n', "JSON lines", "a JSON object", "["),
    ],
)
def test_a_bad_line_is_reported_with_its_number_and_both_values(
    read_error, good, bad, problem, wanted, found
):
    for before, line in ((good, 2), (good + "\n" + good, 4)):  # regular, and irregular
        error = read_error(before + bad)
        assert error.line == line
        assert error.problem.startswith(problem)
        assert wanted in error.wanted
        assert found in error.found


@pytest.mark.parametrize("content", ["", "\n", " \r\n\t\n", "\ufeff"])
def test_an_empty_file_is_rejected(read_error, content):
    assert "empty file" in str(read_error(content))


@pytest.mark.parametrize("name", [form.name for form in RUN_FORMATS])
def test_every_format_rejects_an_empty_file(name):
    form = next(form for form in RUN_FORMATS if form.name == name)
    with pytest.raises(InputError):
        form.read(b"\n", "nothing")


@pytest.mark.parametrize(
    "content",
    [
        "1 Q0 d 1 0.9\n",  # five columns
        "1 Q0 d 1 0.9 r 5 10 7\n",  # nine
        '<article a="1" b="2" c="3" d="4" e="5">\n</article>',
        "[1, 2]",
        "\x00\x01\x02",
        "colour,size,rank\n1,d,1\n",
    ],
)
def test_a_file_that_is_not_a_run_is_rejected_with_a_list_of_the_formats(read_error, content):
    error = read_error(content)
    assert error.wanted.startswith(f"one of {', '.join(form.name for form in RUN_FORMATS)}")
    assert "not a known format of runs" in error.problem


def test_a_format_given_by_name_is_not_guessed(read_error):
    error = read_error(FOL, format="paths")
    assert (error.line, error.found) == (1, "'5'")
    with pytest.raises(InputError, match=r"one of inex-xml, .*, jsonl, .*, found 'folx'"):
        read_run(error.file, format="folx")


@pytest.mark.parametrize("name", ["trec", "jsonl"])
def test_a_wrong_byte_is_reported_with_its_line(read_error, name):
    good, bad = {"trec": (TREC, "1 Q0 \xe9 2 0.8 r\n"), "jsonl": (JSON, '{"topic": "\xe9"}')}[name]
    error = read_error(good.encode() + bad.encode("latin-1"))
    assert (error.line, error.wanted, error.found) == (2, "UTF-8 text", "byte 0xe9")


def test_a_missing_file_is_reported(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_run(tmp_path / "nowhere.run")


# a beginning, and text that is repeated for megabytes
HUGE = {
    "one word": (b"", b"x"),
    "many words": (b"", b"x "),
    "results without line ends": (FOL.strip().encode() + b" ", b"1 Q0 d 1 0.9 r 5 10 "),
    "the second line": (FOL.encode(), b"1 Q0 d "),
    "JSON that never ends": (b'{"topic": "', b"x"),
    "JSON that nests": (b"", b'{"a":'),
    "a name in XML": (b"<inex-submission ", b"x"),
    "XML that nests": (b"<inex-submission>", b"<topic topic-id='1'>"),
}


def build_huge(name):
    beginning, piece = HUGE[name]
    return beginning + piece * (LONG_LINE // len(piece))


@pytest.mark.long_line
@pytest.mark.parametrize("name", HUGE)
def test_a_line_of_many_megabytes_is_rejected_quickly_and_not_repeated(read_error, name):
    with in_time(20):
        error = read_error(build_huge(name))
    assert len(str(error)) < 400


@pytest.mark.long_line
@pytest.mark.parametrize("name", [form.name for form in RUN_FORMATS])
def test_every_format_rejects_a_long_line_quickly(read_error, name):
    with in_time(20):
        error = read_error(build_huge("many words"), format=name)
    assert not re.search(r"x x x x", str(error))


def test_a_file_compressed_twice_is_decompressed_only_once(read_error):
    """A gzip header may contain a name like a line of a run, and a bulk reader would decompress it again."""
    inner = io.BytesIO()
    with gzip.GzipFile("1 Q0 d 1 0.9 r\n", "wb", fileobj=inner, mtime=0) as stream:
        stream.write(TREC.encode() * 1000)
    assert read_error(gzip.compress(inner.getvalue())).wanted == "UTF-8 text"


@pytest.mark.parametrize("name", ["x\u06c1", "x\u071c"])
def test_ids_that_start_like_a_compressed_file_are_read_as_ids(tmp_path, name):
    """In UTF-8 they start with the two bytes that mark zlib files."""
    (tmp_path / "a.run").write_text(f"{name} Q0 d 1 0.9 r\n", encoding="utf-8")
    assert read_run(tmp_path / "a.run").topics == [name]
    result = f"<result><file>{name}</file><path>/a[1]</path><rank>1</rank></result>"
    text = f'<inex-submission run-id="r"><topic topic-id="1">{result}</topic></inex-submission>'
    (tmp_path / "a.xml").write_text(text, encoding="utf-8")
    assert read_run(tmp_path / "a.xml").results["doc"].to_list() == [name]
