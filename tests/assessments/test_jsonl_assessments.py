"""Assessments as JSON lines."""

import json

import pytest

import doxel
from doxel.assessments import read_assessments
from doxel.assessments.jsonl_assessments import JSONL_ASSESSMENTS
from doxel.errors import InputError


@pytest.fixture
def read(tmp_path):
    def from_text(text, **options):
        path = tmp_path / "assessments"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_assessments(path, **options)

    return from_text


def lines(*records):
    return "".join(json.dumps(record) + "\n" for record in records)


PLACE = {"topic": "1", "doc": "a"}


def test_json_lines_are_read_completely(read):
    assessments = read(
        lines(
            {**PLACE, "start": 3, "end": 9, "grade": 2},
            {**PLACE, "text": "some words", "prefix": "of "},
            {**PLACE, "bep": 3},
            {"topic": 2, "doc": "b"},
        )
    )
    assert (assessments.scale, assessments.format) == ("2006", "jsonl")
    assert assessments.judged.select("topic", "doc", "line").rows() == [("1", "a", 1), ("2", "b", 4)]
    assert assessments.highlights.select("start", "end", "text", "prefix", "grade", "line").rows() == [
        (3, 9, None, None, 2.0, 1),
        (None, None, "some words", "of ", None, 2),
    ]
    assert assessments.beps.select("topic", "doc", "position", "line").rows() == [("1", "a", 3, 3)]


def test_unknown_keys_are_reported(read):
    assessments = read(
        lines({**PLACE, "start": 3, "end": 9, "question": "why?"}, {**PLACE, "bep": 3, "question": "?"})
    )
    assert len(assessments.notes) == 1
    assert "'question'" in assessments.notes[0]
    assert "2 lines" in assessments.notes[0]


def test_a_line_may_contain_unicode_line_separators(read):
    text = '{"topic": "1", "doc": "a", "text": "one\u2028two\x85three"}\n{"topic": "1", "doc": "b"}\n'
    assert read(text).highlights["text"].to_list() == ["one\u2028two\x85three"]


@pytest.mark.parametrize("text", ["Annotation", 'an "Annotation", as he says', "see http://x/anno.jsonld"])
def test_a_text_about_annotations_is_not_an_annotation(read, text):
    assessments = read(lines({**PLACE, "text": f"{text} "}))
    assert (assessments.format, assessments.highlights["text"].to_list()) == ("jsonl", [f"{text} "])


@pytest.mark.parametrize(
    "record",
    [
        {**PLACE, "txt": "misspelt"},
        {**PLACE, "start": 3},
        {**PLACE, "end": 3},
        {**PLACE, "start": 9, "end": 3},
        {**PLACE, "start": -1, "end": 3},
        {**PLACE, "start": 1.5, "end": 3},
        {**PLACE, "start": True, "end": 3},
        {**PLACE, "start": 1, "end": 2**70},
        {**PLACE, "start": 1, "end": 3, "grade": "good"},
        {**PLACE, "start": 1, "end": 3, "grade": 10**400},
        {**PLACE, "start": 1, "end": 3, "bep": 4},
        {**PLACE, "grade": 2},
        {**PLACE, "text": " "},
        {**PLACE, "text": 7},
        {**PLACE, "bep": "here"},
        {"topic": "1"},
        {"topic": None, "doc": "a"},
        {"topic": "1", "doc": ["a"]},
        {"topic": "1", "doc": ""},
    ],
)
def test_invalid_json_lines_are_reported_with_their_line(read, record):
    with pytest.raises(InputError) as caught:
        read(lines(PLACE, record))
    assert caught.value.line == 2
    assert caught.value.wanted
    assert caught.value.found


@pytest.mark.parametrize("keys", [("label", 0, 2), ("relevant", False, True), ("relevance", 0, 1.5)])
def test_a_grade_may_have_another_name(read, keys):
    name, lowest, highest = keys
    span = {**PLACE, "start": 3, "end": 9}
    assessments = read(lines(span, {**span, name: lowest}, {**span, name: highest}))
    assert assessments.highlights["grade"].to_list() == [None, 0.0, float(highest)]
    assert assessments.notes == ()


