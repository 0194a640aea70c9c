"""Wrong types in any argument of the public interface are reported in doxel's own words."""

import functools
import inspect
import math
import multiprocessing
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Literal

import numpy as np
import polars as pl
import pytest

import doxel
from doxel.arguments import check_argument, check_arguments
from doxel.campaign.configuration import create_campaign
from doxel.errors import DoxelError, InputError
from doxel.tables import Column, Table
from fuzz import seeds
from fuzz.targets import fruit

pytestmark = pytest.mark.usefixtures("own_table")

WRONG = (
    *(
        None,
        0,
        -1,
        3.5,
        math.nan,
        math.inf,
        10**400,
        10**5000,
        True,
        b"bytes",
        b"\xff",
        "",
        "x\0y",
        "\ud800",
        1j,
    ),
    *([], [None], [1], [[1]], [b"a"], {}, {"a": 1}, {1: None}, (1, 2, 3), set(), range(3), object(), int),
    *(np.zeros((2, 3)), np.nan, pl.DataFrame(), pl.DataFrame({"a": [1]}), pl.Series([1])),
    *([("1", "d", 0)], [("1", "d", -5, None)], [("1", "d", 1e308, 2)]),
)


def _count_results(results, gold):
    return len(results) / len(gold)


def _reach_nothing(results, targets):
    return np.zeros((results.height, targets.height))


@pytest.fixture(scope="module")
def things(tmp_path_factory):
    """An object of every public class, and arguments that fit every public function."""
    folder = tmp_path_factory.mktemp("things")
    for name, text in (("a.run", seeds.RUNS["fol.run"]), ("a.qrels", seeds.ASSESSMENTS["inex.qrels"])):
        (folder / name).write_text(text)
    (folder / "t.tsv").write_text(seeds.TOPICS["topics.tsv"])
    collection = doxel.read_collection(fruit() / "fruit.doxel")
    run, judged = doxel.read_run(folder / "a.run"), doxel.read_assessments(folder / "a.qrels")
    topics, gold = doxel.read_topics(folder / "t.tsv"), [("1", "apples", 6, 26)]
    pooled = doxel.pool([run], collection=collection, depth=5)
    doxel.write_pool(pooled, folder / "pool.jsonl")
    evaluation = doxel.evaluate([run], judged, ["MAiP"], collection=collection)
    evaluation.save(folder / "result.json")
    objects = {
        "Collection": collection,
        "Document": collection["apples"],
        "Topics": topics,
        "Topic": next(iter(topics)),
        "Run": run,
        "Assessments": judged,
        "Evaluation": evaluation,
        "ChunkComparison": doxel.compare_chunkings(collection, gold, ["characters:20"]),
        "Pool": pooled,
        "Campaign": create_campaign(folder / "campaign", name="x"),
        "DoxelWarning": doxel.DoxelWarning("a guess"),
    }
    arguments = {
        "ingest": {"sources": folder / "t.tsv", "output": folder / "c.doxel"},
        "read_collection": {"folder": collection.folder},
        "align": {"texts": ["ripe apples"], "documents": collection},
        "read_topics": {"paths": folder / "t.tsv"},
        "write_topics": {"topics": topics, "path": folder / "out", "format": "jsonl"},
        "read_run": {"path": folder / "a.run"},
        "write_run": {"run": run, "path": folder / "out", "format": "jsonl"},
        "read_assessments": {"paths": folder / "a.qrels"},
        "write_assessments": {"assessments": judged, "path": folder / "out", "format": "jsonl"},
        "measure": {"function": _count_results},
        "user_model": {"function": _reach_nothing},
        "run_retriever": {"retriever": lambda question: [question], "questions": ["ripe apples"]},
        "load_result": {"path": folder / "result.json"},
        "gate": {"result": evaluation, "baseline": folder / "result.json"},
        "audit": {"measures": "char_rec", "cases": 2},
        "recall_base": {"assessments": judged, "collection": collection},
        "evaluate": {"runs": [run], "assessments": judged, "measures": ["MAiP"], "collection": collection},
        "compare_chunkings": {"collection": collection, "gold": gold, "chunkings": ["characters:20"]},
        "pool": {"runs": [run], "collection": collection, "depth": 5},
        "read_pool": {"paths": folder / "pool.jsonl"},
        "write_pool": {"pool": pooled, "path": folder / "out"},
        "read_campaign": {"path": folder / "campaign"},
        "Evaluation.explain": {"run": "a", "topic": "1", "measure": "MAiP"},
    }
    return objects, arguments


