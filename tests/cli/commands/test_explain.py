"""``doxel explain`` on the command line."""

import json

import pytest
from click.testing import CliRunner

from doxel.cli.main import cli, main

GOLD = (
    '{"topic": "1", "doc": "a", "start": 100, "end": 200}\n'
    '{"topic": "21", "doc": "a", "start": 0, "end": 5}\n'
)
# (exact) section 12: char_prec@2 2/3, char_rec@1 1/2
RUN = "".join(
    f'{{"topic": "1", "doc": "{doc}", "start": {start}, "end": {start + 100}, "rank": {rank}}}\n'
    for rank, (doc, start) in enumerate([("a", 50), ("a", 100), ("=b", 300)], 1)
)


@pytest.fixture
def call(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.jsonl").write_text(GOLD, "utf-8")
    (tmp_path / "mine.jsonl").write_text(RUN, "utf-8")

    def explain(*words):
        return CliRunner().invoke(cli, ["explain", "-a", "gold.jsonl", *words, "mine.jsonl"])

    return explain


def test_a_table_shows_each_rank_and_the_sum(call):
    outcome = call("--topic", "1", "-m", "char_prec@2")
    assert outcome.exit_code == 0
    lines = [" ".join(line.split()) for line in outcome.stdout.splitlines()]
    assert lines[0] == "char_prec@2 of mine, topic 1"
    assert (
        "rank document path or span size rsize contribution overlap(i) new new rsize P[r] R[r] new relevant"
        in lines
    )
    assert "2 a 100-200 100 100 0.3333 0.5000 50 50 0.6667 1.0000 50" in lines
    assert "char_prec@2 = sum of new relevant / |C|" in lines
    assert "= (50 + 50) / 150 = 0.6667" in lines
    assert "|C| the text read" in lines


def test_the_ideal_ranking_is_beside_the_results(call):
    outcome = call("--topic", "1", "-m", "nxCG@2")
    lines = [" ".join(line.split()) for line in outcome.stdout.splitlines()]
    assert any(line.endswith("gr ideal document ideal path or span ideal gain") for line in lines)
    assert any(line.startswith("1 a 50-150 ") and line.endswith(" a 100-200 1") for line in lines)


def test_json_has_terms_divisor_and_score(call):
    outcome = call("--topic", "1", "-m", "char_prec@2", "-m", "char_rec@1", "-f", "json")
    precision, recall = json.loads(outcome.stdout)["explanations"]
    assert [rank["term"] for rank in precision["ranks"]] == [50, 50]
    assert precision["divisor"] == 150
    assert precision["score"] == pytest.approx(2 / 3, abs=1e-15)
    assert precision["sum"] == "(50 + 50) / 150 = 0.6667"
    assert precision["columns"]["new rsize"] == "its new characters that are relevant"
    assert recall["measure"] == "char_rec@1"
    assert len(recall["ranks"]) == 1


def test_csv_has_one_line_per_measure_and_rank_and_no_formulas(call):
    outcome = call("--topic", "1", "-m", "char_prec", "-m", "nxCG@1", "-f", "csv")
    header, *lines = outcome.stdout.splitlines()
    assert header.startswith("run,topic,measure,rank,doc,path,start,end,size,relevant,overlap(i),")
    assert [line.split(",")[2:5] for line in lines] == [
        ["char_prec", "1", "a"],
        ["char_prec", "2", "a"],
        ["char_prec", "3", "'=b"],
        ["nxCG@1", "1", "a"],
    ]


def test_html_is_a_page(call):
    page = call("--topic", "1", "-m", "char_prec@2", "-f", "html").stdout
    assert page.startswith("<!DOCTYPE html>")
    assert "= (50 + 50) / 150 = 0.6667" in page
    assert "<script" not in page


def test_depth_limits_the_ranks(call):
    outcome = call("--topic", "1", "-m", "char_prec", "--depth", "1")
    assert "2 more ranks; together they contribute 0.2" in outcome.stdout
    assert (
        len(json.loads(call("--topic", "1", "-f", "json", "--depth", "2").stdout)["explanations"][0]["ranks"])
        == 1
    )
    csv = call("--topic", "1", "-m", "char_prec", "--depth", "2", "-f", "csv").stdout
    assert len(csv.splitlines()) == 3


def test_an_infinite_score_is_printed(call):
    outcome = call("--topic", "21", "-m", "read")
    assert "read = sum of read\n  = infinity\n" in outcome.stdout
    assert "The run has no results for this topic." in outcome.stdout
    (explanation,) = json.loads(call("--topic", "21", "-m", "read", "-f", "json").stdout)["explanations"]
    assert explanation["score"] is None
    assert call("--topic", "21", "-m", "read", "-f", "csv").stdout.endswith(",inf,inf,1.0,inf\n")


def test_without_measures_the_default_set_is_explained(call):
    explanations = json.loads(call("--topic", "1", "-f", "json").stdout)["explanations"]
    assert {"char_rec@1", "span_RR"} <= {explanation["measure"] for explanation in explanations}


def test_a_rejected_run_is_named_and_the_rest_is_explained(call):
    outcome = call("--topic", "1", "-m", "MAiP", "-m", "char_rec")
    assert "mine: MAiP not computed: results overlap earlier ones" in outcome.stderr
    assert "char_rec = sum of" in outcome.stdout


def test_the_exit_status_is_1_if_a_measure_rejects_the_run(call):
    assert call  # writes the files
    with pytest.raises(SystemExit) as ended:
        main(["explain", "-a", "gold.jsonl", "--topic", "1", "-m", "MAiP,char_rec", "mine.jsonl"])
    assert ended.value.code == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("--topic", "2", "-m", "char_rec"),
            "wanted an assessed topic such as 1, 21, found '2'; did you mean 21?",
        ),
        (("--topic", "1", "-m", "char_reck"), "there is no measure 'char_reck'; did you mean char_rec"),
        (("-m", "char_rec"), "Missing option '--topic'"),
    ],
)
def test_wrong_calls_are_errors_with_suggestions(call, capsys, words, message):
    assert call  # writes the files
    with pytest.raises(SystemExit) as ended:
        main(["explain", "-a", "gold.jsonl", *words, "mine.jsonl"])
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_a_run_that_does_not_exist_is_an_error(call, capsys):
    assert call
    with pytest.raises(SystemExit) as ended:
        main(["explain", "-a", "gold.jsonl", "--topic", "1", "other.jsonl"])
    assert ended.value.code == 2
    assert "other.jsonl" in capsys.readouterr().err


def test_explain_is_in_the_help_of_doxel():
    assert (
        "explain     Show how a score comes about, rank by rank."
        in CliRunner().invoke(cli, ["--help"]).stdout
    )
