"""Measures of one's own: declared from functions, in files and packages, and used like any other."""

import importlib
import json
import pickle
import re
import subprocess
import sys
import types

import numpy as np
import polars as pl
import pytest

import doxel
from doxel.errors import InputError, MeasureError
from doxel.evaluation.inputs.measure_sets import expand_sets
from doxel.measures import own_measures
from doxel.measures.curves import curve, find_curve
from doxel.measures.gain_views import GainVectors
from doxel.measures.measure_table import find_best_score, map_measures, parse_measure
from doxel.measures.own_measures import load_measure
from doxel.measures.text_views import ReadText
from random_share import take_some

pytestmark = pytest.mark.usefixtures("own_table")

GOLD = [("1", "a", 100, 200), ("2", "b", 0, 50)]
RUN = [("1", "a", 50, 150), ("1", "a", 100, 200), ("2", "b", 40, 100)]
OTHER = [("1", "a", 100, 120), ("2", "b", 0, 50)]

MINE = """\
import doxel
from doxel.measures.text_views import ReadText

@doxel.measure
def best(results, gold):
    "Relevant characters of the best result, as a share of all."
    return results.relevant.max(initial=0) / gold.total

@doxel.measure(formula="found / total")
def share(view: ReadText, *, cutoff: int, weight: float = 1):
    return weight * view.found[:, : cutoff][:, -1] / view.total

def plain(results, gold):
    return len(results) / 10

def fails(results, gold):
    return 1 / len(results.doc[9:])

number = 3
"""


def command(*arguments):
    """Call the command line; imported late, because the recipe of a measure copies this folder alone."""
    from documents.commands import doxel

    return doxel(*arguments)


def write_files(folder, contents):
    for name, text in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


@pytest.fixture
def files(tmp_path):
    """Return a folder with two runs, gold and a file of measures."""
    jsonl = {
        name: "".join(
            json.dumps({"topic": topic, "doc": doc, "start": start, "end": end, **extra}) + "\n"
            for topic, doc, start, end in rows
        )
        for name, rows, extra in (("a.jsonl", RUN, {}), ("b.jsonl", OTHER, {}), ("gold.jsonl", GOLD, {}))
    }
    write_files(tmp_path, {**jsonl, "mine.py": MINE})
    return tmp_path


@pytest.fixture
def best():
    @doxel.measure
    def best(results, gold):
        """Relevant characters of the best result, as a share of all."""
        return results.relevant.max(initial=0) / gold.total

    return best


def scores(measures, run=RUN, gold=GOLD, **options):
    return doxel.evaluate(run, gold, measures, **options).scores["score"].to_list()


def test_a_function_of_one_topic_is_a_measure_with_a_cutoff(best):
    # topic 1: 50 of 100 at rank 1, 100 of 100 at rank 2; topic 2: 10 of 50
    assert scores("best@1") == [0.5, 0.2]
    assert scores([best, best @ 1]) == [1.0, 0.2, 0.5, 0.2]
    assert parse_measure("best@3")[0] == best @ 3


def test_a_function_of_a_view_gets_all_topics_at_once():
    @doxel.measure
    def found(view: ReadText, *, cutoff: int):
        return view.found[:, :cutoff][:, -1] / view.total

    assert scores(["found@2", "char_rec@2"])[:2] == scores("char_rec@2")
    with pytest.raises(MeasureError, match="found needs a cutoff, such as found@10"):
        scores("found")


def test_the_view_may_be_an_argument_of_the_decorator():
    @doxel.measure(view=GainVectors, name="own_gain")
    def gain(view, cutoff=2):
        return view.gains[:, :cutoff].sum(axis=1)

    assert scores("own_gain(limit=1)@2") == scores("xCG(limit=1)@2")
    assert scores("own_gain") == scores("xCG@2")  # the default of the function
    assert "task" in gain.declaration.parameters


def test_parameters_have_the_kind_of_their_annotation_or_default():
    @doxel.measure
    def tuned(
        results, gold, *, weight=2, share: float = 1, on=True, way: str = "up", most: int | None = None
    ):
        return weight * share * (1 if on else -1) * len(way) * len(gold) + (most or 0) + len(results)

    assert scores("tuned(weight=3, share=0.5, on=False, way=left)")[0] == 3 * 0.5 * -1 * 4 * 1 + 2
    assert str(tuned(weight=2, most=5)) == "tuned(most=5)"  # a default is not written
    with pytest.raises(MeasureError, match=r"tuned: weight: wanted a whole number, found 0\.5"):
        tuned(weight=0.5)
    with pytest.raises(MeasureError, match="tuned: on: wanted True or False, found 3"):
        tuned(on=3)
    with pytest.raises(MeasureError, match=r"tuned has no parameter 'wieght'.*did you mean"):
        tuned(wieght=3)


