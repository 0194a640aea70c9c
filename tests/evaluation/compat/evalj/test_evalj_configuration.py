"""EvalJ's configuration files: their measures and paths, and a message for every error."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxel.errors import InputError
from doxel.evaluation.compat.evalj.evalj_configuration import (
    KEYS,
    METRICS,
    parse_properties,
    parse_xml_configuration,
    read_plan,
)

SOUND = {
    "TASK": "Focused",
    "METRICS": "nxCG, MAnxCG",
    "OVERLAP": "on, off",
    "QUANT_FUNCTIONS": "gen",
    "ALPHA": "0.5",
    "DCV": "5, 10",
    "ASSESSMENTS_DIR": "/data/2006_assessments v4/",
    "SUBMISSIONRUNS_DIR": "/data/runs/*",
    "RESULTS_DIR": "results",
    "INEXDOCCOLL_DIR": "C:/wikipedia",
    "EXPANDED_FULLRB": "base.frb",
}
EPRUM = (
    '<EPRUM id="e"><binary value="true"/><generator value="BEPTargetGenerator"/><quantisation value="Exh"/>'
    '<behaviour value="BEPDistance"><A value="10"/></behaviour></EPRUM>'
)


def names(plan):
    return [measure.name for metric in plan.metrics for measure in metric.measures]


def properties(**changes):
    pairs = {**SOUND, **changes}
    return "\n".join(f"{key}: {value}" for key, value in pairs.items() if value is not None)


def error_message(text, read=parse_properties):
    with pytest.raises(InputError) as refusal:
        read(text, "f")
    return str(refusal.value)


def test_a_property_file_is_read_as_measures_and_paths():
    plan = parse_properties(properties(), "f")
    assert names(plan)[:4] == [
        'nxCG(alpha=0.5, overlap="on", quant="gen", task="focused")@5',
        'nxCG(alpha=0.5, overlap="on", quant="gen", task="focused")@10',
        'nxCG(alpha=0.5, overlap="off", quant="gen", task="focused")@5',
        'nxCG(alpha=0.5, overlap="off", quant="gen", task="focused")@10',
    ]
    assert (plan.assessments, plan.runs, plan.results) == (
        "/data/2006_assessments v4/",
        "/data/runs/*",
        "results",
    )
    assert (plan.collection, plan.expanded) == ("C:/wikipedia", "base.frb")


@pytest.mark.parametrize("metric", METRICS)
def test_every_metric_has_a_measure_and_a_graph(metric):
    plan = parse_properties(properties(METRICS=metric), "f")
    assert [metric.name for metric in plan.metrics] == [metric]
    assert all(block.measures and block.curve for block in plan.metrics[0].blocks)
    assert "/" not in plan.metrics[0].file_name


@given(
    st.permutations(list(SOUND)),
    st.lists(st.sampled_from(["\n", " ", "\r\n", "\n\n# a comment\n", "   "]), min_size=11, max_size=11),
    st.sampled_from([": ", "=", " = ", ":"]),
)
def test_pairs_may_share_a_line(order, between, sign):
    text = "".join(f"{key}{sign}{SOUND[key]}{space}" for key, space in zip(order, between, strict=True))
    assert parse_properties(text, "f") == parse_properties(properties(), "f")


def test_printed_backslashes_are_ignored():
    text = properties(RESULTS_DIR="/a\\_b/\\$c".replace("\\$c", "c"), SUBMISSIONRUNS_DIR="/runs/\\*")
    plan = parse_properties(text.replace("QUANT_FUNCTIONS", "QUANT\\_FUNCTIONS"), "f")
    assert (plan.results, plan.runs) == ("/a_b/c", "/runs/*")


def test_case_is_ignored():
    plan = parse_properties(properties(METRICS="NXCG", QUANT_FUNCTIONS="genLifted", OVERLAP="ON"), "f")
    assert names(plan)[0] == 'nxCG(alpha=0.5, overlap="on", quant="genlifted", task="focused")@5'


def test_missing_keys_have_doxels_defaults():
    plan = parse_properties("METRICS: MAep", "f")
    assert names(plan) == ['MAep(overlap="on", quant="gen")']


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"METRICS": "nxCG, nDCG"},
            "METRICS: unknown value: wanted one or more of nxCG, MAnxCG, ep/gr, MAep, iMAep",
        ),
        ({"METRICS": None}, "METRICS: wanted one or more of nxCG, MAnxCG, ep/gr, MAep, iMAep, found none"),
        ({"OVERLAP": "maybe"}, "OVERLAP: unknown value: wanted one or more of on, off, found 'maybe'"),
        ({"QUANT_FUNCTIONS": "genn"}, "found 'genn'; did you mean gen?"),
        ({"TASK": "Unfocused"}, "TASK: wanted one of Thorough,"),
        ({"ALPHA": "2"}, "ALPHA: wanted a number from 0 to 1, found '2'"),
        ({"ALPHA": "much"}, "ALPHA: wanted a number from 0 to 1, found 'much'"),
        ({"DCV": "5, ten"}, "DCV: wanted whole numbers from 1"),
        ({"DCV": "5, " + "9" * 5000}, "DCV: wanted whole numbers from 1"),
        ({"DCV": "5, 00"}, "DCV: wanted whole numbers from 1"),
        ({"DCV": None}, "wanted DCV, such as 5, 10, 25, 50, found no DCV"),
        ({"RESULTS_DIR": "$aPath/x"}, "RESULTS_DIR: wanted a path in which $aPath is replaced by a folder"),
    ],
)
def test_an_invalid_value_raises_an_error_with_the_valid_ones(changes, sentence):
    assert sentence in error_message(properties(**changes))


@pytest.mark.parametrize(
    ("before", "key"),
    [("\n", "METRIC"), ("\n", "metricks"), ("\n", "COLLECTION"), (" ", "METRIC"), (" ", "DCVS")],
)
def test_an_unknown_key_raises_an_error_with_the_valid_ones(before, key):
    sentence = error_message(properties() + f"{before}{key}: x")
    assert sentence.startswith(
        f"f, line {11 + (before == chr(10))}: unknown key: wanted one of {', '.join(KEYS)}"
    )
    assert repr(key) in sentence


def test_a_repeated_key_raises_an_error():
    assert error_message(properties() + "\nTASK: Thorough").endswith(
        "wanted the key once, found it again (first in line 1)"
    )


def test_text_without_a_key_raises_an_error():
    assert "f, line 2: a property: wanted KEY: value, found 'hello'" in error_message(
        "\nhello\nTASK: Focused"
    )


def test_quantisations_are_named_in_full_for_the_scale():
    plan = parse_properties(properties(METRICS="MAep"), "f")
    assert names(plan.on_scale("2006"))[0] == 'MAep(alpha=0.5, overlap="on", quant="spec", task="focused")'
    assert names(plan.on_scale("2005"))[0] == 'MAep(alpha=0.5, overlap="on", quant="gen2005", task="focused")'
    drawn = [str(curve) for curve in plan.on_scale("2005").curves()]
    assert drawn[0] == 'ep/gr(alpha=0.5, overlap="on", quant="gen2005", task="focused")'


def test_a_quantisation_of_another_scale_raises_an_error_with_the_valid_ones():
    plan = parse_properties(properties(QUANT_FUNCTIONS="sog"), "f")
    with pytest.raises(InputError, match=r"f: QUANT_FUNCTIONS: .*available for assessments of 2006: spec"):
        plan.on_scale("2006")


def test_an_xml_file_is_read_as_measures():
    plan = parse_xml_configuration(
        f'<metrics>{EPRUM}<BEPD id="b" only="BestInContext"><a value="0.1"/></BEPD></metrics>', "f"
    )
    assert names(plan) == ['EPRUM(A=10, model="bep_distance")', "BEPD(A=0.1)"]
    assert [metric.only for metric in plan.metrics] == [None, "best-in-context"]
    assert [metric.blocks[0].curve is None for metric in plan.metrics] == [False, True]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("<metrics/>", "f, line 1: metrics: wanted one of EPRUM, BEPD, found none"),
        ("<config/>", "a configuration: wanted metrics, found 'config'"),
        (
            "<metrics>\n<PRUM id='x'/></metrics>",
            "f, line 2: a metric: wanted one of EPRUM, BEPD, found 'PRUM'",
        ),
        ("<metrics><BEPD><a value='1'/></BEPD></metrics>", "BEPD: wanted an attribute id"),
        ("<metrics><BEPD id='x'/></metrics>", 'BEPD: wanted <a value="..."/>, found none'),
        (
            "<metrics><BEPD id='x'><a value='0'/></BEPD></metrics>",
            "a: wanted a number above 0, at most 1,000,000,000, found '0'",
        ),
        (
            "<metrics>\n<BEPD id='x'>\n<a value='1e10'/></BEPD></metrics>",
            "line 3: a: wanted a number above 0, at most 1,000,000,000, found '1e10'",
        ),
        (
            "<metrics><BEPD id='x' on='y'><a value='1'/></BEPD></metrics>",
            "only the attributes id, only, found 'on'",
        ),
        ("<metrics><BEPD id='x' only='y'><a value='1'/></BEPD></metrics>", "only: wanted Thorough,"),
        ("<metrics><BEPD id='x'><b value='1'/></BEPD></metrics>", "inside BEPD: wanted a, found 'b'"),
        (f"<metrics>{EPRUM}{EPRUM}</metrics>", "metrics: wanted each id once, found 'e' twice"),
        (
            f"<metrics>{EPRUM}</metrics>".replace("BEPDistance", "Random"),
            "behaviour: wanted BEPDistance, found 'Random'",
        ),
        (
            f"<metrics>{EPRUM}</metrics>".replace("true", "perhaps"),
            "binary: wanted one of true, false, found 'perhaps'",
        ),
        (f"<metrics>{EPRUM}</metrics>".replace("Exh", "Spec"), "quantisation: wanted Exh, found 'Spec'"),
        (
            f"<metrics>{EPRUM}</metrics>".replace("BEPTarget", "Target"),
            "generator: wanted BEPTargetGenerator",
        ),
    ],
)
def test_an_invalid_xml_file_raises_an_error_with_the_valid_values(text, sentence):
    assert sentence in error_message(text, parse_xml_configuration)


def test_xml_entities_do_not_open_other_files(tmp_path):
    (tmp_path / "secret").write_text("10")
    text = f'<!DOCTYPE metrics [<!ENTITY s SYSTEM "{tmp_path / "secret"}">]><metrics>&s;{EPRUM}</metrics>'
    with pytest.raises(InputError):
        parse_xml_configuration(text, "f")


@pytest.mark.parametrize("content", ["", "  \n"])
def test_an_empty_file_raises_an_error(tmp_path, content):
    (tmp_path / "empty.prop").write_text(content)
    with pytest.raises(InputError, match="wanted properties or XML"):
        read_plan(tmp_path / "empty.prop")
