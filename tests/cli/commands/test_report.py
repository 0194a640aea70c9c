"""``doxel report``: the page, and its messages if something is missing or wrong."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from documents.commands import doxel, write_files

GOLD = """1 Q0 a 300 4000 1200 1200:300
1 Q0 b 0 2500
2 Q0 c 900 1800 0 0:500 1000:400
"""
GOOD = """1 Q0 a 1 9.5 good 1150 400
2 Q0 c 1 7.7 good 0 500
2 Q0 c 2 7.0 good 1000 500
"""
WHOLE = "1 Q0 a 1 9.5 whole 0 4000\n2 Q0 c 1 7.7 whole 0 1800\n"
TWICE = "1 Q0 a 1 9.5 twice 0 4000\n1 Q0 a 2 8.5 twice 0 1800\n"


pytestmark = pytest.mark.usefixtures("draw_once")


@pytest.fixture
def files(tmp_path):
    contents = {"gold.qrels": GOLD, "good.run": GOOD, "whole.run": WHOLE, "twice.run": TWICE}
    return write_files(tmp_path, contents)


def report(files, *arguments, runs=("good", "whole")):
    paths = [files / f"{name}.run" for name in runs]
    return doxel("report", "-a", files / "gold.qrels", "-o", files / "out", *arguments, *paths)


def written(files):
    return json.loads((files / "out" / "report.json").read_text("utf-8"))


def test_the_path_of_the_page_is_printed(files):
    outcome = report(files, "-m", "MAiP, iP@0.01")
    assert outcome.status == 0
    assert outcome.out == f"{files / 'out' / 'index.html'}\n"
    assert "open the page in a browser" in outcome.err


def test_without_a_collection_documents_have_offsets_only(files):
    report(files, "-m", "MAiP")
    documents = written(files)["documents"]
    assert {entry["doc"] for entry in documents} == {"a", "b", "c"}
    assert {entry["text"] for entry in documents} == {None}
    (entry,) = [entry for entry in documents if entry["doc"] == "c"]
    assert (entry["size"], entry["highlights"], entry["bep"]) == (1800, [[0, 500], [1000, 1400]], 0)
    assert entry["results"]["0"][0][:6] == [1, 0, 500, 500, 500, 500]


def test_the_default_measures_are_the_set_of_the_task(files):
    assert report(files, "--task", "focused").status == 0
    content = written(files)
    assert content["measures"] == ["iP@0", "iP@0.01", "iP@0.05", "iP@0.1", "MAiP"]
    assert [entry["name"] for entry in content["curves"]] == ["iP"]
    assert content["measures"][content["main"]] == "MAiP"


def test_assessed_topics_missing_from_the_topic_file_are_reported(files):
    write_files(files, {"topics.tsv": "1\tone\n3\tthree\n"})
    outcome = report(files, "-m", "MAiP", "-t", files / "topics.tsv")
    message = "1 assessed topic is not in the topic file: 2"
    assert f"doxel: {message} [A501]\n" in outcome.err
    assert message in [warning["sentence"] for warning in written(files)["warnings"]]


def test_curves_are_chosen_by_name(files):
    report(files, "-m", "MAiP", "--curve", "char_rec", "--curve", "P/R")
    assert [entry["name"] for entry in written(files)["curves"]] == ["char_rec", "P/R"]
    outcome = report(files, "-m", "MAiP", "--curve", "nonsense")
    assert outcome.status == 2
    assert "there is no curve 'nonsense'" in outcome.err


def test_rejections_are_reported_and_the_rest_is_shown(files):
    outcome = report(files, "-m", "MAiP, char_rec@5", runs=("good", "twice"))
    assert outcome.status == 1
    assert "twice: MAiP not computed" in outcome.err
    (entry,) = written(files)["skipped"]
    assert entry["run"] == "twice"
    assert entry["what"] == ["MAiP", "the curve iP"]
    assert "overlap" in entry["reason"]
    page = (files / "out" / "index.html").read_text("utf-8")
    assert "results overlap earlier ones" in page.partition('id="skipped"')[2].partition("</section>")[0]


def test_a_run_that_cannot_be_read_is_skipped(files):
    write_files(files, {"broken.run": "1 Q0\n"})
    outcome = report(files, "-m", "MAiP", runs=("good", "broken"))
    assert outcome.status == 1
    assert written(files)["runs"] == ["good"]


def test_the_shown_topics_are_chosen(files):
    report(files, "-m", "MAiP", "--show", "2", "--documents", "1")
    assert [(entry["topic"], entry["doc"]) for entry in written(files)["documents"]] == [("2", "c")]
    report(files, "-m", "MAiP", "--show", "none")
    assert written(files)["documents"] == []
    outcome = report(files, "-m", "MAiP", "--show", "9")
    assert outcome.status == 2
    assert "a topic to show: wanted an assessed topic, found 9" in outcome.err


def test_the_baseline_is_chosen(files):
    report(files, "-m", "MAiP", "--baseline", "whole")
    content = written(files)
    assert content["runs"][content["baseline"]] == "whole"
    assert [pair["other"] for pair in content["comparisons"][0]["pairs"]] == [content["baseline"]]
    outcome = report(files, "-m", "MAiP", "--baseline", "nobody")
    assert outcome.status == 2
    assert "the baseline: wanted one of good, whole, found 'nobody'" in outcome.err


def test_a_single_run_is_not_compared(files):
    assert report(files, "-m", "MAiP", runs=("good",)).status == 0
    content = written(files)
    assert content["comparisons"] == [None]
    assert content["overlap"] is content["agreement"] is None


def test_the_same_call_gives_the_same_bytes(files):
    report(files, "-m", "MAiP, iP@0")
    first = {path.name: path.read_bytes() for path in (files / "out").iterdir() if path.is_file()}
    report(files, "-m", "MAiP, iP@0")
    assert {path.name: path.read_bytes() for path in (files / "out").iterdir() if path.is_file()} == first
    report(files, "-m", "MAiP, iP@0", "--seed", "5")
    assert written(files)["parameters"]["seed"] == 5


def test_a_file_cannot_be_the_folder(files):
    (files / "notes.txt").write_text("mine")
    outcome = doxel("report", "-a", files / "gold.qrels", "-o", files / "notes.txt", files / "good.run")
    assert outcome.status == 2
    assert "wanted a folder to write to, found a file" in outcome.err


def test_the_page_is_written_without_matplotlib(files, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    outcome = report(files, "-m", "MAiP")
    assert outcome.status == 0
    assert 'pip install "doxel[plots]"' in outcome.err
    assert (files / "out" / "index.html").is_file()
    assert (files / "out" / "curves" / "iP.csv").is_file()
    assert not (files / "out" / "curves" / "iP.svg").exists()


def test_the_page_is_written_without_scipy(files, monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    write_files(files, {"third.run": WHOLE.replace("whole", "third")})
    assert report(files, "-m", "MAiP", runs=("good", "whole", "third")).status == 0
    content = written(files)
    assert content["comparisons"][0]["friedman"] is None
    sentences = [warning["sentence"] for warning in content["warnings"]]
    assert any("Friedman's test needs an optional dependency" in sentence for sentence in sentences)


IMPORTED = """
import sys
from doxel.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit:
    print(*sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""


def imported(*arguments):
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED, *map(str, arguments)], capture_output=True, check=True, text=True
    )
    return set(done.stderr.split())


