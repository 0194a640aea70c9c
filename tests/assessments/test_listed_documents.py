"""Without a collection: assessments that list elements with their sizes give the same scores."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random

import polars as pl
import pytest

from doxel.assessments.assessments import BEPS, ELEMENTS, HIGHLIGHTS
from doxel.errors import InputError
from doxel.evaluation import evaluate
from oracle import MEASURES, random_case
from oracle.bridge import build

CASES = 60


def list_elements(bridge, *, only_relevant):
    """Return the assessments as an XML file of 2005 or 2006 would have them: elements, no positions."""
    grades = {
        (topic, doc, path): exhaustivity
        for topic, doc, path, exhaustivity in bridge.assessments.elements.select(
            "topic", "doc", "path", "exhaustivity"
        ).iter_rows()
    }
    rows = []
    for number, case in enumerate(bridge.cases):
        for doc, element in case.elements():
            rsize = len(element.positions & case.relevant(doc))
            key = (f"t{number}", f"t{number}-{doc}", element.path)
            if doc in case.judged and (rsize or not only_relevant):
                sizes = {"size": element.size, "rsize": rsize, "exhaustivity": grades.get(key)}
                rows.append({"topic": key[0], "doc": key[1], "path": key[2], **sizes})
    return replace(
        bridge.assessments,
        elements=ELEMENTS.from_rows(rows),
        highlights=HIGHLIGHTS.empty(),
        beps=bridge.assessments.beps.clear(),
    )


@pytest.fixture(scope="module")
def bridges(tmp_path_factory):
    bridges = {}
    for scale in ("2005", "2006"):
        random = Random(7)
        cases = [random_case(random, scale=scale, kind="elements", unresolved=False) for _ in range(CASES)]
        bridges[scale] = build(cases, tmp_path_factory.mktemp(scale))
    return bridges


def compare(bridge, assessments, measure, name, **parameters):
    scores = evaluate(bridge.run, assessments, measure).scores
    for number, score in enumerate(scores["score"]):
        wanted = MEASURES[name](bridge.cases[number], **parameters)
        if wanted is None:
            assert math.isnan(score)
        else:
            assert math.isclose(score, wanted, abs_tol=1e-11), (measure, number)


def test_relevant_elements_are_enough_for_specificity(bridges):
    listed = list_elements(bridges["2006"], only_relevant=True)
    compare(bridges["2006"], listed, "nxCG(task=focused)@3", "nxCG", at=3, task="focused")
    compare(bridges["2006"], listed, "MAep(task=thorough)", "MAep", task="thorough")
    compare(bridges["2006"], listed, "inex_eval", "inex_eval")


@pytest.mark.parametrize("quant", ["gen2005", "genlifted", "strict2005", "spec"])
def test_all_elements_give_every_gain(bridges, quant):
    listed = list_elements(bridges["2005"], only_relevant=False)
    for alpha in (0, 0.5, 1):
        for measure in ("nxCG", "MAnxCG"):
            name = f"{measure}(quant={quant}, alpha={alpha})@4"
            compare(bridges["2005"], listed, name, measure, at=4, quant=quant, alpha=alpha)


def test_character_measures_work_on_listed_elements(bridges):
    listed = list_elements(bridges["2006"], only_relevant=False)
    judged = {
        (f"t{number}", f"t{number}-{doc}")
        for number, case in enumerate(bridges["2006"].cases)
        for doc in case.judged
    }
    # a document that was not judged has no listed elements, so only judged ones are compared
    is_judged = [
        (topic, doc) in judged
        for topic, doc in bridges["2006"].run.results.select("topic", "doc").iter_rows()
    ]
    run = replace(bridges["2006"].run, results=bridges["2006"].run.results.filter(pl.Series(is_judged)))
    cases = [
        replace(case, results=[result for result in case.results if result.doc in case.judged])
        for case in bridges["2006"].cases
    ]
    bridge = replace(bridges["2006"], run=run, cases=cases)
    compare(bridge, listed, "HiXEval_R(alpha=0.5)@4", "HiXEval_R", at=4, alpha=0.5)
    compare(bridge, listed, "MAiP(task=thorough)", "MAiP", task="thorough")


def test_grades_without_sizes_raise_an_error_if_sizes_are_needed(tmp_path):
    random = Random(3)
    cases = [random_case(random, scale="2003", kind="elements", unresolved=False) for _ in range(20)]
    bridge = build(cases, tmp_path)
    bare = replace(bridge.assessments, highlights=HIGHLIGHTS.empty())
    compare(bridge, bare, "inex_eval(quant=sog)", "inex_eval", quant="sog")
    compare(bridge, bare, "MAep(task=thorough)", "MAep", task="thorough")
    with pytest.raises(InputError, match="needs the sizes of elements: wanted a collection"):
        evaluate(bridge.run, bare, "nxCG(task=focused)@3")
    with pytest.raises(InputError, match="collection"):
        evaluate(bridge.run, bare, "inex_eval_ng")


def test_passages_gain_nothing_without_the_text(bridges):
    """A passage is scored by its text, which is unknown from sizes alone, so it gains nothing."""
    bridge = bridges["2006"]
    listed = list_elements(bridge, only_relevant=False)
    doc = listed.elements["doc"][0]
    topic = listed.elements["topic"][0]
    root = listed.elements.filter(doc=doc).row(0, named=True)["path"]
    passage = [{"topic": topic, "doc": doc, "start": 0, "end": 1}, {"topic": topic, "doc": doc, "path": root}]
    result = evaluate(passage, listed, "gr@1,2")
    scores = result.scores.filter(topic=topic)["score"].to_list()
    assert scores[0] == 0
    alone = evaluate(passage[1:], listed, "gr@1").scores.filter(topic=topic)["score"].to_list()
    assert scores[1:] == alone
    assert any("1 result is a span" in warning and "-c" in warning for warning in result.warnings)


def test_without_sizes_a_span_is_neither_inside_nor_outside_its_document(tmp_path):
    path = '<path path="/article[1]" relevance="3" coverage="E"/>'
    gold = tmp_path / "of-2002.xml"
    gold.write_text(f'<assessments topic="1"><file file="a">{path}</file></assessments>')
    result = evaluate(
        [{"topic": "1", "doc": "a", "start": 900, "end": 990}], gold, "inex_eval(quant=strict2002)"
    )
    assert any("1 result is a span" in warning for warning in result.warnings)
    assert not any("outside" in warning for warning in result.warnings)


def test_best_entry_points_are_not_located_without_the_text(bridges):
    bridge = bridges["2006"]
    listed = list_elements(bridge, only_relevant=False)
    doc, topic, path = (
        listed.elements.row(0, named=True)["doc"],
        listed.elements["topic"][0],
        "/a[1]/text()[1].3",
    )
    beps = pl.DataFrame({"topic": [topic], "doc": [doc], "path": [path]})
    result = evaluate({"mine": []}, replace(listed, beps=BEPS.fit(beps)), "gr@1")
    assert any("1 best entry point has no known position" in warning for warning in result.warnings)
