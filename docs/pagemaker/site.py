"""Puts all pages together and writes them."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import doxel
from pagemaker import api, commands, handbook, markdown, measures, worked
from pagemaker.markdown import Rendered
from pagemaker.template import Page, whole_page

__all__ = ["DOCS", "ROOT", "build", "sources"]

DOCS = Path(__file__).resolve().parents[1]
ROOT = DOCS.parent


def sources() -> dict[str, Path]:
    """Return the Markdown pages, by where they are built."""
    found = {str(path.relative_to(DOCS).with_suffix(".html")): path for path in sorted(DOCS.glob("*.md"))}
    found |= {
        str(path.relative_to(DOCS).with_suffix(".html")): path for path in sorted(DOCS.glob("decisions/*.md"))
    }
    found |= {
        str(path.relative_to(DOCS).with_suffix(".html")): path for path in sorted(DOCS.glob("studies/*.md"))
    }
    return {**found, "changelog.html": ROOT / "CHANGELOG.md", "contributing.html": ROOT / "CONTRIBUTING.md"}


def write_reference() -> Path:
    """Write the reference of commands beside the other Markdown pages, and return its path."""
    path = DOCS / "commands.md"
    path.write_text(commands.reference(), encoding="utf-8")
    return path


def build(output: Path) -> list[Path]:
    """Make all pages, and return the files that were written."""
    with tempfile.TemporaryDirectory() as folder:
        pages = [
            *map(_markdown_page, sources().items()),
            *handbook.pages(),
            *measures.pages(
                _cases(Path(folder)), {slug: one.title for slug, one in handbook.articles().items()}
            ),
            api.page(),
        ]
    output.mkdir(parents=True, exist_ok=True)
    written = [_write(output / page.path, whole_page(page, version=doxel.__version__)) for page in pages]
    style = output / "style.css"
    shutil.copyfile(Path(__file__).with_name("style.css"), style)
    return [*written, style]


def _markdown_page(source: tuple[str, Path]) -> Page:
    target, path = source
    rendered: Rendered = markdown.render(path.read_text(encoding="utf-8"), folder=path.parent)
    return Page(target, rendered.title, rendered.body, rendered.headings)


def _cases(folder: Path) -> Callable[[measures.Family], measures.Examples]:
    """Return what gives each family the cases that its example is worked on, and the measures."""
    tree, context = worked.tree_a(folder), worked.articles_in_context(folder)
    graded = worked.graded_tree_a(tree, folder)
    demos = worked.demo(folder)

    def choose(family: measures.Family) -> measures.Examples:
        by_hand = (context, tree, graded) if family.name in measures.IN_CONTEXT else (tree, graded, context)
        return [
            (worked.fitting(by_hand, family.columns), family.columns),
            (worked.fitting(demos, family.demo_columns), family.demo_columns),
        ]

    return choose


def _write(path: Path, content: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path