def test_evaluating_needs_neither_scipy_nor_matplotlib(files):
    modules = imported("evaluate", "-a", files / "gold.qrels", "-m", "MAiP", files / "good.run")
    assert "polars" in modules
    assert {"scipy", "matplotlib"} & modules == set()
    arguments = ["-a", files / "gold.qrels", "-m", "MAiP", "-o", files / "out", files / "good.run"]
    assert "matplotlib" in imported("report", *arguments)  # the test can detect it


def test_a_page_has_one_method_of_inference(files):
    """Letters come from Tukey's test, and can contradict the corrected p-values of another."""
    report(files, "-m", "MAiP")
    (compared,) = written(files)["comparisons"]
    assert compared["groups"] == {}
    assert compared["settings"]["test"].startswith("Fisher's sign-flip test")
    assert "Tukey" not in (files / "out" / "leaderboard.tex").read_text("utf-8")
    report(files, "-m", "MAiP", "--test", "tukey")
    (compared,) = written(files)["comparisons"]
    assert set(compared["groups"]) == {"0", "1"}
    assert compared["settings"]["test"] == "randomised Tukey HSD"
    assert all(pair["p"] == pair["p_adjusted"] for pair in compared["pairs"])
    assert "Tukey HSD" in (files / "out" / "leaderboard.tex").read_text("utf-8")


