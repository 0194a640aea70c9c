"""The sources of the site, and their build.

Sphinx reads one folder.  It is filled with the Markdown pages of the project, adapted, and with the
generated pages: the handbook, the measures and the Python reference.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from sphinx.cmd.build import build_main

from doxel.adapters.adapter_table import render_adapter_tables
from doxel.files import write_folder
from pagemaker import api, commands, event_table, handbook, measures, notebooks, rst, view_tables, worked

__all__ = ["DOCS", "ROOT", "build", "sources", "write_reference", "write_sources"]

DOCS = Path(__file__).resolve().parents[1]
ROOT = DOCS.parent
NAVIGATION = {
    "Tutorials": ["quickstart", "chunks-tutorial", "tutorial", "campaign", "notebook-tutorial"],
    "How-to": [
        "adapters",
        "coming-from",
        "making-gold",
        "gate",
        "assess",
        "assess-pages",
        "shelf",
        "report",
        "paper",
        "curves",
        "unjudged",
        "baseline-search",
        "own-measures",
        "user-models",
        "ir-measures",
        "evalj",
        "deploying-safely",
        "scale",
    ],
    "Reference": [
        "words",
        "commands",
        "measures/index",
        "formats",
        "campaigns",
        "checks",
        "api/index",
        "nexi",
        "limits",
        "glossary",
        "sources",
        "changelog",
    ],
    "Explanation": [
        "evidence",
        "which-scorer",
        "align",
        "handbook/index",
        "studies/index",
        "architecture",
        "decisions/index",
        "contributing",
    ],
}
# In the repository, links lead to the sources of pages that only the site has.
_GENERATED = {
    "src/doxel/measures": "measures/index.rst",
    "src/doxel/evaluation/inputs/measure_sets.py": "measures/sets.rst",
    "src/doxel/data/handbook": "handbook/index.rst",
    "src/doxel/__init__.py": "api/index.rst",
    "notebook-tutorial.ipynb": "notebook-tutorial.md",
}
_ABOVE = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}  # outside of docs
_LINK = re.compile(r"(?<=\]\()(?P<path>[^)#:]+)(?=[)#])")
_FILE = re.compile(r"^(?P<marks>`{3,})(?P<language>\w+) (?=[^`\n]*\bfile=(?P<file>\S+)).*$", re.MULTILINE)
_NAMES = re.compile(r"^### (.+)$", re.MULTILINE)  # of measures, on the page of words
_SOURCE = re.compile(r"^## Source (\d{3})$", re.MULTILINE)


def sources() -> dict[str, Path]:
    """Return the Markdown pages of the project, by their place in the site."""
    paths = [path for pattern in ("*.md", "decisions/*.md", "studies/*.md") for path in DOCS.glob(pattern)]
    pages = {path.relative_to(DOCS).as_posix(): path for path in sorted(paths)}
    return {**pages, **{page: ROOT / name for name, page in _ABOVE.items()}}


def write_reference() -> Path:
    """Write the reference of commands next to the other Markdown pages, and return its path.

    The tables at the end of the page of adapters are written too.
    """
    page = DOCS / "adapters.md"
    tables = render_adapter_tables()
    prose = page.read_text(encoding="utf-8").partition(tables.partition("\n")[0])[0]
    page.write_text(prose + tables, encoding="utf-8")
    path = DOCS / "commands.md"
    path.write_text(commands.reference(), encoding="utf-8")
    return path


def build(output: Path) -> Path:
    """Build the site, and return its folder, which changes as a whole; a warning of Sphinx is an error."""
    folder, html = output / "sources", output / "html"
    write_sources(folder)
    options = ["--quiet", "--fail-on-warning", "--nitpicky", "--conf-dir", str(DOCS)]
    options += ["--doctree-dir", str(output / "doctrees")]
    with write_folder(output, replace=True) as staged:
        if html.exists():  # Sphinx rebuilds changed pages only
            shutil.copytree(html, staged / "html")
        if build_main([*options, str(folder), str(staged / "html")]):
            raise RuntimeError(f"Sphinx did not build {html} without warnings")
    return html


def write_sources(folder: Path) -> None:
    """Write everything that Sphinx reads into a folder, and remove everything else from it."""
    with tempfile.TemporaryDirectory() as scratch:
        generated = {
            **measures.pages(_worked_examples(Path(scratch))),
            **api.pages(),
            "handbook/index.rst": handbook.contents(),
        }
    content: dict[str, bytes] = {name: text.encode() for name, text in generated.items()} | notebooks.pages()
    content |= {f"handbook/{slug}.xml": xml for slug, xml in handbook.sources().items()}
    for name, path in sources().items():
        content[name] = adapt_markdown(name, path.read_text(encoding="utf-8")).encode()
    for pattern in ("*.svg", "pictures/**/*.png", "studies/*.png"):
        content |= {path.relative_to(DOCS).as_posix(): path.read_bytes() for path in DOCS.glob(pattern)}
    for path in folder.rglob("*.*"):
        if path.is_file() and path.relative_to(folder).as_posix() not in content:
            path.unlink()
    for name, data in content.items():
        _write(folder / name, data)


def adapt_markdown(name: str, text: str) -> str:
    """Return a page for Sphinx: links lead to sources, named files have a caption, contents are listed.

    The declared events and views replace the lines that stand for them; the names of measures on the page of
    words become entries of the index.
    """

    def link(match: re.Match[str]) -> str:
        path = match["path"].removeprefix("docs/")
        target = path.replace("../", "")
        target = re.sub(r"^src/doxel/data/handbook/(?=.)", "handbook/", _GENERATED.get(target, target))
        if target != path.replace("../", ""):
            return "../" * name.count("/") + target
        return _ABOVE.get(PurePosixPath(path).name, path)

    text = text.replace(event_table.PLACE, event_table.tabulate_events())
    if view_tables.PLACE in text:
        text = text.replace(view_tables.PLACE, view_tables.tabulate_views())
    text = _LINK.sub(link, text)
    text = _FILE.sub(r"\g<marks>{code-block} \g<language>\n:caption: \g<file>\n", text)
    text = _SOURCE.sub(r"(source-\1)=\n\g<0>", text)
    if name == "words.md":  # main entries of the index come first in the search
        text = _NAMES.sub(
            lambda match: f"```{{index}} ! {match[1].replace(', ', ', ! ')}\n```\n\n{match[0]}", text
        )
    return text + "".join(f"\n```{{eval-rst}}\n{tree}\n```\n" for tree in _toctrees(name))


def _toctrees(name: str) -> list[str]:
    """Return the tables of contents at the end of a page."""
    if name == "index.md":
        return [rst.toctree(pages, caption=caption) for caption, pages in NAVIGATION.items()]
    folder, _, page = name.rpartition("/")
    if page != "index.md":
        return []
    names = sorted(path.stem for path in (DOCS / folder).glob("*.md") if path.name != page)
    return [rst.toctree(names)]


def _worked_examples(folder: Path) -> Callable[[measures.Family], list[worked.Example]]:
    """Return a function from a family to its worked examples: one by hand, one on the demo campaign."""
    tree, context = worked.tree_a(folder), worked.articles_in_context(folder)
    graded_tree = worked.graded_tree_a(tree, folder)
    demos = worked.demo(folder)

    def work_examples(family: measures.Family) -> list[worked.Example]:
        by_hand = (
            (context, tree, graded_tree)
            if family.name in measures.IN_CONTEXT
            else (tree, graded_tree, context)
        )
        return [
            worked.work_example(by_hand, family.columns),
            worked.work_example(demos, family.demo_columns),
        ]

    return work_examples


def _write(path: Path, data: bytes) -> None:
    """Write a file, unless it has this content already: Sphinx rebuilds changed files only."""
    if not path.is_file() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
