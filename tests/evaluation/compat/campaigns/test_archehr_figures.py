"""The figures of ArchEHR-QA on single cases; tests/golden/test_living_campaigns.py compares whole outputs."""

import json

import numpy as np
import pytest

import doxel
from doxel.errors import InputError
from doxel.evaluation.compat.campaigns.archehr_figures import score_sets

KEY = [
    {
        "case_id": "1",
        "answers": [
            {"sentence_id": "1", "relevance": "essential"},
            {"sentence_id": "2", "relevance": "supplementary"},
            {"sentence_id": "3", "relevance": "not-relevant"},
        ],
        "clinician_answer_sentences": [{"id": "1", "citations": ["1", "2"]}],
    },
    {
        "case_id": "2",
        "answers": [{"sentence_id": "1", "relevance": "not-relevant"}],
        "clinician_answer_sentences": [],
    },
]


@pytest.fixture
def score(tmp_path):
    def evaluate(cases, name, key=KEY):
        (tmp_path / "key.json").write_text(json.dumps(key))
        (tmp_path / "run.json").write_text(json.dumps(cases))
        result = doxel.evaluate(tmp_path / "run.json", tmp_path / "key.json", name)
        return dict(result.means.select("measure", "score").iter_rows())

    return evaluate


def predict(*sentences, rest=()):
    return [{"case_id": "1", "prediction": list(sentences)}, {"case_id": "2", "prediction": list(rest)}]


def test_supplementary_sentences_are_forgiven_in_2026_and_demanded_in_2025(score):
    later = score(predict("1", "2"), "archehr2026")
    assert (later["strict_micro_precision"], later["lenient_micro_precision"]) == (50, 100)
    assert later["lenient_micro_recall"] == 100
    answers = [{"case_id": "1", "answer": "x |1|"}, {"case_id": "2", "answer": "y |1|"}]
    earlier = score(answers, "archehr2025")
    assert (earlier["strict_micro_recall"], earlier["lenient_micro_recall"]) == (100, 50)


def test_a_case_with_nothing_to_find_and_nothing_predicted_is_1_in_2026_and_0_for_pairs(score):
    assert score(predict("1"), "archehr2026")["strict_macro_f1"] == 100
    pairs = [{"case_id": "1", "prediction": [{"answer_id": "1", "evidence_id": ["1", "2"]}]}, predict()[1]]
    assert score(pairs, "archehr2026-align")["macro_f1"] == 50
    assert score(pairs, "archehr2026-align")["overall_score"] == 100


def test_micro_pools_counts_and_macro_averages_cases():
    pairs = [({"a"}, {"a"}), ({"a", "b", "c"}, {"a"})]
    scores = score_sets(pairs, empty=1.0, mean=np.mean)
    assert (scores["micro_precision"], scores["macro_precision"]) == (
        50,
        pytest.approx(100 * (1 + 1 / 3) / 2),
    )


@pytest.mark.parametrize(
    ("cases", "name", "message"),
    [
        (predict("1")[:1], "archehr2026", "wanted every case of the key, found a run that lacks 2"),
        (
            [*predict("1"), {"case_id": "3", "prediction": []}],
            "archehr2026",
            "wanted no others, found a run that adds 3",
        ),
        (predict("9"), "archehr2026", "line 1: case 1: sentence id: wanted one of 1, 2, 3, found '9'"),
        (predict("1"), "archehr2025", "case 1: wanted an answer with citations"),
        (
            [{"case_id": name, "answer": "none"} for name in "12"],
            "archehr2025",
            "wanted citations such as |2,3|, found none",
        ),
        (predict("1"), "archehr2026-align", "wanted a list of objects with answer_id and evidence_id"),
        (
            [{"case_id": "1", "prediction": [{"answer_id": "7", "evidence_id": []}]}, predict()[1]],
            "archehr2026-align",
            "case 1: answer sentence id: wanted one of 1, found '7'",
        ),
    ],
)
def test_what_the_program_refuses_is_an_error(score, cases, name, message):
    with pytest.raises(InputError) as caught:
        score(cases, name)
    assert message in str(caught.value)


def test_alignment_needs_a_key_with_answer_sentences(score):
    key = [
        {name: value for name, value in case.items() if name != "clinician_answer_sentences"} for case in KEY
    ]
    with pytest.raises(InputError, match="wanted a key with clinician_answer_sentences"):
        score(predict(), "archehr2026-align", key)


def test_gold_of_another_format_is_refused():
    with pytest.raises(InputError, match="wanted a key of ArchEHR-QA"):
        doxel.evaluate([("1", "1", 0, 5)], [("1", "1", 0, 5)], "archehr2026")
