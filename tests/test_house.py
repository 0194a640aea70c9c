"""The layout of the package: where a file belongs, how large it may be, and what it may be called."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from pathlib import Path

import pytest

import doxel
from syntax import find_statements, parse

SOURCE = Path(doxel.__file__).parent
TESTS = Path(__file__).parent
MODULES = sorted(path for path in SOURCE.rglob("*.py") if path.relative_to(SOURCE).parts[0] != "data")
ROOMS = sorted({path.parent for path in MODULES if path.parent != SOURCE})

MOST_FILES = 419
MOST_LINES = 550
MOST_LINES_OF_CODE_IN_A_FUNCTION = 60
MOST_FILES_IN_A_ROOM = 15

# These exceptions may only become fewer.
SHARED_FILE_NAMES = {"campaign", "collection", "topics"}  # a command and its noun
EXPORTING_SUBPACKAGES = {"topics/nexi"}  # documented as a namespace: nexi.parse, nexi.print
SLOTS = {"MEASURES", "CHECKS", "ENDPOINTS", "command"}

# Modules that only the tests of others test; this list may only shrink.
UNMIRRORED = {
    "__main__.py",
    "_version.py",
}


def relative(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def dotted(path: Path) -> str:
    name = ".".join(("doxel", *path.relative_to(SOURCE).with_suffix("").parts))
    return name.removesuffix(".__init__")


def mirror(path: Path) -> Path:
    """Return the path, below the tests, of the test file of a module."""
    return path.relative_to(SOURCE).with_name(f"test_{path.name}")


def lines_of_code(node: ast.AST) -> int:
    """Return the number of lines with statements, without signature, docstring, comments and blank lines."""
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    return len({line for statement in body for line in range(statement.lineno, statement.end_lineno + 1)})


def test_the_package_has_few_files():
    assert len(MODULES) <= MOST_FILES


def test_a_file_name_is_used_once():
    names = Counter(path.stem for path in MODULES if path.stem != "__init__")
    assert {name for name, count in names.items() if count > 1} <= SHARED_FILE_NAMES


def test_a_class_name_is_used_once():
    homes = defaultdict(list)
    for path in MODULES:
        for node in find_statements(path):
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(relative(path))
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_files_and_functions_stay_short_enough_to_read(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MOST_LINES
    functions = [n for n in find_statements(path) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    long = {
        n.name: lines_of_code(n) for n in functions if lines_of_code(n) > MOST_LINES_OF_CODE_IN_A_FUNCTION
    }
    assert long == {}


@pytest.mark.parametrize("room", ROOMS, ids=relative)
def test_a_room_has_few_files_and_a_map(room):
    files = [path for path in room.glob("*.py") if path.name != "__init__.py"]
    assert len(files) <= MOST_FILES_IN_A_ROOM or relative(room) == "cli/commands"
    assert ast.get_docstring(parse(room / "__init__.py"))


@pytest.mark.parametrize("room", [room for room in ROOMS if room.parent != SOURCE], ids=relative)
def test_a_subpackage_exports_nothing(room):
    statements = parse(room / "__init__.py").body
    assert len(statements) == 1 or relative(room) in EXPORTING_SUBPACKAGES


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_a_module_does_not_import_its_own_room(path):
    room = f"doxel.{path.relative_to(SOURCE).parts[0]}"
    imported = {
        node.module
        for node in find_statements(path)
        if isinstance(node, ast.ImportFrom)
        and not all(f"{node.module}.{alias.name}" in ALL_NAMES for alias in node.names)
    }
    assert room not in imported or path.name == "__init__.py"


ALL_NAMES = {dotted(path) for path in MODULES}


def imports_at_the_top(path: Path) -> set[str]:
    """Return the modules of doxel that a module imports when it is itself imported."""
    modules = set()
    for node in parse(path).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("doxel"):
            submodules = {f"{node.module}.{alias.name}" for alias in node.names} & ALL_NAMES
            modules |= submodules or {node.module}
    return modules & ALL_NAMES


def test_modules_do_not_import_each_other_in_a_circle():
    waiting = {
        dotted(path): imports_at_the_top(path) - {dotted(path)}
        for path in MODULES
        if path != SOURCE / "__init__.py"
    }
    while ready := {name for name, needed in waiting.items() if not needed & waiting.keys()}:
        waiting = {name: needed for name, needed in waiting.items() if name not in ready}
    assert waiting == {}


def test_no_module_is_named_like_something_its_room_exports():
    clashes = {
        f"{relative(room)}: {name}"
        for room in ROOMS
        for node in parse(room / "__init__.py").body
        if isinstance(node, ast.ImportFrom)
        for name in (alias.asname or alias.name for alias in node.names)
        if (room / f"{name}.py").exists()
    }
    assert clashes == set()


def test_every_module_has_a_test_file_of_its_name():
    lacking = {
        relative(path)
        for path in MODULES
        if path.name != "__init__.py" and not (TESTS / mirror(path)).exists()
    }
    assert lacking == UNMIRRORED


def test_a_test_file_in_a_room_is_named_after_a_module_of_the_room():
    named = {mirror(path) for path in MODULES}
    rooms = {room.relative_to(SOURCE).parts[0] for room in ROOMS}
    files = {path.relative_to(TESTS) for room in rooms for path in (TESTS / room).rglob("test_*.py")}
    assert sorted(files - named) == []
