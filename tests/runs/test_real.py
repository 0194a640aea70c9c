"""One real run of INEX 2009 and the same run grouped by article: 60 topics, 18,693 results.

The counts come from the description of the data, and from ``zcat | wc -l`` and ``cut | sort -u``.
"""

import gzip

import pytest

from doxel.runs import read_run, read_runs, write_run
from doxel.runs.run_files import find_run_format

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
    write_run(run, tmp_path / "a.run.xz", name)
    again = read_run(tmp_path / "a.run.xz")
    assert again.results.drop("line").equals(run.results.drop("line"))
    assert again.id == run.id


def test_runs_that_share_an_id_get_the_file_in_their_names(shared_data):
    folder = shared_data / "inex-adhoc-2009-2010"
    assert [run.id for run in read_runs([folder / name for name in FILES])] == [
        f"TREC2INEX:{name}" for name in FILES
    ]


def test_the_small_example_of_the_official_tool_is_read(shared_data):
    run = read_run(shared_data / "inex-adhoc-2009-2010" / "tiny" / "run.txt")
    assert run.results.select("doc", "start", "end").rows() == [
        ("100", 100, 200),
        ("100", 450, 550),
        ("300", 0, 500),
        ("200", 50, 200),
    ]
