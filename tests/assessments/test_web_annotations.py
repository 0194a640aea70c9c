"""W3C Web Annotations: the variants that tools write, and the ones that are rejected."""

import json

import pytest

from doxel.assessments import read_assessments
from doxel.assessments.assessment_files import find_assessment_format
from doxel.assessments.assessments import ASSESSMENT_TABLES, Assessments
from doxel.assessments.web_annotations import WEB_ANNOTATION
from doxel.errors import InputError

POSITION = {"type": "TextPositionSelector", "start": 3, "end": 9}
QUOTE = {"type": "TextQuoteSelector", "exact": "quoted", "prefix": "be", "suffix": "fore"}


def annotation(selector=None, *, topic="7", **changes):
    target = {"source": "doc-1", "selector": selector} if selector else "doc-1"
    body = {"type": "TextualBody", "purpose": "tagging", "value": topic}
    return {"type": "Annotation", "motivation": "highlighting", "body": body, "target": target, **changes}


@pytest.fixture
def read(tmp_path):
    def from_text(document):
        path = tmp_path / "notes.json"
        path.write_text(document if isinstance(document, str) else json.dumps(document))
        return read_assessments(path)

    return from_text


ONE = annotation([POSITION, QUOTE])


@pytest.mark.parametrize(
    "document",
    [
        [ONE],
        ONE,
        {"type": "AnnotationPage", "items": [ONE]},
        {"@context": "http://www.w3.org/ns/anno.jsonld", "type": "AnnotationPage", "items": [ONE]},
        {"type": ["AnnotationCollection"], "total": 1, "first": {"type": "AnnotationPage", "items": [ONE]}},
        json.dumps(ONE) + "\n" + json.dumps(ONE) + "\n",
        json.dumps([ONE], indent=2),
    ],
    ids=["list", "alone", "page", "page with context", "collection", "lines", "indented"],
)
def test_all_containers_of_annotations_are_read(read, document):
    assessments = read(document)
    assert (assessments.scale, assessments.format) == ("2006", "web-annotation")
    columns = ("topic", "doc", "start", "end", "text", "prefix", "suffix", "grade")
    assert set(assessments.highlights.select(columns).rows()) == {
        ("7", "doc-1", 3, 9, "quoted", "be", "fore", None)
    }
    assert assessments.judged.height == 1


def test_bodies_and_motivations_become_grades_and_entry_points(read):
    tag, grade = ONE["body"], {"type": "TextualBody", "purpose": "assessing", "value": "2"}
    assessments = read(
        [
            annotation(QUOTE, body=[tag, grade, "a comment"]),
            annotation(POSITION, motivation=["bookmarking"]),
            annotation(topic=8, motivation="assessing"),
            annotation(target=[{"source": {"id": "doc-2"}, "selector": POSITION}, {"id": "doc-3"}]),
        ]
    )
    assert assessments.judged.select("topic", "doc").rows() == [
        ("7", "doc-1"),
        ("8", "doc-1"),
        ("7", "doc-2"),
        ("7", "doc-3"),
    ]
    assert assessments.highlights.select("doc", "start", "text", "grade").rows() == [
        ("doc-1", None, "quoted", 2.0),
        ("doc-2", 3, None, None),
    ]
    assert assessments.beps.select("doc", "position").rows() == [("doc-1", 3)]


def test_both_selectors_are_written_if_the_text_is_known():
    row = {"topic": "7", "doc": "d", "start": 3, "end": 9, "text": "quoted"}
    assessments = Assessments(
        "2006",
        ASSESSMENT_TABLES["judged"].from_rows([{"topic": "7", "doc": "d"}]),
        ASSESSMENT_TABLES["highlights"].from_rows([row]),
    )
    page = json.loads(find_assessment_format("web-annotation").write(assessments))
    assert page["type"] == "AnnotationPage"
    assert page["items"][0]["target"] == {
        "source": "d",
        "selector": [
            {"type": "TextPositionSelector", "start": 3, "end": 9},
            {"type": "TextQuoteSelector", "exact": "quoted"},
        ],
    }


