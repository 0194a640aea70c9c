"""Runs as JSON lines, read line by line or in bulk with the same results."""

import json

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import doxel
from doxel.errors import InputError
from doxel.runs import RESULTS, Run, jsonl_runs, read_run
from doxel.runs.jsonl_runs import read_bulk
from doxel.runs.run_files import find_run_format
from random_share import count_cases


@pytest.fixture
def read(tmp_path):
    def from_records(*records):
        path = tmp_path / "chunks.jsonl"
        path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
        return read_run(path)

    return from_records


def test_one_file_may_have_all_kinds_of_results(read):
    run = read(
        {"topic": "1", "doc": "a", "start": 5, "end": 9, "rank": 1, "score": 0.5, "run": "mine"},
        {"topic": "1", "doc": "b", "start": 5},
        {"topic": "1", "doc": "c", "path": "/a[1]/p[2]"},
        {"topic": "1", "doc": "d", "path": "/a[1]/p[2]", "path_end": "/a[1]/p[3]/text()[1].4"},
        {"topic": "1", "doc": "e", "text": "to be 😀"},
        {"topic": "1", "doc": "f"},
        {"topic": "1", "doc": "g", "start": -1, "end": 7},
    )
    assert (run.id, run.format) == ("mine", "jsonl")
    assert run.results.drop("topic", "doc").rows() == [
        (1, 0.5, None, None, 5, 9, None, 1),
        (None, None, None, None, 5, None, None, 2),
        (None, None, "/a[1]/p[2]", None, None, None, None, 3),
        (None, None, "/a[1]/p[2]", "/a[1]/p[3]/text()[1].4", None, None, None, 4),
        (None, None, None, None, None, None, "to be 😀", 5),
        (None, None, None, None, None, None, None, 6),
        (None, None, None, None, -1, -1, None, 7),
    ]


@pytest.mark.parametrize(
    ("span", "found"),
    [({"start": 30, "end": 20}, "start 30, end 20"), ({"end": 20}, "no start, end 20")],
)
def test_an_end_needs_a_start_that_is_not_after_it(read, span, found):
    message = f"line 1: the end of a result: wanted a start, and an end that is not before it, found {found}$"
    with pytest.raises(InputError, match=message):
        read({"topic": "1", "doc": "a", **span})


def test_ids_may_be_numbers_and_have_white_space_around_them(read):
    run = read(
        {"topic": 2009001, "doc": 851, "score": 3, "path": None}, {"topic": " 1 ", "doc": "a", "rsv": 0.25}
    )
    assert run.results.select("topic", "doc", "rsv", "path").rows() == [
        ("2009001", "851", 3.0, None),
        ("1", "a", 0.25, None),
    ]
    assert run.id == "chunks"  # no line names a run


def test_unknown_keys_are_left_out_and_counted(read):
    record = {"topic": "1", "doc": "a"}
    run = read({**record, "title": "x", "metadata": {"page": [1, 2]}}, {**record, "title": "y"}, record)
    assert run.notes == ("keys left out: title (2), metadata (1)",)
    assert run.results.height == 3
    assert read(record).notes == ()


def test_keys_that_are_left_out_are_shown_escaped(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"topic": "1", "doc": "a", "\\ud800\\u001b": 1}\n')
    assert doxel.read_run(path).notes == (r"keys left out: \ud800\x1b (1)",)


def test_blank_lines_count_as_lines(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'\xef\xbb\xbf\r\n{"topic": "1", "doc": "a"}\r\n\r\n  {"topic": "1", "doc": "b"}  ')
    assert read_run(path).results.select("doc", "line").rows() == [("a", 2), ("b", 4)]


def test_a_text_may_contain_unicode_line_separators(read):
    text = "one\u2028two\x85three\x0bfour\nfive"
    assert read({"topic": "1", "doc": "a", "text": text}).results["text"].item() == text


def test_an_infinite_score_cannot_be_written():
    results = RESULTS.from_rows([{"topic": "1", "doc": "a", "rsv": float("inf")}])
    with pytest.raises(
        InputError, match="cannot be written as jsonl: wanted an rsv that is a number, found inf"
    ):
        find_run_format("jsonl").write(Run("r", results))


def test_missing_values_are_not_written():
    results = RESULTS.from_rows([{"topic": "1", "doc": "a", "start": 5, "end": 9}])
    assert find_run_format("jsonl").write(Run("r", results)) == (
        b'{"topic":"1","doc":"a","start":5,"end":9,"run":"r"}\n'
    )


