"""The measures of ir_measures, by name: its own scores, doxel's names first, and what is refused."""

import pickle
import shutil
import sys

import numpy as np
import pytest

import doxel
from doxel.errors import MeasureError, MissingExtraError
from doxel.measures.chunks import classic_library
from doxel.measures.chunks.classic_library import CLASSICS, JudgedDocuments, load_classic
from doxel.measures.curves import curve, find_curve
from doxel.measures.measure_table import parse_measure

try:
    import ir_measures
except ImportError:
    ir_measures = None
pytestmark = pytest.mark.skipif(ir_measures is None, reason="needs the extra classic")

NEEDS_PERL = pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval, of ir_measures, needs Perl")
QRELS = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 3, "d": 1}, "3": {"a": 0}}
RUN = {"1": {"b": 3.0, "x": 2.5, "c": 2.0, "a": 1.0}, "2": {"x": 9.0, "a": 8.0, "y": 7.0}}
SAME = ["infAP", "Bpref", "Rprec", "Rprec(judged_only=True)", "Success(rel=2)@1", "SetF(beta=2.0)", "SetRelP"]
SAME += ["IPrec@0.5", "Accuracy", "SetAP", "SetP", "SetR", "AP(judged_only=True)", "nDCG(judged_only=True)@3"]
SAME += ["AP(rel=2, judged_only=True)@2", "P(judged_only=True)@2"]


def score(name, run=RUN, qrels=QRELS, **options):
    return doxel.evaluate(run, qrels, name, **options).scores["score"].to_list()


def score_there(name, run=RUN, qrels=QRELS):
    """Return the scores of ir_measures itself, by topic."""
    measure = ir_measures.parse_measure(name)
    values = {metric.query_id: metric.value for metric in ir_measures.iter_calc([measure], qrels, run)}
    return [values[topic] for topic in ("1", "2")]


@pytest.mark.parametrize("name", SAME)
def test_scores_are_those_of_ir_measures(name):
    assert score(name)[:2] == score_there(name)
    assert np.isnan(score(name)[2])  # nothing to find


@NEEDS_PERL
def test_err_is_the_expected_reciprocal_rank():
    # Chapelle et al. 2009, with the highest grade 4 of gdeval: R(g) = (2^g - 1) / 16, ranks 3 and 4
    expected = (3 / 16) / 3 + (1 - 3 / 16) * (1 / 16) / 4
    assert score("ERR@10")[0] == pytest.approx(expected, abs=5e-6)  # gdeval prints five decimals


@pytest.mark.skipif(ir_measures.cwl_eval.is_available(), reason="needs a machine without cwl-eval")
def test_a_measure_whose_library_is_missing_is_refused_with_its_name():
    with pytest.raises(MeasureError, match=r"INST.*ir_measures cannot compute it here.*cwl_eval"):
        score("INST(max_rel=3)")


def test_rbp_needs_no_library():
    assert score("RBP(p=0.8)")[0] == pytest.approx(0.2 * (0.8**2 + 0.8**3))  # Moffat and Zobel 2008, eq. 4


@NEEDS_PERL
def test_a_discount_selects_the_measure_of_ir_measures_and_the_default_does_not():
    # gains 2^grade - 1; gdeval's logarithms are natural, which cancels out
    gained = 3 / np.log(4) + 1 / np.log(5)
    ideal = 3 / np.log(2) + 1 / np.log(3)
    assert score('nDCG(dcg="exp-log2")@10')[0] == pytest.approx(gained / ideal, abs=5e-6)
    assert parse_measure('nDCG(dcg="log2")@10')[0].declaration.origin is None
    assert parse_measure('nDCG(dcg="log2", limit=5)@10')[0].name == "nDCG(limit=5)@10"
    assert parse_measure("AP(judged_only=False)")[0].name == "AP"


def test_doxel_s_own_scores_stay_what_they_are():
    for name in ("AP", "nDCG@10", "P@2", "R@2", "RR"):
        measure = parse_measure(name)[0]
        assert measure.declaration.origin is None
        assert score(name)[:2] == score_there(name)


@pytest.mark.parametrize("name", ["AP{}", "nDCG{}@3", "Rprec{}", "Success{}@1", 'nDCG(dcg="exp-log2"{})@3'])
def test_judged_only_means_that_unjudged_documents_are_removed(name):
    comma = ", " if "(" in name else None
    there, here = (
        name.format(f"{comma}{each}" if comma else f"({each})")
        for each in ("judged_only=True", 'unjudged="remove"')
    )
    assert parse_measure(there) == parse_measure(here)
    assert parse_measure(
        name.format(", judged_only=False" if comma else "(judged_only=False)")
    ) == parse_measure(name.format(""))
    with pytest.raises(MeasureError, match="judged_only: wanted True or False, found 3"):
        parse_measure(there.replace("True", "3"))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Judged@10", "the measures of doxel are judged_results@k and judged_chars@k"),
        ("alpha_DCG@10", "the measure of doxel for aspects of a topic is alpha_nDCG"),
        ("StRecall@10", "needs judgements by sub-topic"),
        ("NumRet", "doxel has it with --compat trec_eval, as num_ret"),
        ("AP(foo=1)", "AP has no parameter 'foo'; it has: rel, unjudged, limit"),
        ("RBP(foo=1)", "RBP has no parameter 'foo'"),
        ("BPM@5", r"BPM: max_rel: wanted a value, such as BPM\(max_rel=3\), found none"),
        ('nDCG(dcg="cube")@5', 'nDCG: dcg: wanted "log2" or "exp-log2", found "cube"'),
        ("Success", "Success needs a cutoff, such as Success@10"),
        ("Bpref@5", "Bpref does not take a cutoff"),
    ],
)
def test_what_is_not_taken_is_refused_in_a_sentence(name, message):
    with pytest.raises(MeasureError, match=message):
        score(name)


