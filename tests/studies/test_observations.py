"""The paper's observations and the results of stereotypical systems, on trees that can be checked by hand."""

from __future__ import annotations

import pytest

from doxel.assessments import Assessments
from doxel.assessments.assessments import ELEMENTS, HIGHLIGHTS, JUDGED
from doxel.documents import read_collection
from doxel.documents.ingestion import ingest
from doxel.errors import InputError, MeasureError
from doxel.studies import generate_grades, simulate_system, study_stereotypes
from doxel.studies.stereotype_observations import OBSERVATIONS, check_observation
from doxel.studies.stereotype_study import complete_grades, describe_results

# the section of ten words is exact; its biggest child has six of them, its parent is the article
MARKUP = (
    "<article><title>one two three four five</title>"
    "<section><p>a b c d e f </p><p>g h i j </p></section><section><p>k l m n o </p></section></article>"
)
GRADES = {"/article[1]": ("3", "L"), "/article[1]/section[1]": ("3", "E")}
SECTION = "/article[1]/section[1]"
CHILD = f"{SECTION}/p[1]"


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tree")
    (folder / "d.xml").write_text(MARKUP, encoding="utf-8")
    ingest([str(folder / "d.xml")], str(folder / "collection"))
    return read_collection(folder / "collection")


def assessments(**more):
    grades = {**GRADES, **more}
    rows = [
        {"topic": "1", "doc": "d", "path": path, "relevance": relevance, "coverage": coverage}
        for path, (relevance, coverage) in grades.items()
    ]
    judged = JUDGED.from_rows([{"topic": "1", "doc": "d"}])
    return Assessments("2002", judged, elements=ELEMENTS.from_rows(rows), format="inex2002")


def means(perfect, ancestors, parent, child, document):
    names = ("perfect", "ancestors", "parent", "biggest-child", "document")
    return dict(zip(names, (perfect, ancestors, parent, child, document), strict=True))


@pytest.mark.parametrize(
    ("scores", "outcomes"),
    [
        # the paper's outcomes for generalised precision and recall, and for its own measure
        (means(0.3, 0.4, 0.2, 0.1, 0.1), ["blamed", "blamed", "blamed", "blamed"]),
        (means(0.9, 0.4, 0.5, 0.5, 0.2), ["wanted", "wanted", "wanted", "wanted"]),
        # ancestors below perfect but not far; parent far below the child; document far above it
        (means(0.9, 0.8, 0.1, 0.3, 0.6), ["wanted", "neither", "neither", "neither"]),
        (means(0.5, 0.5, 0.0, 0.0, 0.0), ["blamed", "neither", "undefined", "undefined"]),
        (means(0.5, 0.1, 0.1, 0.0, 0.0), ["wanted", "wanted", "blamed", "undefined"]),
    ],
)
def test_ratios_are_blamed_wanted_or_neither(scores, outcomes):
    assert [outcome for _, _, outcome in check_observation(scores)] == outcomes


def test_a_third_apart_is_still_close():
    assert check_observation(means(1, 0, 4, 3, 4))[2][2] == "wanted"
    assert check_observation(means(1, 0, 4.01, 3, 4.01))[2][2] == "blamed"


def test_scores_of_the_systems_equal_those_worked_out_by_hand(collection):
    study = study_stereotypes(assessments(), collection=collection)
    scores = {(row["measure"], row["system"]): row["mean"] for row in study.means.iter_rows(named=True)}
    # one target of 10 words; each system has one result but ancestors, which is tied: the section at
    # rank 1 with a half, the article with a half.  From the article (20 words, too large) 10/20 ^ 3/4
    # leads to the section; from the child, ungraded, 6/10 ^ 1/2.
    article, child = 0.5**0.75, 0.6**0.5
    gr = 'GR(model="inex2003")'
    assert scores[gr, "perfect"] == pytest.approx(1)
    assert scores[gr, "document"] == scores[gr, "parent"] == pytest.approx(article)
    assert scores[gr, "biggest-child"] == pytest.approx(child)
    assert scores[gr, "ancestors"] == pytest.approx(1 - (1 - 0.5) * (1 - 0.5 * article))
    # n = 1 + .75: perfect reaches .1 ... .5 of it (.875) with precision 1, and never .6: 5 of 10 points
    grp = "inex_eval(step=0.1)"
    assert scores[grp, "perfect"] == pytest.approx(0.5)
    assert scores[grp, "biggest-child"] == 0


def test_results_are_described_by_coverage(collection):
    judged = assessments()
    runs = [simulate_system(system, judged, collection) for system in ("perfect", "parent", "biggest-child")]
    rows = {row["system"]: row for row in describe_results(runs, judged, collection).iter_rows(named=True)}
    assert (rows["perfect"]["exact"], rows["perfect"]["gain"]) == (1, 1)
    assert (rows["parent"]["too large"], rows["parent"]["gain"]) == (1, 0.75)  # 3L
    assert (rows["biggest-child"]["ungraded"], rows["biggest-child"]["gain"]) == (1, 0)
    assert (rows["biggest-child"]["nothing"], rows["perfect"]["nothing"]) == (1, 0)


