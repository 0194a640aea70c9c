"""Rooms are ordered: a room imports only rooms listed before it."""

import ast
from pathlib import Path

import pytest

import doxel
from syntax import find_statements

SOURCE = Path(doxel.__file__).parent

# From the foundations up; a name is a module of doxel or a package in it.
ROOMS = (
    "_version",
    "wording",
    "errors",
    "arguments",
    "spans",
    "tables",
    "files",
    "markup",
    "executors",
    "documents",
    "alignment",
    "topics",
    "adapters",
    "statistics",
    "quantisation",
    "usermodels",
    "measures",
    "runs",
    "assessments",
    "recallbases",
    "checks",
    "evaluation",
    "ir_measures",
    "studies",
    "chunking",
    "search",
    "reports",
    "notebook",
    "auditing",
    "pytest_plugin",
    "pooling",
    "campaign",
    "assess",
    "cli",
    "__main__",
)


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_rooms(path: Path) -> set[str]:
    """Return the rooms that a module imports: at its top, inside functions, or for type checking."""
    modules: set[str] = set()
    for node in find_statements(path):
        if isinstance(node, ast.Import):
            modules.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level:
            modules.add("doxel.(relative import)")
        elif isinstance(node, ast.ImportFrom) and node.module == "doxel":
            modules.update(f"doxel.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            modules.add(node.module or "")
    return {name.split(".")[1] for name in modules if name.startswith("doxel.")} | {
        "(all of doxel)" for name in modules if name == "doxel"
    }


def modules_of_rooms() -> list[Path]:
    # data is not a room: it contains files, among them the script that made the bundled runs
    inside = (path for path in sorted(SOURCE.rglob("*.py")) if path != SOURCE / "__init__.py")
    return [path for path in inside if path.relative_to(SOURCE).parts[0] != "data"]


@pytest.mark.parametrize(
    ("code", "rooms"),
    [
        ("import doxel.runs.run_files as r", {"runs"}),
        ("from doxel import executors", {"executors"}),
        ("def f():\n    from doxel.cli.main import cli", {"cli"}),
        ("import os, doxel", {"(all of doxel)"}),
        ("from .runs import read", {"(relative import)"}),
        ("from os import path", set()),
    ],
)
def test_imports_are_found_anywhere_in_a_module(code, rooms, tmp_path):
    (tmp_path / "module.py").write_text(code)
    assert imported_rooms(tmp_path / "module.py") == rooms


def test_every_module_is_in_a_room():
    assert {room_of(path) for path in modules_of_rooms()} - set(ROOMS) == set()


@pytest.mark.parametrize("path", modules_of_rooms(), ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_a_room_imports_only_rooms_listed_before_it(path):
    own = ROOMS.index(room_of(path))
    wrong = {room for room in imported_rooms(path) if room not in ROOMS[: own + 1]}
    assert not wrong, f"{room_of(path)} may import only {', '.join(ROOMS[:own])}"
