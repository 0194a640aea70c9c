"""Notebooks of the documentation: run their cells, keep their outputs, and show them as pages of the site.

The stored outputs are those of the last refresh (``docs/build.py --examples``); the tests run the cells again
and compare.  Cells run here without Jupyter, which the documentation does not need: the last expression of a
cell is shown as Jupyter would show it, by its methods for HTML and PNG.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
from pathlib import Path
from typing import Any

__all__ = ["notebooks", "pages", "refresh", "run_cells"]

DOCS = Path(__file__).resolve().parents[1]
Notebook = dict[str, Any]


def notebooks() -> dict[str, Path]:
    """Return the notebooks by their name in the site."""
    return {path.stem: path for path in sorted(DOCS.glob("*.ipynb"))}


def read_notebook(path: Path) -> Notebook:
    """Return the content of a notebook."""
    content: Notebook = json.loads(path.read_text(encoding="utf-8"))
    return content


def refresh(folder: Path) -> list[Path]:
    """Run all notebooks in a folder, store their outputs, and return those that changed."""
    changed_notebooks: list[Path] = []
    for path in notebooks().values():
        before = read_notebook(path)
        after = {**before, "cells": run_cells(before, folder)}
        if after != before:
            text = json.dumps(after, indent=1, ensure_ascii=False)
            path.write_text(f"{text}\n", encoding="utf-8")
            changed_notebooks.append(path)
    return changed_notebooks


def run_cells(notebook: Notebook, folder: Path) -> list[dict[str, Any]]:
    """Run the cells of a notebook in a folder, and return them with their outputs."""
    variables: dict[str, Any] = {"__name__": "__main__"}
    cells: list[dict[str, Any]] = []
    number = 0
    with contextlib.chdir(folder):
        for cell in notebook["cells"]:
            if cell["cell_type"] != "code":
                cells.append(cell)
                continue
            number += 1
            outputs = _run_cell("".join(cell["source"]), variables, number)
            cells.append({**cell, "execution_count": number, "outputs": outputs})
    return cells


def _run_cell(source: str, variables: dict[str, Any], number: int) -> list[dict[str, Any]]:
    tree = ast.parse(source)
    last = tree.body[-1] if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        body = ast.Module(tree.body[:-1] if last else tree.body, [])
        exec(compile(body, "<cell>", "exec"), variables)  # noqa: S102 -- the cells of our own notebooks
        value = None
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), variables)  # noqa: S307
    outputs: list[dict[str, Any]] = []
    if stream.getvalue():
        lines = stream.getvalue().splitlines(keepends=True)
        outputs.append({"name": "stdout", "output_type": "stream", "text": lines})
    if value is not None:
        data = _show(value)
        outputs.append(
            {"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"}
        )
    return outputs


def _show(value: Any) -> dict[str, Any]:
    """Return a value as Jupyter shows it."""
    data: dict[str, Any] = {}
    if hasattr(value, "_repr_png_"):
        data["image/png"] = base64.b64encode(value._repr_png_()).decode() + "\n"
    elif hasattr(value, "_repr_html_"):
        data["text/html"] = value._repr_html_().splitlines(keepends=True)
    data["text/plain"] = ["a picture"] if "image/png" in data else repr(value).splitlines(keepends=True)
    return data


def pages() -> dict[str, bytes]:
    """Return the sources of the pages of all notebooks, and their pictures, by file name."""
    content: dict[str, bytes] = {}
    for name, path in notebooks().items():
        lines: list[str] = []
        for cell in read_notebook(path)["cells"]:
            source = "".join(cell["source"])
            if cell["cell_type"] == "markdown":
                lines.append(source)
                continue
            lines.append(_fence("python", source))
            for output in cell["outputs"]:
                block, picture = _render_output(output, f"{name}-{cell['id']}.png")
                lines.append(block)
                content |= picture
        content[f"{name}.md"] = ("\n\n".join(lines) + "\n").encode()
    return content


def _fence(info: str, content: str) -> str:
    """Return a fenced block; its fence is longer than any in the content."""
    marks = "```"
    while marks in content:
        marks += "`"
    return f"{marks}{info}\n{content.rstrip()}\n{marks}"


def _render_output(output: dict[str, Any], picture: str) -> tuple[str, dict[str, bytes]]:
    if output["output_type"] == "stream":
        return _fence("text", "".join(output["text"])), {}
    data = output["data"]
    if "image/png" in data:
        return f"![]({picture})", {picture: base64.b64decode(data["image/png"])}
    if "text/html" in data:
        return _fence("{raw} html", "".join(data["text/html"])), {}
    return _fence("text", "".join(data["text/plain"])), {}
