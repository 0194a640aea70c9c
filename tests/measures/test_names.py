"""The name is the object is the string."""

import pytest

from doxel.errors import MeasureError
from doxel.measures import MEASURES, parse
from doxel.measures.table import by_name

nxCG, MAiP, char_rec = (by_name()[name] for name in ("nxCG", "MAiP", "char_rec"))  # noqa: N816


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
        ("MAiP(limit=1500)", "MAiP"),  # a written default shows no more than an unwritten one
        ("MAiP(limit=None)", "MAiP(limit=None)"),
        ("MAiP(limit=none)", "MAiP(limit=None)"),
        ("MAgP(beta=1.0, score=f)", "MAgP"),
        ("MAgP(T=60,score=t2i)", 'MAgP(T=60, score="t2i")'),
        ("gP(pad=False)@3", "gP(pad=False)@3"),
        ("gP(pad=True)@3", "gP@3"),
        ("nxCG(overlap=on)@3", 'nxCG(overlap="on")@3'),  # its default depends: it shows when written
        ("nxCG()@3", "nxCG@3"),
        ("AiP", "MAiP"),
        ("AgP(beta=.25)", "MAgP(beta=0.25)"),
        ("MAxCG@4", "MAnxCG@4"),
        ("nXCG@4", "nxCG@4"),
        ("inex_eval(exclude_tags=links)", 'inex_eval(exclude_tags="links")'),
        ("inex_eval(quant=gen-2)", 'inex_eval(quant="gen-2")'),
    ],
)
def test_canonical_names(written, canonical):
    (measure,) = parse(written)
    assert str(measure) == repr(measure) == measure.name == canonical
    (again,) = parse(canonical)
    assert again == measure
    assert hash(again) == hash(measure)


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
    assert [str(one) for one in parse(written)] == names


def test_measures_are_built_as_they_are_written():
    built = nxCG(alpha=1, task="focused") @ 10
    assert built == parse('nxCG(task="focused", alpha=1)@10')[0]
    assert built(alpha=0.5) == parse('nxCG(task="focused", alpha=.5)@10')[0]
    assert built != nxCG @ 10
    assert nxCG @ 10 != "nxCG@10"
    assert len({nxCG @ 10, nxCG(limit=1500) @ 10, nxCG @ 5}) == 2


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("nxCG", "nxCG needs @ and a whole number from 1: the rank"),
        ("ep", "ep needs @ and a number above 0 to 1: the gain-recall to be reached"),
        ("MAiP@3", "MAiP takes no @"),
        ("nxCG@0", "nxCG: cutoff: wanted a whole number from 1, found 0"),
        ("ep@0", "ep: recall: wanted a number above 0 to 1, found 0"),
        ("nxCG(alfa=1)@10", r"nxCG has no parameter 'alfa'; it has: task, quant, alpha, "),
        ("nxCG(alpha=2)@10", "nxCG: alpha: wanted a number from 0 to 1, found 2"),
        ("nxCG(tie=descendent)@1", 'found "descendent"; did you mean "descendant"[?]'),
        ("ncXG@10", r"there is no measure 'ncXG' \(in 'ncXG@10', character 1\); did you mean "),
        ("maip", "there is no measure 'maip'; did you mean MAiP"),
        ("iP@0.1, hixeval_p@3", r"'hixeval_p' \(in '.*', character 9\); did you mean HiXEval_P[?]"),
        ("zzzz", "there is no measure 'zzzz'; 'doxel measures' lists them"),
        ("iMAep(ideal_curve=step)", 'ideal_curve="step" at recall points needs run_curve="step" or '),
        ("inex_eval(step=0.3)", "step: wanted a number from 0.0001 to 1 that divides 1, found 0.3"),
        ("", "'', character 1: wanted the name of a measure, found its end"),
        ("nxCG@", "'nxCG@', character 6: wanted a number after @, found its end"),
        ("nxCG@x", "'nxCG@x', character 6: wanted a number after @, found 'x'"),
        ("nxCG(alpha)@1", "character 11: wanted a parameter such as alpha=1, found '\\)@1'"),
        ("nxCG(alpha=)@1", "character 12: wanted a value, found '\\)@1'"),
        ("nxCG(alpha=1 tie=x)@1", "character 14: wanted ',' or '\\)', found 'tie=x\\)@1'"),
        ("nxCG(alpha=1,alpha=0)@1", "wanted alpha only once"),
        ("MAiP MAep", "character 6: wanted ',' or the end, found 'MAep'"),
        ("MAiP, ", "wanted the name of a measure, found its end"),
        ("MAiP; MAep", "character 5: wanted a measure such as nxCG\\(alpha=1\\)@10, found '; MAep'"),
        ("nxCG@1.5.2", "wanted"),
    ],
)  # fmt: skip
def test_what_is_no_measure_is_refused_in_words(text, sentence):
    with pytest.raises(MeasureError, match=sentence):
        parse(text)


def test_evaluating_a_name_runs_no_code():
    with pytest.raises(MeasureError):
        parse("nxCG(alpha=__import__('os').getpid())@1")


def test_names_and_aliases_are_told_apart_from_each_other():
    names = [name for one in MEASURES for name in (one.declaration.name, *one.declaration.aliases)]
    assert len(names) == len(set(names))
    assert set(by_name()) == set(names)
    assert not any(name in {"True", "False", "None"} for name in names)