def test_the_budgets_of_a_run_apply_to_functions_of_one_topic(best):
    assert scores("best(chars=60)")[0] == 0.1  # the first 60 characters of the ranking: 50 to 110
    assert scores("best(limit=1)") == scores(best @ 1)


def test_a_cutoff_may_be_a_share():
    @doxel.measure
    def at_share(results, gold, cutoff: float):
        return cutoff + 0 * len(results) * len(gold)

    assert scores("at_share@0.25") == [0.25, 0.25]
    assert curve("at_share").points[50] == 0.5


def test_topics_with_nothing_to_find_are_undefined_and_not_asked():
    totals = []

    @doxel.measure
    def counts(results, gold):
        totals.append(gold.total)
        return len(results)

    result = doxel.evaluate(
        {"1": {"a": 1.0}, "2": {"b": 1.0}}, {"1": {"a": 1}, "2": {"b": 0}}, [counts]
    ).scores
    assert result["score"].is_nan().to_list() == [False, True]
    assert len(totals) == 1


def test_a_measure_of_a_notebook_is_in_the_report_with_name_formula_and_curve(best, tmp_path):
    result = doxel.evaluate({"a": RUN, "b": OTHER}, GOLD, [best @ 1])
    page = result.report(tmp_path / "report")
    data = json.loads((tmp_path / "report" / "report.json").read_text("utf-8"))
    assert data["measures"] == ["best@1"]
    (drawn,) = data["curves"]
    assert drawn["name"] == "best"
    assert drawn["about"] == "Relevant characters of the best result, as a share of all"
    assert [line["mean"][0] for line in drawn["lines"]] == [0.35, 0.6]  # at rank 1
    formulas = {cell["formula"] for cell in data["explain"]["cells"]}
    assert formulas == {"best@1 = Relevant characters of the best result, as a share of all"}
    assert "Relevant characters of the best result" in page.read_text("utf-8")
    assert best.declaration.function.function is not None


def test_an_explanation_shows_formula_ranks_and_score(best):
    result = doxel.evaluate({"a": RUN}, GOLD, best)
    explanation = result.explain("a", "1", best @ 2)
    assert explanation.formula == "best@2 = Relevant characters of the best result, as a share of all"
    assert explanation.sum == "1"
    assert explanation.frame.select("rank", "relevant", "new rsize").rows() == [(1, 50, 50.0), (2, 100, 50.0)]
    assert explanation.notes == ["best is a measure of your own; the columns are those of its view."]


def test_runs_are_compared_by_it_and_lower_can_be_better():
    @doxel.measure(lower_is_better=True)
    def length(results, gold):
        return float(results.size.sum()) + 0 * gold.total

    result = doxel.evaluate({"a": RUN, "b": OTHER}, GOLD, [length @ 1])
    assert result.means["score"].to_list() == [80.0, 35.0]
    assert find_best_score("length@1", result.means["score"]) == 35.0
    assert result.compare("length@1").pairs.select("wins", "losses").row(0) == (0, 2)  # of a against b


def test_a_gate_accepts_it(best, tmp_path):
    result = doxel.evaluate({"a": RUN}, GOLD, [best])
    result.save(tmp_path / "result.json")
    assert doxel.gate(result, tmp_path / "result.json", "best").status == "pass"
    assert doxel.gate(result, tmp_path / "result.json", "best", minimum=0.9).status == "fail"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def f(): return 1", "wanted a function of a view, such as NAME"),
        ("def f(a, b, c): return 1", r"found f\(a, b, c\)"),
        ("def f(view): return 1", r"wanted a function of a view, .* found f\(view\)"),
        ("def f(view: int): return 1", r"found f\(view: int\)"),
        ("def f(results, gold, *, beta): return 1", "parameter 'beta': wanted a default, found none"),
        ("def f(results, gold, **more): return 1", r"found \*\*more"),
        ("def f(results, gold, limit=3): return 1", "the view has a parameter 'limit'"),
        ("def f(results, gold, far=(1, 2)): return 1", r"as its default, found \(1, 2\)"),
        ("f = lambda results, gold: 1", "wanted a name of letters, digits and _, found '<lambda>'"),
        ("def AP(results, gold): return 1", "AP is already the name of a measure of doxel: wanted another"),
        ("def mrr(results, gold): return 1", "mrr is already the name"),
        ("f = int", "found <class 'int'>"),
    ],
)
def test_a_function_that_cannot_be_a_measure_is_refused_in_a_sentence(source, message):
    scope = {}
    exec(source, scope)  # noqa: S102 -- our own lines
    function = scope.get("f") or scope.get("AP") or scope.get("mrr")
    with pytest.raises(MeasureError, match=message):
        doxel.measure(function)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "measure 'bad': wanted one number for topic 1, found None"),
        ("x", "wanted one number for topic 1, found 'x'"),
        (np.ones(3), "wanted one number for topic 1, found an array of 3"),
        ([[1, 2]], "found an array of 1 x 2"),
    ],
)
def test_a_value_that_is_not_one_number_is_refused(value, message):
    @doxel.measure
    def bad(results, gold):  # noqa: ARG001 -- the signature of a measure
        return value

    with pytest.raises(MeasureError, match=message):
        scores("bad")


