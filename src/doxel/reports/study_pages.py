"""Writes a study as a page in HTML and Markdown: its question, findings, tables and pictures."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from doxel._version import __version__
from doxel.errors import InputError, MissingExtraError
from doxel.reports.files import write_content, write_frame
from doxel.reports.gnuplot import gnuplot_files
from doxel.reports.page.html import Html, isolated, tag
from doxel.reports.pictures import Picture
from doxel.reports.plots import PICTURE_FORMATS
from doxel.reports.study_pictures import StudyPicture, study_pictures
from doxel.reports.study_plots import draw_study
from doxel.studies import Study, StudyResult

__all__ = ["cell", "markdown_table", "result_markdown", "study_markdown", "write_study"]

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


def cell(value: object) -> str:
    """Return a value as the text of a table cell.

    >>> [cell(value) for value in (0.12345, float("nan"), float("inf"), True, None, 1234, "a")]
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


def study_markdown(study: Study, result: StudyResult, pictures: Mapping[str, str]) -> str:
    """Return the page in Markdown; ``pictures`` maps files to their captions."""
    head = [
        f"# {study.name}: {study.question}",
        f"{_plain(study.about)}\n\nSource: {_plain(study.source)}.",
    ]
    return "\n\n".join([*head, *result_markdown(result, pictures)]) + "\n"


def result_markdown(result: StudyResult, pictures: Mapping[str, str], *, level: int = 2) -> list[str]:
    """Return the paragraphs of a page with findings, pictures and tables, under headings of a level."""
    mark = "#" * level
    pieces = [
        f"{mark} Findings",
        "\n".join(f"- {_plain(finding)}" for finding in result.findings),
    ]
    pieces += [f"![{_plain(words)}]({file})" for file, words in pictures.items()]
    for panel in result.panels:
        if panel.table.height:
            pieces += [f"{mark} {_plain(panel.caption)}", markdown_table(panel.table)]
    settings = ", ".join(f"{name} {value}" for name, value in result.parameters.items())
    return [*pieces, f"Settings: {_plain(settings)}."] if settings else pieces


def markdown_table(table: pl.DataFrame) -> str:
    """Return a frame as a table in Markdown."""
    numeric = [dtype.is_numeric() for dtype in table.dtypes]
    head = "| " + " | ".join(map(_plain, table.columns)) + " |"
    rule = "|" + "|".join("---:" if is_numeric else "---" for is_numeric in numeric) + "|"
    rows = ["| " + " | ".join(_plain(cell(value)) for value in row) + " |" for row in table.iter_rows()]
    return "\n".join([head, rule, *rows])


def _plain(words: str) -> str:
    """Return text with all Markdown syntax escaped."""
    for sign in "\\`*_[]<|":
        words = words.replace(sign, f"\\{sign}")
    return " ".join(words.split())


def write_study(study: Study, result: StudyResult, folder: str | Path) -> tuple[list[Path], list[str]]:
    """Write the page of a study, its tables and pictures; return the files, and notes on missing ones.

    ``index.html`` is self-contained.
    """
    out = Path(folder)
    if out.exists() and not out.is_dir():
        raise InputError("study", file=str(out), wanted="a folder to write to", found="a file")
    out.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for panel in result.panels:
        written += write_frame(out / panel.name, panel.frame)
    drawn, missing = _write_pictures(study_pictures(result), out, written)
    files = {f"{name}.png": words for name, (words, _) in drawn.items()}
    written.append(write_content(out / "index.md", study_markdown(study, result, files)))
    written.append(write_content(out / "index.html", _page(study, result, list(drawn.values()))))
    return written, missing


def _write_pictures(
    pictures: Mapping[str, StudyPicture], out: Path, written: list[Path]
) -> tuple[dict[str, tuple[str, bytes]], list[str]]:
    """Write the pictures; without matplotlib write only gnuplot files and return a note."""
    drawn: dict[str, tuple[str, bytes]] = {}
    missing: list[str] = []
    for name, picture in pictures.items():
        if isinstance(picture, Picture):
            data, script = gnuplot_files(picture, name)
            written += [write_content(out / f"{name}.dat", data), write_content(out / f"{name}.gp", script)]
        try:
            images = {suffix: draw_study(picture, suffix) for suffix in PICTURE_FORMATS}
        except MissingExtraError as error:
            missing = [f"the pictures were not written: {error}"]
            continue
        written += [write_content(out / f"{name}.{suffix}", image) for suffix, image in images.items()]
        words = f"{picture.title}, {picture.note}" if picture.note else picture.title
        drawn[name] = words, images["svg"]
    return drawn, missing


def _page(study: Study, result: StudyResult, pictures: Sequence[tuple[str, bytes]]) -> str:
    body: list[Html] = [
        tag("h1", f"{study.name}: {study.question}"),
        tag("p", study.about, class_="about"),
        tag("p", f"Source: {study.source}.", class_="about"),
        tag("h2", "Findings"),
        tag("ul", *(tag("li", isolated(finding)) for finding in result.findings)),
        *(_figure(words, drawing) for words, drawing in pictures),
    ]
    for panel in result.panels:
        if panel.table.height:
            body += [tag("h2", panel.caption), _table(panel.table)]
    notes = [
        *result.warnings,
        *(
            f"{rejection.run}: {rejection.measure} not computed: {rejection.reason}"
            for rejection in result.rejected
        ),
    ]
    if notes:
        body += [tag("h2", "Warnings"), tag("ul", *(tag("li", isolated(note)) for note in notes))]
    settings = ", ".join(f"{name} {value}" for name, value in result.parameters.items())
    body.append(tag("p", f"doxel {__version__}. {settings}".strip(), class_="about"))
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", f"{study.name}: {study.question}"),
        tag("style", Html(_STYLE)),
    )
    return "<!DOCTYPE html>\n" + tag("html", head, tag("body", *body), lang="en-GB") + "\n"


def _figure(words: str, drawing: bytes) -> Html:
    source = "data:image/svg+xml;base64," + base64.b64encode(drawing).decode()
    return tag("figure", Html(f'<img alt="{tag("i", words)[3:-4]}" src="{source}"/>'))


def _table(table: pl.DataFrame) -> Html:
    numeric = [dtype.is_numeric() for dtype in table.dtypes]
    head = tag("tr", *(tag("th", name, scope="col") for name in table.columns))
    rows = [
        tag("tr", *(_td(value, is_number=number) for value, number in zip(row, numeric, strict=True)))
        for row in table.iter_rows()
    ]
    whole = tag("table", tag("thead", head), tag("tbody", *rows))
    return tag("div", whole, class_="wide", tabindex=0, role="region", aria_label="table")


def _td(value: Any, *, is_number: bool) -> Html:
    return tag("td", cell(value), class_="number") if is_number else tag("td", isolated(cell(value)))
