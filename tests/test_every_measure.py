"""What all measures promise, whichever they are: derived from their declarations.

Everything is tried on random topics of 2005, which have highlights, grades and entry points; a run that a
measure would refuse is repaired first.
"""

import math
import pickle
from dataclasses import replace
from random import Random

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doxel.errors import MeasureError
from doxel.evaluation import evaluate
from doxel.measures import MEASURES, Measure, parse
from doxel.measures.gain_views import GainVectors
from doxel.measures.parameters import DEPENDS, Choice, Flag, Number, Text
from doxel.runs import RESULTS
from evaluation.bridge import build
from measures import ideals
from measures.instances import instances, measures_of
from measures.paddings import padded
from oracle import random_case

TOPICS = 8
BY_NAME = {one.declaration.name: one for one in MEASURES}
EVERY = {name: instances(one) for name, one in BY_NAME.items()}
every_measure = pytest.mark.parametrize("name", BY_NAME)


# ---- scores


@pytest.fixture(scope="module")
def bridge(tmp_path_factory):
    random = Random(2006)
    cases = [random_case(random, scale="2005", documents=4, chunks=True) for _ in range(TOPICS)]
    return build(cases, tmp_path_factory.mktemp("every-measure"))


def scored(run, assessments, bridge, measures=None):
    """Scores by measure and topic, exact to the bit."""
    wanted = measures or [one for some in EVERY.values() for one in some]
    result = evaluate(
        run, assessments, wanted, collection=bridge.collection, chunks=bridge.chunks, on_invalid="repair"
    )
    assert not result.rejected
    found: dict[str, dict[str, float]] = {}
    names = [str(one) for one in wanted]
    table = result.scores["score"].to_numpy().reshape(len(names), -1)
    topics = result.scores["topic"].unique(maintain_order=True).to_list()
    for name, row in zip(names, table, strict=True):
        found[name] = dict(zip(topics, row.tolist(), strict=True))
    return found


@pytest.fixture(scope="module")
def views():
    return {}


@pytest.fixture(scope="module")
def scores(bridge, views):
    """All measures on all topics; on the way every view is kept, with the measure's own scores."""
    compute = Measure.compute

    def kept(self, view, parameters):
        found = compute(self, view, parameters)
        views.setdefault(self.declaration.name, []).append((self, view, parameters, found))
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Measure, "compute", kept)
        return scored(bridge.run, bridge.assessments, bridge)


def only(bridge, topics):
    """The run and the assessments of some topics, in this order."""
    place = pl.DataFrame({"topic": topics, "place": range(len(topics))})

    def some(frame):
        together = frame.join(place, on="topic", maintain_order="left").sort("place", maintain_order=True)
        return together.drop("place")

    tables = ("judged", "highlights", "elements", "beps")
    assessments = replace(
        bridge.assessments, **{table: some(getattr(bridge.assessments, table)) for table in tables}
    )
    return replace(bridge.run, results=some(bridge.run.results)), assessments


def identical(one, other):
    """Equal to the bit; undefined is equal to undefined."""
    return np.array_equal(np.array(one), np.array(other), equal_nan=True)


@every_measure
def test_scores_keep_their_bounds(scores, name):
    low, high = BY_NAME[name].declaration.bounds
    for one in EVERY[name]:
        for topic, score in scores[str(one)].items():
            assert math.isnan(score) or low - 1e-12 <= score <= high + 1e-12, (one, topic)


@every_measure
def test_something_is_scored(scores, name):
    """Else the other tests would test nothing."""
    found = [score for one in EVERY[name] for score in scores[str(one)].values()]
    assert any(score > 0 for score in found)
    few = 1 if name == "omega_rec" else 2  # a whole chunking holds everything
    assert len({score for score in found if not math.isnan(score)}) >= few


@every_measure
def test_padding_changes_no_bit(scores, views, name):
    assert (
        len(views[name])
        == len(EVERY[name])
        == len([one for one in scores if one in set(map(str, EVERY[name]))])
    )
    for measure, view, parameters, found in views[name]:
        assert identical(measure.compute(padded(view), parameters), found), measure


@pytest.fixture(scope="module")
def alone(bridge):
    return {topic: scored(*only(bridge, [topic]), bridge) for topic in ("t1", "t4", "t5")}


@every_measure
def test_one_list_alone_gives_the_same_number(scores, alone, name):
    for topic, found in alone.items():
        for one in EVERY[name]:
            assert identical(found[str(one)][topic], scores[str(one)][topic]), (one, topic)


