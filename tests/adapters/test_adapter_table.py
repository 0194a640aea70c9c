"""Which data are one run, and which are several."""

from pathlib import Path

import polars as pl
import pytest

from adapters.library_objects import LangChainDocument, chroma
from doxel.adapters.adapter_table import (
    adapt_table,
    is_by_topic,
    is_table,
    list_adapters,
    render_adapter_tables,
)
from doxel.errors import InputError
from doxel.evaluation import evaluate

DOCUMENT = LangChainDocument("abc", {"source": "r"})


@pytest.mark.parametrize(
    "data",
    [
        {"q1": ["a text"]},
        {"q1": [], "q2": [DOCUMENT]},
        {"q1": [("r", 0, 1)]},
        {"q1": chroma([[("r", 0, 1, "x")]])},
        {"q1": {"documents": [DOCUMENT]}},
        {"q1": [{"doc": "r", "start": 0, "end": 1}]},
        {"q1": [{"qid": "q1", "doc": "r"}], "q2": [{"qid": "q2", "doc": "r"}]},
        {"q1": [{"question": "Why?", "text": "a"}], "q2": [{"question": "Who?", "text": "a"}]},
        {"Why?": [{"question": "Why?", "text": "a"}]},
    ],
)
def test_a_mapping_from_topics_to_results_is_one_run(data):
    assert is_by_topic(data)
    assert is_table(data)
    assert set(adapt_table(data, "a run").frame["topic"]) <= set(data)


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"mine": [("1", "r", 0, 1)]},
        {"mine": [{"qid": "1", "doc": "r"}]},
        {"mine": [{"question": "Why?", "text": "a"}, {"question": "Who?", "text": "a"}]},
        {"mine": [{"user_input": "mine", "retrieved_contexts": ["a"]}]},
        {"mine": {"q1": {"r": 0.5}}},
        {"mine": {"q1": [DOCUMENT]}},
        {"mine": chroma([[("r", 0, 1, "x")], [("r", 0, 1, "x")]])},
        {"mine": pl.DataFrame({"qid": ["1"], "docno": ["r"]})},
        {"mine": "file.run"},
        [[("1", "r", 0, 1)], [("1", "r", 0, 1)]],
        [{"q1": ["a text"]}.items()],
    ],
)
def test_other_mappings_and_lists_have_several_runs(data):
    assert not is_table(data)


def test_results_may_be_given_in_the_order_of_the_gold():
    gold = {"q2": ["abc"], "q1": ["def"]}
    texts = {"r": "abc def"}
    runs = [[DOCUMENT], [LangChainDocument("def", {})]]
    assert evaluate(runs, gold, "char_rec", collection=texts).scores.select("topic", "score").rows() == [
        ("q2", 1.0),
        ("q1", 1.0),
    ]
    with pytest.raises(
        InputError, match="run 'run': wanted results for 2 questions, in the order of the gold"
    ):
        evaluate(runs[:1], gold, "char_rec", collection=texts)


def test_dicts_of_scores_and_grades_are_a_run_and_gold_of_documents():
    gold = {"q1": {"a": 1, "b": 0, "c": 2}}
    run = {"q1": {"b": 0.9, "a": 0.5, "c": 0.4}}
    scores = evaluate(run, gold, "AP, P@1, RR").scores
    assert dict(scores.select("measure", "score").iter_rows()) == pytest.approx(
        {"AP": (1 / 2 + 2 / 3) / 2, "P@1": 0, "RR": 1 / 2}
    )
    named = evaluate({"mine": run, "yours": {"q1": {"a": 1.0}}}, gold, "P@1").means
    assert named.select("run", "score").rows() == [("mine", 0.0), ("yours", 1.0)]


def test_adapters_are_listed_by_the_data_they_convert():
    levels = list(dict.fromkeys(level for level, _, _ in list_adapters()))
    assert levels == ["a result", "the results of one question", "all results, or gold"]


def test_the_page_of_adapters_is_current():
    """If this fails, run ``make docs``, which writes the tables."""
    page = Path(__file__).parents[2] / "docs" / "adapters.md"
    assert page.read_text(encoding="utf-8").endswith(f"\n\n{render_adapter_tables()}")


def test_gold_may_have_one_text_per_question():
    texts = {"manual": "Switch it off first. Then remove the lid."}
    gold = {"How?": "Then remove the lid."}
    result = evaluate({"How?": ["remove the lid. "]}, gold, "char_rec@1", collection=texts)
    assert result.means["score"].item() == 15 / 20  # "remove the lid." of "Then remove the lid."


def test_gold_may_have_one_text_for_some_questions_and_a_list_for_others():
    texts = {"manual": "Switch it off first. Then remove the lid."}
    gold = {"How?": "remove the lid.", "When?": ["Switch it off first.", "lid"]}
    frame = adapt_table(gold, "gold", gold=True).frame
    assert frame.select("topic", "text").rows() == [
        ("How?", "remove the lid."),
        ("When?", "Switch it off first."),
        ("When?", "lid"),
    ]
    result = evaluate({"When?": [texts["manual"]]}, gold, "char_rec@1", collection=texts)
    assert result.scores.sort("topic")["score"].to_list() == [0, 1]


def test_one_row_of_gold_is_not_taken_for_questions():
    with pytest.raises(InputError, match="wanted rows as dicts"):
        evaluate({"How?": ["x"]}, {"question": "How?", "text": "Then"}, "char_rec@1", collection={"a": "x"})
