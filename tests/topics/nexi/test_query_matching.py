"""Structural matching, compared with XPath on random trees and checked by hand on a small one."""

import random

import numpy as np
import pytest
from lxml import etree

import doxel
from documents.commands import write_files
from documents.random_trees import TAGS, random_tree
from doxel.errors import InputError
from doxel.topics import nexi
from doxel.topics.nexi.query_matching import find_conforming_elements, find_target_labels
from doxel.topics.nexi.query_tree import (
    OPERATORS,
    About,
    And,
    Or,
    PathStep,
    Query,
    QueryPart,
    QueryPath,
    Term,
    ValueComparison,
)
from topics.slow_matching import xpath

INTERPRETATIONS = [(target, support) for target in ("strict", "vague") for support in ("strict", "vague")]


def random_path(chance, *, attribute):
    steps = []
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3))):
        names = tuple(chance.sample(TAGS, chance.choice((0, 1, 1, 1, 2))))
        steps.append(PathStep(names, is_child=chance.random() < 0.2))
    if attribute and chance.random() < 0.2:
        steps.append(PathStep((chance.choice("nm"),), is_child=chance.random() < 0.5, is_attribute=True))
    return QueryPath(tuple(steps))


def random_condition(chance, depth=0):
    kind = chance.random()
    if depth < 2 and kind < 0.4:
        parts = tuple(random_condition(chance, depth + 1) for _ in range(chance.choice((2, 3))))
        return And(parts) if kind < 0.2 else Or(parts)
    path = random_path(chance, attribute=True) if chance.random() < 0.8 else QueryPath()
    if kind < 0.7:
        return About(path, (Term(("x",)),))
    value = chance.choice((0.0, 1.0, 2.0, 3.0, "x"))
    return ValueComparison(path, "=" if value == "x" else chance.choice(OPERATORS), value)


def random_query(chance):
    parts = [
        QueryPart(random_path(chance, attribute=False), random_condition(chance))
        for _ in range(chance.choice((1, 1, 2, 3)))
    ]
    last = [QueryPart(random_path(chance, attribute=False))] if chance.random() < 0.3 else []
    return Query((*parts, *last))


@pytest.fixture(scope="module")
def forest_of_trees(tmp_path_factory):
    """The trees of forty random documents, and a collection of these documents."""
    chance = random.Random(20031)
    trees = {f"t{number:02}": random_tree(chance) for number in range(40)}
    folder = tmp_path_factory.mktemp("trees")
    files = {f"{name}.xml": etree.tostring(tree, encoding="unicode") for name, tree in trees.items()}
    write_files(folder / "sources", files)
    doxel.ingest(folder / "sources", folder / "c.doxel")
    return trees, doxel.read_collection(folder / "c.doxel")


@pytest.mark.parametrize(("target", "support"), INTERPRETATIONS)
def test_random_queries_on_random_trees_match_as_in_xpath(forest_of_trees, target, support):
    trees, collection = forest_of_trees
    chance = random.Random(2006)
    ids = list(collection)
    numbers = np.arange(len(ids))
    forest = collection.forest(numbers)
    selective = 0
    for _ in range(150):
        query = random_query(chance)
        expected = []
        for name in ids:
            nodes = set(etree.ElementTree(trees[name]).xpath(xpath(query, target=target, support=support)))
            expected += [node in nodes for node in trees[name].iter()]
        mask = find_conforming_elements(query, collection, numbers, target=target, support=support)
        assert len(mask) == len(forest)
        assert mask.tolist() == expected, nexi.print(query)
        selective += int(mask.any() and not mask.all())
    assert selective > 60 or target == support == "vague"  # many queries select some elements, but not all


SMALL = {
    "one.xml": "<article year='1999'><fm><yr> 1999 </yr></fm>"
    "<sec><p>x</p><sec><fig/></sec></sec><p>y</p></article>",
    "two.xml": "<book xmlns:m='urn:m'><m:sec><p>z</p></m:sec><fm><yr>n. d.</yr></fm></book>",
}


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    write_files(folder / "sources", SMALL)
    doxel.ingest(folder / "sources", folder / "c.doxel")
    return doxel.read_collection(folder / "c.doxel")


def selected(collection, text, target="strict", support="strict"):
    numbers = np.arange(len(collection))
    mask = find_conforming_elements(nexi.parse(text), collection, numbers, target=target, support=support)
    forest = collection.forest(numbers)
    ids = list(collection)
    return [f"{ids[forest.document[row]]}{forest.path(row)}" for row in np.flatnonzero(mask)]


SEC, INNER = "one/article[1]/sec[1]", "one/article[1]/sec[1]/sec[1]"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("//article[about(., x)]//sec", [SEC, INNER]),
        ("//sec[about(.//fig, x)]", [SEC, INNER]),
        ("//sec[about(./fig, x)]", [INNER]),
        ("//sec[about(., x)]", [SEC, INNER, "two/book[1]/sec[1]"]),
        ("//m:sec[about(., x)]", [SEC, INNER, "two/book[1]/sec[1]"]),
        ("/book[about(., x)]", ["two/book[1]"]),
        ("//article[.//yr = 1999]//sec[about(.//p, x)]", [SEC]),
        ("//article[.//yr > 1999]//sec[about(., x)]", []),
        ("//*[.//yr < 3000]", ["one/article[1]", "one/article[1]/fm[1]"]),
        ("//*[./@year >= 1999]//p[about(., x)]", ["one/article[1]/sec[1]/p[1]", "one/article[1]/p[1]"]),
        ("//*[.//yr = 'n. d.' and about(.//sec, x)]", ["two/book[1]"]),
    ],
)
def test_a_strict_query_matches_the_elements_found_by_hand(small, text, expected):
    assert selected(small, text) == expected


def test_a_vague_target_with_strict_support_matches_any_element_in_the_supporting_one(small):
    """The sec with a figure inside, and every element in it; the p beside it does not match."""
    assert selected(small, "//sec[about(.//fig, x)]//p", target="vague") == [
        SEC,
        "one/article[1]/sec[1]/p[1]",
        INNER,
        f"{INNER}/fig[1]",
    ]
    # the condition of the last path applies to the element that replaces the target
    assert selected(small, "//p[about(.//fig, x)]", target="vague") == ["one/article[1]", SEC, INNER]


def test_a_title_without_structure_matches_everything(small):
    assert len(selected(small, "trees")) == len(small.forest(np.arange(2)))
    assert find_target_labels(nexi.parse("trees"), small.all_labels()).all()


def test_a_target_is_matched_once_per_label_path(small):
    labels = small.all_labels()
    mask = find_target_labels(nexi.parse("//article//sec[about(., x)]"), labels)
    assert [path for path, is_target in zip(labels.paths, mask, strict=True) if is_target] == [
        "/article/sec",
        "/article/sec/sec",
    ]


def test_an_attribute_cannot_be_a_target(small):
    with pytest.raises(InputError, match="through an attribute"):
        selected(small, "//article//@year[about(., x)]")
    with pytest.raises(InputError, match="through an attribute"):
        selected(small, "//article[about(.//@year//p, x)]")


def test_no_documents_give_no_matches(small):
    nothing = np.zeros(0, dtype=np.int64)
    query = nexi.parse("//a[about(.//b, x) and .//@c = 1]")
    assert find_conforming_elements(query, small, nothing).tolist() == []
