"""The worst topics, and the questions that a run gained and lost."""

from __future__ import annotations

import pytest
from lxml import html as lxml_html
from polars.testing import assert_frame_equal

from doxel import load_result
from doxel.errors import InputError
from doxel.evaluation import evaluate
from doxel.notebook.topic_differences import find_differences, find_worst_topics
from doxel.topics import Topic, Topics

TEXT = "Snow falls in winter. <b>Rain</b> falls in autumn & spring. " + "Sun shines in summer. " * 80
GOLD = [
    ("snow", "weather", 0, 21),
    ("rain", "weather", 22, 60),
    ("sun", "weather", 60, 82),
    ("fog", "weather", 0, 4),
]
FIRST = [("snow", "weather", 0, 21), ("rain", "weather", 60, 82), ("sun", "weather", 60, 82)]
SECOND = [
    ("snow", "weather", 30, 40),
    ("rain", "weather", 10, 60),
    ("rain", "other", 0, 5),
    ("sun", "weather", 60, 82),
]
QUESTIONS = Topics.of([Topic("snow", title="When does <it> snow?"), Topic("rain", title="Rain?")])


@pytest.fixture(scope="module")
def result():
    documents = {"weather": TEXT, "other": "nothing here"}
    runs = {"first": FIRST, "second": SECOND}
    return evaluate(runs, GOLD, ["char_rec@2", "char_prec@2"], collection=documents, topic_file=QUESTIONS)


def test_the_worst_topics_come_first_with_their_questions(result):
    worst = result.worst(3, run="second")
    assert worst["topic"].to_list() == ["snow", "fog", "rain"]
    assert worst["score"].to_list() == [0.0, 0.0, 1.0]
    assert worst["question"].to_list() == ["When does <it> snow?", None, "Rain?"]
    assert set(result.worst(8)["run"]) == {"first", "second"}
    assert result.worst(1, measure="char_prec@2")["measure"].to_list() == ["char_prec@2"]


def test_high_scores_are_the_worst_of_some_measures():
    gold = [("1", "a", 0, 10), ("2", "a", 50, 60)]
    run = [(topic, "a", 0, 100) for topic in ("1", "2")]
    result = evaluate([(*run[0][:3], 10), run[1]], gold, "read(recall=1)")
    assert find_worst_topics(result, 1)["topic"].to_list() == ["2"]


def test_gained_and_lost_questions(result):
    difference = result.diff("first", "second")
    assert difference.gained["topic"].to_list() == ["rain"]
    assert difference.lost["topic"].to_list() == ["snow"]
    assert difference.table["gain"].to_list() == [-1.0, 1.0, 0.0, 0.0]
    assert repr(difference) == "<RunDifference by char_rec@2: second gains 1 topic and loses 1 against first>"
    opposite = result.diff("second", "first")
    assert_frame_equal(opposite.gained.select("topic"), difference.lost.select("topic"))


def test_passages_of_both_runs_have_texts_and_relevant_parts(result):
    topics = {difference.topic: difference for difference in result.diff("first", "second").topics}
    assert set(topics) == {"snow", "rain"}
    rain = topics["rain"]
    assert [passage.text for passage in rain.gold] == [TEXT[22:60]]
    first, second = rain.results
    assert [(passage.rank, passage.place, passage.marks) for passage in second] == [
        (1, "weather 10-60", ((22, 60),)),
        (2, "other 0-5", ()),
    ]
    assert second[0].text == TEXT[10:60]
    assert first[0].marks == ()
    assert rain.covered == (0.0, 1.0)


def test_html_has_question_gold_and_chunks_side_by_side(result):
    page = lxml_html.fragment_fromstring(result.diff("first", "second")._repr_html_())
    lost, gained = page.findall(".//details")
    assert lost.find("summary").text_content().endswith("snow When does <it> snow?")
    assert lost.find("summary/span").get("class") == "down"
    assert gained.find("summary/span").get("class") == "up"
    assert gained.find("summary/span").text == "0.0000 → 1.0000"
    sides = gained.findall(".//div[@class='sides']/div")
    assert len(sides) == 2
    assert [mark.text for mark in sides[1].iterfind(".//mark")] == [TEXT[22:60]]
    assert "100% of the relevant text in these results" in sides[1].text_content()
    assert page.find(".//b") is None
    assert "second is better in 1 topic, worse in 1, and the same in 2." in page.text_content()


def test_long_results_are_shown_around_the_first_relevant_text():
    gold = [("sun", "weather", 1500, 1520)]
    runs = {"whole": [("sun", "weather", 0, len(TEXT))], "nothing": [("sun", "weather", 0, 5)]}
    result = evaluate(runs, gold, "char_rec@2", collection={"weather": TEXT})
    page = lxml_html.fragment_fromstring(result.diff("nothing", "whole")._repr_html_())
    (mark,) = page.iterfind(".//mark")
    assert mark.text == TEXT[1500:1520]
    chunk = mark.getparent().text_content()
    assert "…" in chunk
    assert len(chunk) < 1000


def test_many_relevant_passages_are_counted():
    gold = [("sun", "weather", start, start + 2) for start in range(0, 60, 10)]
    runs = {"all": [("sun", "weather", 0, 100)], "none": [("sun", "weather", 100, 110)]}
    difference = evaluate(runs, gold, "char_rec@1", collection={"weather": TEXT}).diff("none", "all")
    assert len(difference.topics[0].gold) == 6
    assert "... and 2 more passages" in difference._repr_html_()


def test_without_a_collection_places_are_shown_and_with_a_saved_result_the_table(result, tmp_path):
    bare = evaluate({"first": FIRST, "second": SECOND}, GOLD, "char_rec@2").diff("first", "second")
    assert bare.topics[0].gold[0].text is None
    assert "pass a collection to see it" in bare._repr_html_()
    result.save(tmp_path / "result.json")
    loaded = load_result(tmp_path / "result.json").diff("first", "second")
    assert_frame_equal(loaded.table.drop("question"), result.diff("first", "second").table.drop("question"))
    assert loaded.topics == ()
    page = lxml_html.fragment_fromstring(loaded._repr_html_())
    assert [line.text_content() for line in page.iterfind("./div")] == [
        "1.0000 → 0.0000 \u2002snow ",
        "0.0000 → 1.0000 \u2002rain ",
    ]


def test_the_number_of_topics_and_results_can_be_chosen(result):
    assert result.diff("first", "second", count=0).topics == ()
    difference = result.diff("first", "second", depth=1)
    assert [len(results) for topic in difference.topics for results in topic.results] == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            {"run": "frist", "other": "second"},
            "a run: wanted one of first, second, found 'frist'; did you mean first",
        ),
        ({"run": "first", "other": "second", "measure": "MAiP"}, "a measure: wanted one of char_rec@2"),
    ],
)
def test_unknown_names_are_errors(result, arguments, words):
    with pytest.raises(InputError, match=words):
        find_differences(result, **arguments)
