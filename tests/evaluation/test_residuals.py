"""Unjudged text: its removal, and residuals of every kind of measure."""

import math

import polars as pl
import pytest

from doxel.errors import InputError, MeasureError
from doxel.evaluation import evaluate
from doxel.measures import MEASURES
from doxel.measures.declaration import BOUND, FLOOR, READING

JUDGED = [{"topic": "1", "doc": "A", "start": 0, "end": 100}, {"topic": "1", "doc": "B"}]
RELEVANT_ONLY = JUDGED[:1]
RUN = [("1", "A", 0, 100), ("1", "B", 0, 100), ("1", "Z", 0, 100)]


def codes(result):
    return [warning.code for warning in result.warnings]


class TestRemoval:
    def test_later_results_move_up_before_the_limit_cuts(self):
        run = [("1", "Z", 0, 10), ("1", "A", 0, 100)]
        assert evaluate(run, JUDGED, "char_rec", limit=1).means["score"].to_list() == [0]
        assert evaluate(run, JUDGED, "char_rec", limit=1, unjudged="remove").means["score"].to_list() == [1]
        assert evaluate(run, JUDGED, "char_rec(chars=10)", unjudged="remove").means["score"].to_list() == [
            0.1
        ]

    def test_the_removed_results_are_counted(self):
        result = evaluate([*RUN, ("1", "Y", 0, 5)], JUDGED, ["char_prec", "P@2"], unjudged="remove")
        assert codes(result) == ["S123", "S121"]
        assert result.warnings[0] == "run: 2 results in unjudged documents removed, in 1 topic"

    def test_results_past_the_limit_are_counted_after_removal(self):
        result = evaluate(RUN, JUDGED, "char_prec", unjudged="remove", limit=2)
        assert "S105" not in codes(result)
        assert "S105" in codes(evaluate(RUN, JUDGED, "char_prec", limit=2))

    def test_a_topic_that_loses_all_results_stays_a_topic_of_the_run(self):
        gold = [*JUDGED, {"topic": "2", "doc": "A", "start": 0, "end": 9}]
        run = [*RUN, ("2", "Z", 0, 9)]
        result = evaluate(run, gold, "char_prec", unjudged="remove", topics="run")
        assert result.scores.select("topic", "score").rows() == [("1", 0.5), ("2", 0.0)]

    def test_overlap_is_looked_for_after_removal(self):
        run = [*RUN, ("1", "Z", 50, 150)]
        assert evaluate(run, JUDGED, "MAiP").rejected
        assert not evaluate(run, JUDGED, "MAiP", unjudged="remove").rejected

    def test_a_measure_may_set_it_against_the_option(self):
        result = evaluate(RUN, JUDGED, "char_prec(unjudged=nonrelevant)", unjudged="remove")
        assert result.scores.select("measure", "score").row(0) == ("char_prec", 1 / 3)
        assert "S123" not in codes(result)

    def test_an_unknown_value_is_an_error(self):
        with pytest.raises(InputError, match="unjudged: wanted nonrelevant or remove, found 'removed'"):
            evaluate(RUN, JUDGED, "char_prec", unjudged="removed")
        with pytest.raises(MeasureError, match="char_prec: unjudged: wanted"):
            evaluate(RUN, JUDGED, "char_prec(unjudged=drop)")
        with pytest.raises(MeasureError, match="judged_chars has no parameter 'unjudged'"):
            evaluate(RUN, JUDGED, "judged_chars(unjudged=remove)")


