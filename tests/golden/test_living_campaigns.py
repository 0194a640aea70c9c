"""The official figures of living campaigns: what their programs printed for files in ../shared/data/living.

Each folder has files in the campaign's shape and ``expected.txt`` with a line per figure; its README names
the program and its version.
"""

import csv
import math

import pytest

import doxel
from doxel.errors import InputError


def read_expected(folder):
    with (folder / "expected.txt").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def index_scores(evaluation):
    """Return all scores by topic and measure; ``all`` is the topic of overall figures."""
    scores = {(topic, measure): score for _, topic, measure, score in evaluation.scores.iter_rows()}
    means = evaluation.means.select("measure", "score").iter_rows()
    return scores | {("all", measure): score for measure, score in means}


def is_same(score, printed):
    return score == printed or (math.isnan(score) and math.isnan(printed))


BIOASQ_NAMES = {"MPrec": "P", "MRec": "R", "MF1": "F1", "MAP": "AP", "GMAP": "GMAP"}


def test_bioasq_gives_every_digit_of_the_program(shared_data):
    folder = shared_data / "living" / "bioasq"
    evaluations, compared = {}, 0
    for row in read_expected(folder):
        name, _, kind = row["measure"].partition(" ")
        if kind not in {"documents", "snippets"}:  # concepts and triples are not text
            continue
        key = (row["answers"], row["gold"], row["e"])
        if key not in evaluations:
            answers, gold, edition = key
            result = doxel.evaluate(folder / answers, folder / gold, f"bioasq{edition}", compat="bioasq")
            evaluations[key] = index_scores(result)
        figure = f"{kind.removesuffix('s')[:4].replace('docu', 'doc')}_{BIOASQ_NAMES[name]}"
        assert is_same(evaluations[key][row["question"], figure], float(row["value"])), (row, figure)
        compared += 1
    assert compared == 356


ARCHEHR_SETS = {"2025": "archehr2025", "2026-2": "archehr2026", "2026-4": "archehr2026-align"}
RENAMED = {"Evidence F1": "evidence_F1"}


def choose_request(campaign, row):
    """Return the measures and the tool of a line of expected figures."""
    if campaign == "genomics":
        return "genomics2007", None
    if campaign == "locomo":
        return "locomo", "locomo"
    return ARCHEHR_SETS.get(row["set"], row["set"]), None


@pytest.mark.parametrize(
    ("campaign", "count"), [("genomics", 32), ("archehr", 32), ("locomo", 11), ("qasper", 4)]
)
def test_other_campaigns_give_every_digit_that_was_printed(shared_data, campaign, count):
    folder = shared_data / "living" / campaign
    evaluations, compared = {}, 0
    for row in read_expected(folder):
        if row["measure"] == "refused":
            continue
        measures, compat = choose_request(campaign, row)
        key = (row["run"], row["gold"], measures)
        if key not in evaluations:
            result = doxel.evaluate(folder / row["run"], folder / row["gold"], measures, compat=compat)
            evaluations[key] = index_scores(result)
        name = f"genomics_{row['measure'].lower()}" if campaign == "genomics" else row["measure"]
        score = evaluations[key][row["topic"], RENAMED.get(name, name)]
        printed = f"{score:.8f}" if campaign == "genomics" else repr(score)
        assert printed == row["value"], row
        compared += 1
    assert compared == count


@pytest.mark.parametrize(
    ("run", "sentence"),
    [("missing_case.json", "found a run that lacks 2, 3, 4"), ("bad_id.json", "found '99'")],
)
def test_archehr_refuses_what_the_program_refuses(shared_data, run, sentence):
    folder = shared_data / "living" / "archehr"
    with pytest.raises(InputError, match=sentence):
        doxel.evaluate(folder / run, folder / "key.json", "archehr2026")


@pytest.mark.parametrize(
    ("file", "spans"),
    [("squad-v2.json", [("Valves:0", 18, 23), ("Valves:0", 18, 28), ("Valves:0", 49, 54)]), ("cuad.json", 2)],
)
def test_spans_of_squad_and_cuad_are_code_points(shared_data, file, spans):
    gold = doxel.read_assessments(shared_data / "living" / "doors" / file)
    rows = gold.highlights.select("doc", "start", "end").rows()
    assert rows == spans if isinstance(spans, list) else len(rows) == spans
    assert gold.format == "squad"


def test_msmarco_gives_the_printed_digits(shared_data):
    folder = shared_data / "living" / "doors"
    printed = {
        row["measure"]: row["value"] for row in read_expected(folder) if row["set"] == "msmarco-passage"
    }
    result = doxel.evaluate(folder / "msmarco.run.tsv", folder / "msmarco.qrels.tsv", "msmarco")
    assert repr(result.means["score"][0]) == printed["MRR @10"]
