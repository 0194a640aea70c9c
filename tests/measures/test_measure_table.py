"""A measure, its canonical name and its parsed name are equal."""

import pytest

from doxel.errors import MeasureError
from doxel.measures import MEASURES, parse_measure
from doxel.measures.measure_table import map_measures

nxCG, MAiP, char_rec = (map_measures()[name] for name in ("nxCG", "MAiP", "char_rec"))  # noqa: N816


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("nxCG@10", "nxCG@10"),
        (" nxCG ( alpha = 1 ) @ 10 ", "nxCG(alpha=1)@10"),
        ("nxCG(task=focused, alpha=1.0)@10", 'nxCG(alpha=1, task="focused")@10'),
        ("nxCG(task='focused')@10.0", 'nxCG(task="focused")@10'),
        ("iP@.10", "iP@0.1"),
        ("iP@1e-2", "iP@0.01"),
        ("iP@0.0", "iP@0"),
        ("MAiP(limit=1500)", "MAiP"),  # a written default is not part of the name
        ("MAiP(limit=None)", "MAiP(limit=None)"),
        ("MAiP(limit=none)", "MAiP(limit=None)"),
        ("MAgP(beta=1.0, score=f)", "MAgP"),
        ("MAgP(T=60,score=t2i)", 'MAgP(T=60, score="t2i")'),
        ("gP(pad=False)@3", "gP(pad=False)@3"),
        ("gP(pad=True)@3", "gP@3"),
        ("nxCG(overlap=on)@3", 'nxCG(overlap="on")@3'),  # this default depends on the run, so it is shown
        ("nxCG()@3", "nxCG@3"),
        ("AiP", "MAiP"),
        ("AgP(beta=.25)", "MAgP(beta=0.25)"),
        ("MAxCG@4", "MAnxCG@4"),
        ("nXCG@4", "nxCG@4"),
        ("inex_eval(exclude_tags=links)", 'inex_eval(exclude_tags="links")'),
        ("inex_eval(quant=gen-2)", 'inex_eval(quant="gen-2")'),
    ],
)
def test_names_are_canonical_and_parse_back(written, canonical):
    (measure,) = parse_measure(written)
    assert str(measure) == repr(measure) == measure.name == canonical
    (reparsed,) = parse_measure(canonical)
    assert reparsed == measure
    assert hash(reparsed) == hash(measure)


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ("nxCG@5,10,25", ["nxCG@5", "nxCG@10", "nxCG@25"]),
        ("iP@0,0.01, MAiP", ["iP@0", "iP@0.01", "MAiP"]),
        ("char_rec@1,3,char_rec,char_prec@5", ["char_rec@1", "char_rec@3", "char_rec", "char_prec@5"]),
        ("gr(alpha=1, tie=ancestor)@1,2,MAep", ["gr(alpha=1)@1", "gr(alpha=1)@2", "MAep"]),
    ],
)
def test_a_comma_before_a_number_adds_a_cutoff_and_any_other_a_measure(written, names):
    assert [str(measure) for measure in parse_measure(written)] == names


def test_measures_built_in_python_equal_parsed_ones():
    built = nxCG(alpha=1, task="focused") @ 10
    assert built == parse_measure('nxCG(task="focused", alpha=1)@10')[0]
    assert built(alpha=0.5) == parse_measure('nxCG(task="focused", alpha=.5)@10')[0]
    assert built != nxCG @ 10
    assert nxCG @ 10 != "nxCG@10"
    assert len({nxCG @ 10, nxCG(limit=1500) @ 10, nxCG @ 5}) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nxCG", r"nxCG needs a cutoff, such as nxCG@10: a whole number from 1 \(the rank\)"),
        ("ep", r"ep needs a cutoff, such as ep@0.1: a number above 0 to 1 \(the gain-recall to reach\)"),
        ("MAiP@3", r"MAiP does not take a cutoff \(@\)"),
        ("nxCG@0", "nxCG: cutoff: wanted a whole number from 1, found 0"),
        ("ep@0", "ep: recall: wanted a number above 0 to 1, found 0"),
        ("nxCG(alfa=1)@10", r"nxCG has no parameter 'alfa'; it has: task, quant, alpha, "),
        ("nxCG(alpha=2)@10", "nxCG: alpha: wanted a number from 0 to 1, found 2"),
        ("nxCG(tie=descendent)@1", 'found "descendent"; did you mean "descendant"[?]'),
        ("ncXG@10", r"there is no measure 'ncXG' \(in 'ncXG@10', character 1\); did you mean "),
        ("maip", "there is no measure 'maip'; did you mean MAiP"),
        ("ndcg_cut_10", "did you mean nDCG@10[?] Names of trec_eval need --compat trec_eval$"),
        ("AP, recip_rank", "there is no measure 'recip_rank'; did you mean RR[?] Names of trec_eval"),
        ("iP@0.1, hixeval_p@3", r"'hixeval_p' \(in '.*', character 9\); did you mean HiXEval_P[?]"),
        ("zzzz", "there is no measure 'zzzz'; 'doxel measures' lists all measures"),
        ("iMAep(ideal_curve=step)", 'with ideal_curve="step", run_curve must be "step" or "points"'),
        ("inex_eval(step=0.3)", "step: wanted a number from 0.0001 to 1 that divides 1, found 0.3"),
        ("", "no measure: wanted a name such as char_rec@5, found nothing"),
        ("nxCG@", "'nxCG@', character 6: wanted a number after @, found the end"),
        ("nxCG@x", "'nxCG@x', character 6: wanted a number after @, found 'x'"),
        ("nxCG(alpha)@1", "character 11: wanted a parameter such as alpha=1, found '\\)@1'"),
        ("nxCG(alpha=)@1", "character 12: wanted a value, found '\\)@1'"),
        ("nxCG(alpha=1 tie=x)@1", "character 14: wanted ',' or '\\)', found 'tie=x\\)@1'"),
        ("nxCG(alpha=1,alpha=0)@1", "wanted alpha only once"),
        ("MAiP MAep", "character 6: wanted ',' or the end, found 'MAep'"),
        ("MAiP, ", "wanted the name of a measure, found the end"),
        ("MAiP; MAep", "character 5: wanted a measure such as nxCG\\(alpha=1\\)@10, found '; MAep'"),
        ("nxCG@1.5.2", "wanted"),
    ],
)  # fmt: skip
def test_malformed_names_are_rejected_with_a_reason(text, message):
    with pytest.raises(MeasureError, match=message):
        parse_measure(text)


def test_parsing_a_name_runs_no_code():
    with pytest.raises(MeasureError):
        parse_measure("nxCG(alpha=__import__('os').getpid())@1")


@pytest.mark.usefixtures("own_table")
def test_names_and_aliases_are_unique():
    declarations = [measure.declaration for measure in MEASURES]
    names = [name for declaration in declarations for name in (declaration.name, *declaration.aliases)]
    assert len(names) == len(set(names))
    assert set(map_measures()) == set(names)
    assert not any(name in {"True", "False", "None"} for name in names)
