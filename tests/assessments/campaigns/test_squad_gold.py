"""Gold of SQuAD and CUAD: answers as spans of a context, in code points."""

import json

import pytest

import doxel
from doxel.assessments.campaigns.squad_gold import SQUAD_GOLD
from doxel.errors import InputError

CONTEXT = "Café valves fail. Seals wear 🙂 out."


def article(title, *questions, context=CONTEXT):
    return {
        "title": title,
        "paragraphs": [{"context": "Other.", "qas": []}, {"context": context, "qas": questions}],
    }


def question(name, *answers, **more):
    spans = [{"text": text, "answer_start": start} for text, start in answers]
    return {"id": name, "question": "What?", "answers": spans, **more}


def read(*articles):
    content = {"version": "v2.0", "data": articles}
    return SQUAD_GOLD.read(json.dumps(content, indent=1, ensure_ascii=False).encode(), "squad.json")


def test_answers_are_spans_of_the_paragraph_each_once():
    gold = read(
        article("Valves", question("s", ("Seals", 18), ("Seals wear", 18), ("Seals", 18), ("out", 31)))
    )
    assert gold.highlights.select("topic", "doc", "start", "end", "text").rows() == [
        ("s", "Valves:1", 18, 23, "Seals"),
        ("s", "Valves:1", 18, 28, "Seals wear"),
        ("s", "Valves:1", 31, 34, "out"),  # code points: the emoji is one
    ]
    assert gold.questions == {"s": "What?"}


def test_an_impossible_question_has_nothing_relevant():
    gold = read(
        article(
            "V", question("s", is_impossible=True, plausible_answers=[{"text": "Seals", "answer_start": 18}])
        )
    )
    assert (gold.highlights.height, gold.judged.rows(named=True)[0]["doc"]) == (0, "V:1")


def test_a_contract_is_named_by_its_title():
    contract = {
        "title": "ACME",
        "paragraphs": [{"context": CONTEXT, "qas": [question("ACME__Law", ("Seals", 18))]}],
    }
    assert read(contract).highlights["doc"].to_list() == ["ACME"]


def test_chunks_of_contexts_are_scored(tmp_path):
    content = {"data": [article("V", question("s", ("Seals wear", 18)))]}
    (tmp_path / "gold.json").write_text(json.dumps(content))
    run = [{"topic": "s", "doc": "V:1", "start": 0, "end": 23}]
    assert doxel.evaluate(run, tmp_path / "gold.json", "char_rec@1").means["score"].to_list() == [0.5]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (question("s", ("Seals", 17)), "the text at 17: wanted 'Seals', found ' Seal'"),
        (
            question("s", ("Seals", -1)),
            "the answer_start of the answer: wanted a whole number, 0 or more, found -1",
        ),
        (question("", ("Seals", 18)), "the id of the question"),
        ({"id": "s"}, "the answers of the question: wanted a list, found nothing"),
    ],
)
def test_an_odd_answer_is_an_error_with_its_line(entry, message):
    with pytest.raises(InputError) as caught:
        read(article("V", entry))
    assert message in str(caught.value)
    assert caught.value.line > 10


def test_a_question_that_occurs_twice_is_an_error():
    with pytest.raises(InputError, match=r"question s: wanted each question once, found another in line 14"):
        read(article("V", question("s", ("Seals", 18)), question("s", ("Seals", 18))))
