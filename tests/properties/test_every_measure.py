"""Properties of every measure, derived from the declarations.

The tests use random topics of 2005, which have highlights, grades and entry points.  A run that a measure
would reject is repaired first.
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
from doxel.measures import MEASURES, Measure, parse_measure
from doxel.measures.gain_views import GainVectors
from doxel.measures.measure_parameters import DEPENDS, Choice, Flag, Number, Text
from doxel.measures.measure_table import map_measures
from doxel.runs import RESULTS
from measures import ideals
from measures.instances import instances, measures_of
from measures.paddings import padded
from oracle import random_case
from oracle.bridge import build, rerun
from random_share import count_cases

TOPICS = 8
BY_NAME = {measure.declaration.name: measure for measure in MEASURES}
VARIANTS = {name: instances(measure) for name, measure in BY_NAME.items()}
every_measure = pytest.mark.parametrize("name", BY_NAME)


# ---- scores


@pytest.fixture(scope="module")
def bridge(tmp_path_factory):
    random = Random(2006)
    cases = [random_case(random, scale="2005", documents=4, chunks=True) for _ in range(TOPICS)]
    return build(cases, tmp_path_factory.mktemp("every-measure"))


def scored(run, assessments, bridge, measures=None):
    """Return the exact scores by measure and topic."""
    measures = measures or [measure for variants in VARIANTS.values() for measure in variants]
    result = evaluate(
        run, assessments, measures, collection=bridge.collection, chunks=bridge.chunks, on_invalid="repair"
    )
    assert not result.rejected
    scores: dict[str, dict[str, float]] = {}
    names = [str(measure) for measure in measures]
    table = result.scores["score"].to_numpy().reshape(len(names), -1)
    topics = result.scores["topic"].unique(maintain_order=True).to_list()
    for name, row in zip(names, table, strict=True):
        scores[name] = dict(zip(topics, row.tolist(), strict=True))
    return scores


@pytest.fixture(scope="module")
def views():
    return {}


@pytest.fixture(scope="module")
def scores(bridge, views):
    """Return the scores of all measures on all topics, and record every view with its scores."""
    compute = Measure.compute

    def compute_and_record(self, view, parameters):
        values = compute(self, view, parameters)
        views.setdefault(self.declaration.name, []).append((self, view, parameters, values))
        return values

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Measure, "compute", compute_and_record)
        return scored(bridge.run, bridge.assessments, bridge)


def only(bridge, topics):
    """Return the run and the assessments of these topics, in this order."""
    place = pl.DataFrame({"topic": topics, "place": range(len(topics))})

    def select(frame):
        joined = frame.join(place, on="topic", maintain_order="left").sort("place", maintain_order=True)
        return joined.drop("place")

    tables = ("judged", "highlights", "elements", "beps")
    assessments = replace(
        bridge.assessments, **{table: select(getattr(bridge.assessments, table)) for table in tables}
    )
    return replace(bridge.run, results=select(bridge.run.results)), assessments


def identical(scores, others):
    """Return whether scores are exactly equal; two undefined scores are equal."""
    return np.array_equal(np.array(scores), np.array(others), equal_nan=True)


@every_measure
def test_scores_are_within_their_bounds(scores, name):
    low, high = BY_NAME[name].declaration.bounds
    for measure in VARIANTS[name]:
        for topic, score in scores[str(measure)].items():
            assert math.isnan(score) or low - 1e-12 <= score <= high + 1e-12, (measure, topic)


@every_measure
def test_scores_are_not_all_0_or_equal(scores, name):
    """Otherwise the other tests would prove nothing."""
    values = [score for measure in VARIANTS[name] for score in scores[str(measure)].values()]
    assert any(score > 0 for score in values)
    least = 1 if name == "omega_rec" else 2  # omega_rec is always 1: a whole chunking contains all text
    assert len({score for score in values if not math.isnan(score)}) >= least


@every_measure
def test_padding_does_not_change_scores(scores, views, name):
    assert (
        len(views[name])
        == len(VARIANTS[name])
        == len([measure for measure in scores if measure in set(map(str, VARIANTS[name]))])
    )
    for measure, view, parameters, values in views[name]:
        assert identical(measure.compute(padded(view), parameters), values), measure


# ---- explanations


def add_up(terms, divisor):
    """Return the sum of terms in rank order, divided once; 0 if nothing divides it."""
    total = terms.cumsum(axis=1)[:, -1] if terms.shape[1] else np.zeros(len(terms))
    return np.divide(total, divisor, out=np.zeros(len(total)), where=divisor != 0)


@every_measure
def test_a_measure_declares_what_its_scores_are_made_of(name):
    """A new measure needs terms and a divisor, or at least a sentence."""
    declaration = BY_NAME[name].declaration
    assert (declaration.terms is None) == (declaration.divisor is None)
    assert declaration.terms is not None or declaration.made_of
    assert not declaration.made_of or declaration.made_of.endswith(".")
    shown = [*declaration.view.quantities, *declaration.quantities]
    for quantity in [*shown, *filter(None, (declaration.terms, declaration.divisor))]:
        assert quantity.symbol
        assert quantity.about


@every_measure
@pytest.mark.usefixtures("scores")
def test_terms_in_rank_order_divided_once_give_the_score(views, name):
    assert len(views[name]) == len(VARIANTS[name])
    added = 0
    for measure, view, parameters, values in views[name]:
        for each in (view, padded(view)):
            total = measure.compute_sum(each, parameters)
            if total is None:
                assert measure.declaration.made_of, f"{measure} is no sum, and does not tell what it is"
                continue
            summed = add_up(*total)
            defined = ~np.isnan(values)
            assert summed[defined] == pytest.approx(values[defined], rel=1e-12, abs=1e-12), measure
            added += int((values[defined] > 0).sum())
    assert added, "no score is above 0"


@every_measure
@pytest.mark.usefixtures("scores")
def test_quantities_by_rank_have_one_row_per_topic(views, name):
    for measure, view, parameters, values in views[name]:
        for quantity, matrix in measure.compute_quantities(view, parameters).items():
            assert matrix.shape[0] == len(values), (measure, quantity.symbol)
            assert matrix.ndim == 2, (measure, quantity.symbol)


@pytest.fixture(scope="module")
def alone(bridge):
    return {topic: scored(*only(bridge, [topic]), bridge) for topic in ("t1", "t4", "t5")}


@every_measure
def test_a_topic_scores_the_same_alone(scores, alone, name):
    for topic, values in alone.items():
        for measure in VARIANTS[name]:
            assert identical(values[str(measure)][topic], scores[str(measure)][topic]), (measure, topic)


def test_long_lists_over_deep_trees_score_the_same_alone(tmp_path):
    # sums of gain over all topics at once would change the last bits of topic t5
    random = Random(13)
    switches = {"scale": "2005", "documents": 3, "elements": 40, "length": 30, "kind": "elements"}
    deep = build([random_case(random, **switches) for _ in range(12)], tmp_path)
    measures = [
        f"nxCG(alpha=0.3, construction={construction}, quant={quant})@30"
        for construction in ("path", "leaves", "best-sum")
        for quant in ("spec", "genlifted")
    ]
    together = scored(deep.run, deep.assessments, deep, parse_measure(", ".join(measures)))
    for topic in ("t1", "t5", "t8"):
        alone = scored(*only(deep, [topic]), deep, parse_measure(", ".join(measures)))
        for measure, by_topic in alone.items():
            assert identical(by_topic[topic], together[measure][topic]), (measure, topic)


@pytest.fixture(scope="module")
def permuted(bridge):
    topics = [f"t{number}" for number in range(TOPICS)]
    Random(3).shuffle(topics)
    return scored(*only(bridge, topics), bridge)


@every_measure
def test_the_order_of_topics_does_not_change_scores(scores, permuted, name):
    for measure in VARIANTS[name]:
        assert list(permuted[str(measure)]) != list(scores[str(measure)])
        for topic, score in scores[str(measure)].items():
            assert identical(permuted[str(measure)][topic], score), (measure, topic)


# ---- the ideal run

IDEAL_RUNS = ideals.collect()


@pytest.fixture(scope="module")
def best(tmp_path_factory):
    """Return the evaluations of the ideal runs, in the order of the table."""
    random = Random(7)
    topics = {"random": [random_case(random, scale="2005") for _ in range(10)], "perfect": [ideals.perfect()]}
    topics["single"] = [ideals.single()]
    bridges = {kind: build(cases, tmp_path_factory.mktemp("ideal")) for kind, cases in topics.items()}
    results = []
    for kind, run, measures in IDEAL_RUNS:
        cases = [ideals.returning(case, run) for case in topics[kind]]
        bridge = rerun(bridges[kind], cases)
        results.append(
            evaluate(
                bridge.run, bridge.assessments, measures, collection=bridge.collection, chunks=bridge.chunks
            )
        )
    return results


@pytest.mark.parametrize("place", range(len(IDEAL_RUNS)))
def test_the_ideal_run_scores_1(best, place):
    result = best[place]
    assert not result.rejected
    for topic, measure, score in result.scores.select("topic", "measure", "score").iter_rows():
        if BY_NAME[measure.split("(")[0].split("@")[0]].declaration.view is GainVectors:
            assert math.isnan(score) or score == 1, (topic, measure)  # exactly
        else:
            assert math.isnan(score) or score == pytest.approx(1, rel=1e-12), (topic, measure)
    undefined = result.means.filter(pl.col("topics") == 0)
    assert not undefined.height, "a measure was undefined for all topics"


@every_measure
def test_every_measure_has_an_ideal_run(best, name):
    """The test of a family declares its ideal runs as IDEAL_RUNS."""
    names = {measure.split("(")[0].split("@")[0] for result in best for measure in result.means["measure"]}
    assert name in names
    assert BY_NAME[name].declaration.bounds[1] in {
        1,
        math.inf,
    }  # the ideal run scores 1 even if a measure is unbounded


# ---- non-relevant results


@pytest.fixture(scope="module")
def longer(bridge):
    """Return the scores of a run, and of the same run with unjudged documents at the end of every topic."""
    noise = RESULTS.from_rows(
        {"topic": f"t{number}", "doc": f"noise-{place}", "start": -1, "end": -1}
        for number in range(TOPICS)
        for place in range(5)
    )
    # documents of other topics have text but are not judged for this topic
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
    """Number the results in the order of the run, so that appending results does not break ties."""
    from doxel.runs.result_order import order_results

    return RESULTS.fit(order_results(results).with_columns(rank=pl.col("position")))


@every_measure
def test_appending_non_relevant_results_never_helps(longer, name):
    if name == "overlap":
        pytest.skip("overlap does not measure quality")
    before, after = longer
    for measure in VARIANTS[name]:
        for topic, score in before[str(measure)].items():
            assert math.isnan(score) or after[str(measure)][topic] <= score + 1e-12, (measure, topic)


def test_appending_non_relevant_results_lowers_precision_over_the_whole_list(longer):
    before, after = longer
    for name in ("char_prec", "art_prec"):
        assert any(after[name][topic] < score for topic, score in before[name].items())


# ---- names


@every_measure
@settings(deadline=None, max_examples=count_cases(30))
@given(data=st.data())
def test_a_name_parses_back_to_its_measure(name, data):
    measure = data.draw(measures_of(BY_NAME[name]))
    (copy,) = _parsed(str(measure))
    assert copy == measure
    assert str(copy) == str(measure)
    assert hash(copy) == hash(measure)
    assert copy.resolve_parameters({}) == measure.resolve_parameters({})
    assert copy.at == measure.at
    assert str(measure) == canonical(measure)


def _parsed(text):
    """Parse without the check for conflicting parameters."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Measure, "check", lambda self: self)
        return parse_measure(text)


