"""Errors: one tree, one sentence each, and pickling."""

import ast
import pickle
from pathlib import Path

import pytest

import doxel
from doxel import errors
from syntax import find_statements

EXAMPLES = [
    errors.DoxelError("something"),
    errors.InputError("a line", file="a.run", line=3, wanted="8 columns", found="7"),
    errors.InputError("a line"),
    errors.MarkupError("not XML", file="a.xml", line=1, wanted="an XML document", found="'PNG'"),
    errors.QueryError("a query", query="//a[", position=4, file="t.xml", line=2, wanted="x", found="y"),
    errors.UnscoredRunError("mine: other ids", run="mine", code="R406", wanted="a", found="b"),
    errors.CollectionError("c: does not exist"),
    errors.MeasureError("no measure 'x'"),
    errors.RequirementError("the run overlaps"),
    errors.MissingExtraError("reading .zst files", "zst"),
    errors.RefusedError(404, "not-found", "there is no such pool", {"pool": 3}, {"retry-after": "1"}),
    errors.BusyError("too much is waiting"),
]


def test_every_error_class_has_an_example():
    classes = {getattr(errors, name) for name in errors.__all__} - {errors.DoxelWarning}
    assert {type(example) for example in EXAMPLES} == classes
    assert all(issubclass(error, errors.DoxelError) for error in classes)


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
def test_errors_survive_pickling_with_their_fields(error, protocol):
    again = pickle.loads(pickle.dumps(error, protocol))  # noqa: S301
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert again.args == error.args
    assert vars(again) == vars(error)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({}, "a problem"),
        ({"file": "a.run"}, "a.run: a problem"),
        ({"file": "a.run", "line": 3}, "a.run, line 3: a problem"),
        ({"line": 3}, "line 3: a problem"),
        ({"wanted": "8 columns"}, "a problem: wanted 8 columns"),
        ({"found": "7"}, "a problem: found 7"),
        ({"file": "a", "line": 1, "wanted": "x", "found": "y"}, "a, line 1: a problem: wanted x, found y"),
    ],
)
def test_an_input_error_is_one_sentence(fields, sentence):
    assert str(errors.InputError("a problem", **fields)) == sentence


def test_all_errors_are_in_one_file():
    """A class that derives from an error, outside errors.py, would be missing from the tree drawn there."""
    elsewhere = [
        f"{path}: {node.name}"
        for path in Path(doxel.__file__).parent.rglob("*.py")
        if path.name != "errors.py"
        for node in find_statements(path)
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")  # private ones are caught inside
        for base in node.bases
        if (base.id if isinstance(base, ast.Name) else getattr(base, "attr", "")).endswith(
            ("Error", "Exception")
        )
    ]
    assert elsewhere == []


def test_a_message_contains_no_terminal_escapes():
    error = errors.InputError("run \x1b[2J", file="a\rb", wanted="x", found="\ud800")
    assert str(error) == r"a\rb: run \x1b[2J: wanted x, found \ud800"
    assert error.file == "a\rb"
    assert str(errors.CollectionError("\x1b]0;title\x07")) == r"\x1b]0;title\x07"


def test_a_message_shortens_a_long_found_value():
    message = str(errors.InputError("a value", wanted="a number", found="9" * 10_000))
    assert message.startswith("a value: wanted a number, found 9999")
    assert message.endswith("999...")
    assert len(message) < 400