VALUES = {
    "topic": st.sampled_from(["1", " q 2 ", 3, 10**18, None, "", "é🙂", True, 1.5]),
    "doc": st.sampled_from(["a", "b c", 7, "x/y.xml"]),
    "start": st.sampled_from([0, 5, -1, None, 2.0, "3", 10**19]),
    "end": st.sampled_from([9, 5, None, False]),
    "rank": st.sampled_from([1, 2, None, 1.0]),
    "score": st.sampled_from([1, 0.5, -2, None, "0.5", 1e400]),
    "rsv": st.sampled_from([0.25, None]),
    "run": st.sampled_from(["mine", 5]),
    "text": st.sampled_from(["one\ttwo", "\ud800", "é"]),
    "path": st.sampled_from(["/a[1]", "/a[1]/b"]),
    "colour": st.sampled_from(["red", {"deep": [1]}]),
}
USUAL = st.fixed_dictionaries(
    {"topic": st.sampled_from(["1", "2"]), "doc": st.sampled_from(["a", 7])},
    optional={
        "start": st.just(0), "end": st.integers(0, 9), "rank": st.integers(1, 3), "score": st.floats(-5, 5),
    },
)  # fmt: skip
ODD = st.fixed_dictionaries({}, optional=VALUES)


def outcome(read, data):
    """Return the run, or the message of the error."""
    try:
        return read(data, "a.jsonl")
    except InputError as error:
        return str(error)


@settings(deadline=None, max_examples=count_cases(300))
@given(
    st.lists(USUAL | USUAL | USUAL | ODD, min_size=1, max_size=6), st.sampled_from(["", "\n", "\n\n", " \n"])
)
def test_both_readers_give_the_same_run_or_error(records, ending):
    data = ("\n".join(json.dumps(record) for record in records) + ending).encode()
    actual = outcome(jsonl_runs._read, data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonl_runs, "read_bulk", lambda _: None)
        expected = outcome(jsonl_runs._read, data)
    if isinstance(expected, str) or isinstance(actual, str):
        assert actual == expected
    else:
        assert actual.results.equals(expected.results)
        assert (actual.id, actual.notes) == (expected.id, expected.notes)


REGULAR = b'{"topic":"1","doc":"a","start":0,"end":5}\n{"topic":"2","doc":"b","start":3,"end":9,"score":1}\n'


def test_regular_files_are_read_in_bulk():
    table = read_bulk(REGULAR)
    assert table.select("topic", "doc", "start", "end", "score", "line").rows() == [
        ("1", "a", 0, 5, None, 1),
        ("2", "b", 3, 9, 1.0, 2),
    ]
    assert table.schema["score"] == pl.Float64


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"start":3', b'"start":"3"'),
        (b'"start":3', b'"start":3.0'),
        (b'"start":3', b'"start":10000000000000000000'),
        (b'"score":1', b'"score":true'),
        (b'"score":1', b'"score":NaN'),
        (b'"score":1', b'"colour":1'),
        (b'"doc":"b"', b'"doc":"\\ud800"'),
        (b'"doc":"b"', b'"doc":null,"x":{"y":1}'),
        (b"\n{", b"\n\n{"),
        (b"\n{", b"\r\n{"),
        (b'{"topic":"2"', b'{"topic":2'),
        (b'{"topic":"2"', b'{"topic":2.5'),
        (b'{"topic":"2"', b'{"topic":true'),
        (b'{"topic":"2"', b'["topic","2"'),
        (b'{"topic":"1"', b'\xef\xbb\xbf{"topic":"1"'),
        (b'"doc":"b"', b'"doc":"\xff"'),
    ],
)
def test_an_irregular_file_is_left_to_the_line_reader(old, new):
    assert REGULAR.count(old) == 1
    assert read_bulk(REGULAR.replace(old, new)) is None


def test_both_readers_have_the_same_keys_and_types():
    from doxel.runs.jsonl_runs import _TYPES

    python = {str: pl.String, int: pl.Int64, float: pl.Float64}
    for name, key in jsonl_runs._KEYS.items():
        types, dtype = _TYPES[name]
        assert types == {python[python_type] for python_type in key.types}
        assert dtype == key.dtype
    assert list(_TYPES) == list(jsonl_runs._KEYS)


def test_lines_with_the_names_people_use_are_read(read):
    run = read(
        {
            "question": "Why?",
            "page_content": "Because.",
            "metadata": {"source": "a.txt", "start_index": 4},
            "score": 1,
        },
        {"question": "Who?", "page_content": "Nobody."},
    )
    assert run.results.select("topic", "doc", "start", "end", "text", "rsv").rows() == [
        ("Why?", "a.txt", 4, 12, "Because.", 1.0),
        ("Who?", "(no document)", None, None, "Nobody.", None),
    ]


