"""Custom functions that fail or return invalid values are reported in one sentence, with their line."""

import pytest

from documents.commands import doxel as command
from documents.commands import write_files

OWN = """\
def fails(*arguments):
    return 1 / 0

def leaves(*arguments):
    raise SystemExit(7)

def alone():
    return 1

def says_nothing(*arguments):
    return None

def says_words(*arguments):
    return "hello"

def goes_too_far(*arguments):
    return [(0, 10**30), (10**30, 5)]

def with_ideal(results, targets):
    return [[1.0] * targets.height] * results.height

with_ideal.ideal = lambda targets: "hello"
"""


@pytest.fixture
def folder(tmp_path):
    files = {
        "sources/d.xml": "<a><p>some words</p></a>",
        "gold.jsonl": '{"topic": "1", "doc": "d", "start": 0, "end": 4}\n',
        "a.run": "1 Q0 d 1 1 r /a[1]/p[1]\n",
        "own.py": OWN,
        "quits.py": "raise SystemExit(3)\n",
    }
    write_files(tmp_path, files)
    assert command("ingest", tmp_path / "sources", "-o", tmp_path / "c").status == 0
    return tmp_path


def asked(folder, kind, name, file="own.py"):
    files = ("-a", folder / "gold.jsonl", "-c", folder / "c")
    own = f"{folder / file}:{name}"
    if kind == "chunker":
        return command("chunks", *files, own)
    measure = f"GR(model={name})@5" if kind == "user model" else f"token_rec(tokens={name})@5"
    option = "--model" if kind == "user model" else "--tokeniser"
    return command("evaluate", *files, option, own, "-m", measure, folder / "a.run")


@pytest.mark.parametrize("kind", ["user model", "tokeniser", "chunker"])
@pytest.mark.parametrize(
    ("name", "where", "found"),
    [
        ("fails", ", line 2", "found ZeroDivisionError: division by zero"),
        ("leaves", ", line 5", "found SystemExit: 7"),
        ("alone", "", "found TypeError: alone() takes 0 positional arguments but"),
    ],
)
def test_an_exception_is_reported_with_its_line(folder, kind, name, where, found):
    outcome = asked(folder, kind, name)
    assert outcome.status == 2
    (message,) = (line for line in outcome.messages if "failed" in line)
    assert message.startswith(f"doxel: {folder / 'own.py'}{where}: {kind} ")
    assert found in message


@pytest.mark.parametrize(
    ("kind", "name", "message"),
    [
        ("user model", "says_nothing", "wanted an array of 1 x 2 (results x targets), found None"),
        ("user model", "says_words", "wanted numbers, found 'hello'"),
        ("user model", "with_ideal", "the ideal of user model 'with_ideal': wanted a frame, found 'hello'"),
        ("tokeniser", "says_nothing", "wanted spans (start, end), found None"),
        ("tokeniser", "goes_too_far", "wanted spans (start, end), found [(0, 1000"),
        ("chunker", "says_nothing", "wanted spans (start, end), or texts, found None"),
        ("chunker", "goes_too_far", "wanted spans (start, end), or texts, found [(0, 1000"),
    ],
)
def test_an_invalid_return_value_is_reported(folder, kind, name, message):
    outcome = asked(folder, kind, name)
    assert outcome.status == 2
    assert message in outcome.messages[-1]


def test_a_file_that_calls_exit_does_not_end_the_program(folder):
    outcome = asked(folder, "user model", "any", "quits.py")
    assert outcome.status == 2
    assert "the file of a user model does not run: found SystemExit(3)" in outcome.messages[-1]
