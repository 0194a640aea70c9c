"""``doxel evaluate``: structure, other tools, names of other tools, and topics that differ between runs."""

import json
import subprocess
import sys

import pytest

import doxel as library
from cli.structured_topics import options
from documents.commands import doxel, write_files
from doxel.errors import MeasureError


def test_evaluate_ignores_results_off_target(structured):
    """The p at rank 1 of a is off target; its text is seen there, so the sec has nothing new."""
    measure = 'nxCG(task="thorough")@1'
    outcome = doxel(
        "evaluate",
        *options(structured),
        "--structure",
        "SCAS",
        "-m",
        measure,
        structured / "a.run",
        structured / "b.run",
    )
    assert outcome.status == 0
    assert [line.split("\t")[3] for line in outcome.out.splitlines()[1:]] == ["0.0", "1.0"]
    assert "a: 1 result in a judged document is off target" in outcome.err


def test_evaluate_records_the_structure(structured):
    outcome = doxel(
        "evaluate",
        *options(structured),
        "--structure",
        "target=strict",
        "-m",
        "char_rec",
        "-f",
        "json",
        structured / "a.run",
    )
    assert json.loads(outcome.out)["parameters"]["structure"] == "target=strict,support=vague"


INEX = """1 Q0 A 100 1000 150 150:100
1 Q0 B 300 400 0 0:200 300:100
1 Q0 C 0 500
2 Q0 E 80 100 10 10:80
"""
FOCUSED = """1 Q0 A 1 0.9 r 100 200
1 Q0 C 2 0.8 r 0 100
1 Q0 B 3 0.7 r 0 400
2 Q0 E 1 0.9 r 0 100
"""
DOCUMENTS = "1 0 a 2\n1 0 b 0\n1 0 c 1\n2 0 a 1\n"
RANKED = "1 Q0 b 1 3 r\n1 Q0 c 2 2 r\n1 Q0 a 3 1 r\n2 Q0 a 1 1 r\n"
SPANS = '{"topic": "1", "doc": "a", "start": 0, "end": 100}\n'
CHUNKS = '{"topic": "1", "doc": "a", "start": 0, "end": 80, "rank": 1}\n'


@pytest.fixture
def files(tmp_path):
    contents = {"inex.qrels": INEX, "focused.run": FOCUSED, "trec.qrels": DOCUMENTS, "ranked.run": RANKED}
    return write_files(tmp_path, {**contents, "spans.jsonl": SPANS, "chunks.jsonl": CHUNKS})


def like_inex_eval(files, *arguments):
    call = ("-a", files / "inex.qrels", "--compat", "inex_eval", *arguments, files / "focused.run")
    return doxel("evaluate", *call)


def test_inex_eval_prints_only_the_figures_asked_for(files):
    everything = like_inex_eval(files, "--task", "focused", "-f", "inex_eval").out.splitlines()
    assert len(everything) > 100
    selected = like_inex_eval(
        files, "--task", "focused", "-f", "inex_eval", "-q", "-m", "MAiP,num_q,iP@0.01,0.1"
    )
    names = [line.split()[0] for line in selected.out.splitlines()[1:-1]]
    assert names == ["iP[0.01]", "iP[0.10]", "AiP"] * 2 + ["num_q", "iP[0.01]", "iP[0.10]", "MAiP"]
    assert set(selected.out.splitlines()[7:-1]) < set(everything)
    rows = like_inex_eval(files, "--task", "focused", "-f", "tsv", "-m", "ircl_prn.0.10").out.splitlines()
    assert [row.split("\t")[2] for row in rows[1:]] == ["ircl_prn.0.10"]
    all_again = like_inex_eval(files, "--task", "focused", "-f", "inex_eval", "-m", "inex_eval")
    assert all_again.out.splitlines() == everything