class TestResiduals:
    def test_the_columns_are_there_on_request_only(self):
        assert evaluate(RUN, JUDGED, "char_prec").scores.columns == ["run", "topic", "measure", "score"]
        result = evaluate(RUN, JUDGED, "char_prec", residual=True)
        assert result.scores.columns[4:] == ["optimistic", "residual"]
        assert result.means.columns == [
            "run", "measure", "score", "topics", "undefined", "optimistic", "residual",
        ]  # fmt: skip
        assert result.scores.select("score", "optimistic").row(0) == pytest.approx((1 / 3, 2 / 3))

    def test_it_is_0_where_every_document_is_judged(self):
        gold = [*JUDGED, {"topic": "1", "doc": "Z"}]
        names = [
            "char_prec",
            "char_rec@2",
            "char_iou",
            "char_f1",
            "iP@0",
            "MAiP",
            "P@3",
            "RR",
            "gP@3",
            "read",
        ]
        assert evaluate(RUN, gold, names, residual=True).scores["residual"].to_list() == [0] * len(names)

    def test_an_undefined_topic_stays_undefined(self):
        gold = [*JUDGED, {"topic": "2", "doc": "A"}]
        result = evaluate([*RUN, ("2", "Z", 0, 5)], gold, ["char_prec", "P@3"], residual=True)
        undefined = result.scores.filter(pl.col("topic") == "2")
        assert all(math.isnan(value) for value in undefined["optimistic"])
        assert result.means["topics"].to_list() == [1, 1]

    def test_the_mean_is_over_the_topics_of_the_mean_score(self):
        gold = [*JUDGED, {"topic": "2", "doc": "A", "start": 0, "end": 10}]
        run = [("1", "A", 0, 100), ("2", "Z", 0, 10)]
        (mean,) = evaluate(run, gold, "read", residual=True).means.iter_rows(named=True)
        # topic 2 never reads enough: infinite, although it would if Z were relevant
        assert (mean["score"], mean["optimistic"], mean["residual"]) == (90, 90, 0)

    def test_every_measure_declares_its_kind(self):
        kinds = {}
        for measure in MEASURES:
            at = measure if measure.declaration.at is None else measure @ _choose_cutoff(measure)
            kinds.setdefault(at.find_residual(at.resolve_parameters({})), set()).add(measure.declaration.name)
        of_characters = {
            f"{unit}_{kind}" for unit in ("char", "token") for kind in ("prec", "rec", "iou", "f1")
        }
        # RBP rises with every document that becomes relevant, and with nothing else
        assert kinds[BOUND] == {*of_characters, "P", "R", "RBP", "RR", "gP"}
        assert kinds[FLOOR] == {"hit", "span_rec", "span_RR"}
        assert kinds[READING] == {
            "iP", "MAiP", "AP", "nDCG", "MAgP", "read", "nxCG", "MAnxCG", "gr", "xCG", "ep", "MAep", "iMAep",
        }  # fmt: skip

    def test_the_first_point_of_interpolated_precision_is_bounded(self):
        (ip,) = (measure for measure in MEASURES if measure.declaration.name == "iP")
        assert (ip @ 0).find_residual({}) == BOUND
        assert (ip @ 0.01).find_residual({}) == READING

    def test_measures_of_entry_points_and_tolerance_have_none(self):
        gold = [{"topic": "1", "doc": "A", "start": 0, "end": 100, "bep": 0, "docsize": 500}]
        names = [
            "gP(score=bep)@2",
            "gP(score=t2i)@2",
            "judged_chars",
            "bpref_chars",
            "HiXEval_P@2",
            "art_prec",
        ]
        result = evaluate(RUN[:1], gold, names, residual=True, collection={"A": "x" * 500})
        assert not result.rejected
        assert all(math.isnan(value) for value in result.scores["residual"])

    def test_gains_have_one_on_bare_spans_and_none_on_elements(self, tmp_path):
        run = [("1", "A", 0, 100), ("1", "Z", 0, 100)]
        (row,) = evaluate(run, JUDGED, "gr@2", residual=True).scores.iter_rows(named=True)
        assert (row["score"], row["optimistic"]) == (1, 1)
        (tmp_path / "A.xml").write_text("<a><p>0123456789</p></a>")
        (tmp_path / "Z.xml").write_text("<a><p>0123456789</p></a>")
        from doxel.documents import read_collection
        from doxel.documents.ingestion import ingest

        ingest([str(tmp_path)], str(tmp_path / "all.doxel"))
        collection = read_collection(tmp_path / "all.doxel")
        gold, run = [("1", "A", 0, 10)], [{"topic": "1", "doc": doc, "path": "/a[1]"} for doc in "AZ"]
        frame = evaluate(run, gold, ["gr@2", "char_prec"], collection=collection, residual=True).scores
        assert math.isnan(frame["residual"][0])
        assert frame["residual"][1] == 0.5

    def test_a_higher_lowest_grade_is_that_of_assumed_documents(self):
        run = [{"topic": "1", "doc": doc} for doc in "ZA"]
        gold = {"1": {"A": 3, "B": 0}}
        frame = evaluate(run, gold, ["AP(rel=2)", "nDCG"], residual=True).scores
        dcg = 1 + 3 / math.log2(3), 3 + 1 / math.log2(3)
        assert frame["optimistic"].to_list() == pytest.approx([1, dcg[0] / dcg[1]])


def _choose_cutoff(measure):
    kind = measure.declaration.at.kind
    return 5 if kind.whole else 0.1


class TestUnassessedElements:
    def test_a_document_with_only_u_grades_is_not_judged(self, tmp_path):
        file = tmp_path / "assessments.xml"
        file.write_text(
            '<assessments topic="1">'
            '<file file="a"><path path="/a[1]" exhaustiveness="3" specificity="3"/></file>'
            '<file file="b"><path path="/b[1]" exhaustiveness="U" specificity="U"/></file>'
            '<file file="c"><path path="/c[1]" exhaustiveness="0" specificity="0"/></file></assessments>'
        )
        run = [{"topic": "1", "doc": doc} for doc in "abcd"]
        frame = evaluate(run, str(file), ["judged_results", "P@4"], residual=True).scores
        assert frame["score"].to_list() == [0.5, 0.25]
        assert frame["optimistic"][1] == 0.75
