"""Sections 1 to 5 agree with the slow exact implementation, on every scale and with every parameter."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from oracle import random_case
from oracle.bridge import Bridge, build
from random_share import count_cases

HALF = Fraction(1, 2)
CASES = count_cases(50)

QUANTISATIONS = {
    "2002": ["strict2002", "gen2002"],
    "2003": ["strict2003", "gen2003", "sog", "e3s321", "e3s32", "e321s3", "e32s3", "product", "strict01"],
    "2005": ["strict2005", "gen2005", "genlifted", "spec", "strict2006", "product", "strict01"],
    "2006": ["spec", "strict2006"],
}
BY_SCALE = [(scale, quant) for scale, names in QUANTISATIONS.items() for quant in names]
GENERAL = [("2002", "gen2002"), ("2003", "sog"), ("2005", "gen2005"), ("2005", "genlifted"), ("2006", "spec")]


@pytest.fixture(scope="module")
def bridges(tmp_path_factory) -> dict[tuple[str, str], Bridge]:
    """For each scale, a run of elements only, and a run with passages too."""
    bridges = {}
    for seed, scale in enumerate(QUANTISATIONS):
        for kind in ("elements", "mixed"):
            random = Random(100 + seed)
            cases = [random_case(random, scale=scale, kind=kind) for _ in range(CASES)]
            bridges[scale, kind] = build(cases, tmp_path_factory.mktemp(f"{scale}-{kind}"))
    return bridges


@pytest.mark.parametrize(("scale", "quant"), BY_SCALE)
def test_quantisations_agree_with_the_oracle(bridges, scale, quant):
    for kind in ("elements", "mixed"):
        with bridges[scale, kind].at_once() as compare:
            compare("inex_eval", quant=quant)
            compare("nxCG", at=3, quant=quant, task="focused")
            compare("MAep", quant=quant, task="thorough")


@pytest.mark.parametrize("exclude_tags", ["links", "p", "sec,it"])
@pytest.mark.parametrize(("scale", "quant"), GENERAL)
def test_excluded_tags_agree_with_the_oracle(bridges, scale, quant, exclude_tags):
    with bridges[scale, "mixed"].at_once() as compare:
        for parameters in (
            {"alpha": 1},
            {"alpha": HALF},
            {"task": "thorough"},
            {"alpha": 1, "partial": "retrieved"},
        ):
            compare("nxCG", at=4, quant=quant, exclude_tags=exclude_tags, **parameters)
        compare("inex_eval", quant=quant, exclude_tags=exclude_tags)
        if scale in {"2003", "2005"}:
            compare("inex_eval_ng", exclude_tags=exclude_tags)


@pytest.mark.parametrize("ties", ["rsv", "rank"])
@pytest.mark.parametrize("base", ["full", "ideal"])
@pytest.mark.parametrize(("scale", "quant"), GENERAL)
def test_precall_agrees_with_the_oracle(bridges, scale, quant, base, ties):
    common = {"quant": quant, "base": base, "ties": ties}
    with bridges[scale, "mixed"].at_once() as compare:
        compare("inex_eval", **common)
        compare("inex_eval", step=Fraction(1, 10), **common)
        compare("inex_eval", method="rank", **common)
        compare("inex_eval", collection_size=100, **common)
        compare("inex_eval", collection_size=3, **common)
        compare("inex_eval_P", at=Fraction(3, 10), **common)
        compare("inex_eval_P", at=1, limit=3, **common)
        for name in ("qP", "qR"):
            compare(name, at=3, quant=quant, base=base)


@pytest.mark.parametrize("construction", ["path", "greedy", "best-sum", "leaves"])
@pytest.mark.parametrize("tie", ["ancestor", "descendant"])
@pytest.mark.parametrize(("scale", "quant"), GENERAL)
def test_ideal_bases_agree_with_the_oracle(bridges, scale, quant, tie, construction):
    for kind in ("elements", "mixed"):
        common = {"quant": quant, "tie": tie, "construction": construction}
        with bridges[scale, kind].at_once() as compare:
            compare("nxCG", at=2, **common)
            compare("MAep", **common)
            compare("inex_eval", base="ideal", **common)


@pytest.mark.parametrize("tie", ["ancestor", "descendant"])
@pytest.mark.parametrize(("scale", "quant"), GENERAL)
def test_ideal_bases_of_paths_to_any_element_agree_with_the_oracle(bridges, scale, quant, tie):
    common = {"quant": quant, "tie": tie, "paths": "any"}
    for kind in ("elements", "mixed"):
        with bridges[scale, kind].at_once() as compare:
            compare("nxCG", at=2, **common)
            compare("inex_eval", base="ideal", **common)
            compare("qR", at=4, base="ideal", **common)


@pytest.mark.parametrize("overlap", ["on", "off"])
@pytest.mark.parametrize("alpha", [0, HALF, 1])
@pytest.mark.parametrize("cap", ["auto", "on", "off"])
@pytest.mark.parametrize(("scale", "quant"), GENERAL)
def test_capped_gains_agree_with_the_oracle(bridges, scale, quant, cap, alpha, overlap):
    common = {"quant": quant, "cap": cap, "alpha": alpha, "overlap": overlap}
    for kind in ("elements", "mixed"):
        with bridges[scale, kind].at_once() as compare:
            for at in (2, 5):
                compare("nxCG", at=at, **common)
            compare("MAep", **common)
            compare("gr", at=5, task="thorough", **common)


@pytest.mark.parametrize("variant", ["o", "s"])
@pytest.mark.parametrize("grades", ["normalised", "strict"])
@pytest.mark.parametrize("scale", ["2003", "2005"])
def test_inex_eval_ng_agrees_with_the_oracle(bridges, scale, grades, variant):
    with bridges[scale, "mixed"].at_once() as compare:
        compare("inex_eval_ng", variant=variant, grades=grades)
        for at in (1, 3, 20):
            compare("inex_eval_ng_P", at=at, variant=variant, grades=grades)
            compare("inex_eval_ng_R", at=at, variant=variant, grades=grades)


@pytest.mark.parametrize("partial", ["children", "retrieved"])
@pytest.mark.parametrize("alpha", [0, HALF, 1, Fraction(1, 4)])
@pytest.mark.parametrize("task", ["thorough", "focused"])
@pytest.mark.parametrize(("scale", "quant"), GENERAL)
def test_gain_vectors_agree_with_the_oracle(bridges, scale, quant, task, alpha, partial):
    for kind in ("elements", "mixed"):
        common = {"quant": quant, "task": task, "alpha": alpha, "partial": partial}
        with bridges[scale, kind].at_once() as compare:
            for at in (1, 2, 5, 30):
                compare("nxCG", at=at, **common)
                compare("xCG", at=at, **common)
            compare("xCI", at=3, **common)
            compare("MAnxCG", at=4, **common)
            compare("gr", at=4, **common)
            compare("MAep", **common)


def test_gains_with_overlap_off_agree_with_the_oracle(bridges):
    for scale, quant in GENERAL:
        with bridges[scale, "mixed"].at_once() as compare:
            compare("nxCG", at=4, quant=quant, overlap="off")
            compare("MAep", quant=quant, overlap="off")


CURVES = [
    ("linear", "linear"),
    ("linear", "step"),
    ("linear", "points"),
    ("step", "step"),
    ("step", "points"),
]


@pytest.mark.parametrize(("ideal_curve", "run_curve"), CURVES)
@pytest.mark.parametrize("task", ["thorough", "focused"])
def test_effort_precision_agrees_with_the_oracle(bridges, task, ideal_curve, run_curve):
    for scale, quant in (("2006", "spec"), ("2003", "gen2003")):
        common = {"quant": quant, "task": task, "ideal_curve": ideal_curve}
        with bridges[scale, "mixed"].at_once() as compare:
            compare("MAep", **common)
            compare("iMAep", run_curve=run_curve, **common)
            for at in (Fraction(1, 100), Fraction(1, 10), HALF, 1):
                compare("ep", at=at, run_curve=run_curve, **common)


@pytest.mark.parametrize(("scale", "quant"), GENERAL)
def test_fetch_and_browse_agree_with_the_oracle(bridges, scale, quant):
    for kind in ("elements", "mixed"):
        with bridges[scale, kind].at_once() as compare:
            for limit in (1500, 2):
                compare("fetch_MAep", quant=quant, limit=limit)
                compare("browse_MAep", quant=quant, limit=limit)
