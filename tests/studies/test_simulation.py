"""Simulated systems (source 003, section 4.1) and simulated grades."""

from __future__ import annotations

import pytest

from doxel.assessments import Assessments
from doxel.assessments.assessments import ELEMENTS, HIGHLIGHTS, JUDGED
from doxel.documents import read_collection
from doxel.documents.ingestion import ingest
from doxel.errors import InputError
from doxel.evaluation import evaluate
from doxel.studies import generate_grades, simulate_system

MARKUP = """<article><head>one two</head><section><p>a b c d</p><p>e f <it>g h i</it></p></section>
<section><p>j k</p></section></article>"""
GRADES = {
    "/article[1]": ("3", "L"),
    "/article[1]/section[1]": ("3", "E"),
    "/article[1]/section[1]/p[1]": ("2", "E"),  # inside an exact element: no target of its own
    "/article[1]/section[2]/p[1]": ("1", "E"),
    "/article[1]/head[1]": ("2", "E"),
}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("world")
    (folder / "d.xml").write_text(MARKUP, encoding="utf-8")
    ingest([str(folder / "d.xml")], str(folder / "collection"))
    elements = [
        {"topic": "1", "doc": "d", "path": path, "relevance": relevance, "coverage": coverage}
        for path, (relevance, coverage) in GRADES.items()
    ]
    assessments = Assessments(
        "2002", JUDGED.from_rows([{"topic": "1", "doc": "d"}]), elements=ELEMENTS.from_rows(elements)
    )
    return assessments, read_collection(folder / "collection")


def results(system, world, **options):
    run = simulate_system(system, *world, **options)
    return [(path.removeprefix("/article[1]"), rsv) for path, rsv in run.results.select("path", "rsv").rows()]


EXPECTED = {
    # highly relevant 1, fairly .5, marginally 0
    "perfect": [("/section[1]", 1.0), ("/head[1]", 0.5), ("/section[2]/p[1]", 0.0)],
    "document": [("", 1.0)],
    "parent": [("", 1.0), ("/section[2]", 0.0)],
    "ancestors": [
        ("", 1.0),
        ("/section[1]", 1.0),
        ("/head[1]", 0.5),
        ("/section[2]", 0.0),
        ("/section[2]/p[1]", 0.0),
    ],
    # five words against four; leaves are returned themselves
    "biggest-child": [("/section[1]/p[2]", 1.0), ("/head[1]", 0.5), ("/section[2]/p[1]", 0.0)],
    "reversed-perfect": [("/section[2]/p[1]", 1.0), ("/head[1]", 0.5), ("/section[1]", 0.0)],
}


@pytest.mark.parametrize("system", EXPECTED)
def test_each_system_returns_its_elements_and_scores(world, system):
    assert results(system, world) == EXPECTED[system]


def test_the_perfect_system_is_perfect_for_generalised_recall(world):
    assessments, collection = world
    run = simulate_system("perfect", assessments, collection)
    measure = 'GR(model="inex2003")@3'
    assert evaluate(run, assessments, measure, collection=collection).means["score"].item() == 1


def test_random_systems_are_seeded(world):
    for system in ("random", "noisy-perfect"):
        assert results(system, world, seed=1) == results(system, world, seed=1)
    assert results("random", world, seed=1) != results("random", world, seed=2)


def test_the_limit_cuts_each_topic(world):
    assert len(results("random", world, limit=2)) == 2


def test_highlights_give_the_ideal_recall_base(world):
    _, collection = world
    highlights = HIGHLIGHTS.from_rows([{"topic": "1", "doc": "d", "start": 7, "end": 14}])
    assessments = Assessments("2006", JUDGED.from_rows([{"topic": "1", "doc": "d"}]), highlights=highlights)
    assert results("perfect", (assessments, collection)) == [("/section[1]/p[1]", 1.0)]


def test_an_unknown_system_raises_an_error_with_the_available_ones(world):
    with pytest.raises(InputError, match="wanted one of perfect, document, parent"):
        simulate_system("magic", *world)


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
    first, same, other = (generate_grades(handbook, topics=3, seed=seed) for seed in (1, 1, 2))
    assert first.elements.equals(same.elements)
    assert not first.elements.equals(other.elements)


def test_the_share_of_graded_children_is_a_parameter(handbook):
    def small(share):
        elements = generate_grades(handbook, topics=5, graded_children=share).elements
        return elements.filter(coverage="S").height

    assert small(0.0) == 0 < small(0.3) < small(1.0)


def test_impossible_simulated_grades_raise_an_error(handbook, world):
    with pytest.raises(InputError, match="a share from 0 to 1"):
        generate_grades(handbook, graded_children=2)
    with pytest.raises(InputError, match="documents with elements of moderate size"):
        generate_grades(world[1])
