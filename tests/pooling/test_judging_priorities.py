"""What to judge next: the fall of residuals, worked out by hand."""

from __future__ import annotations

import json

import pytest

from documents.commands import doxel as command
from doxel.errors import InputError
from doxel.evaluation import evaluate
from doxel.pooling.judging_priorities import list_next_documents
from doxel.pooling.pool_files import read_pool

GOLD = [("1", "a", 0, 100), ("2", "a", 0, 100)]
FIRST = [("1", "a", 0, 100), ("1", "z", 0, 300), ("1", "y", 0, 100), ("2", "a", 0, 50), ("2", "z", 0, 50)]
SECOND = [("1", "y", 0, 100), ("1", "x", 0, 100), ("1", "w", 0, 999), ("2", "a", 0, 100)]


def test_documents_are_listed_by_the_fall_of_the_mean_residual():
    table, evaluation = list_next_documents({"one": FIRST, "two": SECOND}, GOLD, "char_prec@2")
    # two runs and two topics: z is 300 of 400 characters in topic 1 of "one", 50 of 100 in topic 2;
    # y and x are 100 of 200 each in topic 1 of "two"; w is after the cutoff
    expected = [("1", "z", 0.75 / 4), ("1", "y", 0.5 / 4), ("1", "x", 0.5 / 4), ("2", "z", 0.5 / 4)]
    assert table.select("topic", "doc", "shrink").rows() == [
        (topic, doc, pytest.approx(shrink)) for topic, doc, shrink in expected
    ]
    assert table.row(0, named=True) | {"shrink": None} == {
        "topic": "1", "doc": "z", "shrink": None, "runs": 1, "rank": 2, "characters": 300,
    }  # fmt: skip
    assert evaluation.means["residual"].sum() / 2 == pytest.approx(table["shrink"].sum())


def test_judging_a_document_shrinks_the_residual_as_listed():
    runs = {"one": FIRST, "two": SECOND}
    names = ["char_rec@3", "char_f1@3", "P@3"]
    table, evaluation = list_next_documents(runs, GOLD, names)
    rows = [dict(zip(("topic", "doc", "start", "end"), span, strict=True)) for span in GOLD]
    for topic, doc, shrink in table.select("topic", "doc", "shrink").iter_rows():
        after = evaluate(runs, [*rows, {"topic": topic, "doc": doc}], names, residual=True)
        fall = evaluation.means["residual"].mean() - after.means["residual"].mean()
        assert fall == pytest.approx(shrink), (topic, doc)


def test_topics_with_nothing_to_find_have_no_residual_to_shrink():
    gold = [{"topic": "1", "doc": "a", "start": 0, "end": 100}, {"topic": "2", "doc": "a"}]
    table, _ = list_next_documents(FIRST, gold, "char_prec@3")
    assert table["topic"].unique().to_list() == ["1"]


def test_a_run_without_unjudged_documents_has_nothing_to_judge():
    table, _ = list_next_documents(FIRST[:1], GOLD, "char_prec@3")
    assert table.height == 0


def test_runs_that_retrieve_the_same_document_add_up():
    table, _ = list_next_documents({"one": FIRST, "two": SECOND}, GOLD, "char_prec@3")
    (row,) = table.filter(topic="1", doc="y").iter_rows(named=True)
    assert (row["runs"], row["rank"]) == (2, 1)
    assert row["shrink"] == pytest.approx((100 / 500 + 100 / 1199) / 4)


def test_the_number_of_documents_per_topic_can_be_limited():
    table, _ = list_next_documents({"one": FIRST, "two": SECOND}, GOLD, "char_prec@3", documents=1)
    assert table["topic"].to_list() == ["1", "2"]


def test_a_measure_needs_a_residual_and_a_cutoff():
    for name in ("char_prec", "iP@0.5", "judged_chars@5"):
        with pytest.raises(InputError, match="wanted a measure with a residual and a cutoff"):
            list_next_documents(FIRST, GOLD, name)


@pytest.fixture
def files(tmp_path):
    gold = tmp_path / "gold.jsonl"
    gold.write_text(
        "".join(json.dumps({"topic": t, "doc": d, "start": s, "end": e}) + "\n" for t, d, s, e in GOLD)
    )
    run = tmp_path / "mine.jsonl"
    run.write_text(
        "".join(json.dumps({"topic": t, "doc": d, "start": s, "end": e}) + "\n" for t, d, s, e in FIRST)
    )
    return str(gold), str(run)


def test_the_command_lists_them_and_writes_a_pool(files, tmp_path):
    gold, run = files
    out = tmp_path / "next.jsonl"
    outcome = command("pool", "--next", "-a", gold, "-m", "char_prec@3", "-f", "json", "-o", str(out), run)
    assert outcome.status == 0, outcome.err
    content = json.loads(outcome.out)
    assert [(row["topic"], row["doc"]) for row in content["next"]] == [("1", "z"), ("2", "z"), ("1", "y")]
    assert content["measures"] == ["char_prec@3"]
    pool = read_pool(out)
    assert sorted(pool.documents.select("topic", "doc").rows()) == [("1", "y"), ("1", "z"), ("2", "z")]


def test_the_command_prints_a_table_and_needs_assessments(files):
    gold, run = files
    outcome = command("pool", "--next", "-a", gold, run)
    assert outcome.status == 0, outcome.err
    assert "Documents to judge next" in outcome.out
    assert "[S121]" in outcome.err
    outcome = command("pool", "--next", run)
    assert outcome.status == 2
    assert "--next needs the judgements made so far" in outcome.err
