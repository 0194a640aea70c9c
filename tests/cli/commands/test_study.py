"""``doxel study``: own data or the bundled campaign, tables, files and errors."""

from __future__ import annotations

import csv
import io
import json

import polars as pl
import pytest

from documents.commands import doxel
from doxel.studies import STUDIES


@pytest.fixture(scope="module")
def data(demo):
    """The options and runs of own data."""
    runs = {path.stem: str(path) for path in demo.runs}
    options = ["-c", str(demo.collection), "-a", str(demo.assessments["qrels"]), "-t", str(demo.topics)]
    return [*options, runs["bm25-elements"], runs["bm25-focused"], runs["tfidf-leaves"]]


def table(out):
    return list(csv.DictReader(io.StringIO(out), delimiter="\t"))


def test_help_lists_the_studies_in_their_order():
    outcome = doxel("study", "--help")
    places = [outcome.out.index(f"  {study.name} ") for study in STUDIES]
    assert places == sorted(places)


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_help_of_a_study_comes_from_its_declaration(study):
    outcome = doxel("study", study.name, "--help")
    assert outcome.status == 0
    text = " ".join(outcome.out.split())
    assert study.question in text
    assert all(name in text for name in study.measures)
    for option in ("--out DIR", "--panel NAME", "--measure", "--assessments"):
        assert option in text
    assert ("[RUN...]" in text) is study.takes_runs


def test_without_data_the_bundled_campaign_is_used():
    outcome = doxel("study", "power", "-m", "SRP@10", "--splits", "50", "-f", "json")
    assert outcome.status == 0, outcome.err
    assert "using the bundled campaign" in outcome.err
    content = json.loads(outcome.out)
    assert content["tables"]["power"][0]["pairs"] == 36
    assert content["findings"]
    assert content["parameters"]["splits"] == 50


def test_own_data_are_used(data):
    outcome = doxel("study", "agreement", *data, "-m", "MAep, nxCG@10", "--resamples", "100")
    assert outcome.status == 0, outcome.err
    assert "bundled" not in outcome.err
    rows = table(outcome.out)
    assert [(row["ranking"], row["other"], row["runs"]) for row in rows] == [
        ("MAep", "nxCG@10", "3"),
        ("nxCG@10", "MAep", "3"),
    ]


def test_settings_can_be_repeated(data):
    outcome = doxel(
        "study",
        "agreement",
        *data,
        "-m",
        "nxCG(task=focused)@10",
        "--setting",
        "",
        "--setting",
        "overlap=off",
    )
    assert outcome.status == 0, outcome.err
    assert table(outcome.out)[0]["other"] == 'nxCG(task="focused")@10 [overlap=off]'


def test_a_table_is_chosen_with_panel(data):
    outcome = doxel("study", "agreement", *data, "-m", "MAep, nxCG@10", "--panel", "rankings")
    assert [row["rank"] for row in table(outcome.out)].count("1") == 2
    outcome = doxel("study", "agreement", *data, "-m", "MAep, nxCG@10", "--panel", "ranking")
    assert outcome.status == 2
    assert "wanted one of tau, rankings, found 'ranking'" in outcome.err


def test_two_settings_are_compared_in_a_table(data):
    outcome = doxel("study", "settings", *data, "--b", "hints=strict", "-m", "nxCG@10", "-f", "table")
    assert outcome.status == 0, outcome.err
    assert "Agreement of the rankings under A (as it is) and B (hints=strict)" in outcome.out
    assert outcome.out.rstrip().split("\n")[-1].startswith("- nxCG@10: tau ")


def test_scoring_options_apply(data):
    graded = doxel("study", "power", *data, "-m", "nxCG@10", "--splits", "10")
    other = doxel("study", "power", *data, "-m", "nxCG@10", "--splits", "10", "--quant", "strict2006")
    assert graded.status == other.status == 0
    assert graded.out != other.out


def test_an_own_user_model_is_used(data, tmp_path):
    model = tmp_path / "own.py"
    model.write_text(
        "import numpy as np\n\n\ndef lazy(results, targets):\n"
        "    return np.zeros((results.height, targets.height))\n"
    )
    outcome = doxel(
        *("study", "agreement", *data, "--model", f"{model}:lazy", "-m", "GR(model=lazy)@5, GR@5"),
        *("--panel", "rankings"),
    )
    assert outcome.status == 0, outcome.err
    means = {row["mean"] for row in table(outcome.out) if "lazy" in row["ranking"]}
    assert means == {"0.0"}


