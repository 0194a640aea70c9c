"""The provider: ir_measures computes doxel's measures, with doxel's digits."""

import math
import subprocess
import sys

import pandas as pd
import pytest

import doxel
from doxel.errors import InputError, MeasureError

ir_measures = pytest.importorskip("ir_measures")
provider = pytest.importorskip("doxel.ir_measures")

GOLD = [("1", "a", 0, 50), ("1", "b", 10, 20), ("2", "a", 5, 30), ("3", "c", 0, 7)]
RUN = [("1", "a", 0, 10), ("1", "b", 0, 40), ("1", "a", 30, 90), ("2", "x", 0, 9), ("2", "a", 0, 12)]
NAMES = ["MAiP(task=thorough)", "char_rec@2", "char_rec", "nxCG@10", "span_rec@5", "GR@3"]


@pytest.fixture(autouse=True)
def without_options():
    yield
    provider.configure()


@pytest.fixture
def frames():
    """Return assessments and run as ir_measures takes frames, in no order but that of the scores."""
    qrels = pd.DataFrame(GOLD, columns=["query_id", "doc_id", "start", "end"]).assign(relevance=1)
    run = pd.DataFrame(RUN, columns=["query_id", "doc_id", "start", "end"])
    run["score"] = [9.0 - number for number in range(len(run))]
    return qrels, run[::-1]


def expected(names=NAMES):
    result = doxel.evaluate(RUN, GOLD, names)
    by_topic = dict(zip(result.scores.select("topic", "measure").rows(), result.scores["score"], strict=True))
    return by_topic, dict(result.means.select("measure", "score").iter_rows())


def test_scores_and_means_have_the_digits_of_evaluate(frames):
    by_topic, means = expected()
    measures = [provider.as_ir_measure(name) for name in NAMES]
    calculated = ir_measures.calc_aggregate(measures, *frames)
    assert {str(measure): value for measure, value in calculated.items()} == means
    metrics = list(ir_measures.iter_calc(measures, *frames))
    assert {(metric.query_id, str(metric.measure)): metric.value for metric in metrics} == by_topic


def test_measures_are_imported_and_written_as_in_ir_measures(frames):
    from doxel.ir_measures import MAiP, char_rec, nxCG

    assert str(nxCG(alpha=1) @ 10) == "nxCG(alpha=1)@10"
    assert ir_measures.parse_measure("nxCG(alpha=1)@10") == nxCG(alpha=1) @ 10
    assert str(ir_measures.parse_measure("MAiP(task='thorough')")) == 'MAiP(task="thorough")'
    assert (char_rec @ 2).calc_aggregate(*frames) == expected(["char_rec@2"])[1]["char_rec@2"]
    assert MAiP(task="thorough").measure == doxel.measures.parse_measure("MAiP(task=thorough)")[0]


def test_its_own_measures_are_computed_beside_doxel_s(frames):
    aggregated = ir_measures.calc_aggregate([provider.char_rec @ 2, ir_measures.RR], *frames)
    assert aggregated[ir_measures.RR] == pytest.approx((1 + 1 / 2 + 0) / 3)


def test_names_of_ir_measures_stay_its_own():
    assert ir_measures.measures.registry["nDCG"] is ir_measures.nDCG
    assert "nDCG" not in provider.__all__
    with pytest.raises(AttributeError, match="has no attribute 'AP'"):
        provider.AP  # noqa: B018
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        provider.nothing  # noqa: B018


def test_passages_may_be_ids_in_dictionaries_and_named_tuples():
    qrels = {}
    for topic, doc, start, end in GOLD:
        qrels.setdefault(topic, {})[f"{doc}:{start}-{end}"] = 1
    run = {}
    for number, (topic, doc, start, end) in enumerate(RUN):
        run.setdefault(topic, {})[f"{doc}:{start}-{end}"] = 9.0 - number
    provider.configure(passage_ids=True)
    measures = [provider.char_rec @ 2, provider.GR @ 3]
    means = expected(["char_rec@2", "GR@3"])[1]
    assert {
        str(name): mean for name, mean in ir_measures.calc_aggregate(measures, qrels, run).items()
    } == means
    rows = [
        ir_measures.Qrel(topic, doc, grade) for topic, docs in qrels.items() for doc, grade in docs.items()
    ]
    ranked = [
        ir_measures.ScoredDoc(topic, doc, value) for topic, docs in run.items() for doc, value in docs.items()
    ]
    assert {
        str(name): mean for name, mean in ir_measures.calc_aggregate(measures, rows, ranked).items()
    } == means


