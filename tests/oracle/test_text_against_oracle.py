"""Every measure agrees with the slow exact implementation on random trees, highlights and runs."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from oracle import random_case
from oracle.bridge import Bridge, build
from random_share import count_cases

HALF = Fraction(1, 2)
CASES = count_cases(60)


def make(tmp_path, seed, **switches) -> Bridge:
    random = Random(seed)
    return build([random_case(random, **switches) for _ in range(CASES)], tmp_path)


@pytest.fixture(scope="module")
def free(tmp_path_factory):
    """Elements and passages with overlap, repeats, ties and unresolved results."""
    return make(tmp_path_factory.mktemp("free"), 1)


@pytest.fixture(scope="module")
def disjoint(tmp_path_factory):
    return make(tmp_path_factory.mktemp("disjoint"), 2, overlap=False)


@pytest.fixture(scope="module")
def grouped(tmp_path_factory):
    return make(tmp_path_factory.mktemp("grouped"), 3, overlap=False, grouped=True)


@pytest.fixture(scope="module")
def entries(tmp_path_factory):
    return make(tmp_path_factory.mktemp("entries"), 4, entry_points=True, task="best-in-context")


@pytest.mark.parametrize("alpha", [0, HALF, 1])
@pytest.mark.parametrize("task", ["thorough", "focused"])
@pytest.mark.parametrize("name", ["HiXEval_P", "HiXEval_R", "HiXEval_F"])
def test_hixeval_agrees_with_the_oracle(free, name, task, alpha):
    with free.at_once() as compare:
        compare(name, at=3, task=task, alpha=alpha, above=CASES // 2)
        compare(name, at=20, task=task, alpha=alpha, limit=5)


@pytest.fixture(scope="module")
def grades(tmp_path_factory):
    """Elements that were graded on the scale of 2003 without highlights."""
    random = Random(5)
    cases = [replace(random_case(random, scale="2003"), highlights={}) for _ in range(CASES)]
    return build(cases, tmp_path_factory.mktemp("grades"))


@pytest.mark.parametrize("alpha", [0, HALF, 1])
@pytest.mark.parametrize("task", ["thorough", "focused"])
def test_hixeval_from_grades_agrees_with_the_oracle(grades, task, alpha):
    with grades.at_once() as compare:
        for name in ("HiXEval_P", "HiXEval_R", "HiXEval_F"):
            compare(name, at=3, task=task, alpha=alpha)
            compare(name, at=20, task=task, alpha=alpha, limit=7, quant="sog", tie="descendant")
        compare("HiXEval_R", at=9, task=task, alpha=alpha, construction="greedy")
        compare("HiXEval_R", at=9, task=task, alpha=alpha, paths="any", quant="strict")


@pytest.mark.parametrize("order", ["rank", "file", "score"])
def test_every_order_of_results_agrees_with_the_oracle(free, order):
    with free.at_once(order=order) as compare:
        compare("HiXEval_P", at=2)
        compare("overlap", at=4)


@pytest.mark.parametrize("at", [1, 2, 5, 20])
def test_overlap_agrees_with_the_oracle(free, at):
    with free.at_once() as compare:
        compare("overlap", at=at)
        compare("overlap", at=at, limit=3)


@pytest.mark.parametrize("at", [0, Fraction(1, 100), Fraction(1, 10), HALF, 1])
def test_interpolated_precision_agrees_with_the_oracle(free, disjoint, at):
    disjoint.compare("iP", at=at)
    free.compare("iP", at=at, task="thorough")


def test_mean_interpolated_precision_agrees_with_the_oracle(free, disjoint):
    disjoint.compare("MAiP")
    disjoint.compare("MAiP", limit=3)
    disjoint.compare("MAiP", chars=15)
    free.compare("MAiP", task="thorough")
    free.compare("MAiP", task="thorough", limit=4)


@pytest.mark.parametrize("repeats", ["once", "charged"])
@pytest.mark.parametrize("name", ["char_rec", "char_prec", "char_iou", "char_f1"])
def test_character_measures_agree_with_the_oracle(free, name, repeats):
    with free.at_once() as compare:
        compare(name, repeats=repeats)
        compare(name, repeats=repeats, at=2)
        compare(name, repeats=repeats, chars=12)
        compare(name, repeats=repeats, at=3, article_chars=7)


@pytest.mark.parametrize("name", ["art_prec", "art_rec", "art_f1"])
def test_article_measures_agree_with_the_oracle(free, name):
    with free.at_once() as compare:
        compare(name)
        compare(name, limit=2)


SCORES = [
    {},
    {"beta": Fraction(1, 4)},
    {"score": "t2i", "T": 5},
    {"score": "t2i", "T": 300},
    {"article_chars": 6},
    {"limit": 2},
]


@pytest.mark.parametrize("parameters", SCORES)
def test_generalised_precision_agrees_with_the_oracle(grouped, parameters):
    with grouped.at_once() as compare:
        compare("MAgP", **parameters)
        for at in (1, 2, 5):
            compare("gP", at=at, **parameters)
            compare("gP", at=at, pad=False, **parameters)
            compare("gR", at=at, **parameters)
        for recall in (0, Fraction(1, 10), HALF, 1):
            compare("igP", at=recall, **parameters)


@pytest.mark.parametrize("n", [5, 20, 500])
def test_best_entry_points_agree_with_the_oracle(entries, n):
    with entries.at_once() as compare:
        compare("MAgP", score="bep", n=n)
        compare("gP", at=2, score="bep", n=n)
        compare("igP", at=HALF, score="bep", n=n)
        compare("MAgP", score="bep", n=n, limit=2)
