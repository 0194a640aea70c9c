"""The result files of ``doxel evalj``: their names, their blocks of scores and their graphs."""

from __future__ import annotations

import pytest

from doxel._version import __version__
from doxel.evaluation import evaluate
from doxel.evaluation.compat.evalj.evalj_configuration import Metric, MetricBlock, Plan
from doxel.evaluation.compat.evalj.evalj_runner import EvaljOutcome
from doxel.measures import parse_measure
from doxel.measures.curves import curve
from doxel.reports.evalj_files import write_evalj_files

GOLD = [("1", "a", 0, 10), ("2", "b", 0, 10)]
RUNS = {
    "Mine": [("1", "a", 0, 5), ("1", "a", 5, 10), ("2", "b", 0, 10)],
    "mine": [("1", "a", 0, 10)],
}
CURVE = curve("char_rec")
METRIC = Metric(
    "ep/gr",
    (
        MetricBlock("recall", (parse_measure("char_rec@1")[0], parse_measure("char_rec@2")[0]), CURVE),
        MetricBlock("precision", (parse_measure("char_prec@1")[0],)),
    ),
)


@pytest.fixture(scope="module")
def make_outcome():
    """A function that scores the runs for metrics, with a result folder."""
    points = ["char_rec@1", "char_rec@2", "char_prec@1"]
    scored = evaluate(RUNS, GOLD, points, topics="run")
    drawn = evaluate(RUNS, GOLD, list(CURVE.measures), topics="run", on_invalid="repair")
    return lambda folder, *metrics: EvaljOutcome(Plan("f.prop", metrics), scored, drawn, folder)


def write(outcome, *, per_topic=False, gnuplot=False, jfree=False):
    return write_evalj_files(outcome, per_topic=per_topic, gnuplot=gnuplot, jfree=jfree)


def test_a_text_has_one_block_of_scores_per_setting(make_outcome, tmp_path):
    paths = write(make_outcome(tmp_path / "out", METRIC))
    assert paths[0].read_text() == (
        f"# ep/gr, averages over the run's topics (doxel {__version__})\n"
        "run\ttopic\tmeasure\tscore\n"
        "\n# recall\n"
        "Mine\tall\tchar_rec@1\t0.75\n"
        "Mine\tall\tchar_rec@2\t1.0\n"
        "\n# precision\n"
        "Mine\tall\tchar_prec@1\t1.0\n"
    )


def test_runs_whose_names_differ_in_case_only_get_different_files(make_outcome, tmp_path):
    paths = write(make_outcome(tmp_path / "out", METRIC))
    assert paths == [tmp_path / "out" / name for name in ("Mine.epgr.txt", "mine-2.epgr.txt")]
    assert "\nmine\t" in paths[1].read_text()


def test_a_metric_without_scores_has_no_file(make_outcome, tmp_path):
    other = Metric("other", (MetricBlock("recall", (parse_measure("char_rec@9")[0],)),))
    paths = write(make_outcome(tmp_path / "out", other, METRIC))
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(p.name for p in paths)
    assert not [path for path in paths if "other" in path.name]


def test_topics_come_before_their_average(make_outcome, tmp_path):
    paths = write(make_outcome(tmp_path / "out", METRIC), per_topic=True)
    rows = [line.split("\t") for line in paths[0].read_text().splitlines() if "char_rec@1" in line]
    assert [(row[1], row[3]) for row in rows] == [("1", "0.5"), ("2", "1.0"), ("all", "0.75")]


def test_a_graph_has_a_line_only_for_settings_with_a_curve(make_outcome, tmp_path):
    write(make_outcome(tmp_path / "out", METRIC), gnuplot=True)
    lines = (tmp_path / "out" / "Mine.epgr.dat").read_text().split("\n\n\n")
    assert len(lines) == 1
    script = (tmp_path / "out" / "Mine.epgr.gp").read_text()
    assert "recall" in script
    assert "precision" not in script
    assert "mean of 2 topics, 95% interval" in script


def test_a_metric_without_curves_has_no_graph(make_outcome, tmp_path):
    bare = Metric("bare", (MetricBlock("recall", METRIC.blocks[0].measures),))
    paths = write(make_outcome(tmp_path / "out", bare), gnuplot=True, jfree=True)
    assert {path.suffix for path in paths} == {".txt"}


def test_an_error_leaves_the_folder_as_it_was(make_outcome, tmp_path, monkeypatch):
    def fail(*_arguments):
        raise RuntimeError

    write(make_outcome(tmp_path / "out", METRIC))
    (tmp_path / "out" / "Mine.epgr.txt").write_text("old")
    monkeypatch.setattr("doxel.reports.evalj_files.render_gnuplot", fail)
    with pytest.raises(RuntimeError):
        write(make_outcome(tmp_path / "out", METRIC), gnuplot=True)
    assert (tmp_path / "out" / "Mine.epgr.txt").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
