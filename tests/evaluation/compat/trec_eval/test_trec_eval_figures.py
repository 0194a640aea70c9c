"""Figures of trec_eval: those computed here, and topics on which the library ends the process."""

import math
import random

import pytest

from doxel.evaluation.compat.trec_eval.trec_eval_figures import (
    RankedTopic,
    compute_topic_figures,
    summarise_figures,
)
from doxel.evaluation.compat.trec_eval.trec_eval_measures import parse_trec_figures

pytest.importorskip("pytrec_eval")


def compute(measures, documents, grades, **options):
    topic = RankedTopic("1", documents, grades, **options)
    return compute_topic_figures([topic], parse_trec_figures(measures))["1"]


# grades: a 1, b 0, c 2, e 1, x -1; z is not in the assessments
GRADES = {"a": 1, "b": 0, "c": 2, "d": 0, "e": 1, "x": -1}


def test_rbp_divides_gains_by_the_highest():
    """0.1 (0.9 * 1 + 0.9^3 / 2 + 0.9^4 / 2); version 10.0-rc3 prints 0.1593 (own/edge, t1)."""
    value = compute("rbp", ["z", "c", "b", "a", "e"], GRADES)["rbp"]
    assert value == pytest.approx(0.1 * (0.9 + 0.9**3 / 2 + 0.9**4 / 2), rel=1e-14)
    assert f"{value:.4f}" == "0.1593"


def test_rbp_takes_its_persistence_and_gains():
    assert compute("rbp.p=0.5", ["b", "c"], GRADES)["rbp_p=0.5"] == pytest.approx(0.5 * 0.5)
    # the gains 0, 4 and 2 of the grades 0, 1 and 2 are divided by 4
    assert compute("rbp.p=0.5,1=4", ["a", "c"], GRADES)["rbp_p=0.5,1=4"] == pytest.approx(0.5 * (1 + 0.25))


def test_rbp_of_binary_grades_is_not_divided():
    assert compute("rbp", ["a", "b"], {"a": 1, "b": 0})["rbp"] == pytest.approx(0.1)


def test_rbp_resid_counts_unjudged_documents_and_the_end_of_the_list():
    """0.9^5 + 0.1 * 1; 0.6905 is printed for topic t1 of own/edge by version 10.0-rc3."""
    value = compute("rbp_resid", ["z", "c", "b", "a", "e"], GRADES)["rbp_resid"]
    assert value == pytest.approx(0.9**5 + 0.1)
    assert f"{value:.4f}" == "0.6905"
    assert compute("rbp_resid", ["a", "x"], GRADES)["rbp_resid"] == pytest.approx(0.81 + 0.1 * 0.9)
    assert compute("rbp_resid", ["a", "b"], GRADES)["rbp_resid"] == 0


def test_unj_is_the_share_of_unjudged_documents():
    figures = compute("unj.1,2,10", ["z", "a", "x"], GRADES)
    assert figures == {"unj_1": 1.0, "unj_2": 0.5, "unj_10": 0.2}


def test_interpolated_precision_rounds_recall_to_the_nearest_document():
    """3 relevant documents at ranks 1 and 3 of 3: 0.5 of them is 1.5, so 2 (version 10)."""
    figures = compute("iprec_at_recall.0,.4,.5,.9", ["a", "z", "c"], GRADES)
    assert list(figures.values()) == pytest.approx([1, 1, 2 / 3, 0])
    assert compute("11pt_avg..4,.5", ["a", "z", "c"], GRADES)["11pt_avg_.4,.5"] == pytest.approx(5 / 6)


def test_utility_weighs_hits_noise_and_misses():
    assert compute("utility.3,-1,-2,0", ["a", "z", "b"], GRADES)["utility_3,-1,-2,0"] == 3 - 2 - 2 * 2
    assert compute("utility", [], GRADES)["utility"] == 0


