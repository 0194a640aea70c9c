"""The recipe for a field of an assessment event, followed literally in a copy of the project."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TITLE = "\n## Add a field to an assessment event\n"
RECIPE = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition(TITLE)[2].partition("\n## ")[0]
BLOCKS = re.findall(r"^```\w+\n(.*?)^```$", RECIPE, re.MULTILINE | re.DOTALL)
DECLARATION = "src/doxel/assess/static/core/judging_events.json"
STATE = "src/doxel/assess/document_state.py"
CONTROL = "src/doxel/assess/static/judge/side_panel.js"
VECTORS = "tests/assess/vectors/fold.json"
TESTS = [
    "tests/assess/confidence_field.py",
    "tests/assess/test_events.py",
    "tests/assess/test_fold.py",
    "tests/assess/test_page_core.py::test_the_empty_states_agree",
    "tests/assess/test_page_core.py::test_vectors_of_folds",
    "tests/assess/test_page_core.py::test_vectors_of_undoing",
    "tests/assess/test_page_parity.py::test_random_folds_and_their_undoing_agree",
    "tests/assess/test_page_parity.py::test_steps_are_undone_and_done_again_in_turn",
]


@pytest.fixture
def project(tmp_path):
    """A copy of what the recipe changes and of what its tests use."""
    for name in ("src", "tests", "tools", "docs/pagemaker"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "CHANGELOG.md"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def insert(path, before, new):
    """Insert text after the one place where some text stands."""
    text = path.read_text("utf-8")
    assert text.count(before) == 1
    path.write_text(text.replace(before, before + new), "utf-8")


def follow_recipe(project):
    """Do what the recipe says, step by step."""
    field, empty, line, control, case = BLOCKS
    declaration = json.loads((project / DECLARATION).read_text("utf-8"))
    declaration["kinds"]["validate"]["body"] |= json.loads(field)
    declaration["state"] |= json.loads(empty)
    (project / DECLARATION).write_text(json.dumps(declaration), "utf-8")
    insert(project / STATE, "    pooled_shown: bool = False\n", line)
    (call,) = re.findall(r"`([^`]*makeConfidence\(desk\)[^`]*)`", RECIPE.replace(control, ""))
    insert(project / CONTROL, "      desk.isEditable ? makeVerdictButtons(validated) : '',\n", f"{call}\n")
    with (project / CONTROL).open("a", encoding="utf-8") as file:
        file.write(control)
    vectors = json.loads((project / VECTORS).read_text("utf-8"))
    vectors["cases"].append(json.loads(case))
    (project / VECTORS).write_text(json.dumps(vectors), "utf-8")
    insert(project / "CHANGELOG.md", "## [Unreleased]\n", "\n- Assessors say how sure they are.\n")


def list_changes(project):
    copies = [path.relative_to(project) for path in project.rglob("*") if path.is_file()]
    return {str(path) for path in copies if (project / path).read_bytes() != (ROOT / path).read_bytes()}


def test_a_field_takes_five_files_and_everything_knows_it(project, chromium):
    del chromium  # without a browser, half of this would be skipped
    follow_recipe(project)
    changes = list_changes(project)
    assert changes == {DECLARATION, STATE, CONTROL, VECTORS, "CHANGELOG.md"}
    assert all(f"`{name}`" in RECIPE for name in changes)
    environment = {**os.environ, "PYTHONPATH": str(project / "src")}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *TESTS]
    outcome = subprocess.run(
        command, check=False, cwd=project, env=environment, capture_output=True, text=True
    )
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    assert "skipped" not in outcome.stdout