def canonical(measure):
    """Return the name as designed: written parameters that differ from a fixed default, alphabetically."""

    def shown(value):
        if isinstance(value, str):
            return '"' + value + '"'
        if isinstance(value, float) and not isinstance(value, bool) and value == int(value):
            return str(int(value))
        return str(value)

    parameters = measure.declaration.parameters
    arguments = [
        f"{name}={shown(measure.written[name])}"
        for name in sorted(measure.written)
        if parameters[name].default is DEPENDS or measure.written[name] != parameters[name].default
    ]
    text = measure.declaration.name + (f"({', '.join(arguments)})" if arguments else "")
    return text if measure.at is None else f"{text}@{shown(measure.at)}"


@every_measure
def test_measures_survive_pickling(name):
    for measure in VARIANTS[name]:
        copy = pickle.loads(pickle.dumps(measure))  # noqa: S301
        assert copy == measure
        assert copy.declaration is measure.declaration


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
def test_bad_parameters_are_rejected_with_a_reason(name):
    measure = BY_NAME[name]
    for parameter in measure.declaration.parameters.values():
        for value in BAD[type(parameter.kind)](parameter.kind):
            with pytest.raises(MeasureError) as caught:
                measure(**{parameter.name: value})
            message = str(caught.value)
            assert message.startswith(f"{name}: {parameter.name}: wanted {parameter.kind}, found "), message
            shown = f'"{value}"' if isinstance(value, str) else str(value)
            assert shown.removesuffix(".0") in message