def test_inex_eval_takes_its_options_from_any_in_context_measure(files):
    task = ("--task", "relevant-in-context", "-f", "json")
    narrow, wide = (
        json.loads(like_inex_eval(files, *task, "-m", f"{measure}").out)["scores"]
        for measure in ("gP(beta=1)@5", "gP(beta=0.25)@5")
    )
    assert [row["measure"] for row in narrow] == ["gP@5"]
    assert narrow[0]["score"] != wide[0]["score"]
    outcome = like_inex_eval(files, *task, "-m", "MAgP(beta=1),gP(beta=0.5)@5")
    assert (outcome.status, "one setting of MAgP, gP and igP" in outcome.err) == (2, True)
    both = json.loads(like_inex_eval(files, *task, "-m", "MAgP(beta=1), gP@5").out)["scores"]
    assert {row["measure"]: row["score"] for row in both}["gP@5"] == narrow[0]["score"]


def test_inex_eval_names_the_figures_that_it_has(files):
    outcome = like_inex_eval(files, "--task", "focused", "-m", "nxCG@10")
    assert outcome.status == 2
    assert "inex_eval does not compute nxCG@10 for this task; it computes num_q, num_ret," in outcome.err


def test_inex_eval_is_a_keyword_in_python(files):
    arguments = (files / "focused.run", files / "inex.qrels")
    result = library.evaluate(*arguments, ["MAiP"], compat="inex_eval", task="focused")
    assert result.means.select("run", "measure").rows() == [("r", "MAiP")]
    assert result.scores["topic"].to_list() == ["1", "2"]


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("map", "AP"),
        ("MAP", "AP"),
        ("mAP", "AP"),
        ("mrr", "RR"),
        ("MRR@10", "RR@10"),
        ("ndcg", "nDCG"),
        ("ndcg@10", "nDCG@10"),
        ("recall@5", "R@5"),
        ("Precision@5", "P@5"),
    ],
)
def test_names_of_other_tools_are_understood_on_documents(files, typed, name):
    outcome = doxel("evaluate", "-a", files / "trec.qrels", "-m", typed, files / "ranked.run")
    assert outcome.status == 0, outcome.err
    assert outcome.out.splitlines()[1].split("\t")[2] == name
    same = library.evaluate(files / "ranked.run", files / "trec.qrels", typed)
    assert same.means.equals(library.evaluate(files / "ranked.run", files / "trec.qrels", name).means)


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("map", "MAiP or char_rec@5"),
        ("mrr@10", "span_RR"),
        ("NDCG@10", "nxCG@10"),
        ("recall@5", "char_rec@5"),
        ("precision@5", "char_prec@5"),
        ("char_rec@5, recall@5", "span_rec@5"),
        ("context_recall", "no such judge; char_rec@5"),
        ("context_precision", "char_prec@5"),
        ("faithfulness", "what was retrieved, not answers"),
    ],
)
def test_names_of_other_tools_are_explained_on_text(files, typed, names):
    outcome = doxel("evaluate", "-a", files / "spans.jsonl", "-m", typed, files / "chunks.jsonl")
    assert outcome.status == 2
    assert names in outcome.err
    with pytest.raises(MeasureError):
        library.evaluate(files / "chunks.jsonl", files / "spans.jsonl", typed)


def test_hit_rate_is_hit_on_spans_only(files):
    outcome = doxel("evaluate", "-a", files / "spans.jsonl", "-m", "hit_rate@5", files / "chunks.jsonl")
    assert outcome.out.splitlines()[1].split("\t")[2:] == ["hit@5", "1.0"]
    outcome = doxel("evaluate", "-a", files / "trec.qrels", "-m", "hit_rate@5", files / "ranked.run")
    assert (outcome.status, "success_5 with --compat trec_eval" in outcome.err) == (2, True)


UNEQUAL = "the means are over different topics, 1 to 2 per run (r 2, one 1), and are not comparable"


