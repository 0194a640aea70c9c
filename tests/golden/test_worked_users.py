"""The worked numbers of user-model measures and structural relevance (measures.md, sections 6 and 9)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from doxel.assessments import Assessments
from doxel.assessments.assessments import BEPS, ELEMENTS, HIGHLIGHTS, JUDGED
from doxel.documents import read_collection
from doxel.documents.ingestion import ingest
from doxel.errors import InputError
from doxel.evaluation import evaluate
from doxel.runs import RESULTS, Run


def run_of(*results: dict, task: str | None = None) -> Run:
    rows = [{"topic": "1", "rank": rank, **result} for rank, result in enumerate(results, 1)]
    return Run("run", RESULTS.fit(pl.DataFrame(rows, infer_schema_length=None)), task=task)


def collection_of(tmp_path, **documents: str):
    for name, markup in documents.items():
        (tmp_path / f"{name}.xml").write_text(markup, encoding="utf-8")
    ingest([str(tmp_path / f"{name}.xml") for name in documents], str(tmp_path / "collection"))
    return read_collection(tmp_path / "collection")


def score(measure, run, assessments, **options):
    return evaluate(run, assessments, measure, **options).means["score"].item()


def test_the_browsing_model_of_2003_equals_the_worked_example(tmp_path):
    # section 6: a section of 100 words 3L > p1 40 words 3E, p2 60 words; run section, p2
    words = "<section><p>{}</p> <p>{}</p></section>".format(" ".join(["w"] * 40), " ".join(["w"] * 60))
    collection = collection_of(tmp_path, d=words)
    elements = [
        {"topic": "1", "doc": "d", "path": "/section[1]", "relevance": "3", "coverage": "L"},
        {"topic": "1", "doc": "d", "path": "/section[1]/p[1]", "relevance": "3", "coverage": "E"},
    ]
    assessments = Assessments(
        "2002", JUDGED.from_rows([{"topic": "1", "doc": "d"}]), elements=ELEMENTS.from_rows(elements)
    )
    run = run_of({"doc": "d", "path": "/section[1]"}, {"doc": "d", "path": "/section[1]/p[2]"})
    measure = 'GR(model="inex2003")@{}'
    result = [score(measure.format(k), run, assessments, collection=collection) for k in (0, 1, 2)]
    assert result == pytest.approx([0, 0.5029733719, 0.7514866859], abs=1e-10)
    words = 'GR(model="inex2003", exponents="words")@1'  # too large: the exponent is 3/4 in both readings
    assert score(words, run, assessments, collection=collection) == pytest.approx(0.5029733719, abs=1e-10)


def two_targets(results: pl.DataFrame, targets: pl.DataFrame) -> np.ndarray:
    """The worked example as a user model: the n-th result reaches the two targets by its row."""
    table = {0: (0.8, 0.0), 1: (0.5, 0.4), 2: (0.0, 1.0)}
    return np.array([table[int(start)] for start in results["start"]]).reshape(results.height, targets.height)


@pytest.fixture
def two(tmp_path):
    collection = collection_of(tmp_path, d="<a><p>aa</p><p>bb</p></a>")
    spans = [{"topic": "1", "doc": "d", "start": start, "end": start + 2} for start in (0, 2)]
    assessments = Assessments(
        "2006", JUDGED.from_rows([{"topic": "1", "doc": "d"}]), highlights=HIGHLIGHTS.from_rows(spans)
    )
    results = [{"doc": "d", "start": n, "end": n + 1} for n in range(3)]
    return run_of(*results), assessments, {"collection": collection, "models": [two_targets]}


POINTS = [  # section 6: two targets, P rows (.8,0) (.5,.4) (0,1)
    ("EPRUM_P({})", [Fraction(89, 100), Fraction(18, 25)]),
    ('EPRUM_P({}, expectation="lengths")', [Fraction(50, 63), 0]),
    ("PRUM_P({})", [Fraction(50, 63), Fraction(2, 3)]),
    ('PRUM_P({}, unreached="ignored")', [Fraction(50, 63), Fraction(31, 44)]),
]


@pytest.mark.parametrize(("measure", "expected"), POINTS)
def test_precision_for_users_who_browse_equals_the_worked_example(two, measure, expected):
    # a matrix without an ideal list has m_r = r
    run, assessments, options = two
    name = measure.format('model="two_targets", tie="descendant"')
    points = [score(f"{name}@{recall}", run, assessments, **options) for recall in (0.5, 1)]
    assert points == pytest.approx([float(value) for value in expected])
    mean = name.replace("_P(", "(")
    assert score(mean, run, assessments, **options) == pytest.approx(sum(points) / 2)


def test_bprum_is_another_name_of_eprum(two):
    run, assessments, options = two
    result = evaluate(run, assessments, "BPRUM(model=two_targets, tie=descendant)", **options)
    assert result.means["measure"].item() == 'EPRUM(model="two_targets", tie="descendant")'
    assert result.means["score"].item() == pytest.approx(161 / 200)


@pytest.fixture
def siblings(tmp_path):
    """Two paragraphs, both highlighted, in a section with other text: the ideal base."""
    collection = collection_of(tmp_path, d="<a><s><p>aa</p><p>bb</p>xx</s></a>")
    spans = [{"topic": "1", "doc": "d", "start": start, "end": start + 2} for start in (0, 2)]
    assessments = Assessments(
        "2006", JUDGED.from_rows([{"topic": "1", "doc": "d"}]), highlights=HIGHLIGHTS.from_rows(spans)
    )
    return assessments, {"collection": collection}


PARAGRAPHS = [{"doc": "d", "path": f"/a[1]/s[1]/p[{number}]"} for number in (1, 2)]


def test_near_misses_equal_the_worked_example(siblings):
    # section 6: two sibling targets, sibling(.5), the perfect list: EPRUM 1, 3/2
    assessments, options = siblings
    run = run_of(*PARAGRAPHS)
    for model in ('model="sibling"', 'model="sibling(.5)"', 'model="sibling", p=0.5'):
        points = [score(f"EPRUM_P({model})@{recall}", run, assessments, **options) for recall in (0.5, 1)]
        assert points == pytest.approx([1, 3 / 2])
    # the section leads to each paragraph with .2, and the first paragraph to the second with .5
    run = run_of({"doc": "d", "path": "/a[1]/s[1]"}, PARAGRAPHS[0])
    joined = 'GR(model="child(.2)+sibling(.5)")@{}'
    assert score(joined.format(1), run, assessments, **options) == pytest.approx(0.2)
    assert score(joined.format(2), run, assessments, **options) == pytest.approx((1 + 1 - 0.8 * 0.5) / 2)


def test_a_near_miss_that_earns_as_much_as_its_target_is_noted(siblings):
    assessments, options = siblings
    for measure in ("GR(model=parent, p=1)@2", "GR(model='child(.2)+parent(1)')@2"):
        result = evaluate(run_of(*PARAGRAPHS), assessments, measure, **options)
        assert any("a near miss (parent) probability 1" in warning for warning in result.warnings)
    assert not evaluate(run_of(*PARAGRAPHS), assessments, "GR(model=parent)@2", **options).warnings


@pytest.mark.parametrize(
    ("task", "targets"), [("thorough", 4), ("focused", 2), ("best-in-context", 2), (None, 2)]
)
def test_the_targets_follow_the_task(siblings, task, targets):
    # section 6: a, s and the paragraphs are relevant; a and s are not in the ideal base
    assessments, options = siblings
    run = run_of(PARAGRAPHS[0], task=task)
    assert score("PRUM", run, assessments, **options) == pytest.approx(1 / targets)
    assert score('PRUM(task="focused")', run, assessments, **options) == pytest.approx(1 / 2)
    assert score("PRUM(model=parent)", run, assessments, **options) == pytest.approx(
        1 / 2
    )  # never the full base


def test_on_bare_spans_the_targets_are_the_gold_spans():
    gold = [("1", "d", 0, 10), ("1", "d", 5, 20), ("1", "d", 30, 40), ("1", "e", 0, 5)]
    run = [("1", "e", 0, 5), ("1", "d", 0, 10), ("1", "d", 0, 20)]  # gold spans that overlap are one target
    names = ["GR@1", "GR@3", "EPRUM", "PRUM", "EPRUM(model=parent)"]
    scores = evaluate(run, gold, names).scores["score"].to_list()
    assert scores == pytest.approx([1 / 3, 2 / 3, *[(1 + 2 / 3 + 0) / 3] * 3])


def test_best_entry_points_of_2006_equal_the_worked_example():
    # section 6: A=.1, L=1000, run d=0, non-relevant, d=300, 4 BEPs: BEPD 5/16; EPRUM 1, 1/6, 0, 0
    docs = [{"topic": "1", "doc": doc, "position": 500} for doc in "abcd"]
    assessments = Assessments(
        "2006", JUDGED.from_rows([{"topic": "1", "doc": doc} for doc in "abcdx"]), beps=BEPS.from_rows(docs)
    )
    run = run_of({"doc": "a", "start": 500}, {"doc": "x", "start": 7}, {"doc": "b", "start": 800})
    assert score("BEPD(A=0.1, L=1000)", run, assessments) == pytest.approx(5 / 16)
    common = 'model="bep_distance", A=0.1, L=1000'
    assert score(f"EPRUM({common})", run, assessments) == pytest.approx(7 / 24)
    points = [score(f"EPRUM_P({common})@{x}", run, assessments) for x in (0.25, 0.5, 0.75, 1)]
    assert points == pytest.approx([1, 1 / 6, 0, 0])
    with pytest.raises(InputError, match="collection"):
        score("BEPD(A=0.1)", run, assessments)


SUMMARY = [  # section 9: a (group 2) then one child (group 4), rel 1
    ("SRP@2", Fraction(14, 17)),
    ("SR@2", Fraction(28, 17)),
    ('SR(among="all")@2', Fraction(24, 17)),
    ('SRP(among="all")@2', Fraction(12, 17)),
    ('SRP(isolation="ratio")@2', Fraction(4, 5)),
    ('SRP(isolation="ratio", among="all")@2', Fraction(1, 2)),
]


@pytest.mark.parametrize(("measure", "expected"), SUMMARY)
def test_structural_relevance_equals_the_example_of_seed_002(tmp_path, measure, expected):
    collection = collection_of(tmp_path, d="<root><a><c>xx</c><c>yy</c></a><b>zz</b></root>")
    assert sorted(collection.summary()["steady"].to_list()) == pytest.approx([2 / 17, 4 / 17, 5 / 17, 6 / 17])
    assert sorted(collection.weighting_matrix().sum(axis=1).tolist()) == [2, 4, 5, 6]
    assessments = Assessments(
        "2006",
        JUDGED.from_rows([{"topic": "1", "doc": "d"}]),
        highlights=HIGHLIGHTS.from_rows([{"topic": "1", "doc": "d", "start": 0, "end": 4}]),
    )
    run = run_of({"doc": "d", "path": "/root[1]/a[1]"}, {"doc": "d", "path": "/root[1]/a[1]/c[1]"})
    assert score(measure, run, assessments, collection=collection) == pytest.approx(float(expected))
