"""Reading several runs, their names, and the runs that writers reject."""

import tarfile
import zipfile

import pytest

from doxel.errors import InputError
from doxel.runs import RESULTS, Run, read_run, read_runs, write_run
from doxel.runs.result_order import find_ties, order_results
from doxel.runs.run_files import find_run_format

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


def test_files_of_the_same_name_are_distinguished_by_their_paths(tmp_path):
    for team in ("x", "y"):
        (tmp_path / team).mkdir()
        (tmp_path / team / "a.run").write_text(LINE.format(doc=team, id="shared"))
    assert [run.id for run in read_runs(tmp_path)] == ["shared:x/a.run", "shared:y/a.run"]
    named = [tmp_path / "x" / "a.run", tmp_path / "y" / "a.run"]
    assert [run.id for run in read_runs(named)] == [f"shared:{path}" for path in named]
    with pytest.raises(InputError, match="named twice"):
        read_runs([named[0], named[0]])


def test_runs_without_an_id_are_named_after_their_files(tmp_path):
    for name in ("bm25.tuned.jsonl", "dense.jsonl.gz"):
        content = b'{"topic": "1", "doc": "a"}\n'
        (tmp_path / name).write_bytes(content)
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("sparse.jsonl", content)
    assert [run.id for run in read_runs(tmp_path / "other.zip")] == ["sparse"]
    (tmp_path / "other.zip").unlink()
    assert [run.id for run in read_runs(tmp_path)] == ["bm25", "dense"]


def test_a_folder_without_runs_is_rejected(tmp_path):
    with pytest.raises(InputError, match="wanted files of runs, found none"):
        read_runs(tmp_path)


def test_the_error_names_the_bad_run_of_a_folder(folder):
    (folder / "bad.run").write_text("1 Q0 d 1 high r\n")
    with pytest.raises(InputError, match=r"bad\.run, line 1: the rsv"):
        read_runs(folder)


def run_of(*rows, **options):
    return Run("r", RESULTS.from_rows([{"topic": "1", "doc": "d", **row} for row in rows]), **options)


RANKED = {"rank": 1, "rsv": 0.5}


@pytest.mark.parametrize(
    ("name", "row", "wanted", "found"),
    [
        ("fol", {}, "offset length", "a whole document"),
        ("fol", {"start": 5}, "offset length", "an entry point"),
        ("fol", {"path": "/a"}, "offset length", "an element"),
        ("fol", {"text": "a"}, "offset length", "a quotation"),
        ("fol", {"start": 5, "end": 4}, "0 or more", "'-1'"),
        ("bep", {"path": "/a"}, "offset", "an element"),
        ("paths", {"start": 5, "end": 9}, "path", "a span"),
        ("paths", {"path": "a"}, "steps such as", "'a'"),
        ("inex-xml", {}, "a path, or an offset and a length", "a whole document"),
        ("inex-xml", {"text": "a"}, "a path, or an offset and a length", "a quotation"),
        ("inex-xml", {"path": "/a", "start": 5, "end": 9}, "a path, or an offset", "both"),
        ("inex-xml", {"path": "/a/text()[1].3"}, "steps such as", "'/a/text()[1].3'"),
        ("inex-xml", {"path": "/a", "doc": "a\x01"}, "characters that XML allows", "'a\\x01'"),
        ("inex-xml", {"path": "/a", "doc": " a"}, "without white space", "' a'"),
        ("inex-xml", {"path": "/a", "rsv": float("nan")}, "a number", "nan"),
        ("trec", {"rsv": float("nan")}, "a number", "nan"),
    ],
)
def test_a_result_that_a_format_cannot_express_is_rejected(name, row, wanted, found):
    with pytest.raises(InputError) as caught:
        find_run_format(name).write(run_of({**RANKED, **row}))
    assert f"cannot be written as {name}" in caught.value.problem
    assert wanted in caught.value.wanted
    assert found in caught.value.found


