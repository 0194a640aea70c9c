"""Custom functions that fail or return invalid values are reported in one sentence, with their line."""

from __future__ import annotations

import pickle
import sys

import numpy as np
import polars as pl
import pytest

from documents.commands import doxel as command
from documents.commands import write_files
from doxel.assessments import Assessments
from doxel.assessments.assessments import HIGHLIGHTS, JUDGED
from doxel.documents import read_collection
from doxel.documents.ingestion import ingest
from doxel.errors import InputError, MeasureError
from doxel.evaluation import evaluate
from doxel.evaluation.inputs.custom_functions import OwnModel, user_model
from doxel.runs import RESULTS, Run
from doxel.usermodels import CUSTOM_MODELS

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
        ("user model", "says_nothing", "wanted an array of 1 x 1 (results x targets), found None"),
        ("user model", "says_words", "wanted numbers, found 'hello'"),
        ("user model", "with_ideal", "the ideal of user model 'with_ideal': wanted a frame, found 'hello'"),
        ("tokeniser", "says_nothing", "wanted spans (start, end), found None"),
        ("tokeniser", "goes_too_far", "wanted spans (start, end), found [(0, 1000"),
        ("chunker", "says_nothing", "of spans (start, end), or of chunks with a text or offsets, found None"),
        ("chunker", "goes_too_far", "or of chunks with a text or offsets, found (0, 1000"),
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


def run_of(*results: dict, task: str | None = None) -> Run:
    rows = [{"topic": "1", "rank": rank, **result} for rank, result in enumerate(results, 1)]
    return Run("run", RESULTS.fit(pl.DataFrame(rows, infer_schema_length=None)), task=task)


def collection_of(tmp_path, **documents: str):
    for name, markup in documents.items():
        (tmp_path / f"{name}.xml").write_text(markup, encoding="utf-8")
    ingest([str(tmp_path / f"{name}.xml") for name in documents], str(tmp_path / "collection"))
    return read_collection(tmp_path / "collection")


def score(measure, run, assessments, **options):
    return evaluate(run, assessments, measure, **options).means["score"].item()


def two_targets(results: pl.DataFrame, targets: pl.DataFrame) -> np.ndarray:
    """The worked example as a user model: the n-th result reaches the two targets by its row."""
    table = {0: (0.8, 0.0), 1: (0.5, 0.4), 2: (0.0, 1.0)}
    return np.array([table[int(start)] for start in results["start"]]).reshape(results.height, targets.height)


@pytest.fixture
def two(tmp_path):
    collection = collection_of(tmp_path, d="<a><p>aa</p><p>bb</p></a>")
    spans = [{"topic": "1", "doc": "d", "start": start, "end": start + 2} for start in (0, 2)]
    assessments = Assessments(
        "2006", JUDGED.from_rows([{"topic": "1", "doc": "d"}]), highlights=HIGHLIGHTS.from_rows(spans)
    )
    results = [{"doc": "d", "start": n, "end": n + 1} for n in range(3)]
    return run_of(*results), assessments, {"collection": collection, "models": [two_targets]}


def test_custom_models_are_used_by_name(two):
    run, assessments, options = two
    common = 'model="two_targets", base="ideal", tie="descendant"'
    prum = [score(f"PRUM_P({common})@{x}", run, assessments, **options) for x in (0.5, 1)]
    assert prum == pytest.approx([50 / 63, 2 / 3])
    seen = [1 - (1 - 0.8) * 0.5, 1.0]
    assert score(f"GR({common})@3", run, assessments, **options) == pytest.approx(sum(seen) / 2)
    # the model defines no ideal list, so it is compared with one target per rank
    assert score(f"EPRUM({common})", run, assessments, **options) == pytest.approx(161 / 200)
    graded = score(f"EPRUM({common}, binary=False)", run, assessments, **options)
    assert graded == pytest.approx(161 / 200)


def test_an_ideal_list_that_never_surely_reaches_a_target_is_the_reason_for_no_score(two):
    def timid(results, targets):
        return np.full((results.height, targets.height), 0.5)

    timid.ideal = lambda targets: targets.drop("weight")
    run, assessments, options = two
    measures = ["EPRUM(model=timid)", "GR(model=timid)@3", "MAiP(task=thorough)"]
    result = evaluate(run, assessments, measures, collection=options["collection"], models=[timid])
    assert result.scores["score"].is_nan().to_list() == [True, False, False]
    reason = (
        'run: EPRUM(model="timid"): no score for 1 topic (1): '
        "the ideal list of the user model timid does not surely reach every target"
    )
    assert reason in result.warnings
    assert not any("nothing to find" in warning for warning in result.warnings)


