"""Writes a study as a page in HTML and Markdown: its question, findings, tables and pictures."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from doxel._version import __version__
from doxel.errors import MissingExtraError
from doxel.files import write_folder
from doxel.reports.gnuplot_pictures import render_gnuplot
from doxel.reports.matplotlib_pictures import PICTURE_FORMATS
from doxel.reports.output_files import write_content, write_frame
from doxel.reports.picture_data import Picture
from doxel.reports.report_page import Html, build_tag, isolate
from doxel.reports.study_pictures import StudyPicture, build_study_pictures, draw_study
from doxel.studies import Study, StudyResult

__all__ = [
    "escape_markdown",
    "format_cell",
    "render_document",
    "render_html_table",
    "render_markdown_table",
    "render_result_markdown",
    "render_study_markdown",
    "write_study",
]

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  color: #222; background: #fff; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; font-size: .85rem; }
th, td { padding: .2rem .6rem; border-bottom: 1px solid #ddd; text-align: left; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; } figure { display: inline-block; margin: 1rem 1rem 0 0; max-width: 100%; }
figure img { max-width: 100%; width: 26rem; } .about { color: #555; }
"""


def format_cell(value: object) -> str:
    """Return a value as the text of a table cell.

    >>> [format_cell(value) for value in (0.12345, float("nan"), float("inf"), True, None, 1234, "a")]
    ['0.123', '–', '∞', 'yes', '', '1,234', 'a']
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return "–" if math.isnan(value) else "∞" if math.isinf(value) else f"{value:.3f}"
    return str(value)


def render_study_markdown(study: Study, result: StudyResult, pictures: Mapping[str, str]) -> str:
    """Return the page in Markdown; ``pictures`` maps files to their captions."""
    head = [
        f"# {study.name}: {study.question}",
        f"{escape_markdown(study.about)}\n\nSource: {escape_markdown(study.source)}.",
    ]
    return "\n\n".join([*head, *render_result_markdown(result, pictures)]) + "\n"


def render_result_markdown(result: StudyResult, pictures: Mapping[str, str], *, level: int = 2) -> list[str]:
    """Return the paragraphs of a page with findings, pictures and tables, under headings of a level."""
    mark = "#" * level
    pieces = [
        f"{mark} Findings",
        "\n".join(f"- {escape_markdown(finding)}" for finding in result.findings),
    ]
    pieces += [f"![{escape_markdown(words)}]({file})" for file, words in pictures.items()]
    for panel in result.panels:
        if panel.table.height:
            pieces += [f"{mark} {escape_markdown(panel.caption)}", render_markdown_table(panel.table)]
    settings = ", ".join(f"{name} {value}" for name, value in result.parameters.items())
    return [*pieces, f"Settings: {escape_markdown(settings)}."] if settings else pieces


def render_markdown_table(table: pl.DataFrame) -> str:
    """Return a frame as a table in Markdown."""
    numeric = [dtype.is_numeric() for dtype in table.dtypes]
    head = "| " + " | ".join(map(escape_markdown, table.columns)) + " |"
    rule = "|" + "|".join("---:" if is_numeric else "---" for is_numeric in numeric) + "|"
    rows = [
        "| " + " | ".join(escape_markdown(format_cell(value)) for value in row) + " |"
        for row in table.iter_rows()
    ]
    return "\n".join([head, rule, *rows])


def escape_markdown(words: str) -> str:
    """Return text with all Markdown syntax escaped."""
    for sign in "\\`*_[]<|":
        words = words.replace(sign, f"\\{sign}")
    return " ".join(words.split())


def write_study(study: Study, result: StudyResult, folder: str | Path) -> tuple[list[Path], list[str]]:
    """Write the page of a study, its tables and pictures; return the files, and notes on missing ones.

    ``index.html`` is self-contained.  The folder changes only when all files are complete.
    """
    paths: list[Path] = []
    with write_folder(folder, last="index.html") as out:
        for panel in result.panels:
            paths += write_frame(out / panel.name, panel.frame)
        images, notes = _write_pictures(build_study_pictures(result), out, paths)
        files = {f"{name}.png": words for name, (words, _) in images.items()}
        paths.append(write_content(out / "index.md", render_study_markdown(study, result, files)))
        paths.append(write_content(out / "index.html", _render_page(study, result, list(images.values()))))
        paths = [Path(folder) / path.relative_to(out) for path in paths]
    return paths, notes


def _write_pictures(
    pictures: Mapping[str, StudyPicture], out: Path, paths: list[Path]
) -> tuple[dict[str, tuple[str, bytes]], list[str]]:
    """Write the pictures; without matplotlib write only gnuplot files and return a note."""
    images_by_name: dict[str, tuple[str, bytes]] = {}
    notes: list[str] = []
    for name, picture in pictures.items():
        if isinstance(picture, Picture):
            data, script = render_gnuplot(picture, name)
            paths += [write_content(out / f"{name}.dat", data), write_content(out / f"{name}.gp", script)]
        try:
            images = {suffix: draw_study(picture, suffix) for suffix in PICTURE_FORMATS}
        except MissingExtraError as error:
            notes = [f"the pictures were not written: {error}"]
            continue
        paths += [write_content(out / f"{name}.{suffix}", image) for suffix, image in images.items()]
        words = f"{picture.title}, {picture.note}" if picture.note else picture.title
        images_by_name[name] = words, images["svg"]
    return images_by_name, notes


def _render_page(study: Study, result: StudyResult, pictures: Sequence[tuple[str, bytes]]) -> str:
    body: list[Html] = [
        build_tag("h1", f"{study.name}: {study.question}"),
        build_tag("p", study.about, class_="about"),
        build_tag("p", f"Source: {study.source}.", class_="about"),
        build_tag("h2", "Findings"),
        build_tag("ul", *(build_tag("li", isolate(finding)) for finding in result.findings)),
        *(_render_figure(words, drawing) for words, drawing in pictures),
    ]
    for panel in result.panels:
        if panel.table.height:
            body += [build_tag("h2", panel.caption), render_html_table(panel.table)]
    notes = [
        *result.warnings,
        *(
            f"{rejection.run}: {rejection.measure} not computed: {rejection.reason}"
            for rejection in result.rejected
        ),
    ]
    if notes:
        body += [
            build_tag("h2", "Warnings"),
            build_tag("ul", *(build_tag("li", isolate(note)) for note in notes)),
        ]
    settings = ", ".join(f"{name} {value}" for name, value in result.parameters.items())
    body.append(build_tag("p", f"doxel {__version__}. {settings}".strip(), class_="about"))
    return render_document(f"{study.name}: {study.question}", body)


def render_document(title: str, body: Sequence[Html]) -> str:
    """Return a self-contained page."""
    head = build_tag(
        "head",
        build_tag("meta", charset="utf-8"),
        build_tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        build_tag("title", title),
        build_tag("style", Html(_STYLE)),
    )
    return "<!DOCTYPE html>\n" + build_tag("html", head, build_tag("body", *body), lang="en-GB") + "\n"


def _render_figure(words: str, drawing: bytes) -> Html:
    source = "data:image/svg+xml;base64," + base64.b64encode(drawing).decode()
    return build_tag("figure", Html(f'<img alt="{build_tag("i", words)[3:-4]}" src="{source}"/>'))


def render_html_table(table: pl.DataFrame) -> Html:
    """Return a frame as a table that scrolls if the page is too narrow."""
    numeric = [dtype.is_numeric() for dtype in table.dtypes]
    head = build_tag("tr", *(build_tag("th", name, scope="col") for name in table.columns))
    rows = [
        build_tag(
            "tr", *(_render_cell(value, is_number=number) for value, number in zip(row, numeric, strict=True))
        )
        for row in table.iter_rows()
    ]
    html = build_tag("table", build_tag("thead", head), build_tag("tbody", *rows))
    return build_tag("div", html, class_="wide", tabindex=0, role="region", aria_label="table")


def _render_cell(value: Any, *, is_number: bool) -> Html:
    return (
        build_tag("td", format_cell(value), class_="number")
        if is_number
        else build_tag("td", isolate(format_cell(value)))
    )