def test_a_label_that_is_a_text_is_ignored_and_reported(read):
    assessments = read(lines({**PLACE, "start": 3, "end": 9, "label": "unsure"}))
    assert assessments.highlights["grade"].to_list() == [None]
    assert "'label'" in assessments.notes[0]


RESULT = {**PLACE, "start": 3, "end": 9}


@pytest.mark.parametrize("keys", [{"rank": 1, "score": 0.5}, {"run": "bm25", "distance": 0.1}])
def test_the_results_of_a_run_are_not_assessments(read, keys):
    with pytest.raises(InputError) as caught:
        read(lines({**RESULT, **keys}, {**RESULT, **keys}))
    assert caught.value.found == f"results of a run, with the keys {', '.join(map(repr, keys))}"


@pytest.mark.parametrize(
    "records", [[{**RESULT, "score": 0.5}], [{**RESULT, "score": 0.5, "rank": 1}, {**PLACE, "bep": 3}]]
)
def test_assessments_may_have_some_keys_of_results(read, records):
    assert read(lines(*records)).highlights.height == 1


@pytest.mark.parametrize(
    "line",
    ['{"topic": "1", "doc"', "[1, 2]", '{"topic": NaN, "doc": "a"}', '{"topic": "\\ud800", "doc": "a"}'],
)
def test_a_line_that_is_not_a_json_object_is_reported_with_its_number(read, line):
    with pytest.raises(InputError) as caught:
        read(lines(PLACE) + line + "\n")
    assert caught.value.line == 2
    assert caught.value.wanted == "a JSON object"


