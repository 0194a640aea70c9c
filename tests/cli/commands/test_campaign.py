"""``doxel campaign``: the bundled campaign in its own folder, from the start to a report."""

from __future__ import annotations

import json
import shutil

import pytest

from documents.commands import doxel, is_sentence
from doxel.pooling import read_pool

FOCUSED = ("bm25-focused.xml", "lm-focused.run", "windows-disjoint.run")


@pytest.fixture(scope="module")
def pooled(demo, tmp_path_factory):
    """A campaign of the demo's files, pooled."""
    folder = tmp_path_factory.mktemp("campaign") / "handbook"
    assert doxel("campaign", "init", folder, "--name", "The handbook").status == 0
    shutil.copytree(demo.handbook, folder / "documents", dirs_exist_ok=True)
    shutil.copy(demo.topics, folder / "topics")
    for name in FOCUSED:
        shutil.copy(demo.runs[0].parent / name, folder / "runs")
    shutil.copy(demo.assessments["qrels"], folder / "assessments")
    assert doxel("ingest", folder / "documents", "-o", folder / "collection.doxel").status == 0
    assert doxel("campaign", "pool", folder).status == 0
    return folder


@pytest.fixture
def campaign(pooled, tmp_path):
    """A copy of the pooled campaign."""
    return shutil.copytree(pooled, tmp_path / "handbook")


def configure(folder, **lines):
    """Insert lines at the start of sections of the configuration."""
    text = (folder / "campaign.toml").read_text("utf-8")
    for section, line in lines.items():
        text = text.replace(f"[{section}]\n", f"[{section}]\n{line}\n")
    (folder / "campaign.toml").write_text(text, "utf-8")


def states(folder):
    outcome = doxel("campaign", "status", folder, "-f", "json")
    return outcome.status, {part["part"]: part["state"] for part in json.loads(outcome.out)["parts"]}


def test_a_campaign_becomes_complete_step_by_step(campaign):
    status, states_by_part = states(campaign)
    assert status == 0
    assert states_by_part == {
        **dict.fromkeys(("collection", "topics", "runs", "pool", "measures"), "ready"),
        "assessments": "incomplete",  # topics 15 to 18 were never assessed
        "report": "missing",
    }
    judged = ", ".join(f'"{number}"' for number in range(1, 15))
    configure(campaign, topics=f"assessed = [{judged}]")
    outcome = doxel("campaign", "evaluate", campaign)
    assert outcome.status == 0
    assert "bm25-focused\tall\tMAiP\t0.37" in outcome.out
    outcome = doxel("campaign", "report", campaign, "--show", "none")
    assert (outcome.status, outcome.out) == (0, f"{campaign / 'report' / 'index.html'}\n")
    report = json.loads((campaign / "report" / "report.json").read_text("utf-8"))
    assert report["title"] == "The handbook"
    assert report["measures"] == ["iP@0", "iP@0.01", "iP@0.05", "iP@0.1", "MAiP"]
    assert len(report["topics"]) == 14
    assert [file["name"] for file in report["files"] if file["role"] == "assessments"] == [
        str(campaign / "assessments" / "handbook.qrels")
    ]
    assert states(campaign)[1]["report"] == "ready"


def test_the_pool_follows_the_configuration(pooled):
    pool = read_pool(pooled / "pools" / "pool.jsonl")
    assert pool.runs == ["bm25-focused", "lm-focused", "windows-disjoint"]
    assert pool.topics == [str(number) for number in range(1, 19)]
    assert pool.contributions["rank"].max() >= 10


def test_scores_are_those_of_evaluate(campaign, demo):
    runs = [campaign / "runs" / name for name in FOCUSED]
    alone = doxel(
        *("evaluate", "-a", demo.assessments["qrels"], "-c", demo.collection, "-m", "inex2009-focused", *runs)
    )
    assert doxel("campaign", "evaluate", campaign).out == alone.out


