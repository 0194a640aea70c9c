"""Sections 6 and 9 agree with the slow exact implementation."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from doxel.evaluation import evaluate
from oracle import random_case
from oracle.bridge import Bridge, build
from random_share import count_cases

HALF = Fraction(1, 2)
TENTH = Fraction(1, 10)
CASES = count_cases(40)


def make(folder, seed, **switches) -> Bridge:
    random = Random(seed)
    return build([random_case(random, length=8, elements=10, **switches) for _ in range(CASES)], folder)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    return make(tmp_path_factory.mktemp("mixed"), 11)


@pytest.fixture(scope="module")
def elements(tmp_path_factory):
    return make(tmp_path_factory.mktemp("elements"), 12, kind="elements")


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    return make(tmp_path_factory.mktemp("graded"), 13, scale="2002")


@pytest.fixture(scope="module")
def entries(tmp_path_factory):
    return make(tmp_path_factory.mktemp("entries"), 14, entry_points=True, task="best-in-context")


@pytest.mark.parametrize("base", ["full", "ideal"])
@pytest.mark.parametrize("binary", [True, False])
def test_the_classical_user_agrees_with_the_oracle(mixed, base, binary):
    with mixed.at_once() as compare:
        for at in (0, 1, 3, 20):
            compare("GR", at=at, base=base)
        compare("GR", at=3, base=base, ties="rank", limit=4)
        for expectation in ("ratio", "lengths"):
            compare("EPRUM", base=base, binary=binary, expectation=expectation)
            for at in (TENTH, HALF, 1):
                compare("EPRUM_P", at=at, base=base, binary=binary, expectation=expectation)
        for unreached in ("zero", "ignored"):
            compare("PRUM", base=base, unreached=unreached)
            for at in (TENTH, HALF, 1):
                compare("PRUM_P", at=at, base=base, unreached=unreached)
        for at in (1, 3, 20):
            compare("EPRUM_Pk", at=at, base=base, binary=binary)


@pytest.mark.parametrize("task", [None, "thorough", "focused", "best-in-context"])
def test_the_default_base_follows_the_task(mixed, task):
    with mixed.at_once() as compare:
        for name, at in (("GR", 3), ("EPRUM", None), ("PRUM", None), ("EPRUM_Pk", 2)):
            compare(name, at=at, **({} if task is None else {"task": task}))
            compare(name, at=at, paths="any", tie="descendant", **({} if task is None else {"task": task}))


MODELS = ["parent", "child(.3)", "sibling(.7)", "parent(.5)+child(.2)", "sibling+parent(.9)+sibling(.1)"]


@pytest.mark.parametrize("model", MODELS)
def test_near_misses_agree_with_the_oracle(elements, mixed, model):
    for bridge in (elements, mixed):
        with bridge.at_once() as compare:
            for base in ("full", "ideal"):
                common = {"model": model, "base": base, "p": Fraction(1, 4)}
                for at in (1, 4):
                    compare("GR", at=at, **common)
                    compare("EPRUM_Pk", at=at, **common)
                compare("EPRUM", **common)
                compare("EPRUM", binary=False, **common)
                compare("EPRUM", expectation="lengths", **common)
                compare("PRUM", **common)
                compare("PRUM_P", at=HALF, unreached="ignored", exclude_tags="p", **common)
            compare("EPRUM_P", at=HALF, model=model, task="thorough")


def test_the_browsing_user_of_2003_agrees_with_the_oracle(graded):
    with graded.at_once() as compare:
        for at in (0, 1, 2, 5, 20):
            compare("GR", at=at, model="inex2003")
            compare("GR", at=at, model="inex2003", exponents="words")
        compare("EPRUM", model="inex2003")
        compare("EPRUM", model="inex2003", binary=False)
        compare("EPRUM_Pk", at=2, model="inex2003")
        compare("EPRUM", model="inex2003", expectation="lengths")
        for unreached in ("zero", "ignored"):
            compare("PRUM", model="inex2003", unreached=unreached)
            compare("PRUM_P", at=HALF, model="inex2003", unreached=unreached)
        compare("GR", at=3, model="inex2003", exclude_tags="p")


@pytest.mark.parametrize("a", [Fraction(1, 100), TENTH, 1, 10])
def test_best_entry_points_agree_with_the_oracle(entries, a):
    with entries.at_once() as compare:
        compare("BEPD", A=a, L=50)
        for binary in (True, False):
            common = {"model": "bep_distance", "A": a, "L": 50, "binary": binary}
            compare("EPRUM", **common)
            compare("EPRUM", expectation="lengths", **common)
            compare("EPRUM_P", at=HALF, **common)
            compare("EPRUM_Pk", at=2, **common)
        compare("GR", at=2, model="bep_distance", A=a, L=50)
        for unreached in ("zero", "ignored"):
            compare("PRUM", model="bep_distance", A=a, L=50, unreached=unreached)


def test_the_mean_length_is_that_of_the_collection(entries):
    mean = Fraction(sum(doc.size for case in entries.cases for doc in case.documents)) / sum(
        len(case.documents) for case in entries.cases
    )
    written = evaluate(
        entries.run, entries.assessments, f"BEPD(A=1, L={float(mean)!r})", collection=entries.collection
    )
    taken = evaluate(entries.run, entries.assessments, "BEPD(A=1)", collection=entries.collection)
    assert taken.means["score"].item() == pytest.approx(written.means["score"].item(), rel=1e-12)


@pytest.mark.parametrize("isolation", ["power", "ratio"])
@pytest.mark.parametrize("summary", ["path", "tag"])
def test_structural_relevance_agrees_with_the_oracle(tmp_path, isolation, summary):
    # the summary is the collection's, so each case is a collection of its own
    random = Random(15)
    for number in range(count_cases(25)):
        case = random_case(random, kind=random.choice(("elements", "mixed")))
        common = {"isolation": isolation, "summary": summary}
        with build([case], tmp_path / str(number)).at_once() as compare:
            for at in (1, 3, 20):
                compare("SRP", at=at, **common)
                compare("SRP", at=at, among="all", **common)
                compare("SR", at=at, **common)
            compare("SRPL", **common)
            compare("SRPL", among="all", limit=5, **common)
            compare("SRPL", step=TENTH, ties="rank", collection_size=50, exclude_tags="p", **common)


@pytest.mark.parametrize("tolerance", [1, 4, 300])
def test_tolerance_to_irrelevance_agrees_with_the_oracle(mixed, tolerance):
    with mixed.at_once() as compare:
        for at in (1, 3, 20):
            compare("T2I", at=at, T=tolerance)
        compare("T2I_AP", T=tolerance)
        compare("T2I_AP", T=tolerance, ties="rank", limit=3)