def test_lines_with_the_names_people_use_are_read(tmp_path):
    lines = [
        {
            "question_id": 1,
            "question": "Why?",
            "source": "a",
            "content": "Because.",
            "start_index": 0,
            "end_index": 8,
        },
        {"question_id": 2, "question": "Who?", "content": "Nobody."},
    ]
    (tmp_path / "gold.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    gold = doxel.read_assessments(tmp_path / "gold.jsonl")
    assert gold.highlights.select("topic", "doc", "start", "end", "text").rows() == [
        ("1", "a", 0, 8, "Because."),
        ("2", "(no document)", None, None, "Nobody."),
    ]
    assert gold.questions == {"1": "Why?", "2": "Who?"}
    assert gold.notes == ()


def test_files_with_other_names_give_the_scores_of_rows_in_python(tmp_path):
    gold = [
        {"qid": "1", "question": "Why?", "file_name": "a", "content": "Because."},
        {"qid": "2", "question": "Who?", "content": "Nobody knows."},
    ]
    run = [
        {
            "question": "Why?",
            "page_content": "It is so. Because.",
            "metadata": {"source": "/x/a.txt", "start_index": 0},
        },
        {"question": "Who?", "page_content": "Nobody knows.", "metadata": {"source": "b.md"}},
    ]
    texts = {"a": "It is so. Because.", "b": "Nobody knows. Really."}
    for name, rows in (("gold", gold), ("run", run)):
        (tmp_path / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    files = [tmp_path / "run.jsonl"], tmp_path / "gold.jsonl"
    measures = "char_rec@1, char_prec@1"
    by_rows = doxel.evaluate(run, gold, measures, collection=texts)
    by_files = doxel.evaluate(*files, measures, collection=texts)
    assert by_files.scores.drop("run").equals(by_rows.scores.drop("run"))
    assert by_files.scores["score"].to_list() == [1.0, 1.0, 8 / 18, 1.0]


HIGHLIGHT = {**PLACE, "start": 3, "end": 9}


def test_aspects_and_their_settings_are_read_and_written_again(read):
    text = lines(
        {**HIGHLIGHT, "aspect": "x"},
        {**HIGHLIGHT, "aspect": "y"},
        HIGHLIGHT,
        {"topic": "1", "aspects": {"x": {"weight": 2}, "y": {}}},
        {"topic": "1", "aspects": {"x": {"vital": False}}},
    )
    assessments = read(text)
    assert assessments.highlights["aspect"].to_list() == ["x", "y", None]
    assert assessments.aspects.select("topic", "aspect", "weight", "vital").rows() == [
        ("1", "x", 2.0, False),
        ("1", "y", None, None),
    ]
    assert assessments.topics == ["1"]
    assert assessments.judged.height == 1  # a line with aspects judges no document
    again = read(JSONL_ASSESSMENTS.write(assessments))
    assert {name: table.rows() for name, table in again.tables.items()} == {
        name: table.rows() for name, table in assessments.tables.items()
    }


@pytest.mark.parametrize(
    ("bad", "wanted"),
    [
        ({**HIGHLIGHT, "aspect": ""}, "a text that is not empty"),
        ({**HIGHLIGHT, "aspect": 7}, "a text that is not empty"),
        ({**PLACE, "aspect": "x"}, "only"),
        ({**PLACE, "bep": 3, "aspect": "x"}, "only"),
        ({"topic": "1", "aspects": ["x"]}, "the settings of aspects by name"),
        ({"topic": "1", "aspects": {"x": {"weight": 0}}}, "a number above 0"),
        ({"topic": "1", "aspects": {"x": {"weight": True}}}, "a number above 0"),
        ({"topic": "1", "aspects": {"x": {"vital": 1}}}, "true or false"),
        ({"topic": "1", "aspects": {"x": {"colour": "red"}}}, "weight"),
        ({"topic": "1", "aspects": {"": {}}}, "a text that is not empty"),
        ({"topic": "1", "doc": "a", "aspects": {"x": {}}}, "the settings of aspects by name"),
        ({"aspects": {"x": {}}}, "topic"),
        ({"topic": "1", "aspects": {"z": {}}}, "a highlight of this aspect"),
        ({"topic": "2", "aspects": {"x": {}}}, "a highlight of this aspect"),
        ({"topic": "1", "aspects": {"zero": {}}}, "a highlight of this aspect"),
    ],
)
def test_bad_aspects_are_reported_with_their_line(read, bad, wanted):
    good = {**HIGHLIGHT, "aspect": "x"}
    with pytest.raises(InputError, match=wanted) as caught:
        read(lines(good, {**HIGHLIGHT, "aspect": "zero", "grade": 0}, bad))
    assert "line 3" in str(caught.value)


@pytest.mark.parametrize("setting", [{"weight": 3}, {"vital": False}])
def test_contradicting_settings_of_an_aspect_are_an_error(read, setting):
    first = {"topic": "1", "aspects": {"x": {"weight": 2, "vital": True}}}
    with pytest.raises(InputError, match=r"line 3.*as in .*line 2"):
        read(lines({**HIGHLIGHT, "aspect": "x"}, first, {"topic": "1", "aspects": {"x": setting}}))


def test_the_settings_of_aspects_may_be_in_a_file_of_their_own(tmp_path):
    settings, highlights = tmp_path / "settings.jsonl", tmp_path / "gold.jsonl"
    settings.write_text(lines({"topic": "1", "aspects": {"x": {"weight": 2}}}))
    highlights.write_text(lines({**HIGHLIGHT, "aspect": "x"}))
    assert read_assessments([settings, highlights]).aspects["weight"].to_list() == [2.0]
    with pytest.raises(InputError, match="a highlight of this aspect"):
        read_assessments(settings)


@pytest.mark.parametrize("layout", ["lines", "list"])
def test_the_gold_of_a_question_may_be_listed_together(read, layout):
    rows = [
        {"user_input": "why?", "reference_contexts": ["one", "two"], "retrieved_contexts": ["no gold"]},
        {"user_input": "how?", "reference_contexts": ["three"]},
    ]
    assessments = read(lines(*rows) if layout == "lines" else json.dumps(rows, indent=2))
    assert assessments.highlights.select("topic", "text").rows() == [
        ("why?", "one"),
        ("why?", "two"),
        ("how?", "three"),
    ]