def test_rejected_runs_are_reported(data):
    outcome = doxel("study", "power", *data, "-m", "MAiP(task=focused), MAep", "--splits", "10")
    assert outcome.status == 1
    assert "bm25-elements: MAiP" in outcome.err
    assert [row["runs"] for row in table(outcome.out)] == ["2", "3"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["settings"], None),
        (["agreement", "some.run"], "wanted assessments (-a), or no data at all"),
        (["agreement", "-a", "some.qrels"], "wanted runs, or no data at all"),
        (["settings", "--b", "overlp=off"], "changes 'overlp'"),
        (["settings", "--a", "overlap=off"], None),
        (["agreement", "-m", "MAep"], "at least two measures or settings"),
        (["agreement", "--resamples", "0"], "'--resamples': 0 is not in the range"),
        (["agreement", "--level", "2"], "'--level'"),
        (["power", "--splits", "0"], "'--splits'"),
        (["power", "--seed", "-1"], "'--seed'"),
        (["stereotypes", "-a", "nowhere.xml"], "a collection (-c)"),
    ],
)
def test_wrong_calls_are_rejected(arguments, text):
    outcome = doxel("study", *arguments)
    if text is None:
        assert outcome.status == 0, outcome.err
    else:
        assert outcome.status == 2
        assert text in outcome.err
    assert "Traceback" not in outcome.err


def test_a_mistyped_study_is_rejected():
    outcome = doxel("study", "agremeent")
    assert outcome.status == 2
    assert "agremeent" in outcome.err


def test_simulated_grades_need_no_assessments(demo):
    outcome = doxel("study", "stereotypes", "-c", str(demo.collection), "--simulate-grades", "3")
    assert outcome.status == 0, outcome.err
    assert {row["topic"] for row in table(outcome.out)} == {"1", "2", "3"}


def test_assessments_of_another_scale_are_rejected(demo):
    outcome = doxel("study", "stereotypes", "-c", str(demo.collection), "-a", str(demo.assessments["qrels"]))
    assert outcome.status == 2
    assert "2002" in outcome.err


def test_files_are_written(data, tmp_path):
    out = tmp_path / "out"
    outcome = doxel("study", "structural-relevance", *data, "-o", str(out))
    assert outcome.status == 0, outcome.err
    assert str(out / "index.html") in outcome.err
    names = {path.name for path in out.iterdir()}
    assert {"index.html", "index.md", "runs.csv", "runs.parquet", "scores.csv", "runs.svg"} <= names
    assert {"topic-one.png", "topic-one.pdf", "topic-one.gp", "topic-one.dat"} <= names
    assert pl.read_parquet(out / "runs.parquet").height == 3
    assert pl.read_csv(out / "runs.csv")["run"].to_list() == ["bm25-elements", "bm25-focused", "tfidf-leaves"]


def test_a_file_cannot_be_the_folder(data, tmp_path):
    (tmp_path / "out").write_text("here")
    outcome = doxel("study", "structural-relevance", *data, "-o", str(tmp_path / "out"))
    assert outcome.status == 2
    assert "wanted a folder to write to, found a file" in outcome.err


def test_claims_are_asked_without_runs_and_written_to_a_folder(demo, tmp_path):
    judged = ["-a", str(demo.assessments["qrels"]), "-a", str(demo.assessments["inex2002"])]
    options = ["-c", str(demo.collection), *judged, "--claim", "001-ancestors", "--claim", "003-too-small"]
    outcome = doxel("study", "claims", *options, "-f", "tsv", "-o", str(tmp_path / "out"))
    assert outcome.status == 0, outcome.err
    rows = table(outcome.out)
    # each claim takes the assessments of its own scale
    assert [(row["claim"], row["scale"]) for row in rows] == [
        ("001-ancestors", "2006"),
        ("003-too-small", "2002"),
    ]
    assert all(row["outcome"] in {"reproduced", "not reproduced"} for row in rows)
    page = (tmp_path / "out" / "index.html").read_text("utf-8")
    assert "have a lower value than those that are too large" in page
    assert (tmp_path / "out" / "figures.csv").is_file()


def test_a_claim_that_does_not_exist_is_refused_with_the_names(data):
    outcome = doxel("study", "claims", *data, "--claim", "009")
    assert outcome.status == 2
    assert "wanted one of 000-overlap-impact" in outcome.err
    outcome = doxel("study", "claims", *data, "-m", "MAep")
    assert outcome.status == 2
    assert "each claim names its own" in outcome.err
