"""A quick comparison of every family with the exact oracle, on a few topics with unusual cases.

The long comparisons are in test_text_against_oracle.py and test_gains_against_oracle.py; this one is short
enough to be run against every mutant.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from oracle import random_case
from oracle.bridge import build

HALF = Fraction(1, 2)
TOPICS = 12

SWITCHES = {
    "mixed": {"seed": 3},
    "elements": {"seed": 4, "kind": "elements", "elements": 25, "length": 20},
    "2002": {"seed": 5, "scale": "2002", "kind": "elements"},
    "2003": {"seed": 6, "scale": "2003"},
    "2005": {"seed": 7, "scale": "2005"},
    "grades": {"seed": 10, "scale": "2003", "length": 14},
    "grouped": {"seed": 8, "overlap": False, "grouped": True},
    "entries": {"seed": 9, "entry_points": True, "task": "best-in-context"},
}

# (topics, measure, cutoff after @, parameters)
QUICK = [
    ("mixed", "inex_eval", None, {"collection_size": 40}),
    ("mixed", "inex_eval_P", HALF, {"ties": "rank"}),
    ("mixed", "qR", 3, {"base": "ideal"}),
    ("mixed", "nxCG", 4, {"alpha": HALF}),
    ("mixed", "nxCG", 9, {"exclude_tags": "p,sec", "alpha": HALF}),
    ("mixed", "MAep", None, {}),
    ("mixed", "HiXEval_P", 5, {"alpha": HALF}),
    ("mixed", "HiXEval_R", 9, {"alpha": Fraction(9, 10)}),
    ("mixed", "HiXEval_R", 9, {"alpha": 0}),
    ("mixed", "overlap", 4, {}),
    ("mixed", "char_f1", 3, {}),
    ("mixed", "char_iou", None, {"chars": 30}),
    ("mixed", "MAiP", None, {"task": "thorough"}),
    ("mixed", "art_f1", None, {"limit": 3}),
    ("mixed", "fetch_MAep", None, {"limit": 2}),
    ("mixed", "fetch_MAep", None, {"limit": 3}),
    ("mixed", "fetch_MAep", None, {}),
    ("mixed", "browse_MAep", None, {}),
    ("mixed", "GR", 1, {}),
    ("mixed", "GR", 3, {}),
    ("mixed", "EPRUM", None, {}),
    ("mixed", "EPRUM", None, {"binary": False}),
    ("mixed", "EPRUM_Pk", 3, {"binary": False}),
    ("mixed", "EPRUM_P", Fraction(3, 10), {}),
    ("mixed", "PRUM", None, {}),
    ("mixed", "PRUM", None, {"unreached": "ignored", "base": "full"}),
    ("mixed", "EPRUM_P", HALF, {"expectation": "lengths"}),
    ("mixed", "GR", 3, {"task": "thorough"}),
    ("mixed", "xCG", 4, {"alpha": HALF}),
    ("mixed", "xCI", 3, {}),
    ("mixed", "T2I", 3, {"T": 6}),
    ("mixed", "T2I_AP", None, {"T": 6}),
    ("elements", "nxCG", 15, {"alpha": HALF}),
    ("elements", "nxCG", 15, {"alpha": 1, "partial": "retrieved"}),
    ("elements", "nxCG", 5, {"alpha": HALF, "construction": "leaves"}),
    ("elements", "nxCG", 5, {"alpha": HALF, "construction": "best-sum", "tie": "descendant"}),
    ("elements", "nxCG", 9, {"alpha": HALF, "exclude_tags": "p"}),
    ("elements", "gr", 9, {"alpha": HALF, "quant": "strict", "exclude_tags": "it"}),
    ("elements", "iMAep", None, {"construction": "greedy", "tie": "descendant"}),
    ("elements", "MAep", None, {"task": "thorough", "overlap": "off", "alpha": HALF}),
    ("elements", "nxCG", 9, {"overlap": "off"}),
    ("elements", "nxCG", 9, {"alpha": 0}),
    ("elements", "nxCG", 9, {"alpha": 0, "cap": "on"}),
    ("elements", "nxCG", 9, {"alpha": 1, "cap": "off"}),
    ("elements", "nxCG", 9, {"overlap": "off", "cap": "on"}),
    ("elements", "qR", 9, {"base": "ideal", "paths": "any", "quant": "strict"}),
    ("elements", "EPRUM", None, {"model": "parent(.5)+child(.2)"}),
    ("elements", "PRUM", None, {"model": "sibling", "p": Fraction(1, 5), "base": "full"}),
    ("2002", "inex_eval", None, {}),
    ("2002", "GR", 9, {"model": "inex2003"}),
    ("2002", "GR", 9, {"model": "inex2003", "exponents": "words"}),
    ("2002", "nxCG", 4, {"alpha": HALF, "partial": "retrieved"}),
    ("2003", "inex_eval_ng", None, {}),
    ("2003", "inex_eval_ng_P", 4, {"grades": "strict"}),
    ("2003", "inex_eval_ng_R", 9, {"variant": "s"}),
    ("2003", "nxCG", 9, {"quant": "sog", "alpha": HALF}),
    ("2005", "inex_eval", None, {}),
    ("2005", "nxCG", 9, {"quant": "genlifted", "alpha": HALF}),
    ("2005", "inex_eval_ng", None, {"grades": "strict"}),
    ("2005", "inex_eval_ng_P", 9, {}),
    ("grades", "HiXEval_P", 9, {"alpha": HALF}),
    ("grades", "HiXEval_R", 9, {"paths": "any"}),
    ("grades", "HiXEval_R", 9, {"task": "thorough", "quant": "strict2003"}),
    ("grouped", "MAgP", None, {"beta": Fraction(1, 4)}),
    ("grouped", "MAgP", None, {"score": "t2i", "T": 5}),
    ("grouped", "gP", 3, {"limit": 2, "pad": False}),
    ("grouped", "igP", HALF, {"article_chars": 7}),
    ("grouped", "MAiP", None, {}),
    ("entries", "MAgP", None, {"score": "bep", "n": 20}),
    ("entries", "gP", 2, {"score": "bep", "n": 8, "limit": 2}),
    ("entries", "BEPD", None, {"A": Fraction(1, 10), "L": 30}),
    ("entries", "EPRUM", None, {"model": "bep_distance", "A": 1, "L": 30}),
]


@pytest.fixture(scope="module")
def bridges(tmp_path_factory):
    bridges = {}
    for name, switches in SWITCHES.items():
        random = Random(switches["seed"])
        rest = {key: value for key, value in switches.items() if key != "seed"}
        cases = [random_case(random, **rest) for _ in range(TOPICS)]
        if name == "grades":
            cases = [replace(case, highlights={}) for case in cases]
        bridges[name] = build(cases, tmp_path_factory.mktemp(name))
    return bridges


@pytest.mark.parametrize(("topics", "measure", "at", "parameters"), QUICK)
def test_scores_agree_with_the_oracle(bridges, topics, measure, at, parameters):
    assert bridges[topics].compare(measure, at=at, **parameters) > 3