def test_custom_models_work_on_texts_without_elements():
    def start(results, targets):
        return np.equal.outer(results["start"].to_numpy(), targets["start"].to_numpy()) * 0.5

    gold = [("1", "d", 0, 10), ("1", "d", 30, 40)]
    result = evaluate([("1", "d", 30, 31)], gold, "GR(model=start)@1", models=[start])
    assert result.means["score"].item() == pytest.approx(0.25)


def test_custom_models_may_be_in_files(two, tmp_path):
    run, assessments, options = two
    file = tmp_path / "mine.py"
    file.write_text(
        "import numpy as np\n"
        "def half(results, targets):\n    return np.full((results.height, targets.height), 0.5)\n"
        "def wrong(results, targets):\n    return np.ones(3)\n"
        "def beyond(results, targets):\n    return np.full((results.height, targets.height), 1.5)\n"
    )
    common = 'base="ideal", tie="descendant"'

    def with_model(name):
        options["models"] = [f"{file}:{name}"]
        return score(f'GR(model="{name}", {common})@3', run, assessments, **options)

    assert with_model("half") == pytest.approx(7 / 8)
    with pytest.raises(MeasureError, match=r"wanted an array of 3 x 2 \(results x targets\), found one of 3"):
        with_model("wrong")
    with pytest.raises(MeasureError, match="probabilities from 0 to 1"):
        with_model("beyond")
    with pytest.raises(InputError, match=r"wanted a function missing\(results, targets\)"):
        with_model("missing")
    options["models"] = ["nowhere.py:x"]
    with pytest.raises(InputError, match="no such file"):
        score("GR@1", run, assessments, **options)
    options["models"] = []
    with pytest.raises(
        MeasureError,
        match="unknown user model 'nobody'; available: identity, parent, child, sibling, bep_distance",
    ):
        score("GR(model=nobody)@1", run, assessments, **options)


@pytest.fixture
def own_models():
    """Let a test mark models of its own, and forget them afterwards."""
    before = dict(CUSTOM_MODELS)
    CUSTOM_MODELS.clear()
    yield
    CUSTOM_MODELS.clear()
    CUSTOM_MODELS.update(before)


@pytest.mark.usefixtures("own_models")
class TestMarkedModels:
    GOLD = (("1", "d", 0, 10), ("1", "d", 30, 40))
    RUN = (("1", "d", 30, 31),)

    def test_a_marked_function_is_known_by_its_name_and_stays_a_function(self):
        @user_model
        def quarter(results, targets):
            return np.full((results.height, targets.height), 0.25)

        assert callable(quarter)
        assert score("GR(model=quarter)@1", list(self.RUN), list(self.GOLD)) == 0.25

    def test_a_model_that_is_handed_over_comes_first(self):
        @user_model
        def chance(results, targets):
            return np.full((results.height, targets.height), 0.25)

        marked = chance

        def chance(results, targets):
            return np.full((results.height, targets.height), 0.75)

        options = {"models": [chance]}
        assert score("GR(model=chance)@1", list(self.RUN), list(self.GOLD), **options) == 0.75
        assert score("GR(model=chance)@1", list(self.RUN), list(self.GOLD)) == 0.25
        assert marked is not chance

    def test_names_of_doxel_and_functions_without_a_name_are_refused(self):
        def identity(results, targets):
            return np.zeros((results.height, targets.height))

        with pytest.raises(
            InputError, match="wanted a name that doxel's models do not have, found a function"
        ):
            user_model(identity)
        with pytest.raises(InputError, match="a user model: wanted a function with a name, found '<lambda>'"):
            user_model(lambda results, targets: None)  # noqa: ARG005
        with pytest.raises(InputError, match="a user model: wanted a function with a name, found 3"):
            user_model(3)

    def test_a_model_that_cannot_be_sent_is_an_error_only_where_it_is_used(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "cloudpickle", None)

        @user_model
        def inner(results, targets):
            return np.full((results.height, targets.height), 0.25)

        model = pickle.loads(pickle.dumps(OwnModel("inner", inner)))  # noqa: S301 -- our own
        assert model.name == "inner"
        with pytest.raises(InputError, match="user model 'inner' cannot be sent to other processes"):
            model.function(None, None)