def test_nor_do_long_lists_over_deep_trees_depend_on_other_topics(tmp_path):
    # rooms that are summed up for all topics in one go give topic t5 other bits
    random = Random(13)
    switches = {"scale": "2005", "documents": 3, "elements": 40, "length": 30, "kind": "elements"}
    deep = build([random_case(random, **switches) for _ in range(12)], tmp_path)
    measures = [
        f"nxCG(alpha=0.3, construction={construction}, quant={quant})@30"
        for construction in ("path", "leaves", "best-sum")
        for quant in ("spec", "genlifted")
    ]
    together = scored(deep.run, deep.assessments, deep, parse(", ".join(measures)))
    for topic in ("t1", "t5", "t8"):
        found = scored(*only(deep, [topic]), deep, parse(", ".join(measures)))
        for measure, by_topic in found.items():
            assert identical(by_topic[topic], together[measure][topic]), (measure, topic)


@pytest.fixture(scope="module")
def permuted(bridge):
    topics = [f"t{number}" for number in range(TOPICS)]
    Random(3).shuffle(topics)
    return scored(*only(bridge, topics), bridge)


@every_measure
def test_the_order_of_topics_changes_nothing(scores, permuted, name):
    for one in EVERY[name]:
        assert list(permuted[str(one)]) != list(scores[str(one)])
        for topic, score in scores[str(one)].items():
            assert identical(permuted[str(one)][topic], score), (one, topic)


# ---- the best that a run can do


@pytest.fixture(scope="module")
def best(tmp_path_factory):
    """Scores of the ideal runs, by the place in the table."""
    random = Random(7)
    topics = {"random": [random_case(random, scale="2005") for _ in range(10)], "perfect": [ideals.perfect()]}
    found = []
    for kind, run, measures in ideals.MOST:
        cases = [ideals.returning(case, run) for case in topics[kind]]
        made = build(cases, tmp_path_factory.mktemp("ideal"))
        found.append(
            evaluate(made.run, made.assessments, measures, collection=made.collection, chunks=made.chunks)
        )
    return found


@pytest.mark.parametrize("place", range(len(ideals.MOST)))
def test_the_ideal_run_scores_the_most(best, place):
    result = best[place]
    assert not result.rejected
    for topic, measure, score in result.scores.select("topic", "measure", "score").iter_rows():
        if BY_NAME[measure.split("(")[0].split("@")[0]].declaration.view is GainVectors:
            assert math.isnan(score) or score == 1, (topic, measure)  # to the bit
        else:
            assert math.isnan(score) or score == pytest.approx(1, rel=1e-12), (topic, measure)
    defined = result.means.filter(pl.col("topics") == 0)
    assert not defined.height, "some measure was undefined for all topics"


@every_measure
def test_it_is_known_which_run_that_is(best, name):
    """A new measure says in tests/measures/ideals.py which run it likes best."""
    named = {measure.split("(")[0].split("@")[0] for result in best for measure in result.means["measure"]}
    assert name in named
    assert BY_NAME[name].declaration.bounds[1] in {
        1,
        math.inf,
    }  # where a measure is not bounded, the ideal run still scores 1


# ---- what does not help


@pytest.fixture(scope="module")
def longer(bridge):
    """The same run, with documents at the end of every topic that nobody judged."""
    noise = RESULTS.from_rows(
        {"topic": f"t{number}", "doc": f"noise-{place}", "start": -1, "end": -1}
        for number in range(TOPICS)
        for place in range(5)
    )
    # documents of other topics have text, and are not judged for this one
    other = [f"t{(number + 1) % TOPICS}-d1" for number in range(TOPICS)]
    text = RESULTS.from_rows(
        {"topic": f"t{number}", "doc": doc, "path": "/article[1]"} for number, doc in enumerate(other)
    )
    results = bridge.run.results.with_columns(rsv=pl.lit(None, pl.Float64))
    last = results["rank"].max() + 1
    more = pl.concat([noise, text]).with_columns(
        rank=pl.lit(last, pl.Int64) + pl.int_range(pl.len()).over("topic")
    )
    before = replace(bridge.run, results=_ranked(results))
    after = replace(bridge.run, results=pl.concat([before.results, RESULTS.fit(more)]))
    return [scored(run, bridge.assessments, bridge) for run in (before, after)]


def _ranked(results):
    """Ranks by the order that the run has, without ties: appending must not turn ties into none."""
    from doxel.runs.order import order

    return RESULTS.fit(order(results).with_columns(rank=pl.col("position")))


@every_measure
def test_appending_non_relevant_results_never_helps(longer, name):
    if name == "overlap":
        pytest.skip("overlap measures no quality")
    before, after = longer
    for one in EVERY[name]:
        for topic, score in before[str(one)].items():
            assert math.isnan(score) or after[str(one)][topic] <= score + 1e-12, (one, topic)


def test_and_it_hurts_a_precision_over_the_whole_list(longer):
    before, after = longer
    for name in ("char_prec", "art_prec"):
        assert any(after[name][topic] < score for topic, score in before[name].items())


