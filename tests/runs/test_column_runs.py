"""Runs in columns: trec, paths, fol, bep; a real run of INEX 2009."""

import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doxel.errors import InputError
from doxel.runs import read_run, write_run
from doxel.runs.run_files import find_run_format
from random_share import count_cases
from runs.random_runs import runs

IN_COLUMNS = ["trec", "paths", "fol", "bep"]


@pytest.fixture
def read(tmp_path):
    def from_text(text, **options):
        path = tmp_path / "a.run"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_run(path, **options)

    return from_text


def test_fol_results_have_offsets_and_lengths(read):
    run = read("2009001 Q0 851 1 0.9 mine 1205 3431\n2009001 Q0 852 2 -1.5e-5 mine 0 0\n")
    assert (run.id, run.format, run.task, run.topics) == ("mine", "fol", None, ["2009001"])
    assert run.results.select("doc", "rank", "rsv", "start", "end", "line").rows() == [
        ("851", 1, 0.9, 1205, 4636, 1),
        ("852", 2, -1.5e-5, 0, 0, 2),
    ]


def test_fol_end_reads_lengths_as_ends(read):
    text = "1 Q0 a 1 0.9 r 100 150\n1 Q0 a 2 0.8 r X 150\n"
    assert read(text, fol_end=True).results.select("start", "end").rows() == [(100, 150), (-1, -1)]
    with pytest.raises(InputError, match=r"line 1: the end of a result: .* offset 100, found 50"):
        read("1 Q0 a 1 0.9 r 100 50\n", fol_end=True)


@pytest.mark.parametrize("offset", ["X", "x", "-1"])
@pytest.mark.parametrize("length", ["0", "18", "-1", "X"])
def test_a_result_that_was_not_found_has_no_span(read, offset, length):
    run = read(f"1 Q0 a 1 0.9 r 100 50\n1 Q0 b 2 0.8 r {offset} {length}\n")
    assert run.results.select("start", "end").rows() == [(100, 150), (-1, -1)]


def test_one_path_is_an_element(read):
    run = read("1 Q0 a 1 0.9 r /article[1]/bdy/x:p[2]\n")
    assert run.format == "paths"
    assert run.results.select("path", "path_end", "start").rows() == [("/article[1]/bdy/x:p[2]", None, None)]


def test_two_paths_are_a_range_or_passage(read):
    run = read("1 Q0 a 1 0.9 r /a[1]/p[1] /a[1]/p[3]\n1 Q0 a 2 0.8 r /a[1]/p[2]/text()[1].17 /a[1]/p[9]\n")
    assert run.format == "paths"
    assert run.results.select("path", "path_end").rows() == [
        ("/a[1]/p[1]", "/a[1]/p[3]"),
        ("/a[1]/p[2]/text()[1].17", "/a[1]/p[9]"),
    ]


def test_an_offset_without_a_length_is_an_entry_point(read):
    run = read("1 Q0 a 1 0.9 r 500\n1 Q0 b 2 0.8 r X\n")
    assert run.format == "bep"
    assert run.results.select("start", "end").rows() == [(500, None), (-1, None)]


def test_six_columns_are_whole_documents(read):
    run = read("1 Q0 a 1 0.9 r\n")
    assert run.format == "trec"
    assert run.results.select("doc", "path", "start", "text").rows() == [("a", None, None, None)]


def test_infinite_scores_are_numbers(read):
    assert read("1 Q0 a 1 inf r\n1 Q0 b 2 -inf r\n").results["rsv"].to_list() == [float("inf"), -float("inf")]


spellings = st.tuples(
    st.sampled_from([" ", "\t", "  ", " \t ", "\x0b"]),  # between columns
    st.sampled_from(["\n", "\r\n", " \n", "\n\n", "\n  \r\n"]),  # between lines
    st.sampled_from(["", " ", "\t"]),  # before lines
    st.sampled_from([b"", b"\xef\xbb\xbf"]),
)