@every_measure
def test_bad_cutoffs_are_rejected_with_a_reason(name):
    measure, at = BY_NAME[name], BY_NAME[name].declaration.at
    if at is None:
        with pytest.raises(MeasureError, match=rf"^{name} does not take a cutoff \(@\)$"):
            measure @ 3
        return
    for value in BAD[type(at.kind)](at.kind):
        with pytest.raises(MeasureError, match=f"^{name}: {at.name}: wanted "):
            measure @ value
    if not BY_NAME[name].declaration.at_optional:
        with pytest.raises(MeasureError, match=f"^{name} needs a cutoff, such as {name}@"):
            measure.check()


@every_measure
def test_unknown_parameters_are_rejected_with_a_list_of_parameters(name):
    with pytest.raises(MeasureError) as caught:
        BY_NAME[name](nonsense=1)
    parameters = ", ".join(BY_NAME[name].declaration.parameters) or "none"
    assert str(caught.value) == f"{name} has no parameter 'nonsense'; it has: {parameters}"


@every_measure
def test_a_misspelt_name_gets_a_hint(name):
    for slip in {name.swapcase(), name.upper(), f"{name}x", name.replace("_", "")} - set(map_measures()):
        with pytest.raises(MeasureError, match=f"^there is no measure '{slip}'; did you mean ") as caught:
            parse_measure(slip)
        if slip.lower() == name.lower():
            assert name in str(caught.value)


# ---- declarations


@every_measure
def test_declarations_are_complete(name):
    declaration = BY_NAME[name].declaration
    assert declaration.summary
    assert declaration.reference
    assert declaration.bounds[0] == 0
    assert "When it misleads" in declaration.explanation
    assert "Neighbours" in declaration.explanation
    for parameter in (*declaration.parameters.values(), *([declaration.at] if declaration.at else [])):
        assert parameter.about
        if (
            parameter.default is not DEPENDS
            and parameter is not declaration.at
            and parameter.default is not None
        ):
            assert parameter.accept(parameter.default, owner=name) == parameter.default
