"""The recipe for a field of an assessment event, followed literally in a copy of the project."""

import os
import shutil
import subprocess
import sys

import pytest

from recipes import ROOT, follow_recipe

TITLE = "Add a field to an assessment event"
TESTS = [
    "tests/assess/confidence_field.py",
    "tests/assess/test_judging_events.py",
    "tests/assess/test_document_state.py",
    "tests/pages/judging/test_core.py::test_the_empty_states_agree",
    "tests/pages/judging/test_core.py::test_vectors_of_folds",
    "tests/pages/judging/test_core.py::test_vectors_of_undoing",
    "tests/pages/judging/test_parity.py::test_random_folds_and_their_undoing_agree",
    "tests/pages/judging/test_parity.py::test_steps_are_undone_and_done_again_in_turn",
]


@pytest.fixture
def project(tmp_path):
    """A copy of what the recipe changes and of what its tests use."""
    for name in ("src", "tests", "tools", "docs/pagemaker"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "CHANGELOG.md"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def list_changes(project):
    copies = [path.relative_to(project) for path in project.rglob("*") if path.is_file()]
    return {str(path) for path in copies if (project / path).read_bytes() != (ROOT / path).read_bytes()}


@pytest.mark.integration
def test_a_field_takes_five_files_and_everything_knows_it(project, chromium):
    del chromium  # without a browser, half of this would be skipped
    names = follow_recipe(TITLE, project)
    assert sorted(list_changes(project)) == sorted(names)
    assert len(names) <= 5
    environment = {**os.environ, "PYTHONPATH": str(project / "src")}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *TESTS]
    outcome = subprocess.run(
        command, check=False, cwd=project, env=environment, capture_output=True, text=True
    )
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    assert "skipped" not in outcome.stdout