def test_an_array_of_the_wrong_shape_is_refused():
    @doxel.measure
    def bad(view: ReadText):
        return view.found

    with pytest.raises(
        MeasureError,
        match=r"measure 'bad': wanted one number per topic \(an array of 2\), found an array of 2 x 2",
    ):
        scores("bad")


def test_nan_is_no_score_and_the_warning_gives_the_reason():
    @doxel.measure
    def gaps(results, gold):  # noqa: ARG001
        return np.nan if len(results) == 1 else 1

    result = doxel.evaluate(RUN, GOLD, gaps)
    assert result.means.select("score", "topics", "undefined").row(0) == (1.0, 1, 1)
    assert "run: gaps: no score for 1 topic (2): the function returned NaN" in result.warnings


def test_an_exception_is_reported_with_line_and_topic(files):
    with pytest.raises(InputError, match=r"mine.py, line 17: measure 'fails', topic 1 failed: found ZeroDiv"):
        scores(f"{files / 'mine.py'}:fails")


def test_declaring_a_measure_again_replaces_it(best):
    assert scores(best) == [1.0, 0.2]

    @doxel.measure(name="best")
    def other(results, gold):  # noqa: ARG001
        return 0.125

    assert scores("best") == [0.125, 0.125]


def test_two_measures_of_one_name_in_one_evaluation_are_refused(files):
    write_files(files, {"more/mine.py": "def plain(results, gold):\n    return 0.5\n"})
    with pytest.raises(MeasureError, match="two different measures are called plain"):
        scores([f"{files / 'mine.py'}:plain", f"{files / 'more' / 'mine.py'}:plain"])
    assert scores([f"{files / 'mine.py'}:plain"] * 2) == [0.2, 0.1]


def test_the_name_of_a_set_is_refused_when_it_is_used():
    @doxel.measure(name="documents")
    def own(results, gold):
        return len(results) + len(gold)

    with pytest.raises(MeasureError, match="documents is the name of a set and of your measure"):
        scores("documents")
    assert str(own) == "documents"


def test_a_function_that_is_no_measure_yet_is_refused_with_advice():
    def plain(results, gold):
        return len(results) / len(gold)

    with pytest.raises(
        MeasureError, match=r"wanted its name, or a function that @doxel\.measure declares, found"
    ):
        scores([plain])


def test_a_file_is_named_with_parameters_cutoffs_and_other_measures(files):
    address = f"{files / 'mine.py'}:share"
    names = expand_sets(f"{address}(weight=2)@1,2, MAiP, {files / 'mine.py'}:plain")
    assert [measure.name for measure in names] == ["share(weight=2)@1", "share(weight=2)@2", "MAiP", "plain"]
    assert expand_sets(f'"{address}"@1')[0].name == "share@1"
    assert scores(f"{address}(weight=2)@1") == [1.0, 0.4]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing", "wanted a function of a view, such as missing"),
        ("number", "found 3"),
    ],
)
def test_a_file_without_the_measure_is_reported(files, name, message):
    with pytest.raises(InputError, match=message):
        scores(f"{files / 'mine.py'}:{name}")
    with pytest.raises(
        InputError, match=r"nowhere\.py: the file of a measure: wanted a Python file, found no such"
    ):
        scores("nowhere.py:x")


