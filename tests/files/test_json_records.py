"""JSON files whose objects know their lines."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxel.errors import InputError
from doxel.files.json_records import JsonFile, dump_records, load_records

KEYS = st.text("ab{}\"\\\n'", max_size=3)
VALUES = st.recursive(
    st.none() | st.integers() | st.text('a{}"\\\n', max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


def list_objects(value):
    if isinstance(value, dict):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from list_objects(item)


@given(value=st.dictionaries(KEYS, VALUES, max_size=4), indent=st.sampled_from([None, 1]))
def test_every_object_has_the_line_on_which_it_begins(value, indent):
    text = json.dumps(value, indent=indent)
    file = JsonFile(text.encode(), "x", wanted="an object")
    lines = text.split("\n")
    for record in list_objects(file.content):
        line = file.find_line(record)
        assert "{" in lines[line - 1]
    line_numbers = [file.find_line(record) for record in list_objects(file.content)]
    assert line_numbers == sorted(line_numbers)


def test_braces_in_texts_open_nothing():
    file = JsonFile(b'[{"a": "{\\"{"},\n\n{"b": {"c": 1}}]', "x", wanted="a list")
    first, second = file.content
    assert [file.find_line(record) for record in (first, second, second["b"])] == [1, 3, 3]


@pytest.mark.parametrize(
    ("data", "line", "found"),
    [
        (b"{", 1, "Expecting property name"),
        (b'{"a":\n 1,}', 2, ""),
        (b'{"a": NaN}', 1, "found NaN, which is not JSON"),
        (b'{"a": ' + b"9" * 5000 + b"}", 1, "found a number of too many digits"),
        (b"[" * 100_000, 1, "found lists or objects nested too deeply"),
        (b'{"a": 1, "a": 2}', None, "'a' twice"),
        (b'{"a": "\\ud800"}', 1, "half of a surrogate pair"),
    ],
)
def test_invalid_json_is_an_error_with_its_line(data, line, found):
    with pytest.raises(InputError) as caught:
        JsonFile(data, "x.json", wanted="an object")
    assert (caught.value.file, caught.value.line) == ("x.json", line)
    assert found in str(caught.value)


@pytest.mark.parametrize(
    ("record", "kind", "wanted"),
    [
        ({"a": 1}, str, "a text"),
        ({"a": -1}, int, "a whole number, 0 or more"),
        ({"a": True}, int, "a whole number, 0 or more"),
        ({}, list, "a list"),
    ],
)
def test_a_value_of_another_type_is_an_error(record, kind, wanted):
    file = JsonFile(b"\n" + json.dumps(record).encode(), "x", wanted="an object")
    with pytest.raises(InputError) as caught:
        file.take(file.content, "a", kind, owner="thing")
    assert (caught.value.line, caught.value.wanted, caught.value.problem) == (2, wanted, "the a of the thing")


def test_lists_contain_objects_or_texts_only():
    file = JsonFile(b'{"a": [1], "b": ["x"]}', "x", wanted="an object")
    assert file.take_texts(file.content, "b") == ["x"]
    for take in (file.take_objects, file.take_texts):
        with pytest.raises(InputError, match=r"x, line 1: the a of the object: wanted a list of .*found 1"):
            take(file.content, "a")


def test_an_id_that_occurs_twice_is_an_error():
    file = JsonFile(b'[{"id": 1},\n{"id": "1"}]', "x", wanted="a list")
    with pytest.raises(
        InputError, match="x, line 2: '1' occurs twice: wanted each id once, found another in line 1"
    ):
        file.check_unique(file.content, file.read_id)


def test_records_survive_as_lines():
    records = [{"a": "x\ny"}, {"b": [1, None]}]
    assert load_records(dump_records(records)) == records
