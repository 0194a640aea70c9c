"""Every library that the code imports is declared in pyproject.toml, and every declared one is imported."""

import ast
import re
import sys
import tomllib
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest

from syntax import find_statements, parse

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
OWN = {"doxel", "tools", "benchmarks", "pagemaker", "picture_judging", "tests"}
# Loaded by name: drivers, plug-ins and programs, or the way in which another library is installed.
NOT_IMPORTED = {
    *("psycopg", "dask", "pytrec-eval-terrier", "lxml-stubs", "mypy", "ruff", "furo", "myst-parser"),
    *("sphinx-copybutton", "pytest-xdist", "doxel", "binary", "ir-measures", "ipykernel", "nbclient"),
}


# Present where the code runs: the plug-in of pytest, and frames that the caller asks for or hands in.
OF_THE_CALLER = {"pytest", "pandas"}


def _normalise(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _names(requirements: list[str]) -> set[str]:
    """Return the names in requirements; ``dask[distributed]`` is two of them."""
    matches = (re.match(r"([\w.-]+)(?:\[([\w.,-]+)\])?", requirement) for requirement in requirements)
    return {
        _normalise(name) for match in matches for name in (match[1], *(match[2] or "").split(",")) if name
    }


BASE = _names(PROJECT["project"]["dependencies"])
EXTRAS = {name: _names(lines) for name, lines in PROJECT["project"]["optional-dependencies"].items()}
DEV = _names(PROJECT["dependency-groups"]["dev"])
DECLARED = BASE.union(*EXTRAS.values())


@cache
def _distributions() -> dict[str, list[str]]:
    return {
        name: [_normalise(distribution) for distribution in several]
        for name, several in metadata.packages_distributions().items()
    }


@cache
def _imports(path: Path, *, top_only: bool = False) -> set[str]:
    """Return the top-level modules that a file imports; ``top_only``: when it is imported itself."""
    nodes = parse(path).body if top_only else find_statements(path)
    modules: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            modules |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            modules.add(node.module.partition(".")[0])
    return modules - sys.stdlib_module_names - OWN


def _foreign(folder: str, **options: bool) -> dict[str, set[str]]:
    """Return the foreign modules of a folder, each with the files that import it."""
    own = {path.stem for path in (ROOT / folder).iterdir()}
    modules: dict[str, set[str]] = {}
    for path in (ROOT / folder).rglob("*.py"):
        for module in _imports(path, **options) - own:
            modules.setdefault(module, set()).add(str(path.relative_to(ROOT)))
    return modules


def _undeclared(modules: dict[str, set[str]], declared: set[str]) -> dict[str, set[str]]:
    return {
        module: files
        for module, files in modules.items()
        if not set(_distributions().get(module, [_normalise(module)])) & declared
    }


def test_every_import_of_the_package_is_declared():
    assert _undeclared(_foreign("src"), DECLARED | OF_THE_CALLER) == {}


@pytest.mark.parametrize("folder", ["tests", "tools", "benchmarks", "docs"])
def test_every_import_of_tests_and_tools_is_declared(folder):
    assert _undeclared(_foreign(folder), DECLARED | DEV) == {}


def test_only_base_libraries_are_imported_outside_the_rooms_of_extras():
    """The assessment server needs the extra web; everything else imports extras where it needs them."""
    at_start = _undeclared(_foreign("src", top_only=True), BASE | {"pytest"})
    assert {file for files in at_start.values() for file in files if "/assess/" not in file} == set()


def test_every_declared_library_is_imported():
    modules = {
        module for folder in ("src", "tests", "tools", "benchmarks", "docs") for module in _foreign(folder)
    }
    imported = {name for module in modules for name in _distributions().get(module, [_normalise(module)])}
    assert (DECLARED | DEV) - imported - NOT_IMPORTED - EXTRAS.keys() == set()


def test_every_library_is_pinned():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = {_normalise(line.partition("==")[0]) for line in lines if "==" in line}
    assert DECLARED - pinned - {"doxel", "binary", *EXTRAS} == set()