def test_options_of_the_command_line_override_the_configuration(campaign):
    configure(campaign, evaluation='task = "thorough"')
    lines = doxel("campaign", "evaluate", campaign, "-m", "char_rec@5", "-q").out.splitlines()
    assert {line.split("\t")[2] for line in lines[1:]} == {"char_rec@5"}
    assert any(line.startswith("lm-focused\t3\t") for line in lines)
    other = doxel("campaign", "evaluate", campaign, campaign / "runs" / "lm-focused.run", "-f", "json")
    assert {row["run"] for row in json.loads(other.out)["scores"]} == {"lm-focused"}
    assert json.loads(other.out)["parameters"]["task"] == "thorough"
    other = doxel("campaign", "evaluate", campaign, "--task", "focused", "-f", "json")
    assert json.loads(other.out)["parameters"]["task"] == "focused"


def test_only_assessed_topics_are_averaged(campaign):
    configure(campaign, topics='assessed = ["3"]')
    per_topic = doxel("campaign", "evaluate", campaign, "-m", "MAiP", "-q").out.splitlines()[1:]
    assert {line.split("\t")[1] for line in per_topic} == {"3", "all"}
    outcome = doxel("campaign", "evaluate", campaign, "--compat", "inex_eval")
    assert outcome.status == 2
    assert "--compat inex_eval scores all topics of the assessments" in outcome.err


def test_pool_options_override_the_configuration(campaign):
    outcome = doxel("campaign", "pool", campaign, "--documents", 5, "-o", campaign / "small.jsonl")
    assert outcome.status == 0
    assert set(read_pool(campaign / "small.jsonl").documents.group_by("topic").len()["len"]) == {5}
    before = (campaign / "pools" / "pool.jsonl").read_bytes()
    outcome = doxel("campaign", "pool", campaign, "--statistics", "-f", "json")
    assert json.loads(outcome.out)["coverage"][0]["topic"] == "1"
    assert (campaign / "pools" / "pool.jsonl").read_bytes() == before
    configure(campaign, topics='selected = ["4", "2"]')
    assert doxel("campaign", "pool", campaign).status == 0
    assert read_pool(campaign / "pools" / "pool.jsonl").topics == ["4", "2"]


def test_a_run_left_out_is_scored_over_the_assessed_topics(campaign):
    configure(campaign, topics='assessed = ["3", "4"]')
    scored = doxel("campaign", "evaluate", campaign, "-m", "MAiP", "-f", "json")
    means = {row["run"]: row["score"] for row in json.loads(scored.out)["scores"]}
    outcome = doxel("campaign", "pool", campaign, "--statistics", "-m", "MAiP", "-f", "json")
    left_out = json.loads(outcome.out)["left_out"]
    assert {row["run"]: row["score"] for row in left_out} == pytest.approx(means)


def test_stale_parts_are_reported(campaign):
    doxel("campaign", "report", campaign, "-m", "MAiP", "--show", "none")
    run = campaign / "runs" / "lm-focused.run"
    run.write_text(run.read_text("utf-8") + "\n", "utf-8")
    assert states(campaign) == (1, {**states(campaign)[1], "report": "stale", "pool": "ready"})
    (campaign / "documents" / "overlap.xml").write_text("<article>Another text.</article>")
    shutil.rmtree(campaign / "collection.doxel")
    doxel("ingest", campaign / "documents", "-o", campaign / "collection.doxel")
    outcome = doxel("campaign", "status", campaign)
    assert outcome.status == 1
    assert any(message.startswith("doxel: pool: made for other texts") for message in outcome.messages)
    assert f"doxel: next: doxel campaign pool {campaign}" in outcome.messages


def test_another_collection_than_the_configured_one_is_rejected(campaign):
    configure(campaign, collection=f'fingerprint = "{"0" * 32}"')
    for arguments in (["evaluate"], ["report"], ["pool"]):
        outcome = doxel("campaign", *arguments, campaign)
        assert outcome.status == 2
        assert "the texts differ from those of the campaign" in outcome.err
        assert all(map(is_sentence, outcome.messages))