@pytest.mark.parametrize("layout", ["table", "tsv", "csv", "json", "latex", "trec"])
def test_means_over_different_topics_are_announced_in_every_format(files, layout):
    (files / "one.run").write_text("1 Q0 a 1 1 one\n")
    runs = (files / "ranked.run", files / "one.run")
    call = ("evaluate", "-a", files / "trec.qrels", "-m", "AP", "-f", layout)
    outcome = doxel(*call, "--topics", "run", *runs)
    assert UNEQUAL in outcome.err
    if layout in {"json", "latex"}:
        assert UNEQUAL in outcome.out
    assert "different topics" not in doxel(*call, *runs).err
    assert "different topics" not in doxel(*call, "--topics", "run", runs[0]).err


def test_means_over_different_topics_are_announced_in_python(files):
    (files / "one.run").write_text("1 Q0 a 1 1 one\n")
    runs = [files / "ranked.run", files / "one.run"]
    assert UNEQUAL in library.evaluate(runs, files / "trec.qrels", "AP", topics="run").warnings[0]
    assert library.evaluate(runs, files / "trec.qrels", "AP").warnings == (
        (
            "one: 1 assessed topic has no results and scores 0; "
            "if the run was not made for it, use --topics run (in Python topics='run')"
        ),
    )


@pytest.fixture
def unjudged(tmp_path):
    """A run with unjudged text, gold with a document that is judged non-relevant, and another assessor."""
    write_files(
        tmp_path,
        {
            "gold.jsonl": '{"topic": "1", "doc": "A", "start": 100, "end": 200}\n'
            '{"topic": "1", "doc": "B"}\n',
            "other.jsonl": '{"topic": "1", "doc": "A", "start": 100, "end": 150}\n',
            "mine.jsonl": "".join(
                json.dumps({"topic": "1", "doc": doc, "start": start, "end": end}) + "\n"
                for doc, start, end in (("Z", 0, 50), ("A", 50, 150), ("B", 0, 100), ("A", 100, 300))
            ),
        },
    )
    return tmp_path


def read_scores(outcome):
    assert outcome.status == 0, outcome.err
    return [line.split("\t")[3:] for line in outcome.out.splitlines()[1:]]


def test_residuals_are_a_column_and_keys_of_json(unjudged):
    call = ("evaluate", "-a", unjudged / "gold.jsonl", "-m", "char_prec,char_rec@2", unjudged / "mine.jsonl")
    assert read_scores(doxel(*call)) == [["0.25"], ["0.5"]]
    outcome = doxel(*call, "--residual")
    assert outcome.out.splitlines()[0].split("\t")[3:] == ["score", "residual"]
    assert read_scores(outcome) == [["0.25", "0.125"], ["0.5", repr(2 / 3 - 0.5)]]
    assert (
        "mine: 87.5% of the retrieved characters are in judged documents (350 of 400) [S121]" in outcome.err
    )
    rows = json.loads(doxel(*call, "--residual", "-f", "json").out)["scores"]
    assert [(row["optimistic"], row["residual"]) for row in rows] == [(0.375, 0.125), (2 / 3, 2 / 3 - 0.5)]


def test_unjudged_results_can_be_removed(unjudged):
    call = ("evaluate", "-a", unjudged / "gold.jsonl", "-m", "char_prec@1", unjudged / "mine.jsonl")
    assert read_scores(doxel(*call, "--unjudged", "nonrelevant")) == [["0.0"]]
    outcome = doxel(*call, "--unjudged", "remove")
    assert read_scores(outcome) == [["0.5"]]
    assert "mine: 1 result in an unjudged document removed, in 1 topic [S123]" in outcome.err
    assert doxel(*call, "--unjudged", "drop").status == 2


def test_another_assessor_gives_a_range(unjudged):
    call = ("evaluate", "-a", unjudged / "gold.jsonl", "-m", "char_prec", unjudged / "mine.jsonl")
    outcome = doxel(*call, "--assessor", unjudged / "other.jsonl")
    assert read_scores(outcome) == [["0.25", "0.125", "0.25"]]
    assert "1 topic was judged by several assessors" in outcome.err