def test_set_f_weighs_recall():
    precision, recall, beta = 1 / 2, 1 / 3, 0.5
    expected = (beta + 1) * precision * recall / (beta * precision + recall)
    assert compute("set_F.0.5", ["a", "z"], GRADES)["set_F_0.5"] == pytest.approx(expected)
    assert compute("set_F.0.5", ["z"], GRADES)["set_F_0.5"] == 0


def test_yaap_is_the_log_odds_of_robertson():
    total = 1 + 2 / 3
    expected = math.log((1 + total) / (1 + 3 - total))
    assert compute("yaap", ["a", "z", "c"], GRADES)["yaap"] == pytest.approx(expected)


def test_gains_of_ones_own_change_ndcg():
    gained = 3 / math.log2(3)
    ideal = 9 + 3 / math.log2(3) + 3 / math.log2(4)
    figures = compute("ndcg.1=3,2=9,dcg.1=3,2=9,ideal_dcg.1=3,2=9", ["z", "a"], GRADES)
    assert list(figures.values()) == pytest.approx([gained / ideal, gained, ideal])


def random_topic(rng, number):
    pool = [f"d{place}" for place in range(rng.randint(1, 30))]
    grades = {doc: rng.choice([-2, -1, 0, 0, 1, 1, 2, 4]) for doc in pool if rng.random() < 0.7}
    documents = rng.sample([*pool, *(f"u{place}" for place in range(5))], rng.randint(1, len(pool)))
    return RankedTopic(str(number), documents, grades or {"d0": 0}, min_grade=1)


@pytest.mark.parametrize("measure", ["ndcg", "ndcg_rel", "Rndcg", "G"])
def test_measures_with_gains_equal_the_library_for_the_gains_that_it_uses(measure):
    """Grade 4 has gain 4 by default: naming it takes the other way to the same number."""
    rng = random.Random(7)
    topics = [random_topic(rng, number) for number in range(300)]
    figures = parse_trec_figures([measure, f"{measure}.4=4"])
    for values in compute_topic_figures(topics, figures).values():
        of_library, own = values.values()
        assert own == pytest.approx(of_library, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("grades", [{"a": -1}, {"a": -5, "b": -2}])
def test_a_topic_without_judged_documents_scores_0(grades):
    """The library alone ends the process here."""
    figures = parse_trec_figures("all_trec")
    values = compute_topic_figures([RankedTopic("1", ["a", "z"], grades)], figures)["1"]
    zero = {name for name, value in values.items() if value == 0}
    assert {"map", "ndcg", "bpref", "Rndcg", "infAP", "num_rel", "num_nonrel_judged_ret"} <= zero
    assert (values["num_ret"], values["utility"], values["unj_5"]) == (2, -2, 0.4)


def test_a_topic_without_results_scores_0():
    """The library alone ends the process here.  Version 10.0-rc3 prints these for topic t3 of own/edge."""
    values = compute("all_trec", [], GRADES)
    assert values["num_rel"] == 3
    assert values["gm_map"] == values["gm_bpref"] == math.log(0.00001)
    assert {
        value for name, value in values.items() if name not in {"num_rel", "num_q"} and "gm_" not in name
    } == {0}


def test_a_topic_does_not_change_the_next_one():
    figures = parse_trec_figures("all_trec")
    topics = [random_topic(random.Random(3), number) for number in range(20)]
    together = compute_topic_figures(topics, figures)
    for topic in reversed(topics):
        assert compute_topic_figures([topic], figures)[topic.topic] == together[topic.topic]


def test_counts_are_added_and_scores_averaged():
    figures = parse_trec_figures("num_q,num_rel,map,gm_map")
    by_topic = {
        "1": {"num_q": 1.0, "num_rel": 3.0, "map": 0.5, "gm_map": math.log(0.5)},
        "2": {"num_q": 1.0, "num_rel": 1.0, "map": 0.125, "gm_map": math.log(0.125)},
    }
    overall = summarise_figures(by_topic, figures)
    assert overall == pytest.approx({"num_q": 2, "num_rel": 4, "map": 0.3125, "gm_map": 0.25})
