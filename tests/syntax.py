"""The syntax trees of Python files, parsed once per process for all tests that look at code."""

from __future__ import annotations

import ast
import gc
from functools import cache
from pathlib import Path

__all__ = ["find_statements", "parse"]

KINDS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Import, ast.ImportFrom)
BODIES = ("body", "orelse", "finalbody", "handlers", "cases")


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
def find_statements(path: Path) -> list[ast.AST]:
    """Return the classes, functions and imports of a file, wherever they are.

    Only statements are searched: expressions, which most nodes are, contain none of these.
    """
    nodes: list[ast.AST] = [parse(path)]
    for node in nodes:  # which grow meanwhile
        fields = vars(node)
        for body in BODIES:
            nodes += fields.get(body, ())
    return [node for node in nodes if isinstance(node, KINDS)]