def test_options_about_unjudged_text_are_ignored_by_other_tools(files):
    call = (
        "evaluate",
        "-a",
        files / "trec.qrels",
        "--compat",
        "trec_eval",
        "-m",
        "map",
        files / "ranked.run",
    )
    outcome = doxel(*call, "--residual", "--unjudged", "remove", "--assessor", files / "trec.qrels")
    assert outcome.status == 0, outcome.err
    for option in ("--residual", "--unjudged", "--assessor"):
        assert f"{option} is ignored with --compat trec_eval" in outcome.err


def test_a_passage_of_grade_0_is_judged_and_not_relevant(tmp_path):
    gold = (
        '{"topic": "1", "doc": "a", "start": 0, "end": 10, "grade": 0}\n'
        '{"question_id": "1", "source": "a", "start_index": 20, "end_index": 30, "label": 1}\n'
    )
    rows = '{"topic": "1", "doc": "a", "start": 0, "end": 10}\n'
    annotation = {
        "type": "Annotation",
        "body": [
            {"type": "TextualBody", "purpose": "tagging", "value": "1"},
            {"type": "TextualBody", "purpose": "assessing", "value": "0"},
        ],
        "target": {"source": "a", "selector": {"type": "TextPositionSelector", "start": 0, "end": 10}},
    }
    other = json.loads(json.dumps(annotation).replace('"0"', '"1"').replace("10}", "30}"))
    other["target"]["selector"]["start"] = 20
    write_files(
        tmp_path, {"gold.jsonl": gold, "run.jsonl": rows, "gold.json": json.dumps([annotation, other])}
    )
    for name in ("gold.jsonl", "gold.json"):
        call = ("-a", tmp_path / name, "-m", "char_rec", "-m", "char_prec", "-m", "judged_results")
        outcome = doxel("evaluate", *call, tmp_path / "run.jsonl")
        assert read_scores(outcome) == [["0.0"], ["0.0"], ["1.0"]]
        assert "[S" not in outcome.err


def test_check_does_not_count_passages_of_grade_0_as_relevant(tmp_path):
    gold = (
        '{"topic": "1", "doc": "a", "start": 0, "end": 10, "grade": 0}\n'
        '{"topic": "1", "doc": "a", "bep": 0}\n'
        '{"topic": "2", "doc": "a", "start": 0, "end": 10, "grade": 0}\n'
    )
    write_files(tmp_path, {"gold.jsonl": gold})
    outcome = doxel("check", "-a", tmp_path / "gold.jsonl")
    assert "A202" in outcome.out  # an entry point, but nothing is highlighted
    assert "nothing is relevant" in outcome.out


def test_warnings_are_printed_even_if_nobody_reads_the_scores(tmp_path):
    (tmp_path / "qrels").write_text("1 Q0 7 100 1000 150 150:100\n2 Q0 8 80 100 10 10:80\n")
    (tmp_path / "run").write_text("1 Q0 7 1 2.5 small 100 200\n")  # nothing for topic 2
    command = [sys.executable, "-m", "doxel", "evaluate", "-a", "qrels", "-m", "MAiP", "run"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert b"R402" in process.stderr.read()
        assert process.wait() == 0


@pytest.mark.parametrize("name", ["scores.xlsx", "scores.docx", "scores.PDF.gz"])
def test_scores_are_not_written_under_the_name_of_another_kind_of_file(tmp_path, name):
    gold = write_files(tmp_path, {"gold.jsonl": '{"topic": "1", "doc": "a", "start": 0, "end": 9}\n'})
    call = ("evaluate", "-a", gold / "gold.jsonl", "-m", "char_rec", "-o", tmp_path / name)
    outcome = doxel(*call, gold / "gold.jsonl")
    assert (outcome.status, (tmp_path / name).exists()) == (2, False)
    assert "wanted -f FORMAT, or a file that ends in .csv, .json, .parquet, .tex, .tsv, found " in outcome.err
    assert doxel(*call, "-f", "tsv", gold / "gold.jsonl").status == 0