def test_the_command_that_explains_a_score_repeats_the_options(files):
    report(files, "-m", "char_rec,char_prec", "--show", "1", "--limit", "none", "--order", "file")
    explain = written(files)["explain"]
    gold, run = files / "gold.qrels", files / "good.run"
    assert explain["before"] == f"doxel explain -a {gold} --limit none --order file"
    assert explain["files"][0] == str(run)
    assert [(cell["run"], cell["measure"], cell["topic"]) for cell in explain["cells"]] == [
        (run, measure, "1") for run in (0, 1) for measure in (0, 1)
    ]
    outcome = doxel(*explain["before"].split()[1:], "--topic", "1", "-m", "char_rec", run)
    assert f"  = {explain['cells'][0]['sum']}\n" in outcome.out


def read_drawn_runs(path):
    """The runs of a picture, from the data for gnuplot."""
    names = [line[2:] for line in path.read_text("utf-8").splitlines()[1:] if line.startswith("# ")]
    return [name for name in names if name != "x mean low high"]


@pytest.mark.integration
def test_pictures_show_the_selected_runs_and_the_page_starts_with_them(files):
    write_files(files, {f"run{n}.run": GOOD.replace("good", f"run{n}") for n in range(8)})
    runs = ["good", "whole", *(f"run{n}" for n in range(8))]
    outcome = report(files, "-m", "char_rec@5", "--runs", "baseline, run[12]", "--width", "two", runs=runs)
    assert outcome.status == 0
    curves = files / "out" / "curves"
    assert read_drawn_runs(curves / "char_rec.dat") == ["good", "run1", "run2"]
    assert "size 7in," in (curves / "char_rec.gp").read_text()
    assert 'width="504pt"' in (curves / "char_rec.svg").read_text()
    content = written(files)
    assert [content["runs"][run] for run in content["chosen"]] == ["good", "run1", "run2"]
    assert (curves / "char_rec.csv").read_text().count("run7") > 0  # the data have all runs


@pytest.mark.integration
def test_of_many_runs_the_best_have_colours_and_the_others_are_grey(files):
    write_files(files, {f"run{n}.run": GOOD.replace("good", f"run{n}") for n in range(8)})
    runs = ["whole", "good", *(f"run{n}" for n in range(8))]
    assert report(files, "-m", "char_prec@5", runs=runs).status == 0
    path = files / "out" / "curves" / "char_prec"
    names = ["whole", "good", *(f"run{n}" for n in range(6))]
    assert read_drawn_runs(path.with_suffix(".dat")) == [*names, "run6", "run7"]
    assert path.with_suffix(".gp").read_text().count(" notitle") == 2
    assert written(files)["chosen"] is None


def test_an_unknown_run_to_draw_is_an_error(files):
    outcome = report(files, "-m", "MAiP", "--runs", "goood")
    assert outcome.status == 2
    assert "found 'goood'; did you mean good?" in outcome.err
    assert not (files / "out").exists()


def test_documents_that_cannot_be_shown_are_named_as_lacking_a_collection(files):
    sentence = "doxel: --show has no effect: the text of documents needs a collection (-c)"
    assert sentence in report(files, "-m", "MAiP", "--show", "1").messages
    assert sentence not in report(files, "-m", "MAiP", "--show", "none").messages


def test_an_unknown_run_leads_to_the_known_runs_each_once(files):
    outcome = report(files, "-m", "MAiP", "--runs", "bad*")
    assert outcome.status == 2
    assert "runs to draw: wanted a run (good, whole), a pattern" in outcome.err