@pytest.mark.parametrize("name", IN_COLUMNS)
@given(data=st.data(), spelling=spellings)
@settings(max_examples=count_cases(100), deadline=None)
def test_white_space_line_ends_and_byte_order_marks_do_not_matter(name, data, spelling):
    form = find_run_format(name)
    regular = form.write(data.draw(runs(name)))
    between, end, before, mark = spelling
    lines = regular.decode().splitlines()
    messy = mark + "".join(f"{before}{between.join(line.split(' '))}{end}" for line in lines).encode()
    assert form.recognises(messy)
    plain, read = form.read(regular, "plain"), form.read(messy, "messy")
    assert read.results.drop("line").equals(plain.results.drop("line"))
    assert read.id == plain.id
    plain_lines = messy.decode("utf-8-sig").split("\n")
    assert [plain_lines[line - 1].split() for line in read.results["line"]] == [
        line.split() for line in lines
    ]


@pytest.mark.parametrize("name", IN_COLUMNS)
@given(data=st.data())
@settings(max_examples=count_cases(50), deadline=None)
def test_the_line_reader_reads_what_the_bulk_reader_reads(name, data):
    regular = find_run_format(name).write(data.draw(runs(name)))
    irregular = regular.replace(b"\n", b" \n", 1)  # white space at the end of one line is irregular
    form = find_run_format(name)
    assert form.read(irregular, "i").results.equals(form.read(regular, "r").results)


@pytest.mark.parametrize("lines", [1, 2, 500])
@pytest.mark.parametrize("topic", ["1", "12"])  # the blanks are at even and at odd offsets
def test_a_missing_second_column_is_an_error(read, lines, topic):
    text = "".join(f"{topic} Q0 doc{number} {number} 0.5 r 0 9\n" for number in range(1, lines + 1))
    with pytest.raises(InputError, match=rf"line {lines + 1}: a result: .* found 7 columns"):
        read(f"{text}{topic}  doc 999 0.5 r 0 9\n")


def test_the_second_column_is_ignored_but_must_be_text(read):
    assert read("1 Q0 a 1 0.9 r 0 9\n1 \u00e9 b 2 0.8 r 0 9\n").results["doc"].to_list() == ["a", "b"]
    with pytest.raises(InputError, match="line 2: wanted UTF-8 text, found byte 0xe9"):
        read(b"1 Q0 a 1 0.9 r 0 9\n1 \xe9 b 2 0.8 r 0 9\n")


def test_only_ascii_white_space_separates_columns(read):
    run = read("1 Q0 a\u00a0b 1 0.9 r\n1 Q0 c\u2028d 2 0.8  r\n")  # the second line is irregular
    assert run.results["doc"].to_list() == ["a\u00a0b", "c\u2028d"]


# One real run of INEX 2009 and the same run grouped by article: 60 topics, 18,693 results.  The counts come
# from the description of the data, and from ``zcat | wc -l`` and ``cut | sort -u``.
FILES = ["bert_inex_converted_1.run.gz", "bert1-grouped-by-document.run.gz"]


@pytest.fixture(scope="module", params=FILES)
def path(request, shared_data):
    return shared_data / "inex-adhoc-2009-2010" / request.param


@pytest.fixture(scope="module")
def run(path):
    return read_run(path)


def test_all_results_and_topics_are_read(run):
    assert run.results.height == 18_693
    assert len(run.topics) == 60
    assert (run.id, run.format) == ("TREC2INEX", "fol")


def test_every_field_agrees_with_a_plain_reading_of_the_file(run, path):
    lines = [line.split() for line in gzip.decompress(path.read_bytes()).decode().splitlines()]
    plain = [
        (topic, doc, int(rank), float(rsv), int(offset), int(offset) + int(length), number)
        for number, (topic, _, doc, rank, rsv, _, offset, length) in enumerate(lines, 1)
    ]
    assert run.results.select("topic", "doc", "rank", "rsv", "start", "end", "line").rows() == plain


@pytest.mark.parametrize("name", ["fol", "jsonl", "inex-xml"])
def test_other_formats_keep_everything(run, name, tmp_path):
    form = find_run_format(name)
    assert not form.losses({"results": run.tables["results"]})
    write_run(run, tmp_path / "a.run", name)
    again = read_run(tmp_path / "a.run")
    assert again.results.drop("line").equals(run.results.drop("line"))
    assert again.id == run.id


def test_the_small_example_of_the_official_tool_is_read(shared_data):
    run = read_run(shared_data / "inex-adhoc-2009-2010" / "tiny" / "run.txt")
    assert run.results.select("doc", "start", "end").rows() == [
        ("100", 100, 200),
        ("100", 450, 550),
        ("300", 0, 500),
        ("200", 50, 200),
    ]
