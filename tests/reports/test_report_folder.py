"""The files beside the page, CSV, LaTeX, Parquet and JSON, with hostile names of runs and topics."""

from __future__ import annotations

import csv
import hashlib
import json

import polars as pl
import pytest

from documents.commands import doxel as command
from doxel.errors import InputError
from doxel.evaluation import Evaluation, evaluate
from reports.hostile_campaign import EVIL_RUN, EVIL_TOPIC, LATEX_RUN, RTL_RUN

pytestmark = pytest.mark.usefixtures("draw_once")


def rows(path):
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def test_every_file_is_written(report):
    names = {path.relative_to(report).as_posix() for path in report.rglob("*") if path.is_file()}
    tables = {"scores", "means", "differences", "agreement", "overlap"}
    assert {f"{name}.{kind}" for name in tables for kind in ("csv", "parquet")} <= names
    assert {"index.html", "report.json", "leaderboard.tex", "differences.tex"} <= names
    assert {f"curves/iP.{kind}" for kind in ("csv", "parquet", "svg", "png", "pdf", "dat", "gp")} <= names
    assert not [name for name in names if "script" in name]


def test_no_cell_of_a_csv_is_a_formula(report):
    for path in report.rglob("*.csv"):
        with path.open(newline="", encoding="utf-8") as stream:
            cells = [cell for line in csv.reader(stream) for cell in line]
        formulas = [cell for cell in cells if cell[:1] in "=+@\t\r" and cell]
        assert formulas == [], path.name
    topics = {row["topic"] for row in rows(report / "scores.csv")}
    assert topics == {f"'{EVIL_TOPIC}", "2", "3"}


def test_csv_parquet_and_json_contain_the_same(report):
    table = pl.read_parquet(report / "scores.parquet")
    text = rows(report / "scores.csv")
    assert [float(row["score"]) for row in text] == table["score"].to_list()
    data = json.loads((report / "report.json").read_text("utf-8"))
    for measure, of_runs in zip(data["measures"], data["scores"], strict=True):
        for run, scores in zip(data["runs"], of_runs, strict=True):
            assert scores == table.filter(run=run, measure=measure)["score"].to_list()
    assert set(table["run"].unique()) == {EVIL_RUN, RTL_RUN, LATEX_RUN}


def test_tables_contain_their_settings(report):
    for row in rows(report / "differences.csv"):
        assert (row["topics"], row["sides"], row["seed"], row["resamples"]) == ("3", "2", "0", "10000")
        assert row["correction"] == "holm"
        assert row["test"].startswith("Fisher")
    assert "Tukey" not in (report / "leaderboard.tex").read_text("utf-8")
    assert "sides: 2" in (report / "differences.tex").read_text("utf-8")


def test_source_files_are_listed_with_their_hashes(report, campaign):
    data = json.loads((report / "report.json").read_text("utf-8"))
    by_name = {file["name"]: file for file in data["files"]}
    for path in [*campaign.runs, campaign.gold]:
        assert by_name[str(path)]["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    page = (report / "index.html").read_text("utf-8")
    assert all(file["sha256"] in page for file in data["files"])
    assert data["collection"]["fingerprint"] in page


def test_the_ideal_ranking_is_in_the_curve_of_cumulated_gain(tmp_path):
    """The figure of source 001: run and ideal; the ideal ranking is a line without a run."""
    lines = {
        "gold": {"topic": "1", "doc": "d", "start": 100, "end": 200},
        "a": {"topic": "1", "doc": "d", "start": 50, "end": 150},
    }
    for name, line in lines.items():
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    files = [tmp_path / "gold.jsonl", tmp_path / "a.jsonl"]
    options = ("-m", "nxCG@2", "--curve", "xCG", "-o", tmp_path / "out")
    assert command("report", "-a", *files, *options).status == 0
    (curve,) = json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))["curves"]
    first = [(line["run"], line.get("name"), line["mean"][0]) for line in curve["lines"]]
    assert first == [(0, None, 0.5), (-1, "ideal (xCI)", 1.0)]
    assert "ideal (xCI)" in (tmp_path / "out" / "curves" / "xCG.csv").read_text("utf-8")


def test_a_result_in_python_gives_the_report_of_the_command(report, campaign, tmp_path):
    """Scores, curves, tests and documents are the same; only the command line's options are missing."""
    command_data = json.loads((report / "report.json").read_text("utf-8"))
    result = evaluate(
        list(campaign.runs),
        campaign.gold,
        command_data["measures"],
        collection=campaign.collection,
    )
    page = result.report(tmp_path / "page", title="A page", show=["2"], curves=("iP", "char_rec"))
    assert page == tmp_path / "page" / "index.html"
    data = json.loads((tmp_path / "page" / "report.json").read_text("utf-8"))
    assert data["title"] == "A page"
    for key in ("runs", "scores", "means", "comparisons", "curves", "overlap"):
        assert data[key] == command_data[key], key
    assert {document["topic"] for document in data["documents"]} == {"2"}
    with pytest.raises(InputError, match="a report needs the runs and assessments"):
        Evaluation(result.scores).report(tmp_path / "no")


def test_means_have_the_three_uncertainties_apart(tmp_path):
    gold = [(topic, "d", 0, 100) for topic in "123"]
    runs = {
        name: [row for topic in "123" for row in ((topic, "d", 0, size), (topic, "z", 0, 100))]
        for name, size in (("a", 60), ("b", 100))
    }
    other = [(topic, "d", 0, 50) for topic in "12"]
    result = evaluate(runs, gold, "char_prec", assessors=[other])
    result.report(tmp_path / "report")
    data = json.loads((tmp_path / "report" / "report.json").read_text("utf-8"))
    first = data["means"][0][1]
    assert (first["score"], first["low"], first["high"]) == (0.5, 0.5, 0.5)  # topics
    assert (first["optimistic"], first["residual"]) == (1.0, 0.5)  # unjudged text, though not asked for
    assert (first["assessors_low"], first["assessors_high"]) == (pytest.approx((0.25 * 2 + 0.5) / 3), 0.5)
    assert rows(tmp_path / "report" / "means.csv")[0]["residual"] != ""