def test_a_text_without_a_document_is_searched_whatever_the_keys_are_called(read):
    run = read(
        {"topic": "1", "rank": 1, "text": "Nobody."}, {"topic": "1", "doc": "a", "rank": 2, "text": "No."}
    )
    assert run.results["doc"].to_list() == ["(no document)", "a"]


def test_an_empty_text_needs_no_document_either(read):
    run = read({"topic": "1", "rank": 1, "text": "Nobody."}, {"topic": "1", "rank": 2, "text": ""})
    assert run.results["doc"].to_list() == ["(no document)"] * 2
    with pytest.raises(InputError, match="the doc of a result"):
        read({"topic": "1", "rank": 1})


def test_a_blank_cell_in_a_column_of_texts_is_an_empty_text(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("topic,rank,text\n1,1,Nobody.\n1,2,\n", encoding="utf-8")
    results = doxel.read_run(path).results
    assert results.select("doc", "text").rows() == [("(no document)", "Nobody."), ("(no document)", "")]


def test_an_end_follows_from_the_text_whatever_the_keys_are_called(read):
    """As for rows in Python: a start alone would be an entry point, which has no characters."""
    usual = {"topic": "1", "doc": "a", "start": 4, "text": "Été 😀."}
    records = [usual, {**usual, "end": 9}, {**usual, "start": -1}]
    assert read(*records).results["end"].to_list() == [10, 9, None]
    foreign = read(*({"qid": "1", "source": "a", **record} for record in records[:2]))
    assert foreign.results["end"].to_list() == [10, 9]
    on_page = read({**usual, "page": 3}).results
    assert on_page["path_end"].to_list() == ["/document[1]/page[3]/text()[1].10"]


def test_a_text_at_its_start_contradicts_nothing(tmp_path):
    documents = {"a": "One two. Three four five. One two."}
    path = tmp_path / "chunks.jsonl"
    for text, collection in [("One two.", None), ("One two.", documents), ("ONE TWO.", documents)]:
        path.write_text(json.dumps({"topic": "1", "doc": "a", "start": 26, "text": text}))
        result = doxel.evaluate(
            path, [("1", "a", 26, 34)], ["char_rec@5", "char_prec@5"], collection=collection
        )
        assert result.means["score"].to_list() == [1, 1]  # as for the tuple ("1", "a", 26, 34)
        assert not [warning for warning in result.warnings if warning.code in {"R108", "R404"}]
        if collection:
            assert result.alignments["how"].to_list() == ["offsets"]


def test_an_odd_value_under_another_name_is_an_error_with_its_line(read):
    with pytest.raises(InputError, match="line 2: the start of a result: wanted a whole number, found 'x'"):
        read(
            {"qid": "1", "source": "a", "start_index": 0, "end_index": 5},
            {"qid": "1", "source": "a", "start_index": "x"},
        )


@pytest.mark.parametrize(
    "nested", ['{"a":%s}', '{"topic": "1", "doc": [%s]}', '{"topic": "1", "x\\\\" : {"a": %s}}', " [%s]"]
)
@pytest.mark.parametrize("depth", [1, 300, 1000])
def test_nested_values_are_never_read_in_bulk(nested, depth, monkeypatch, tmp_path):
    """With 1,000 objects inside each other the bulk reader overflows its stack; with 300 it takes hours."""
    monkeypatch.setattr(pl, "read_ndjson", lambda *_, **__: pytest.fail("a nested value was read in bulk"))
    inner = "1"
    for _ in range(depth):
        inner = f'{{"a":{inner}}}'
    path = tmp_path / "deep.jsonl"
    path.write_text('{"topic": "1", "doc": "a"}\n' + nested % inner + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"deep\.jsonl, line 2"):
        read_run(path)


def test_brackets_in_texts_do_not_hinder_the_bulk_reader():
    line = b'{"topic": "1", "doc": "a", "text": "see [1], {x}: [2] and \\"b\\" (c)"}\n'
    assert read_bulk(line * 2) is not None


# The same two results of a question, and one of another, as programs write them.
QUESTIONS = {"q1": ["the first", "the second"], "q2": ["another"]}
LISTS = {
    "lines with texts": "".join(
        f"{json.dumps({'question': question, 'contexts': texts})}\n" for question, texts in QUESTIONS.items()
    ),
    "lines of ragas": "".join(
        f"{json.dumps({'user_input': question, 'retrieved_contexts': texts, 'reference': 'an answer'})}\n"
        for question, texts in QUESTIONS.items()
    ),
    "lines with objects": "".join(
        f"{json.dumps({'query': question, 'results': [{'text': text, 'score': 0.5} for text in texts]})}\n"
        for question, texts in QUESTIONS.items()
    ),
    "a list": json.dumps(
        [{"topic": question, "chunks": texts} for question, texts in QUESTIONS.items()], indent=2
    ),
    "a list of results": json.dumps(
        [{"topic": question, "text": text} for question, texts in QUESTIONS.items() for text in texts]
    ),
    "an object": json.dumps(QUESTIONS),
    "an object on several lines": json.dumps(QUESTIONS, indent=1),
}


@pytest.mark.parametrize("name", LISTS)
def test_the_results_of_a_question_may_be_listed_together(tmp_path, name):
    (tmp_path / "a.json").write_text(LISTS[name])
    run = read_run(tmp_path / "a.json")
    texts = [(topic, text) for topic, texts in QUESTIONS.items() for text in texts]
    assert run.results.select("topic", "text").rows() == texts
    if name != "a list of results":
        assert run.results["rank"].to_list() == [1, 2, 1]


def test_names_of_documents_in_one_line_are_not_mixed_up(tmp_path):
    rows = [
        {
            "question": "why?",
            "contexts": [{"text": "a", "source": "/x/a.txt"}, {"text": "b", "source": "/x/b.txt"}],
        },
        {"question": "how?", "contexts": [{"text": "b", "source": "/x/b.txt"}]},
    ]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    gold = [("why?", "b", 0, 1), ("how?", "b", 0, 1)]
    result = doxel.evaluate(
        tmp_path / "a.json", gold, ["char_rec@1", "char_rec@2"], collection={"a": "a", "b": "b"}
    )
    assert result.scores.select("topic", "measure", "score").sort("measure", "topic").rows() == [
        ("how?", "char_rec@1", 1.0),
        ("why?", "char_rec@1", 0.0),
        ("how?", "char_rec@2", 1.0),
        ("why?", "char_rec@2", 1.0),
    ]
    assert result.alignments.height == 3


@pytest.mark.parametrize("names", [{"doc": "a"}, {"source": "a"}, {"qid": "1", "id": "a"}], ids=str)
def test_a_list_in_a_result_is_not_a_list_of_results(read, names):
    run = read({"topic": "1", "score": 2, "passages": ["some", "words"], **names})
    assert run.results.select("topic", "doc", "text").rows() == [("1", "a", None)]


def test_listed_results_keep_their_documents_and_their_order(read):
    results = [
        {"text": "b", "source": "/data/b.txt", "score": 0.1},
        {"text": "a", "source": "a.txt", "score": 0.9},
    ]
    run = read({"question": "why?", "documents": results}, {"question": "how?", "documents": []})
    documents = {"a": "x a x", "b": "x b x"}
    gold = [{"topic": "why?", "doc": "b", "start": 2, "end": 3}]
    result = doxel.evaluate(run, gold, "char_rec@1", collection=documents)
    assert result.means["score"].item() == 1.0  # the first of the list, whatever its score


@pytest.mark.parametrize(
    ("content", "line", "wanted", "found"),
    [
        (
            '{"user_inpt": "1", "contexts": ["a"]}',
            1,
            'a key "topic" or "question"',
            "'user_inpt', 'contexts'",
        ),
        ('{"question": "1", "answer": "a"}', 1, 'a list "contexts" of texts', "'question', 'answer'"),
        ('{"question": "1", "contexts": ["a", 5]}', 1, "a string", "5"),
        (
            '{"query": "1", "texts": ["a"]}\n{"query": "1", "texts": ["b"]}',
            2,
            "one list",
            "a second list for '1'",
        ),
        ('[{"topic": "1", "text": "a"},\n {"topic": "1", "text": 5}]', 2, "a string", "5"),
        ('[{"topic": "1", "text": "a"},\n 5]', 2, "a JSON object", "5"),
        ('[{"topic": "1", "text": "a"},\n]', 2, "a JSON list", "Expecting"),
        ('[{"topic": "1", "text": "a"}] x', 1, "a JSON list", "Extra data"),
    ],
)
def test_lists_that_cannot_be_read_are_reported(tmp_path, content, line, wanted, found):
    (tmp_path / "a.json").write_text(content)
    with pytest.raises(InputError) as caught:
        read_run(tmp_path / "a.json")
    assert caught.value.line == line
    assert wanted in caught.value.wanted
    assert found in caught.value.found


def test_a_file_of_chunks_is_not_a_run(tmp_path):
    (tmp_path / "chunks.jsonl").write_text('{"doc": "a", "start": 0, "end": 9, "text": "x"}\n')
    with pytest.raises(InputError, match=r'wanted a key "topic" or "question" \(a file of chunks .*--chunks'):
        read_run(tmp_path / "chunks.jsonl")