def test_a_new_campaign_cannot_be_scored(tmp_path):
    folder = tmp_path / "new"
    outcome = doxel("campaign", "init", folder)
    assert outcome.out == f"{folder / 'campaign.toml'}\n"
    assert doxel("campaign", "status", folder).status == 0
    for name, message in (
        ("pool", "the campaign has no runs yet"),
        ("evaluate", "the campaign has no assessments yet"),
        ("report", "the campaign has no assessments yet"),
    ):
        outcome = doxel("campaign", name, folder)
        assert outcome.status == 2
        assert message in outcome.err


@pytest.mark.parametrize("name", ["status", "evaluate", "report", "pool"])
def test_a_configuration_error_names_its_line(tmp_path, name):
    (tmp_path / "campaign.toml").write_text("\n[runs]\nfile = 'x'\n")
    outcome = doxel("campaign", name, tmp_path)
    assert outcome.status == 2
    assert "campaign.toml, line 3: unknown key in [runs]: wanted one of files, found 'file'" in outcome.err


def test_the_current_folder_is_the_default(campaign, monkeypatch):
    monkeypatch.chdir(campaign)
    assert doxel("campaign", "status").status == 0
    assert "MAiP" in doxel("campaign", "evaluate", "-m", "MAiP").out


def test_a_second_campaign_in_the_same_folder_is_rejected(campaign):
    outcome = doxel("campaign", "init", campaign)
    assert outcome.status == 2
    assert "already contains a campaign" in outcome.err


@pytest.mark.integration
def test_each_task_has_its_own_leaderboard_curves_and_tests(campaign, demo):
    for name in ("bm25-elements.xml", "bm25-sections.xml", "article-start.xml"):
        shutil.copy(demo.runs[0].parent / name, campaign / "runs")
    measures = ["-m", "MAiP", "-m", "nxCG@10"]
    outcome = doxel("campaign", "evaluate", campaign, *measures, "-f", "table")
    lines = [line.strip() for line in outcome.out.splitlines() if line.strip(" ─")]
    titles = ["thorough", "focused", "best-in-context"]
    assert [line for line in lines if line in titles] == titles
    thorough = lines[lines.index("thorough") + 1 : lines.index("focused")]
    assert [line.split()[0] for line in thorough] == ["run", "bm25-elements", "bm25-sections"]
    latex = doxel("campaign", "evaluate", campaign, *measures, "-f", "latex").out
    assert latex.count(r"\toprule") == 3
    # the best of each task is bold
    assert latex.count(r"\textbf") == 4
    assert doxel("campaign", "report", campaign, *measures, "--show", "none").status == 0
    report = json.loads((campaign / "report" / "report.json").read_text("utf-8"))
    assert report["comparisons"] == [None, None]
    tasks = {task["name"]: task for task in report["tasks"]}
    assert list(tasks) == titles
    assert [report["runs"][run] for run in tasks["thorough"]["runs"]] == ["bm25-elements", "bm25-sections"]
    # the family of tests has the runs of the task only
    for name, runs in (("focused", 3), ("thorough", 2)):
        compared = tasks[name]["comparisons"][0]
        assert len(compared["pairs"]) == runs - 1
        assert {line["run"] for curve in tasks[name]["curves"] for line in curve["lines"]} == set(
            tasks[name]["runs"]
        )
    assert tasks["best-in-context"]["comparisons"] == [None, None]
    alone = doxel(
        *("compare", "-a", campaign / "assessments" / "handbook.qrels", "-c", campaign / "collection.doxel"),
        *("-m", "MAiP", "--baseline", "bm25-focused", "-f", "json"),
        *(campaign / "runs" / name for name in FOCUSED),
    )
    pairs = {pair["run"]: pair["p_adjusted"] for pair in json.loads(alone.out)[0]["pairs"]}
    assert {
        report["runs"][pair["run"]]: pair["p_adjusted"]
        for pair in tasks["focused"]["comparisons"][0]["pairs"]
    } == pairs
    curves = {path.parent.name for path in (campaign / "report" / "curves").glob("*/*.csv")}
    assert curves == set(titles)
    page = (campaign / "report" / "index.html").read_text("utf-8")
    assert [page.index(f'<h3 class="task">{title}</h3>') for title in titles] == sorted(
        page.index(f'<h3 class="task">{title}</h3>') for title in titles
    )
    assert "6 runs of 3 tasks" in page