def test_shares_are_null_without_coverage(collection):
    highlights = HIGHLIGHTS.from_rows([{"topic": "1", "doc": "d", "start": 23, "end": 43}])
    judged = JUDGED.from_rows([{"topic": "1", "doc": "d"}])
    study = study_stereotypes(
        Assessments("2006", judged, highlights=highlights), "inex_eval", collection=collection
    )
    rows = {row["system"]: row for row in study.returned.iter_rows(named=True)}
    assert rows["perfect"]["ungraded"] is None
    assert rows["perfect"]["nothing"] == 0
    assert rows["document"]["gain"] == pytest.approx(20 / 53)  # highlighted characters of the article
    assert study.completion["share"].unique().to_list() == [0.0]
    assert not any("graded" in sentence for sentence in study.findings)


def grades_of(judged):
    return {
        path: (r, c) for path, r, c in judged.elements.select("path", "relevance", "coverage").iter_rows()
    }


def test_completing_grades_adds_parents_and_biggest_children(collection):
    judged = assessments()
    runs = {"biggest-child": simulate_system("biggest-child", judged, collection)}
    assert grades_of(complete_grades(judged, runs)) == {**GRADES, CHILD: ("3", "S")}
    assert grades_of(complete_grades(judged, runs, 0.0)) == GRADES


def test_completing_keeps_existing_grades(collection):
    judged = assessments(**{CHILD: ("1", "S")})
    runs = {"biggest-child": simulate_system("biggest-child", judged, collection)}
    assert grades_of(complete_grades(judged, runs)) == {**GRADES, CHILD: ("1", "S")}


def test_the_study_scores_completed_grades(collection):
    study = study_stereotypes(assessments(), collection=collection)
    ratios = dict(
        study.completion.filter(observation=4, measure="inex_eval(step=0.1)").select("share", "ratio").rows()
    )
    # without a grade the child has nothing; with 3S it is worth as much as the article with 3L
    assert ratios[0.0] == float("inf")
    assert ratios[1.0] == pytest.approx(1)
    assert any("had a grade" in sentence for sentence in study.findings)


def test_other_measures_are_scored_without_an_expected_outcome(collection):
    study = study_stereotypes(
        assessments(), ["nxCG(task=focused)@5", "GR(model=inex2003)"], collection=collection
    )
    first = study.observations.row(0, named=True)
    assert (first["measure"], first["expected"], first["holds"]) == ('nxCG(task="focused")@5', None, None)
    assert all("nxCG" not in sentence for sentence in study.findings)
    assert study.curves == ('nxCG(task="focused")', 'GR(model="inex2003")')


def test_a_custom_user_model_can_be_studied(collection):
    import numpy as np

    def nowhere(results, targets):
        return np.zeros((results.height, targets.height))

    study = study_stereotypes(
        assessments(), ["GR(model=nowhere)@1", "GR@1"], collection=collection, models=[nowhere]
    )
    means = {(row["measure"], row["system"]): row["mean"] for row in study.means.iter_rows(named=True)}
    assert means['GR(model="nowhere")@1', "perfect"] == 0
    assert means["GR@1", "perfect"] > 0


def test_missing_data_raise_an_error(collection):
    with pytest.raises(InputError, match="wanted a collection"):
        study_stereotypes(assessments())
    with pytest.raises(MeasureError, match="MAexp"):
        study_stereotypes(assessments(), "MAexp", collection=collection)


def test_there_are_four_observations():
    assert [observation.number for observation in OBSERVATIONS] == [1, 2, 3, 4]


@pytest.fixture(scope="module")
def handbook(demo):
    return read_collection(demo.collection)


def test_simulated_grades_are_consistent(handbook):
    judged = generate_grades(handbook, topics=6, documents=3, seed=5)
    assert judged.topics == [str(number) for number in range(1, 7)]
    assert judged.judged.height == 18
    for (topic, doc), part in judged.elements.group_by("topic", "doc"):
        del topic
        document = handbook[doc]
        spans = {path: document.span(document.find(path)) for path in part["path"]}
        grades = {
            path: (int(r), c) for path, r, c in part.select("path", "relevance", "coverage").iter_rows()
        }
        exact = [path for path, (_, coverage) in grades.items() if coverage == "E"]
        assert 1 <= len(exact) <= 3
        for path, (relevance, coverage) in grades.items():
            inside = [other_path for other_path in exact if other_path.startswith(f"{path}/")]
            around = [other_path for other_path in exact if path.startswith(f"{other_path}/")]
            if coverage == "E":
                assert not inside
                assert not around
                assert spans[path][1] - spans[path][0] >= 150
            elif coverage == "L":
                assert relevance == max(grades[inner][0] for inner in inside)
            else:
                (parent,) = around
                assert (coverage, relevance) == ("S", max(1, grades[parent][0] - 1))


def test_simulated_grades_are_seeded(handbook):
    one, same, other = (generate_grades(handbook, topics=3, seed=seed) for seed in (1, 1, 2))
    assert one.elements.equals(same.elements)
    assert not one.elements.equals(other.elements)


def test_the_share_of_graded_children_is_a_parameter(handbook):
    def small(share):
        elements = generate_grades(handbook, topics=5, graded_children=share).elements
        return elements.filter(coverage="S").height

    assert small(0.0) == 0 < small(0.3) < small(1.0)


def test_impossible_simulated_grades_raise_an_error(handbook, collection):
    with pytest.raises(InputError, match="a share from 0 to 1"):
        generate_grades(handbook, graded_children=2)
    with pytest.raises(InputError, match="documents with elements of moderate size"):
        generate_grades(collection)