# ---- names


@every_measure
@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_a_name_reads_back_as_what_it_names(name, data):
    measure = data.draw(measures_of(BY_NAME[name]))
    (again,) = _parsed(str(measure))
    assert again == measure
    assert str(again) == str(measure)
    assert hash(again) == hash(measure)
    assert again.settled({}) == measure.settled({})
    assert again.at == measure.at
    assert str(measure) == canonical(measure)


def _parsed(text):
    """Parse without the check of parameters that exclude each other."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Measure, "check", lambda self: self)
        return parse(text)


def canonical(measure):
    """The name as the design has it: written parameters that differ from a fixed default, alphabetically."""

    def shown(value):
        if isinstance(value, str):
            return '"' + value + '"'
        if isinstance(value, float) and not isinstance(value, bool) and value == int(value):
            return str(int(value))
        return str(value)

    known = measure.declaration.parameters
    written = [
        f"{name}={shown(measure.written[name])}"
        for name in sorted(measure.written)
        if known[name].default is DEPENDS or measure.written[name] != known[name].default
    ]
    text = measure.declaration.name + (f"({', '.join(written)})" if written else "")
    return text if measure.at is None else f"{text}@{shown(measure.at)}"


@every_measure
def test_measures_cross_process_borders(name):
    for one in EVERY[name]:
        again = pickle.loads(pickle.dumps(one))  # noqa: S301
        assert again == one
        assert again.declaration is one.declaration


BAD = {
    Number: lambda kind: [
        *([kind.low - 1, float("-inf")] if kind.low > -math.inf else []),
        *([kind.high + 1] if kind.high < math.inf else []),
        *([kind.low] if kind.above else []),
        *([2.5] if kind.whole else []),
        *([0.3] if kind.part else []),
        *([] if kind.none else [None]),
        *(math.nan, math.inf, "many", True, [1]),
    ],
    Choice: lambda kind: [kind.values[0] + "x", "", None, 1],
    Flag: lambda _: ["perhaps", None, 2],
    Text: lambda _: [5, None, 'a "word"'],
}


@every_measure
def test_bad_parameters_are_refused_in_words(name):
    measure = BY_NAME[name]
    for parameter in measure.declaration.parameters.values():
        for value in BAD[type(parameter.kind)](parameter.kind):
            with pytest.raises(MeasureError) as caught:
                measure(**{parameter.name: value})
            sentence = str(caught.value)
            assert sentence.startswith(f"{name}: {parameter.name}: wanted {parameter.kind}, found "), sentence
            shown = f'"{value}"' if isinstance(value, str) else str(value)
            assert shown.removesuffix(".0") in sentence


@every_measure
def test_bad_cutoffs_are_refused_in_words(name):
    measure, at = BY_NAME[name], BY_NAME[name].declaration.at
    if at is None:
        with pytest.raises(MeasureError, match=f"^{name} takes no @$"):
            measure @ 3
        return
    for value in BAD[type(at.kind)](at.kind):
        with pytest.raises(MeasureError, match=f"^{name}: {at.name}: wanted "):
            measure @ value
    if not BY_NAME[name].declaration.at_optional:
        with pytest.raises(MeasureError, match=f"^{name} needs @ and "):
            measure.check()


@every_measure
def test_unknown_parameters_are_answered_with_the_known_ones(name):
    with pytest.raises(MeasureError) as caught:
        BY_NAME[name](nonsense=1)
    known = ", ".join(BY_NAME[name].declaration.parameters) or "none"
    assert str(caught.value) == f"{name} has no parameter 'nonsense'; it has: {known}"


@every_measure
def test_a_slip_in_a_name_gets_a_hint(name):
    known = {alias for one in MEASURES for alias in (one.declaration.name, *one.declaration.aliases)}
    for slip in {name.swapcase(), name.upper(), f"{name}x", name.replace("_", "")} - known:
        with pytest.raises(MeasureError, match=f"^there is no measure '{slip}'; did you mean ") as caught:
            parse(slip)
        if slip.lower() == name.lower():
            assert name in str(caught.value)


# ---- declarations


@every_measure
def test_a_declaration_says_everything(name):
    declared = BY_NAME[name].declaration
    assert declared.summary
    assert declared.reference
    assert declared.bounds[0] == 0
    assert "When it misleads" in declared.explanation
    assert "Neighbours" in declared.explanation
    for parameter in (*declared.parameters.values(), *([declared.at] if declared.at else [])):
        assert parameter.about
        if (
            parameter.default is not DEPENDS
            and parameter is not declared.at
            and parameter.default is not None
        ):
            assert parameter.accept(parameter.default, owner=name) == parameter.default
