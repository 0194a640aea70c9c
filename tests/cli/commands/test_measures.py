"""``doxel measures`` lists and explains curves."""

import pytest

from documents.commands import doxel
from doxel.cli.commands.measures import explain_measure
from doxel.measures.curves import CURVES
from doxel.measures.measure_table import map_measures
from measures.bibtex_checker import read_bibtex


def test_every_curve_is_listed_with_its_description():
    listed = doxel("measures").out
    for shape in CURVES:
        assert f" {shape.name} " in listed
        assert shape.about[:40] in listed


@pytest.mark.parametrize(
    ("name", "made_of"),
    [("ep/gr", "It is ep at 0.01 ... 1"), ("P/R", "It is HiXEval_P over HiXEval_R"), ("gP/gR", "over gR")],
)
def test_a_curve_is_explained_with_its_measures(name, made_of):
    outcome = doxel("measures", name)
    assert outcome.status == 0
    assert made_of in outcome.out


def test_a_name_of_two_measures_is_explained():
    outcome = doxel("measures", "ERR")
    assert outcome.status == 0
    assert 'GR(model="inex2003")@k' in outcome.out
    assert "expected ratio of relevant documents" in outcome.out
    assert "expected reciprocal rank" in outcome.out


def test_formulas_are_explained_without_the_marks_of_latex():
    for name in map_measures():
        assert "\\" not in explain_measure(name)
    assert "judged_chars = |C ∩ J| / |C|" in doxel("measures", "judged_chars").out
    assert "RBP = (1-p) Σ_i p^(i-1) d(i)" in doxel("measures", "RBP").out


def test_an_alias_is_explained_as_its_measure():
    assert doxel("measures", "BPRUM").out == doxel("measures", "EPRUM").out


def test_an_unknown_curve_is_rejected():
    outcome = doxel("measures", "xx/yy")
    assert outcome.status == 2
    assert "there is no curve 'xx/yy': wanted one of ep/gr" in outcome.messages[0]


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("nxCG", ["kazai2006", "lalmas2007measures"]),
        ("nxCG(alpha=1)@10", ["kazai2006", "lalmas2007measures"]),
        ("BPRUM", ["piwowarski2006", "piwowarski2007"]),
        ("inex2009-focused", ["kamps2008"]),
        ("ep/gr", ["kazai2006", "lalmas2007measures"]),
        ("nDCG", ["treceval", "jarvelin2002"]),
        ("genomics2007", ["hersh2007"]),
    ],
)
def test_the_papers_of_a_measure_a_set_and_a_curve_are_printed_as_bibtex(name, keys):
    outcome = doxel("measures", name, "--bibtex")
    assert outcome.status == 0
    assert list(read_bibtex(outcome.out)) == ["doxel", *keys]


def test_the_papers_of_all_measures_are_printed_without_a_name():
    assert len(read_bibtex(doxel("measures", "--bibtex").out)) > 15


def test_the_papers_of_an_unknown_measure_are_an_error():
    outcome = doxel("measures", "nxCGG", "--bibtex")
    assert outcome.status == 2
    assert "nxCG" in outcome.err


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("inex2009-focussed", "unknown measure or set 'inex2009-focussed'; similar sets: inex2009-focused, "),
        ("bioasq", "unknown measure or set 'bioasq'; similar sets: bioasq2, bioasq3, "),
        ("MAiPP", "there is no measure 'MAiPP'; did you mean MAiP"),
        ("reccall", "there is no measure 'reccall'; did you mean char_rec@5, the share of the relevant text"),
    ],
)
def test_an_unknown_name_is_compared_with_sets_measures_and_names_of_other_tools(name, message):
    outcome = doxel("measures", name)
    assert outcome.status == 2
    assert outcome.err.startswith(f"doxel: {message}")


def test_a_name_of_other_tools_leads_to_the_names_here():
    outcome = doxel("measures", "MRR@10")
    assert outcome.status == 2
    assert "did you mean span_RR, for the first gold span that is covered, or RR" in outcome.err
    assert outcome.err.endswith("mrr ranks whole documents\n")


@pytest.mark.parametrize("name", ["char_rec@5", "char_rec(budget=100)", "char_rec(budget=100)@5"])
def test_a_measure_is_explained_with_any_cutoff_and_parameters(name):
    outcome = doxel("measures", name)
    assert outcome.status == 0
    assert outcome.out == doxel("measures", "char_rec").out
