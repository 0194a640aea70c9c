"""Official figures of campaigns are asked for by set or name, and stand beside doxel's measures."""

import pytest

import doxel
from documents.commands import doxel as run_command
from doxel.errors import DoxelWarning, MeasureError
from doxel.evaluation.compat.campaigns.campaign_scorers import list_campaign_sets, split_request
from runs.campaigns.bioasq_files import encode, question, snippet


@pytest.fixture
def files(tmp_path):
    (tmp_path / "gold.json").write_bytes(
        encode(question("q", snippet(1, 0, 9), documents=[1]), question("e"))
    )
    (tmp_path / "run.json").write_bytes(
        encode(question("q", snippet(1, 0, 9), documents=[1]), question("zz"))
    )
    return tmp_path


def test_figures_with_faults_need_compat(files):
    with pytest.raises(MeasureError, match="ask for it with --compat bioasq"):
        doxel.evaluate(files / "run.json", files / "gold.json", "bioasq9")


def test_one_set_is_scored_at_a_time(files):
    with pytest.raises(MeasureError, match="bioasq8 and bioasq9 have figures of the same names"):
        doxel.evaluate(files / "run.json", files / "gold.json", ["bioasq8", "bioasq9"], compat="bioasq")


def test_an_unknown_figure_is_an_error_with_the_known_ones(files):
    with pytest.raises(MeasureError, match="bioasq has no figure 'char_rec'; it has doc_P, doc_R"):
        doxel.evaluate(files / "run.json", files / "gold.json", "char_rec", compat="bioasq")


def test_the_command_prints_official_figures_and_says_which_topics_are_left_out(files):
    outcome = run_command(
        *("evaluate", "-a", files / "gold.json", "--compat", "bioasq", "-m", "bioasq9", "-f", "tsv"),
        files / "run.json",
    )
    assert outcome.status == 0
    assert "run\tall\tsnip_AP\t1.0" in outcome.out.splitlines()
    assert "doxel: run: 1 topic was never assessed and is ignored (zz) [R401]" in outcome.messages
    assert (
        "doxel: run: 1 assessed topic has no answer (e) and is left out of every mean [R402]"
        in outcome.messages
    )


def test_a_run_of_other_topics_carries_a_warning(files):
    (files / "run.json").write_bytes(encode(question("zz", snippet(1, 0, 9), documents=[1])))
    with pytest.warns(DoxelWarning, match="none of its topics was assessed: the run has topics zz"):
        result = doxel.evaluate(files / "run.json", files / "gold.json", "bioasq9", compat="bioasq")
    assert ("R403", "guess") in {(warning.code, warning.effect) for warning in result.warnings}


def test_a_run_that_cannot_be_read_is_skipped_beside_another(files):
    (files / "bad.json").write_bytes(encode({"id": "q", "snippets": 7}))
    outcome = run_command(
        *("evaluate", "-a", files / "gold.json", "--compat", "bioasq", "-f", "tsv"),
        *(files / "bad.json", files / "run.json"),
    )
    assert outcome.status == 1
    assert "line 3: the snippets of the question: wanted a list, found 7" in outcome.err


def test_a_request_is_split_into_figures_of_campaigns_and_others():
    assert split_request(["bioasq9, char_rec@1,3", "AP"]) == (["bioasq9"], ["char_rec@1,3", "AP"])
    assert split_request("char_rec@1,3, AP") == ([], ["char_rec@1,3", "AP"])


def test_sets_are_listed_and_explained():
    assert list_campaign_sets()["bioasq9"].endswith("snip_GMAP (official, with --compat bioasq)")
    assert run_command("measures", "bioasq9").out.startswith("bioasq9: doc_P, doc_R")
    assert "7.01" in run_command("measures", "--compat", "bioasq").out


def test_a_figure_is_explained_by_the_file_that_computes_it():
    text = run_command("measures", "genomics_passage2").out
    assert text.startswith(
        "genomics_passage2: of the scoring program of TREC Genomics 2007; in the set genomics2007"
    )
    assert "average precision with every character as a document" in text


def test_commands_that_need_measures_say_that_a_set_is_official(files):
    outcome = run_command(
        *("report", "-a", files / "gold.json", "-m", "genomics2007", "-o", files / "out"), files / "run.json"
    )
    assert outcome.status == 2
    assert "'genomics2007' is a set of official figures" in outcome.err