@pytest.mark.parametrize(
    ("bad", "wanted"),
    [
        (annotation(POSITION, body=[]), "tagging"),
        (annotation(POSITION, body=[ONE["body"], ONE["body"]]), "tagging"),
        (annotation(POSITION, topic=""), "a string that is not empty"),
        (
            annotation({"type": "XPathSelector", "value": "/p[1]"}),
            "TextPositionSelector or TextQuoteSelector",
        ),
        (annotation({**POSITION, "refinedBy": QUOTE}), "not refined"),
        (annotation({**POSITION, "end": 1}), "an end after its start"),
        (annotation({**POSITION, "end": None}), "a whole number"),
        (annotation({"type": "TextQuoteSelector"}), "exact"),
        (annotation(QUOTE, motivation="bookmarking"), "a TextPositionSelector"),
        (annotation(POSITION, body=[ONE["body"], {"purpose": "assessing", "value": "fine"}]), "a number"),
        ({"type": "Annotation", "body": ONE["body"]}, "a target"),
        (annotation(target={"selector": POSITION}), "a string that is not empty"),
    ],
)
def test_incomplete_annotations_are_reported_with_their_line(read, bad, wanted):
    page = [json.dumps(ONE), json.dumps(bad)]
    with pytest.raises(InputError) as caught:
        read("[" + ",\n".join(page) + "]")
    assert wanted in caught.value.wanted
    if "target" in bad:
        assert caught.value.line == 2
    else:
        assert caught.value.file.endswith("notes.json, annotation 2")


@pytest.mark.parametrize(
    "document",
    [
        {"type": "AnnotationCollection", "first": "http://example.org/page1"},
        {"type": "AnnotationPage", "items": [ONE], "next": "http://example.org/page2"},
        {"type": "AnnotationPage"},
        [ONE, "Annotation"],
    ],
)
def test_incomplete_containers_are_rejected(read, document):
    with pytest.raises(InputError):
        read(document)


def test_broken_json_is_reported_with_its_line(read):
    with pytest.raises(InputError) as caught:
        read('[\n{"type": "Annotation",\n "target" "x"}]')
    assert caught.value.line == 3


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (json.dumps([annotation(POSITION)]).replace("doc-1", "\\ud800"), "half of a surrogate pair"),
        ("[" * 100_000, "lists or objects nested too deeply"),
        ('[{"n": ' + "9" * 5000 + "}]", "a number of too many digits"),
    ],
)
def test_values_that_no_table_could_hold_are_rejected(content, found):
    with pytest.raises(InputError) as caught:
        find_assessment_format("web-annotation").read(content.encode(), "a.json")
    assert (caught.value.file, caught.value.found) == ("a.json", found)


def test_a_purpose_that_is_not_a_string_is_ignored(read):
    with pytest.raises(InputError, match='wanted one body with purpose "tagging"'):
        read([annotation(POSITION, body=[{"purpose": {"a": 1}, "value": "7"}])])


def tagged(*bodies, selector=None, motivation="highlighting"):
    values = [{"purpose": purpose, "value": value} for purpose, value in bodies]
    selector = selector or {"type": "TextPositionSelector", "start": 3, "end": 9}
    return {
        "type": "Annotation",
        "motivation": motivation,
        "body": values,
        "target": {"source": "a", "selector": selector},
    }


def test_tags_beside_an_identified_topic_are_aspects(read):
    assessments = read(json.dumps([tagged(("identifying", "1"), ("tagging", "x"), ("tagging", "y"))]))
    assert assessments.highlights.select("topic", "start", "end", "aspect").rows() == [
        ("1", 3, 9, "x"),
        ("1", 3, 9, "y"),
    ]
    again = read(WEB_ANNOTATION.write(assessments).decode())
    assert again.highlights["aspect"].to_list() == ["x", "y"]


def test_a_single_tag_is_the_topic(read):
    assessments = read(json.dumps([tagged(("tagging", "1"))]))
    assert assessments.highlights.select("topic", "aspect").rows() == [("1", None)]


@pytest.mark.parametrize(
    ("annotation", "wanted"),
    [
        (tagged(("tagging", "1"), ("tagging", "x")), "identifying"),
        (tagged(("identifying", "1"), ("identifying", "2")), "identifying"),
        (tagged(("identifying", "1"), ("tagging", "")), "not empty"),
        (
            tagged(("identifying", "1"), ("tagging", "x"), motivation="bookmarking"),
            "to which these aspects belong",
        ),
    ],
)
def test_tags_that_name_no_aspect_are_rejected(read, annotation, wanted):
    with pytest.raises(InputError, match=wanted):
        read(json.dumps([annotation]))


def test_a_grade_above_0_needs_the_text_that_it_grades(read):
    """Without a selector nothing in the document is relevant, which contradicts the grade."""
    whole = {
        "type": "Annotation",
        "target": "a",
        "body": tagged(("tagging", "1"), ("assessing", "2"))["body"],
    }
    with pytest.raises(InputError, match="grade 2 of an annotation: wanted a selector of the text"):
        read(json.dumps([whole]))
    assessments = read(json.dumps([whole]).replace('"2"', '"0"'))
    assert (assessments.judged.height, assessments.highlights.height) == (1, 0)