# The caller's own function fails, and names itself.
CALLER_FAULTS = {("read_run", "reader", int), ("run_retriever", "retriever", int)}


def _is_quiet(call, *arguments, **keywords):
    """Return None if a call succeeds or raises an error of doxel, else the error."""
    try:
        call(*arguments, **keywords)
    except DoxelError as error:
        str(error)
    except BaseException as error:  # noqa: BLE001 -- a panic of Polars is not an Exception
        return f"{type(error).__name__}: {error}"[:200]
    return None


def _try_all(name, call, keywords):
    faults = {}
    for parameter in inspect.signature(call).parameters.values():
        if parameter.kind in {parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL}:
            continue
        for number, value in enumerate(WRONG):
            required = {
                other.name: value
                for other in inspect.signature(call).parameters.values()
                if other.default is other.empty and other.kind is not other.VAR_KEYWORD
            }
            fault = _is_quiet(call, **{**required, **keywords, parameter.name: value})
            if fault and (name, parameter.name, value) not in CALLER_FAULTS:
                faults[parameter.name, number] = fault
    return faults


FUNCTIONS = [name for name in doxel.__all__ if name[0].islower()]
CLASSES = [name for name in doxel.__all__ if name[0].isupper()]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_reports_wrong_types(name, things, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # strings are names of files to write, too
    assert _try_all(name, getattr(doxel, name), things[1][name]) == {}


@pytest.mark.parametrize("name", CLASSES)
def test_a_public_class_reports_wrong_types(name, things, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    instance = things[0][name]
    assert _try_all(name, type(instance), {}) == {}
    for method_name, method in inspect.getmembers(type(instance), inspect.isfunction):
        if method_name.startswith("_") and method_name != "__getitem__":
            continue
        full_name = f"{name}.{method_name}"
        bound = functools.partial(method, instance)
        assert _try_all(full_name, bound, things[1].get(full_name, {})) == {}, full_name


def test_numbers_of_documents_and_elements_are_checked(things):
    collection, document = things[0]["Collection"], things[0]["Document"]
    for call in (
        collection.text,
        collection.attributes,
        collection.breaks,
        lambda number: collection.forest([number]),
    ):
        with pytest.raises(DoxelError, match="none with number 99,999"):
            call(99_999)
    for call in (document.path, document.span, document.parent, document.children, document.attributes):
        with pytest.raises(DoxelError, match="no element with number -1"):
            call(-1)


ACCEPTED = [
    (3, int),
    (np.int64(3), int),
    (3, float),
    (np.float32(0.5), float),
    (True, bool),
    ("é", str),
    (None, int | None),
    (["a"], Sequence[str]),
    (("a",), Sequence[str]),
    ({"a": "b"}, Mapping[str, str]),
    (len, Callable[[str], int]),
    ("a", Literal["a", "b"]),
    (np.array([1, 2]), Sequence[int]),
    (range(3), Sequence[int]),
]
REFUSED = [
    (True, int, "a whole number"),
    (2**63, int, "a whole number"),
    (math.nan, float, "a finite number"),
    (10**400, float, "a finite number"),
    (1, bool, "True or False"),
    (b"a", str, "a string"),
    ("\ud800", str, "a string"),
    ("abc", Sequence[str], "a sequence with a string each"),
    ([1], Sequence[str], "a sequence with a string each"),
    ([("a", "b")], Mapping[str, str], "a dictionary"),
    ("c", Literal["a", "b"], "a or b"),
    (3, int | str | None, None),
    ([1.5], Sequence[int], "an array of whole numbers"),
    (3.5, int | None, "a whole number or None"),
]


@pytest.mark.parametrize(("value", "annotation"), ACCEPTED)
def test_values_that_fit_are_accepted(value, annotation):
    check_argument("x", value, annotation)


@pytest.mark.parametrize(("value", "annotation", "wanted"), [case for case in REFUSED if case[2]])
def test_values_that_do_not_fit_are_refused_with_the_expected_kind(value, annotation, wanted):
    with pytest.raises(InputError) as caught:
        check_argument("x", value, annotation)
    assert caught.value.wanted == wanted


def test_a_checked_function_keeps_its_signature_and_defaults():
    marker = object()

    @check_arguments
    def shorten(text: str, *more: str, size: int = marker) -> tuple:
        return text, more, size

    assert list(inspect.signature(shorten).parameters) == ["text", "more", "size"]
    assert shorten("a", "b") == ("a", ("b",), marker)
    with pytest.raises(InputError, match="more: wanted a string, found 1"):
        shorten("a", 1)


FORKING = """
import multiprocessing, doxel
def work(number):
    return doxel.evaluate([("1", "a", 0, 9)], [("1", "a", 0, 5)], ["char_rec@5"]).scores.height
work(0)
with multiprocessing.get_context("fork").Pool(2) as pool:
    try:
        pool.map_async(work, [1, 2]).get(100)
    except doxel.errors.DoxelError as error:
        print(error)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_forked_pool_gets_an_error_instead_of_hanging():
    process = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", "import doxel.errors" + FORKING],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert "forked from one that had used doxel" in process.stdout
    assert "get_context('spawn')" in process.stdout


RESULTS_IN_A_FORK = """
import os, sys, doxel
runs = {"near": [("1", "a", 0, 9)], "far": [("1", "a", 4, 9)]}
result = doxel.evaluate(runs, [("1", "a", 0, 5)], ["char_rec@5"])
comparison, verdict = result.compare(), doxel.gate(result, result, run="far", baseline_run="near")
audit = doxel.audit("char_rec", cases=20)
explanation = result.explain(next(iter(result.answered)), "1", "char_rec@5")
topics = doxel.Topics.of([doxel.Topic("1")])
uses = {
    "a property": lambda: result.means,
    "a notebook": lambda: explanation._repr_html_(),
    "a method of an explanation": lambda: explanation.to_html(),
    "a loop": lambda: list(topics),
    "a comparison": lambda: comparison.pairs,
    "a gate": lambda: str(verdict),
    "an audit": lambda: audit.to_html(),
}
for name, use in uses.items():
    if os.fork():
        os.wait()
        continue
    try:
        use()
    except doxel.errors.DoxelError as error:
        print(name, error, flush=True)
    os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.integration
def test_results_raise_an_error_in_a_forked_process():
    process = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", "import doxel.errors" + RESULTS_IN_A_FORK],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert process.stdout.count("forked from one that had used doxel") == 7, process.stdout


def _evaluate_once(number):
    return doxel.evaluate([("1", "a", 0, 9)], [("1", "a", 0, number)], ["char_rec@5"]).scores.height


def test_a_spawned_pool_works_after_an_evaluation():
    assert _evaluate_once(5) == 1
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map_async(len, ["ab"]).get(300) == [2]


class Items:
    """An iterable of the user's own, without a length."""

    def __init__(self, *items):
        self.items = items

    def __iter__(self):
        return iter(self.items)


def _evaluate_two():
    runs = {"a": {"1": {"d": 2, "e": 1}}, "b": {"1": {"e": 2, "d": 1}}}
    return doxel.evaluate(runs, GRADES, "AP")


HUGE, LISTS = {"1": {"d": 10**400}}, [{"topic": "1", "doc": [1]}]
GRADES = {"1": {"d": 1}}
SCALAR = np.array(3)  # an array without dimensions, which cannot be iterated over
ODD_CALLS = {
    "a huge score": lambda: doxel.evaluate(HUGE, GRADES, "AP"),
    "a huge grade": lambda: doxel.evaluate(GRADES, HUGE, "AP"),
    "a list as id in a run": lambda: doxel.evaluate(LISTS, GRADES, "AP"),
    "a list as id in gold": lambda: doxel.evaluate(GRADES, LISTS, "AP"),
    "a scalar as runs": lambda: doxel.evaluate(SCALAR, GRADES, "AP"),
    "a scalar as measures": lambda: doxel.evaluate(GRADES, GRADES, SCALAR),
    "a scalar as chunks": lambda: doxel.evaluate(GRADES, GRADES, "AP", chunks=SCALAR),
    "very many jobs": lambda: doxel.evaluate(GRADES, GRADES, "AP", jobs=2**31),
    "a number as cluster": lambda: doxel.evaluate(GRADES, GRADES, "AP", cluster="-5"),
    "topics that are strings": lambda: doxel.Topics.of(name for name in "ab"),
    "paths that are numbers": lambda: doxel.read_topics(Items(7)),
    "paths that are huge": lambda: doxel.read_assessments(Items(10**30)),
    "paths that are objects": lambda: doxel.read_pool(Items({"a": 1})),
    "sources that are lists": lambda: doxel.ingest(Items(["a"]), "out"),
    "names that are numbers": lambda: _evaluate_two().select_runs(Items("a", 10**30)),
    "names that are tables": lambda: _evaluate_two().select_runs(Items(pl.DataFrame({"a": [1]}))),
    "a number of resamples": lambda: _evaluate_two().compare(resamples="5"),
    "a level of a comparison": lambda: _evaluate_two().compare(level=object()),
    "a level of a picture": lambda: _evaluate_two().plot("means", level=_evaluate_two()),
    "an impossible level of a picture": lambda: _evaluate_two().plot("means", level=7),
    "a seed of a report": lambda: _evaluate_two().report("report", seed=("a",)),
    "an impossible level of a report": lambda: _evaluate_two().report("report", level=np.int8(3)),
    "no resamples of a report": lambda: _evaluate_two().report("report", resamples=0),
    "no depth of a report": lambda: _evaluate_two().report("report", depth=0),
    "a long name of a campaign": lambda: doxel.read_campaign("x" * 5000),
    "a long name of a folder": lambda: doxel.evaluate(GRADES, GRADES, "AP").report("x" * 5000),
}


@pytest.mark.parametrize("call", ODD_CALLS.values(), ids=ODD_CALLS)
def test_odd_values_inside_arguments_are_input_errors(call):
    with pytest.raises(DoxelError):
        call()


def test_an_iterable_of_the_user_is_read_once_and_passed_on_as_a_list():
    @check_arguments
    def join(words: str | Sequence[str], *others: Sequence[str]) -> list[object]:
        return [words, *others]

    assert join("ab", iter("cd"), Items("e")) == ["ab", ["c", "d"], ["e"]]
    with pytest.raises(InputError, match=r"words: wanted .*, found \['a', 1\]"):
        join(Items("a", 1))
    with pytest.raises(TypeError, match="unexpected keyword"):
        join("a", sep=" ")


def test_a_fraction_is_passed_on_as_a_float():
    @check_arguments
    def double(number: float) -> float:
        return 2 * number

    assert repr(double(Fraction(1, 4))) == "0.5"


@pytest.mark.parametrize("name", [b"\xff", b"\xff.qrels", b"\xff.jsonl", b"\xff.xml"])
def test_a_file_name_that_is_not_utf8_is_an_input_error(name, tmp_path):
    path = tmp_path / os.fsdecode(name)
    content = {".jsonl": '{"topic": "1", "doc": "d", "start": 0, "end": 2}\n', ".xml": "<x/>"}
    path.write_text(content.get(path.suffix, seeds.ASSESSMENTS["inex.qrels"]), encoding="utf-8")
    with pytest.raises(InputError):
        doxel.read_assessments(path)


def test_a_text_that_cannot_be_encoded_does_not_fit_a_table():
    with pytest.raises(InputError, match="pairs: wanted texts without surrogate characters"):
        Table("pairs", (Column("a", pl.String, "a text"),)).from_rows([{"a": "\ud83d"}])