def test_code_is_run_only_for_measures_that_the_user_names(files):
    write_files(
        files,
        {"trap.py": f"open({str(files / 'sprung')!r}, 'w').close()\ndef f(results, gold):\n    return 1\n"},
    )
    address = f"{files / 'trap.py'}:f"
    for stored in (lambda: parse_measure(address), lambda: expand_sets(address, run_files=False)):
        with pytest.raises(
            MeasureError, match="accepted only from -m or measures=, because its code is executed"
        ):
            stored()
    row = {"run": "a", "topic": "1", "measure": f"{address}@1", "score": 0.5}
    (files / "result.json").write_text(json.dumps({"schema": 2, "scores": [row]}))
    assert command("cite", files / "result.json").status in {0, 2}
    (files / "campaign.toml").write_text(f'name = "x"\n[evaluation]\nmeasures = ["{address}"]\n')
    outcome = command("campaign", "status", files)
    assert outcome.status == 2
    assert "accepted only from -m or measures=" in outcome.err
    assert not (files / "sprung").exists()
    assert scores(address) == [1, 1]
    assert (files / "sprung").exists()


def test_a_changed_file_is_read_again(files):
    address = f"{files / 'mine.py'}:plain"
    assert scores(address) == [0.2, 0.1]
    assert load_measure(address).declaration is load_measure(address).declaration
    (files / "mine.py").write_text("def plain(results, gold):\n    return 0.75\n")
    import os

    os.utime(files / "mine.py", ns=(1, 1))
    assert scores(address) == [0.75, 0.75]


def both(files):
    return ("-a", files / "gold.jsonl", files / "a.jsonl", files / "b.jsonl")


def test_the_command_line_takes_a_measure_of_a_file(files):
    address = f"{files / 'mine.py'}:best"
    outcome = command("evaluate", "-m", f"{address}@1, MAiP(task=thorough)", "-f", "tsv", *both(files))
    assert outcome.status == 0, outcome.err
    assert "a\tall\tbest@1\t0.35" in outcome.out
    compared = command("compare", "-m", f"{address}@1", "-f", "tsv", *both(files))
    assert compared.status == 0, compared.err
    assert "best@1" in compared.out
    explained = command(
        "explain", "-m", f"{address}@1", "--topic", "1", "-a", files / "gold.jsonl", files / "a.jsonl"
    )
    assert "best@1 = Relevant characters of the best result, as a share of all" in explained.out
    helped = command("measures", address)
    assert helped.out.startswith("best[@cutoff]: Relevant characters of the best result, as a share of all\n")


def test_a_report_draws_it_by_name_or_by_file(files):
    address = f"{files / 'mine.py'}:best"
    outcome = command("report", "-m", f"{address}@1", "--curve", "best", "-o", files / "one", *both(files))
    assert outcome.status == 0, outcome.err
    outcome = command("report", "-m", "char_rec@1", "--curve", address, "-o", files / "two", *both(files))
    assert outcome.status == 0, outcome.err
    for folder in ("one", "two"):
        data = json.loads((files / folder / "report.json").read_text("utf-8"))
        assert [drawn["name"] for drawn in data["curves"]] == ["best"]


def test_the_json_of_scores_names_the_file_with_its_hash(files):
    outcome = command("evaluate", "-m", f"{files / 'mine.py'}:best@1", "-f", "json", *both(files))
    inputs = json.loads(outcome.out)["inputs"]
    assert [each["name"] for each in inputs if each["role"] == "functions"] == [str(files / "mine.py")]


def test_a_study_and_a_gate_take_it(files):
    address = f"{files / 'mine.py'}:best@1"
    stored = files / "result.json"
    inputs = ("-a", files / "gold.jsonl", files / "a.jsonl")
    assert command("evaluate", "-m", address, "-q", "-f", "json", "-o", stored, *inputs).status == 0
    outcome = command("gate", "--baseline", stored, "-m", address, *inputs)
    assert outcome.status == 0, outcome.err
    outcome = command("study", "agreement", "-m", address, "-m", "char_rec@1", "-f", "tsv", *both(files))
    assert outcome.status == 0, outcome.err
    assert "best@1" in outcome.out


def test_several_processes_load_it_from_its_file(files):
    address = f"{files / 'mine.py'}:best@1"
    outcome = command("evaluate", "--jobs", "2", "-m", address, "-f", "tsv", *both(files))
    assert outcome.status == 0, outcome.err
    assert "a\tall\tbest@1\t0.35" in outcome.out


PROGRAM = """
import doxel

@doxel.measure
def best(results, gold):
    return results.relevant.max(initial=0) / gold.total

@doxel.user_model
def half(results, targets):
    import numpy as np
    return np.full((results.height, targets.height), 0.5)

if __name__ == "__main__":
    gold = [("1", "a", 100, 200)]
    runs = {"a": [("1", "a", 50, 150)], "b": [("1", "a", 100, 200)]}
    result = doxel.evaluate(runs, gold, ["best@1", "GR(model=half)@1"], jobs=2)
    print(result.scores["score"].to_list())
"""


