"""Agreement of more than two assessors: alpha by its definition, and the most disputed documents first."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import polars as pl
import pytest

import doxel
from doxel.assess.office.assessment_agreement import compare_assessors
from doxel.assess.office.group_agreement import compare_group, compute_alpha
from doxel.assessments import Assessments
from doxel.assessments.assessments import HIGHLIGHTS, JUDGED
from doxel.errors import InputError


def define_alpha(units):
    """Alpha by its definition: 1 - observed / expected disagreement, over ordered pairs of values."""
    units = [values for values in units if len(values) > 1]
    total = [value for values in units for value in values]
    observed = sum(
        Fraction(sum(one != other for one, other in permutations(values, 2)), len(values) - 1)
        for values in units
    )
    expected = Fraction(sum(one != other for one, other in permutations(total, 2)), len(total) - 1)
    return float(1 - observed / expected)


# Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), section B: binary data of two observers
TWO_OBSERVERS = ([0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0])


def test_alpha_of_two_observers_is_that_of_the_paper():
    counts = np.array([[2 - sum(pair), sum(pair)] for pair in zip(*TWO_OBSERVERS, strict=True)])
    assert compute_alpha(counts) == pytest.approx(0.095, abs=5e-4)
    assert compute_alpha(counts) == pytest.approx(define_alpha(list(zip(*TWO_OBSERVERS, strict=True))))


def test_weights_stand_for_repeated_units():
    random = np.random.default_rng(26)
    for _ in range(20):
        counts, weights = random.integers(0, 4, (8, 2)), random.integers(0, 6, 8)
        units = [[0] * zeros + [1] * ones for zeros, ones in np.repeat(counts, weights, axis=0).tolist()]
        if len({value for values in units if len(values) > 1 for value in values}) == 2:
            assert compute_alpha(counts, weights) == pytest.approx(define_alpha(units), abs=1e-12)


def test_alpha_is_undefined_without_two_values_or_two_assessors():
    assert np.isnan(compute_alpha(np.array([[3, 0], [2, 0]])))
    assert np.isnan(compute_alpha(np.array([[1, 0], [0, 1]])))


TEXTS = {"apples": "Red apples are ripe.", "pears": "Pears keep long.", "plums": "Plums do not."}


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fruit")
    for name, text in TEXTS.items():
        (folder / f"{name}.xml").write_text(f"<p>{text}</p>", encoding="utf-8")
    doxel.ingest(folder, folder / "fruit.doxel")
    return doxel.read_collection(folder / "fruit.doxel")


def judge(docs, **marks):
    judged = [{"topic": "1", "doc": doc} for doc in docs]
    spans = [
        {"topic": "1", "doc": doc, "start": start, "end": end}
        for doc, passages in marks.items()
        for start, end in passages
    ]
    return Assessments(scale="2006", judged=JUDGED.from_rows(judged), highlights=HIGHLIGHTS.from_rows(spans))


@pytest.fixture
def group():
    return {
        "anna": judge(TEXTS, apples=[(0, 10)], pears=[(0, 5)]),
        "ben": judge(TEXTS, apples=[(4, 10), (8, 14)], pears=[(0, 5)]),
        "carl": judge(["apples", "plums"], apples=[(4, 10)]),
    }


def marked(spans, size):
    return [int(any(start <= at < end for start, end in spans)) for at in range(size)]


def test_alpha_over_characters_and_documents_is_that_of_single_characters(group, collection):
    agreement = compare_group(group, collection)
    columns = [[marked(spans, 20) for spans in ([(0, 10)], [(4, 14)], [(4, 10)])]]
    columns += [[marked([(0, 5)], 16)] * 2, [[0] * 13] * 3]
    apples, pears, _ = characters = [list(zip(*judged, strict=True)) for judged in columns]
    by_doc = {row["doc"]: row for row in agreement.documents.iter_rows(named=True)}
    assert by_doc["apples"]["alpha"] == pytest.approx(define_alpha(apples))
    assert by_doc["pears"]["alpha"] == define_alpha(pears) == 1
    assert np.isnan(by_doc["plums"]["alpha"])
    topic, everything = agreement.topics.iter_rows(named=True)
    assert topic["alpha"] == pytest.approx(define_alpha([unit for units in characters for unit in units]))
    assert topic["documents_alpha"] == define_alpha([[1, 1, 1], [1, 1], [0, 0, 0]]) == 1
    assert {**everything, "topic": "1"} == topic
    assert (topic["documents"], topic["assessors"], topic["disputed"]) == (3, 3, 8)


def test_the_documents_that_disagree_most_come_first(group, collection):
    documents = compare_group(group, collection).documents
    assert documents.select("doc", "assessors", "disputed", "agreed").rows() == [
        ("apples", 3, 8, 6),
        ("pears", 2, 0, 5),
        ("plums", 3, 0, 0),
    ]


def test_all_pairs_have_the_figures_of_two_assessors(group, collection):
    pairs = compare_group(group, collection).pairs
    assert [tuple(row[:3]) for row in pairs.rows()] == [
        ("anna", "ben", 3),
        ("anna", "carl", 2),
        ("ben", "carl", 2),
    ]
    alone = compare_assessors(group["anna"], group["carl"], collection).characters.row(-1, named=True)
    row = pairs.filter((pl.col("one") == "anna") & (pl.col("other") == "carl")).row(0, named=True)
    assert row["kappa"] == alone["kappa"]
    assert row["shared"] == alone["shared"] == 6 / 10


def test_what_cannot_be_compared_is_refused(group, collection):
    with pytest.raises(InputError, match="two assessors or more"):
        compare_group({"anna": group["anna"]}, collection)
    with pytest.raises(InputError, match="documents that two assessors judged"):
        compare_group(group, collection, topics=["9"])
