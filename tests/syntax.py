"""The syntax trees of Python files, parsed once per process for all tests that look at code."""

from __future__ import annotations

import ast
import gc
from functools import cache
from pathlib import Path

__all__ = ["find_nodes", "parse"]

KINDS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Import, ast.ImportFrom, ast.Call)


@cache
def parse(path: Path) -> ast.Module:
    """Return the tree of a file; parsed when a test needs it, because all processes collect the tests.

    Garbage collection is paused: all nodes stay, and searching them for garbage takes as long as parsing.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    finally:
        if was_enabled:
            gc.enable()


@cache
def find_nodes(path: Path) -> list[ast.AST]:
    """Return the classes, functions, imports and calls of a file, wherever they are."""
    return [node for node in ast.walk(parse(path)) if isinstance(node, KINDS)]