def test_alpha_ndcg_of_ir_measures_is_refused_with_a_pointer():
    with pytest.raises(MeasureError, match="doxel's own alpha_nDCG measures the text of aspects"):
        classic_library.find_classic("alpha_nDCG")
    with pytest.raises(MeasureError, match="sub-topic"):
        classic_library.find_classic("α_nDCG")


def test_the_extra_is_named_where_it_is_missing(monkeypatch):
    load_classic.cache_clear()
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    with pytest.raises(MissingExtraError, match=r'infAP, a measure of ir_measures, .* "doxel\[classic\]"'):
        score("infAP")
    with pytest.raises(MissingExtraError, match="nDCG"):
        score('nDCG(dcg="exp-log2")@5')
    assert score("AP")[0] > 0


def test_grades_that_are_no_whole_numbers_are_refused():
    with pytest.raises(MeasureError, match=r"wanted whole grades of documents, found 0\.5"):
        score("infAP", qrels={"1": {"a": 0.5}})


@NEEDS_PERL
def test_grades_beyond_gdeval_are_reported():
    with pytest.raises(MeasureError, match="ERR@5: ir_measures cannot compute it here"):
        score("ERR@5", qrels={"1": {"a": 9}})


def test_spans_are_ranked_and_graded_as_documents():
    gold = [("1", "a", 0, 10), ("1", "c", 5, 9)]
    run = [("1", "x", 0, 5), ("1", "a", 90, 95), ("1", "a", 0, 10), ("1", "c", 0, 1)]
    assert score("Success@2, Rprec", run, gold) == [1.0, 0.5]  # x a c: one of the first two is relevant
    assert score("Rprec(limit=1)", run, gold) == [0.0]


def test_padding_does_not_count():
    view = JudgedDocuments(
        np.array([[1.0, np.nan, 0.0], [2.0, 7.0, 7.0]]), np.array([3, 1]), np.zeros((2, 1)), np.array([0, 1])
    )
    grades, runs = view.list_topics()
    assert grades == {"0": {"d0": 1, "d2": 0}, "1": {"d0": 2, "m0": 0}}
    assert runs == {"0": {"d0": 3.0, "d1": 2.0, "d2": 1.0}, "1": {"d0": 1.0}}


def test_names_pickle_and_processes_find_them():
    for name in ("infAP", 'nDCG(dcg="exp-log2")@10', "Success(rel=2)@5"):
        measure = parse_measure(name)[0]
        again = pickle.loads(pickle.dumps(measure))  # noqa: S301 -- our own
        assert again == measure
        assert again.declaration is measure.declaration
    runs = {"a": RUN, "b": RUN}
    assert doxel.evaluate(runs, QRELS, "infAP", jobs=2).scores["score"].to_list()[:2] == score("infAP")[:2]


def test_a_curve_of_a_shared_name_is_drawn_by_the_measure_that_was_named():
    measure = parse_measure('nDCG(dcg="exp-log2")@5')[0]
    for drawn in (find_curve(measure), curve('nDCG(dcg="exp-log2")')):
        assert drawn.name == 'nDCG(dcg="exp-log2")'
        assert drawn.measures[4] == measure
        assert drawn.measures[4].declaration is measure.declaration


def test_its_explanation_shows_the_grades_by_rank():
    explanation = doxel.evaluate(RUN, QRELS, "Rprec").explain("run", "1", "Rprec")
    assert explanation.frame.select("doc", "grade").rows() == [
        ("b", 0.0),
        ("x", None),
        ("c", 2.0),
        ("a", 1.0),
    ]
    assert explanation.notes == [
        "ir_measures computes the score from the grades of the documents, in this order."
    ]


def test_every_name_is_one_of_ir_measures():
    assert set(CLASSICS) <= set(ir_measures.measures.registry)
    left = set(ir_measures.measures.registry) - set(CLASSICS) - set(classic_library._REFUSED)
    spellings = {
        "MAP",
        "NDCG",
        "MRR",
        "Precision",
        "Recall",
        *classic_library._SPELLINGS,
        *classic_library._SHARED,
    }
    import doxel.ir_measures as provider

    assert left - spellings - set(provider.__all__) == set()
    for name in CLASSICS:
        assert load_classic(name).declaration.summary == CLASSICS[name]


def test_measures_of_ir_measures_are_taken_as_objects_too():
    measures = [ir_measures.AP, ir_measures.Success @ 2]
    assert score(measures, qrels={"1": QRELS["1"]}) == score(["AP", "Success@2"], qrels={"1": QRELS["1"]})


def test_measures_of_ir_measures_with_another_meaning_are_refused_as_objects():
    """The name in a text means doxel's own measure; the object of ir_measures does not."""
    ir_measures = pytest.importorskip("ir_measures")
    spans = [("1", "a", 0, 10)]
    for measure in (ir_measures.alpha_nDCG @ 5, ir_measures.alpha_nDCG(alpha=0.3) @ 5):
        with pytest.raises(MeasureError, match="doxel's own alpha_nDCG measures the text of aspects"):
            doxel.evaluate(spans, spans, [measure])
    assert doxel.evaluate(spans, spans, ["alpha_nDCG@5"]).means["score"].to_list() == [1]
    provided = pytest.importorskip("doxel.ir_measures").as_ir_measure("alpha_nDCG@5")
    assert doxel.evaluate(spans, spans, [provided]).means["score"].to_list() == [1]