def test_a_span_without_relevance_only_judges_its_document(frames):
    qrels, run = frames
    judged = pd.concat([qrels, pd.DataFrame([("1", "b", 30, 40, 0)], columns=qrels.columns)])
    assert (provider.char_rec @ 2).calc_aggregate(judged, run) == expected(["char_rec@2"])[1]["char_rec@2"]


def test_a_topic_with_nothing_to_find_is_left_out_of_the_mean(frames):
    qrels, run = frames
    nothing = pd.concat([qrels, pd.DataFrame([("4", "b", None, None, 0)], columns=qrels.columns)])
    metrics = list(ir_measures.iter_calc([provider.char_rec @ 2], nothing, run))
    assert math.isnan({metric.query_id: metric.value for metric in metrics}["4"])
    assert (provider.char_rec @ 2).calc_aggregate(nothing, run) == expected(["char_rec@2"])[1]["char_rec@2"]


def test_a_run_without_results_or_judged_documents_scores_0(frames):
    qrels, run = frames
    assert (provider.char_rec @ 2).calc_aggregate(qrels, run[:0]) == 0
    assert (provider.char_rec @ 2).calc_aggregate(qrels, run.assign(doc_id="elsewhere")) == 0
    assert (provider.char_rec @ 2).calc_aggregate(qrels, run.assign(query_id="9")) == 0


def test_options_of_evaluate_are_configured(frames):
    texts = {"a": "one two " * 20, "b": "three " * 9, "c": "four five", "x": "six " * 5}
    with pytest.raises(InputError, match="counting tokens needs the documents"):
        (provider.token_rec @ 2).calc_aggregate(*frames)
    provider.configure(collection=texts)
    means = doxel.evaluate(RUN, GOLD, "token_rec@2", collection=texts).means
    assert (provider.token_rec @ 2).calc_aggregate(*frames) == means["score"].item() > 0
    with pytest.raises(InputError, match=r"an option: wanted one of collection, .* found 'colection'"):
        provider.configure(colection=texts)
    with pytest.raises(InputError, match="found 'runs'"):
        provider.configure(runs=[])


@pytest.mark.usefixtures("own_table")
def test_a_custom_measure_is_provided_too(frames):
    @doxel.measure
    def best(results, gold):
        return results.relevant.max(initial=0) / gold.total

    assert str(provider.best @ 2) == str(best @ 2)
    assert (provider.best @ 2).calc_aggregate(*frames) == expected(["best@2"])[1]["best@2"]
    assert provider.as_ir_measure(best @ 2) == provider.best @ 2


def test_faults_are_sentences_of_doxel(frames):
    qrels, run = frames
    with pytest.raises(MeasureError, match="char_rec has no parameter 'foo'"):
        str(provider.char_rec(foo=1))
    with pytest.raises(MeasureError, match="nxCG needs a cutoff"):
        provider.nxCG.calc_aggregate(qrels, run)
    with pytest.raises(InputError, match="run: wanted query_id, doc_id, score, found no score"):
        provider.char_rec.calc_aggregate(qrels, run.drop(columns="score"))
    with pytest.raises(InputError, match="wanted a single measure, found 2 in"):
        provider.as_ir_measure("char_rec@1,2")


def test_a_run_that_a_measure_does_not_accept_has_no_score_and_a_warning(frames):
    qrels, run = frames
    twice = pd.concat([run, run.assign(score=0.5)])
    with pytest.warns(doxel.DoxelWarning, match="MAiP: results overlap earlier ones"):
        aggregated = ir_measures.calc_aggregate([provider.MAiP, provider.char_rec @ 2], qrels, twice)
    assert math.isnan(aggregated[provider.MAiP])
    assert aggregated[provider.char_rec @ 2] == expected(["char_rec@2"])[1]["char_rec@2"]


def test_the_extra_is_named_where_it_is_missing():
    code = "import sys; sys.modules['ir_measures'] = None; import doxel.ir_measures"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert 'doxel.ir_measures needs an optional dependency: pip install "doxel[classic]"' in process.stderr


def test_doxel_itself_does_not_import_it():
    code = (
        "import sys, doxel; doxel.evaluate([('1', 'a', 0, 5)], [('1', 'a', 0, 5)], 'AP'); "
        "print('ir_measures' in sys.modules)"
    )
    process = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True
    )
    assert process.stdout == "False\n"


def test_every_exported_name_exists():
    for name in provider.__all__:
        assert getattr(provider, name) is not None
    assert {"MAiP", "char_rec", "nxCG", "configure"} <= set(dir(provider))
