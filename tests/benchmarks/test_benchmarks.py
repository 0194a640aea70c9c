"""The benchmarks as a program: they run, say what they measured, and keep their data."""

import doctest
import json
import re
import subprocess
import sys
from functools import partial

import pytest
from benchmarks.__main__ import BENCHMARKS, main
from benchmarks.drawing import draw
from benchmarks.generator import grammar, ranking
from benchmarks.growing import Point, Series, _lines
from benchmarks.lines import Gate, Line, render, unavailable
from benchmarks.measuring import Cost, UnavailableError, best_of, command, median_of, probe
from benchmarks.profiling import profiled
from benchmarks.samples import QUICK, Samples

from benchmarks import lines
from doxel.markup import XmlParser


@pytest.mark.integration  # ten programs with foreign libraries to compare with, and servers: a minute of work
def test_a_quick_run_of_everything_prints_a_table(root, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--quick", "--data", str(tmp_path)],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    printed = done.stdout.splitlines()
    for name in BENCHMARKS:
        assert any(line.startswith(name) for line in printed)
    assert "MISSED" not in done.stdout  # little data meets no gates
    ratio = re.compile(r"^ingest ieee: speed of lxml's parse +[0-9.]+ x  +- ")
    assert any(ratio.match(line) for line in printed)
    assert any(line.startswith("machine") and "cores" in line for line in printed)
    assert any(line.startswith("versions") and "polars" in line for line in printed)


def test_a_profile_names_the_functions_that_work():
    def work():
        for _ in range(10):
            XmlParser().parse(b"<a>" + b"<b/>" * 200_000 + b"</a>", "a.xml")

    profile = profiled(work)
    assert profile.seen.most_common(1)[0][0] == "markup.py: parse"
    assert re.match(r"[0-9.]+ s, [0-9.]+ s of processors\n *[0-9.]+%  markup.py: parse", str(profile))


@pytest.mark.parametrize("module", [lines, grammar, ranking], ids=lambda module: module.__name__)
def test_the_examples_in_the_code_are_right(module):
    assert doctest.testmod(module).attempted > 0
    assert doctest.testmod(module).failed == 0


def test_an_unknown_benchmark_is_refused_with_the_known_ones(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["swimming"])
    assert stopped.value.code == 2
    assert "no benchmark 'swimming'; there are generator, ingest" in capsys.readouterr().err


def test_samples_are_made_once_and_again_when_their_parameters_change(tmp_path):
    messages = []
    samples = Samples(tmp_path, QUICK, say=messages.append)
    first = samples.bare_campaign()
    assert Samples(tmp_path, QUICK, say=messages.append).bare_campaign() == first
    assert len(messages) == 1
    other = Samples(
        tmp_path, type(QUICK)(**{**vars(QUICK), "results": 50}), say=messages.append
    ).bare_campaign()
    assert other != first
    assert len(messages) == 2
    assert [path.name for path in tmp_path.iterdir()] == [other.name]  # the older one is gone


@pytest.mark.parametrize(
    ("gate", "value", "verdict"),
    [
        (Gate(">=", 0.3), 0.3, "ok"),
        (Gate(">=", 0.3), 0.29, "MISSED"),
        (Gate("<=", 0.4), 0.4, "ok"),
        (Gate("<=", 0.4), 0.41, "MISSED"),
        (Gate("<", 3.0), 3.0, "MISSED"),
        (None, 3.0, "-"),
        (Gate("<", 3.0), None, "not available"),
    ],
)
def test_a_line_has_the_verdict_of_its_gate(gate, value, verdict):
    assert Line("a figure", value, gate=gate).verdict == verdict


def test_a_disturbed_verdict_is_not_sure():
    assert Line("a figure", 1.0, gate=Gate("<", 3.0), sure=False).verdict == "ok?"
    assert Line("a figure", 1.0, gate=Gate(">=", 3.0), sure=False).verdict == "MISSED?"


def test_a_program_that_does_not_run_is_reported_with_the_reason():
    assert "not available: no such command" in render([unavailable("a figure", "no such command")])


def test_a_process_is_measured_by_itself_with_its_own_memory():
    small = command([sys.executable, "-c", "import time; time.sleep(0.2)"])
    large = command([sys.executable, "-c", "data = bytearray(120_000_000)"])
    assert small.wall >= 0.2
    assert small.cpu < small.wall
    assert small.memory < 60  # whatever this process holds
    assert 110 < large.memory - small.memory < 140


def test_medians_are_taken_of_each_figure_in_turns():
    turns = iter(
        [Cost(3, 1, 10), Cost(9, 9, 9), Cost(1, 2, 30), Cost(9, 9, 9), Cost(2, 3, 20), Cost(9, 9, 9)]
    )
    cost = median_of(3, {"a": lambda: next(turns), "b": lambda: next(turns)})
    assert (cost["a"], cost["b"]) == (Cost(2, 2, 20), Cost(9, 9, 9))


def test_a_process_that_fails_is_a_reason():
    with pytest.raises(UnavailableError, match="ValueError: not today"):
        command([sys.executable, "-c", "raise ValueError('not today')"])


def test_a_probe_measures_the_call_and_not_the_start(tmp_path):
    path = tmp_path / "few.run"
    path.write_text("1 Q0 7 1 2.5 few 0 10\n", "utf-8")
    cost = probe("split", str(path))
    assert cost.wall > 0
    assert cost.cpu < 0.02


def _measured(**costs):
    """Return what to measure, with the costs that each turn will find, and the turns taken."""
    turns = []
    waiting = {name: iter(values) for name, values in costs.items()}

    def measure(name):
        turns.append(name)
        return next(waiting[name])

    return {name: partial(measure, name) for name in costs}, turns


def test_things_are_measured_in_turns_and_the_best_of_each_counts():
    measured, turns = _measured(one=[Cost(3, 3, 50), Cost(2, 4, 40)], two=[Cost(5, 5, 9), Cost(6, 6, 8)])
    best = best_of(2, measured)
    assert turns == ["one", "two", "one", "two"]
    assert best == {"one": Cost(2, 3, 40), "two": Cost(5, 5, 8)}


def test_more_turns_are_taken_while_someone_disturbs():
    measured, turns = _measured(one=[Cost(9, 2, 1), Cost(8, 2, 1), Cost(7, 2, 1), Cost(2.1, 2, 1)])
    assert best_of(2, measured) == {"one": Cost(2.1, 2, 1)}
    assert len(turns) == 4
    measured, turns = _measured(one=[Cost(9, 2, 1)] * 9)
    assert "disturbed" in str(best_of(2, measured)["one"])
    assert len(turns) == 6
    measured, turns = _measured(one=[Cost(9, 2, 1)])
    best_of(1, measured)
    assert len(turns) == 1


def test_growth_is_drawn_from_its_points(tmp_path):
    points = [{"size": 2**step, "seconds": 1.0 + 2**step, "megabytes": 150.0} for step in range(4)]
    series = {"start": {"seconds": 1.0, "megabytes": 140.0}, "points": points}
    (tmp_path / "growth.json").write_text(json.dumps({"evaluate, runs": series, "ingest, documents": series}))
    picture, pixels = draw(tmp_path / "growth.json", tmp_path)
    assert (picture.name, pixels.name) == ("growth.svg", "growth.png")
    again = picture.read_bytes()
    assert again.startswith(b"<?xml")
    assert draw(tmp_path / "growth.json", tmp_path) == [picture, pixels]
    assert picture.read_bytes() == again


def test_exponents_are_of_what_comes_after_the_start():
    def point(size, cpu):
        return Point(size, Cost(wall=cpu, cpu=cpu, memory=100.0 + size))

    series = Series(point(0, 0.5), tuple(point(size, 0.5 + size**2 / 1000) for size in (10, 20, 40)))
    exponents = {line.name.rpartition(" ")[2]: line.value for line in _lines("it", series)}
    assert exponents == {"time": pytest.approx(2.0), "memory": pytest.approx(1.0)}  # no disk, nothing written


def test_a_few_megabytes_more_are_no_growth():
    points = [Point(size, Cost(wall=1.0, cpu=float(size), memory=100.0 + size)) for size in (1, 2, 4, 8)]
    exponents = {
        line.name.rpartition(" ")[2]: line.value for line in _lines("it", Series(points[0], tuple(points)))
    }
    assert exponents["memory"] == pytest.approx(0.0)