def test_entry_points_cannot_be_written_into_a_run_of_another_task():
    written = find_run_format("inex-xml").write(run_of({**RANKED, "start": 5}, task="best-in-context"))
    assert b'<fol offset="5"/>' in written
    with pytest.raises(InputError, match="in a focused run"):
        find_run_format("inex-xml").write(run_of({**RANKED, "start": 5}, task="focused"))


@pytest.mark.parametrize("name", ["trec", "fol", "bep", "paths"])
@pytest.mark.parametrize("field", ["id", "topic", "doc"])
def test_ids_in_columns_cannot_contain_white_space(name, field):
    place = {"fol": {"start": 1, "end": 2}, "bep": {"start": 1}, "paths": {"path": "/a"}}.get(name, {})
    run = run_of({**RANKED, **place, **({} if field == "id" else {field: "two words"})})
    run = Run("two words", run.results) if field == "id" else run
    with pytest.raises(InputError, match="wanted an id without white space, found 'two words'"):
        find_run_format(name).write(run)


@pytest.mark.parametrize("name", ["trec", "jsonl", "inex-xml"])
def test_a_run_without_results_cannot_be_written(name):
    with pytest.raises(InputError, match="wanted results, found none"):
        find_run_format(name).write(Run("r", RESULTS.empty()))


def test_headers_that_xml_cannot_hold_are_rejected():
    for about, match in [
        ({"colour": "blue"}, "wanted only participant-id, .*, found colour"),
        ({"topic-fields": "title"}, "pairs such as title=yes"),
        ({"description": "\x00"}, "text that XML allows"),
    ]:
        with pytest.raises(InputError, match=match):
            find_run_format("inex-xml").write(run_of({**RANKED, "path": "/a"}, about=about))


ORDERS = [
    [{"rank": 3}, {"rank": 1}, {"rank": 1}, {"rank": 2}],
    [{"rsv": 0.1}, {"rsv": 0.7}, {"rsv": 0.7}, {"rsv": 0.3}],
    [{}, {}, {}],
]


@pytest.mark.parametrize("rows", ORDERS)
@pytest.mark.parametrize("name", ["trec", "inex-xml"])
def test_missing_ranks_and_rsv_are_filled_in_without_changing_the_ranking(rows, name):
    place = {"path": "/a"} if name == "inex-xml" else {}
    run = run_of(*({**row, **place, "doc": f"d{number}"} for number, row in enumerate(rows)))
    form = find_run_format(name)
    again = form.read(form.write(run), "again")
    before, after = order_results(run.results), order_results(again.results)
    assert after["doc"].to_list() == before["doc"].to_list()
    assert find_ties(after).to_list() == find_ties(before).to_list()
    if name == "trec":  # tools that use only the rsv see the same ranking
        assert order_results(again.results, "score")["doc"].to_list() == before["doc"].to_list()


@pytest.mark.parametrize("column", ["rank", "rsv"])
def test_a_ranking_with_gaps_is_rejected(column):
    rows = [{"rank": 1, "rsv": 0.5}, {"rank": 2, "rsv": 0.4, column: None}]
    with pytest.raises(InputError, match=f"wanted a {column} for all results of topic 1, or for none"):
        find_run_format("trec").write(run_of(*rows))


def test_a_failed_write_keeps_the_old_file(tmp_path):
    path = tmp_path / "a.run"
    path.write_text("precious")
    with pytest.raises(InputError):
        write_run(run_of(RANKED), path, "fol")
    assert path.read_text() == "precious"
    with pytest.raises(InputError, match="cannot be written"):
        write_run(run_of(RANKED), tmp_path / "nowhere" / "a.run", "trec")


def test_the_repr_of_a_run_counts_results_and_topics(tmp_path):
    path = tmp_path / "a.run"
    write_run(run_of(RANKED, {**RANKED, "topic": "2"}), path, "trec")
    assert repr(read_run(path)) == "<Run 'r': 2 results for 2 topics>"
