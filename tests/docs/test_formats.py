"""The examples of the page of formats are read, taken for what they are, and found in the handbook."""

import pytest
from pagemaker.examples import ROOT, place_file
from pagemaker.fences import fences

import doxel
from doxel.assessments.assessment_files import ASSESSMENT_FORMATS
from doxel.assessments.assessment_spans import resolve_assessments
from doxel.runs.result_spans import resolve_run
from doxel.runs.run_files import RUN_FORMATS
from doxel.topics.topic_files import TOPIC_FORMATS

PAGE = "\n".join((ROOT / "docs" / name).read_text("utf-8") for name in ("formats.md", "campaigns.md"))
EXAMPLES = [fence for fence in fences(PAGE) if "reads" in fence.settings]
READERS = {"topics": doxel.read_topics, "run": doxel.read_run, "assessments": doxel.read_assessments}


CAMPAIGNS = {
    file_format.name
    for file_format in (*TOPIC_FORMATS, *RUN_FORMATS, *ASSESSMENT_FORMATS)
    if file_format.campaign
}


def of_kind(kind):
    examples = [fence for fence in EXAMPLES if fence.settings["reads"] == kind]
    return [
        pytest.param(fence, id=fence.settings["file"])
        for fence in examples
        if fence.settings["format"] not in CAMPAIGNS  # of documents elsewhere
    ]


def read(fence, folder):
    place_file(fence, folder)
    return READERS[fence.settings["reads"]](folder / fence.settings["file"])


@pytest.mark.parametrize("fence", EXAMPLES, ids=lambda fence: fence.settings["file"])
def test_an_example_is_read_and_recognised(fence, tmp_path):
    content = read(fence, tmp_path)
    assert content.format == fence.settings["format"]
    assert content.notes == ()


@pytest.mark.parametrize("fence", of_kind("run"))
def test_results_are_found_in_the_handbook(fence, tmp_path, handbook_collection):
    results = resolve_run(read(fence, tmp_path), handbook_collection)
    assert results["problem"].drop_nulls().to_list() == []
    assert results["start"].null_count() == 0


@pytest.mark.parametrize("fence", of_kind("assessments"))
def test_assessments_are_found_in_the_handbook(fence, tmp_path, handbook_collection):
    assessments = resolve_assessments(read(fence, tmp_path), handbook_collection)
    for table in (assessments.judged, assessments.highlights, assessments.elements, assessments.beps):
        assert table["problem"].drop_nulls().to_list() == []


@pytest.mark.parametrize(
    ("kind", "formats"),
    [("topics", TOPIC_FORMATS), ("run", RUN_FORMATS), ("assessments", ASSESSMENT_FORMATS)],
    ids=lambda value: str(value)[:11],
)
def test_every_format_has_an_example(kind, formats):
    shown_formats = {fence.settings["format"] for fence in EXAMPLES if fence.settings["reads"] == kind}
    assert shown_formats == {file_format.name for file_format in formats}


@pytest.mark.parametrize(
    "name", sorted({file_format.name for file_format in (*TOPIC_FORMATS, *RUN_FORMATS, *ASSESSMENT_FORMATS)})
)
def test_every_format_has_a_heading(name):
    assert f"\n### {name}\n" in PAGE
