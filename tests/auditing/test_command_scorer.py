"""Programs on trial: figures from their output, failures, time-outs, and nothing left behind."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from doxel.auditing.audit_cases import AuditCase, Passage
from doxel.auditing.case_files import find_case_format
from doxel.auditing.command_scorer import CommandScorer, compile_figure, split_command
from doxel.auditing.scorers import Failure, Figure
from doxel.errors import InputError

BROKEN = Path(__file__).with_name("broken_scorers.py")
SPANS = (Passage("1", "d1", 0, 4), Passage("1", "d1", 2, 3), Passage("1", "d2", 0, 4))
CASE = AuditCase(SPANS[:1], SPANS[1:2])


def build(words, pattern="figure: ([0-9.]+)", *, timeout=20.0):
    command = " ".join([sys.executable, *words])
    figures = {"figure": (compile_figure(pattern), Figure("figure"))}
    return CommandScorer(command, find_case_format("jsonl"), figures, timeout=timeout)


def score(scorer, case=CASE):
    with scorer.open():
        (outcome,) = scorer.score([case])
    return outcome


def test_the_figure_is_read_from_the_output():
    scorer = build([str(BROKEN), "recall", "{gold}", "{run}"])
    assert score(scorer) == {"figure": 0.25}
    assert scorer.get_tolerance("figure") == 1e-9


def test_rounded_figures_differ_only_beyond_their_last_decimal():
    scorer = build(["-c", "'print(\"figure: 0.25\")'", "{gold}", "{run}"])
    assert score(scorer) == {"figure": 0.25}
    assert scorer.get_tolerance("figure") == pytest.approx(0.01, rel=0.01)


def test_a_figure_with_an_exponent_is_read_as_a_number():
    scorer = build(["-c", "'print(\"figure: 1.5E-7\")'", "{gold}", "{run}"], "figure: ([0-9.E-]+)")
    assert score(scorer) == {"figure": 1.5e-7}
    assert scorer.get_tolerance("figure") == pytest.approx(1e-8, rel=0.01)


@pytest.mark.parametrize(
    ("words", "pattern", "kind", "message"),
    [
        (["-c", "'import sys; sys.exit(\"no memory\")'"], "f: (.)", "crashes", "exit status 1: 'no memory'"),
        (["-c", "'import os; os.kill(os.getpid(), 11)'"], "f: (.)", "crashes", "signal 11"),
        (["-c", "pass"], "f: (.)", "prints no figure", "'f: (.)' is not in the output, which is nothing"),
        (["-c", "'print(\"g: 1\")'"], "f: (.)", "prints no figure", "which is 'g: 1'"),
        (["-c", "'print(\"f: x\")'"], "f: (.)", "prints no figure", "'x' is not a number"),
    ],
)
def test_a_program_that_fails_is_reported(words, pattern, kind, message):
    outcome = score(build([*words, "{gold}", "{run}"], pattern))
    # the pattern names the figure too, but the scorer has its own name for it
    assert isinstance(outcome, Failure)
    assert outcome.kind == kind
    assert message in outcome.message


def wait_for_end(pid):
    for _ in range(200):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


SPAWN = (
    "import subprocess, sys; "
    "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']); "
    "print(child.pid, file=open(sys.argv[1], 'w')); {}"
)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are observed in /proc")
@pytest.mark.parametrize(("rest", "kind"), [("child.wait()", "hangs"), ("print('f: 1')", None)])
@pytest.mark.integration
def test_the_whole_process_group_is_killed(rest, kind, tmp_path):
    script = tmp_path / "spawn.py"
    script.write_text(SPAWN.format(rest))
    scorer = build([str(script), str(tmp_path / "pid"), "{gold}", "{run}"], "f: (1)", timeout=3.0)
    outcome = score(scorer)
    assert (outcome.kind if kind else outcome) == (kind or {"figure": 1.0})
    assert wait_for_end(int((tmp_path / "pid").read_text()))


def test_endless_output_ends_a_program():
    outcome = score(build([str(BROKEN), "floods", "{gold}", "{run}"], timeout=60.0))
    assert outcome == Failure("crashes", "printed more than 10,000,000 bytes")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are observed in /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.integration
def test_an_interrupted_audit_leaves_no_program_and_no_files(number, tmp_path):
    script = tmp_path / "spawn.py"
    script.write_text(SPAWN.format("child.wait()"))
    command = f"{sys.executable} {script} {tmp_path / 'pid'} {{gold}} {{run}}"
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "doxel",
            "audit",
            "--command",
            command,
            "--figure",
            "f: (1)",
            "--timeout",
            "300",
        ],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(scratch)},
        stderr=subprocess.PIPE,
    )
    try:
        for _ in range(1200):
            if (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip():
                break
            time.sleep(0.05)
        assert any(scratch.iterdir())
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130, errors
    assert wait_for_end(int((tmp_path / "pid").read_text()))
    assert list(scratch.iterdir()) == []


def test_the_files_of_cases_are_removed(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    score(build([str(BROKEN), "recall", "{gold}", "{run}"]))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("scorer {gold}", "wanted {gold} and {run}, which become the names of files"),
        ("scorer '{gold} {run}", "wanted quotes that are closed"),
        ("no-such-program {gold} {run}", "wanted a program that can be run, found 'no-such-program'"),
    ],
)
def test_a_command_that_cannot_be_run_is_refused(command, message):
    with pytest.raises(InputError, match=message):
        split_command(command)


@pytest.mark.parametrize("pattern", ["MAP: [0-9.]+", "(a)(b)", "("])
def test_a_figure_needs_a_pattern_with_one_group(pattern):
    with pytest.raises(InputError, match="--figure: wanted a regular expression"):
        compile_figure(pattern)


def test_the_command_line_of_a_case_names_its_files(tmp_path):
    scorer = build([str(BROKEN), "recall", "{gold}", "{run}"])
    line = scorer.write_case(CASE, tmp_path, tmp_path, "-after", "figure")
    assert line.endswith(f"recall {tmp_path}/gold-after.jsonl {tmp_path}/run-after.jsonl")
    output = subprocess.run(line.split(), capture_output=True, check=True, text=True)
    assert output.stdout == "figure: 0.250000000000\n"
