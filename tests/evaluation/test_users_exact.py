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
from doxel.errors import InputError, MeasureError
from doxel.evaluation import evaluate
from doxel.runs import RESULTS, Run
from doxel.usermodels.target_discovery import discover


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


# section 6: two targets, P rows (.8,0) (.5,.4) (0,1)
ROWS = ((1, 0, 0.8), (2, 0, 0.5), (2, 1, 0.4), (3, 1, 1.0))


def two_targets(results: pl.DataFrame, targets: pl.DataFrame) -> np.ndarray:
    """The worked example as a user model: the n-th result reaches the two targets by its row."""
    table = {0: (0.8, 0.0), 1: (0.5, 0.4), 2: (0.0, 1.0)}
    return np.array([table[int(start)] for start in results["start"]]).reshape(results.height, targets.height)


def test_expected_precision_and_prum_follow_their_definitions():
    rank, target, chance = (np.array(column) for column in zip(*ROWS, strict=True))
    run = discover(rank, target, chance, count=2, length=3)
    reached = run.reached()
    gained = np.diff(reached, axis=0, prepend=0.0) / np.array([1, 2, 3])[:, None]
    precision = np.array([1, 2]) * gained.sum(axis=0)
    assert precision == pytest.approx([89 / 100, 18 / 25])
    assert run.seen.sum(axis=1) / np.array([1, 2, 3]) == pytest.approx([4 / 5, 13 / 20, 19 / 30])


@pytest.fixture
def two(tmp_path):
    collection = collection_of(tmp_path, d="<a><p>aa</p><p>bb</p></a>")
    spans = [{"topic": "1", "doc": "d", "start": start, "end": start + 2} for start in (0, 2)]
    assessments = Assessments(
        "2006", JUDGED.from_rows([{"topic": "1", "doc": "d"}]), highlights=HIGHLIGHTS.from_rows(spans)
    )
    results = [{"doc": "d", "start": n, "end": n + 1} for n in range(3)]
    return run_of(*results), assessments, {"collection": collection, "models": [two_targets]}


def test_custom_models_are_used_by_name(two):
    run, assessments, options = two
    common = 'model="two_targets", base="ideal", tie="descendant"'
    prum = [score(f"PRUM_P({common})@{x}", run, assessments, **options) for x in (0.5, 1)]
    assert prum == pytest.approx([50 / 63, 31 / 44])
    assert score(f"PRUM({common})", run, assessments, **options) == pytest.approx((50 / 63 + 31 / 44) / 2)
    seen = [1 - (1 - 0.8) * 0.5, 1.0]
    assert score(f"GR({common})@3", run, assessments, **options) == pytest.approx(sum(seen) / 2)
    # the model defines no ideal list, so there is nothing to compare with
    assert np.isnan(score(f"EPRUM({common})", run, assessments, **options))
    graded = score(f"EPRUM({common}, binary=False)", run, assessments, **options)
    assert graded == pytest.approx(161 / 200)


def test_custom_models_may_be_in_files(two, tmp_path):
    run, assessments, options = two
    file = tmp_path / "mine.py"
    file.write_text(
        "import numpy as np\n"
        "def half(results, targets):\n    return np.full((results.height, targets.height), 0.5)\n"
        "def wrong(results, targets):\n    return np.ones(3)\n"
        "def beyond(results, targets):\n    return np.full((results.height, targets.height), 1.5)\n"
    )
    common = 'base="ideal", tie="descendant"'

    def with_model(name):
        options["models"] = [f"{file}:{name}"]
        return score(f'GR(model="{name}", {common})@3', run, assessments, **options)

    assert with_model("half") == pytest.approx(7 / 8)
    with pytest.raises(MeasureError, match=r"wanted an array of 3 x 2 \(results x targets\), found one of 3"):
        with_model("wrong")
    with pytest.raises(MeasureError, match="probabilities from 0 to 1"):
        with_model("beyond")
    with pytest.raises(InputError, match=r"wanted a function missing\(results, targets\)"):
        with_model("missing")
    options["models"] = ["nowhere.py:x"]
    with pytest.raises(InputError, match="no such file"):
        score("GR@1", run, assessments, **options)
    options["models"] = []
    with pytest.raises(
        MeasureError, match="unknown user model 'nobody'; available: identity, bep_distance, inex2003"
    ):
        score("GR(model=nobody)@1", run, assessments, **options)


def test_generalised_recall_weighs_targets():
    # section 6: targets w 1, 1/2; rank 1 leads to x with 1/2, rank 2 is y: 1/3, 2/3
    rank, target, chance = np.array([1, 2]), np.array([0, 1]), np.array([0.5, 1.0])
    run = discover(rank, target, chance, count=2, length=2)
    assert (run.seen * [1, 0.5]).sum(axis=1) / 1.5 == pytest.approx([1 / 3, 2 / 3])


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


def test_prum_equals_an_enumeration():
    """The dynamic programme equals an enumeration of all possible paths."""
    random = np.random.default_rng(2)
    for _ in range(20):
        ranks, targets = 3, 2
        chance = random.random((ranks, targets)).round(1)
        consulted, discovering = np.zeros(targets), np.zeros(targets)
        for code in range(2 ** (ranks * targets)):
            reach = np.array([(code >> bit) & 1 for bit in range(ranks * targets)]).reshape(ranks, targets)
            weight = np.prod(np.where(reach, chance, 1 - chance))
            for r in range(1, targets + 1):
                seen = np.zeros(targets, dtype=bool)
                for k in range(ranks):
                    if seen.sum() >= r:
                        break
                    consulted[r - 1] += weight
                    discovering[r - 1] += weight * bool((reach[k].astype(bool) & ~seen).any())
                    seen |= reach[k].astype(bool)
        row, column = np.nonzero(chance)
        run = discover(row + 1, column, chance[row, column], count=targets, length=ranks)
        from doxel.measures.inex.prum import _compute_prum_points

        assert _compute_prum_points(run, targets) == pytest.approx(discovering / consulted)
