"""Requests for figures of trec_eval: its names, its parameters, its sets, and a sentence for the rest."""

import pytest

from doxel.errors import MeasureError
from doxel.evaluation.compat.trec_eval.trec_eval_measures import TREC_MEASURES, parse_trec_figures


def names(*requests):
    return [figure.name for figure in parse_trec_figures(requests)]


def test_a_measure_has_its_default_parameters():
    assert names("success") == ["success_1", "success_5", "success_10"]
    assert names("unj") == ["unj_5", "unj_10", "unj_20"]
    assert names("iprec_at_recall")[:2] == ["iprec_at_recall_0.00", "iprec_at_recall_0.10"]
    assert names("Rprec_mult")[-1] == "Rprec_mult_2.00"


def test_parameters_follow_a_dot_or_the_printed_name():
    assert names("P.5,7,3") == ["P_3", "P_5", "P_7"]
    assert names("P_5") == names("P.5") == ["P_5"]
    assert names("iprec_at_recall..10,.25") == ["iprec_at_recall_0.10", "iprec_at_recall_0.25"]
    assert names("iprec_at_recall_0.10") == ["iprec_at_recall_0.10"]
    assert names("utility.2,-1,0,0") == ["utility_2,-1,0,0"]
    assert names("11pt_avg..25,.5,.75") == ["11pt_avg_.25,.5,.75"]
    assert names("ndcg.1=3,2=9,4=4.5") == ["ndcg_1=3,2=9,4=4.5"]
    assert names("rbp.p=0.8") == ["rbp_p=0.8"]


def test_the_tool_reads_a_cutoff_with_a_fraction_as_a_whole_number():
    """From trec_eval's own out.test.meas_params: -m ndcg_cut.10,20,23.4 prints ndcg_cut_23."""
    assert names("ndcg_cut.10,20,23.4") == ["ndcg_cut_10", "ndcg_cut_20", "ndcg_cut_23"]


def test_commas_separate_measures_and_parameters():
    assert names("map,P.5,10,11pt_avg,ndcg_cut_10") == ["map", "P_5", "P_10", "11pt_avg", "ndcg_cut_10"]


def test_a_figure_is_listed_once_in_the_order_of_the_requests():
    assert names("recip_rank", "map", "P_10", "P.5,10") == ["recip_rank", "map", "P_10", "P_5"]


def test_sets_have_the_measures_of_the_tool():
    assert len(names("official")) == 10 + 11 + 9
    assert names("trec_eval") == names("all_trec")
    assert not {"dcg", "ideal_dcg", "yaap"} & set(names("all_trec"))
    assert names("set")[-1] == "set_F"


@pytest.mark.parametrize("measure", TREC_MEASURES, ids=lambda measure: measure.name)
def test_every_printed_name_is_a_request_for_its_figure(measure):
    for figure in parse_trec_figures(measure.name):
        assert parse_trec_figures(figure.name) == [figure]


@pytest.mark.parametrize(
    ("request_text", "sentence"),
    [
        ("P.0", "whole numbers from 1"),
        ("P.-5", "whole numbers from 1"),
        ("P.5,5", "each parameter once"),
        ("P.5x", "wanted a number, found '5x'"),
        ("P.99999999999999999999999", "whole numbers from 1 to 1,000,000,000"),
        ("iprec_at_recall.1.5", "shares from 0 to 1"),
        ("iprec_at_recall.0.101,0.102", "two decimals"),
        ("Rprec_mult.0", "numbers above 0"),
        ("utility.1,2", "four numbers"),
        ("utility.1,-1,0,1", "the last of them 0"),
        ("11pt_avg.2", "shares from 0 to 1"),
        ("set_F.-1", "one number of 0 or more"),
        ("ndcg.1", "pairs such as 1=3,2=9"),
        ("ndcg.1=3,2", "pairs such as 1=3,2=9"),
        ("ndcg.1=x", "wanted a number, found 'x'"),
        ("ndcg.99999999=1", "pairs such as"),
        ("rbp.p=2", "p=0.8"),
        ("map.5", "takes no parameters"),
        ("official.5", "set of measures"),
        ("relstring", "not a score"),
        ("all_prefs", "preference judgements"),
        ("nonsense", "trec_eval has no measure 'nonsense'"),
        ("mapp", "did you mean map"),
        ("nDCG@10", "nDCG@10 is called ndcg_cut_10 in trec_eval"),
        ("AP", "AP is called map in trec_eval"),
        ("", "trec_eval has no measure ''"),
        ("5", "trec_eval has no measure '5'"),
    ],
)
def test_other_requests_are_refused_in_words(request_text, sentence):
    with pytest.raises(MeasureError) as caught:
        parse_trec_figures(request_text)
    assert sentence in str(caught.value)


def test_a_request_is_a_text():
    with pytest.raises(MeasureError, match="wanted its name, found 5"):
        parse_trec_figures([5])
