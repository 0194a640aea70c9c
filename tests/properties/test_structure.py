"""On random trees, a strict target of tag names has the same effect as excluding all other tags.

The exact oracle supports excluded tags, so every measure with this parameter is checked for strict targets.
(fetch_MAep is left out: there an article must be found by a result on target.)  Measures over characters are
checked against sets of places.
"""

import random

import numpy as np
import pytest
from lxml import etree

import doxel
from documents.commands import write_files
from documents.random_trees import TAGS, random_tree
from doxel.topics import Topic, Topics

MEASURES = [
    'nxCG(task="thorough"{})@5',
    'nxCG(task="focused"{})@5',
    'nxCG(task="focused", alpha=0.5{})@5',
    'nxCG(task="focused", partial="retrieved"{})@5',
    'nxCG(task="focused", construction="best-sum"{})@5',
    'MAep(task="thorough"{})',
    'MAep(task="focused"{})',
    'iMAep(task="thorough"{})',
    'inex_eval(base="full"{})',
    'inex_eval(base="ideal"{})',
    'qP(quant="spec"{})@3',
    'qR(quant="spec"{})@3',
    'GR(model="identity"{})@4',
    'EPRUM(model="identity"{})',
    'SRP(isolation="power"{})@4',
    'SRPL(isolation="power"{})',
    'browse_MAep(quant="spec"{})',
]


@pytest.fixture(scope="module")
def case(tmp_path_factory):
    """Random trees, random highlights and random runs of elements."""
    chance = random.Random(1906)
    trees = {f"t{number:02}": random_tree(chance) for number in range(25)}
    folder = tmp_path_factory.mktemp("strict")
    files = {f"{name}.xml": etree.tostring(tree, encoding="unicode") for name, tree in trees.items()}
    write_files(folder / "sources", files)
    doxel.ingest(folder / "sources", folder / "c.doxel")
    collection = doxel.read_collection(folder / "c.doxel")
    paths = {name: collection[name].forest.paths().to_list() for name in trees}
    sizes = {name: len(collection[name].text) for name in trees}
    gold, runs = [], {"one": [], "two": []}
    for topic in ("1", "2", "3", "4"):
        for name in trees:
            if sizes[name] and chance.random() < 0.7:
                start = chance.randrange(sizes[name])
                gold.append((topic, name, start, chance.randint(start + 1, sizes[name])))
        for results in runs.values():
            elements = [(name, path) for name in trees for path in paths[name]]
            for rank, (name, path) in enumerate(chance.sample(elements, 40), 1):
                results.append({"topic": topic, "doc": name, "path": path, "rank": rank})
    return collection, gold, runs


def topics(names):
    query = f"//({'|'.join(names)})[about(., x)]" if len(names) > 1 else f"//{names[0]}[about(., x)]"
    return Topics.of([Topic(topic, castitle=query) for topic in ("1", "2", "3", "4")])


@pytest.mark.parametrize("names", [("a",), ("b", "c"), ("a", "b", "d")], ids="".join)
def test_a_strict_target_equals_excluding_all_other_tags(case, names):
    collection, gold, runs = case
    others = ",".join(tag for tag in TAGS if tag not in names)
    strict = doxel.evaluate(
        runs,
        gold,
        [measure.format("") for measure in MEASURES],
        collection=collection,
        structure="target=strict",
        topic_file=topics(names),
    )
    excluded = doxel.evaluate(
        runs,
        gold,
        [measure.format(f', exclude_tags="{others}"') for measure in MEASURES],
        collection=collection,
    )
    assert strict.scores["score"].len() == 2 * 4 * len(MEASURES)
    np.testing.assert_array_equal(strict.scores["score"].to_numpy(), excluded.scores["score"].to_numpy())
    assert strict.scores["score"].fill_nan(0).sum() > 1


def by_character(collection, gold, results, topic, names):
    """Return recall and precision over characters, from sets of positions."""
    inside = set()
    for name in collection:
        forest = collection[name].forest
        for row in range(len(forest)):
            if forest.labels.names[forest.name[row]] in names:
                inside |= {(name, place) for place in range(forest.start[row], forest.end[row])}
    wanted = {
        (doc, place)
        for judged_topic, doc, start, end in gold
        if judged_topic == topic
        for place in range(start, end)
    } & inside
    read, relevant_read = set(), set()
    for result in (result for result in results if result["topic"] == topic):
        document = collection[result["doc"]]
        row = document.find(result["path"])
        shown = {(result["doc"], place) for place in range(*document.span(row))}
        if document.forest.labels.names[document.forest.name[row]] in names:
            relevant_read |= (shown - read) & wanted
        read |= shown
    return len(relevant_read) / len(wanted), len(relevant_read) / len(read)


def test_character_measures_equal_sets_of_positions(case):
    collection, gold, runs = case
    names = ("b", "c")
    result = doxel.evaluate(
        runs["one"],
        gold,
        ["char_rec", "char_prec"],
        collection=collection,
        structure="target=strict",
        topic_file=topics(names),
    )
    expected = [by_character(collection, gold, runs["one"], topic, names) for topic in ("1", "2", "3", "4")]
    scores = result.scores["score"].to_list()
    assert scores[:4] == pytest.approx([recall for recall, _ in expected])
    assert scores[4:] == pytest.approx([precision for _, precision in expected])
    assert min(scores) > 0
