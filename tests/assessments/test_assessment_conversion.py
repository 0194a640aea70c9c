"""Quotations and paths are added to assessments, and resolve to the same positions."""

from assessments.small_assessments import assessed, rows
from doxel.assessments.assessment_conversion import add_paths, add_quotations
from doxel.assessments.assessment_files import find_assessment_format
from doxel.assessments.assessment_spans import resolve_assessments


def test_quotations_resolve_to_the_same_positions(collection):
    spans = [rows(doc="b", start=12, end=22), rows(doc="b", start=0, end=10), rows(start=4, end=8)]
    quoted = add_quotations(resolve_assessments(assessed(highlights=spans), collection), collection)
    assert quoted.highlights.select("text", "prefix", "suffix").rows() == [
        ("same words", "same words, ", ""),
        ("same words", "", ", same words"),
        ("\U0001f600two", "One ", " three"),
    ]
    bare = quoted.highlights.with_columns(start=None, end=None)
    again = resolve_assessments(assessed(highlights=bare.to_dicts()), collection)
    assert again.highlights.select("start", "end").equals(quoted.highlights.select("start", "end"))


def test_paths_resolve_to_the_same_positions(collection):
    spans = [rows(start=1, end=5), rows(start=0, end=14), rows(path="/article/p"), rows(start=8, end=8)]
    assessments = resolve_assessments(
        assessed(highlights=spans, beps=[rows(position=4), rows(doc="b", position=0)]), collection
    )
    located = add_paths(assessments, collection)
    assert located.highlights.select("path", "path_end", "size").rows() == [
        ("/article[1]/p[1]/text()[1].1", "/article[1]/p[1]/b[1]/text()[1].1", 4),
        ("/article[1]/p[1]/text()[1].0", "/article[1]/p[1]/text()[2].6", 14),
        ("/article/p", None, 14),
        ("/article[1]/p[1]/text()[2].0", "/article[1]/p[1]/b[1]/text()[1].4", 0),
    ]
    xml = find_assessment_format("inex2006")
    again = resolve_assessments(xml.read(xml.write(located), "x"), collection)
    assert again.highlights.select("start", "end").equals(assessments.highlights.select("start", "end"))
    assert again.beps.select("doc", "position").equals(assessments.beps.select("doc", "position"))