@pytest.mark.parametrize("way", take_some(["a program", "a notebook"], 1))
def test_several_processes_get_the_measures_and_models_of_their_author(tmp_path, way):
    if way == "a notebook":
        pytest.importorskip("cloudpickle")
    (tmp_path / "program.py").write_text(PROGRAM)
    # code of the command line has no file, like the cells of a notebook
    arguments = [tmp_path / "program.py"] if way == "a program" else ["-c", PROGRAM]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.stdout == "[0.5, 0.5, 1.0, 0.5]\n", done.stderr


def test_a_measure_of_a_notebook_without_cloudpickle_is_refused_before_processes_start(best, monkeypatch):
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    runs = {"a": RUN, "b": OTHER}
    with pytest.raises(
        InputError, match="measure 'best' cannot be sent to other processes: wanted a function in"
    ):
        doxel.evaluate(runs, GOLD, best, jobs=2)
    assert scores(best) == [1.0, 0.2]


def test_a_pickled_measure_is_the_same_measure(best, files):
    pytest.importorskip("cloudpickle")
    loaded = expand_sets(f"{files / 'mine.py'}:share(weight=2)@3")[0]
    for measure in (best @ 3, loaded):
        again = pickle.loads(pickle.dumps(measure))  # noqa: S301 -- our own
        assert again == measure
        assert again.declaration.name in map_measures()
    module = types.ModuleType("module_with_measure")
    exec(MINE, module.__dict__)  # noqa: S102 -- our own
    sys.modules["module_with_measure"] = module
    try:
        sent = pickle.dumps(module.share @ 2)
        assert b"module_with_measure" in sent
        assert pickle.loads(sent).declaration is module.share.declaration  # noqa: S301
    finally:
        del sys.modules["module_with_measure"]


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Install a distribution that offers measures, by a folder on the path."""

    def install(lines, code):
        write_files(
            tmp_path,
            {
                "fancy_measures.py": code,
                "fancy-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: fancy\nVersion: 1.0\n",
                "fancy-1.0.dist-info/entry_points.txt": "[doxel.measures]\n" + lines,
            },
        )
        monkeypatch.syspath_prepend(str(tmp_path))
        importlib.invalidate_caches()
        monkeypatch.delitem(sys.modules, "fancy_measures", raising=False)

    yield install
    sys.modules.pop("fancy_measures", None)


def test_a_package_offers_measures_as_entry_points(package):
    code = f"{MINE}\ndef AP(results, gold):\n    return 99\n"
    package("share = fancy_measures:share\nplain = fancy_measures:plain\nAP = fancy_measures:AP\n", code)
    assert scores("share@1, plain") == [0.5, 0.2, 0.2, 0.1]
    assert scores("AP") == scores("AP(rel=1)") != [99, 99]  # doxel's own names come first
    assert pickle.loads(pickle.dumps(map_measures()["plain"])).name == "plain"  # noqa: S301
    outcome = command("measures")
    assert re.search(r"plain +fancy", outcome.out)
    assert command("measures", "share").out.startswith("share@cutoff: a measure of your own\n")


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        (
            "odd = fancy_measures:number",
            MINE,
            "measure 'odd' of fancy: wanted a function of a view.* found 3",
        ),
        (
            "odd = fancy_measures:f",
            "1 / 0",
            "measure 'odd' of fancy cannot be loaded: found ZeroDivisionError",
        ),
        (
            "odd = fancy_measures:best",
            MINE,
            "measure 'odd' of fancy: wanted a measure called odd, found best",
        ),
    ],
)
def test_a_broken_package_is_named(package, line, code, message):
    package(line + "\n", code)
    with pytest.raises(InputError, match=message):
        scores("odd")


def test_no_package_is_searched_for_names_that_are_known(monkeypatch):
    monkeypatch.setattr(own_measures, "_find_entry_points", lambda path: pytest.fail(f"searched {path}"))
    assert scores("MAiP(task=thorough)")[1] > 0


def test_a_curve_of_its_own_has_the_parameters_of_the_measure(files):
    measure = expand_sets(f"{files / 'mine.py'}:share(weight=2)@3")[0]
    drawn = find_curve(measure)
    assert drawn.name == "share(weight=2)"
    assert drawn.measures[0] == measure @ 1
    frame = doxel.evaluate(RUN, GOLD, drawn.measures[:2]).scores
    assert isinstance(frame, pl.DataFrame)
    assert drawn.of(frame)["y"].to_list()[:2] == [1.0, 2.0]
