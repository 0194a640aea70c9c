"""Renders the page of a report from its data alone: the same data give the same bytes.

Text is always escaped; markup has its own type, :class:`Html`.  The parts of the page that need no script
are built here; scripts fill the others.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from doxel.errors import InputError
from doxel.reports.report_data import REPORT_FORMAT
from doxel.wording import escape_html, escape_unprintable, format_json, pluralise

__all__ = ["Html", "build_tag", "isolate", "render_report"]

_SCRIPTS = (
    "page_base",
    "score_tables",
    "curve_charts",
    "heat_maps",
    "topic_run_panels",
    "result_overlay",
    "page_start",
)
_STYLES = ("style", "tables", "drawings", "reading", "media")


def render_report(report: Mapping[str, Any]) -> str:
    """Return the page of a report from its data, as in report.json."""
    if report.get("format") != REPORT_FORMAT:
        raise InputError("report", wanted=f"format {REPORT_FORMAT}", found=repr(report.get("format")))
    names = [escape_unprintable(run) for run in report["runs"]]
    topics = [{**topic, "id": escape_unprintable(topic["id"])} for topic in report["topics"]]
    report = {**report, "runs": names, "topics": topics}
    style, script = "".join(_read_asset(f"{name}.css") for name in _STYLES), _join_scripts()
    parts = [(key, title, body) for key, title, body in _build_sections(report) if body is not None]
    head = build_tag(
        "head",
        build_tag("meta", charset="utf-8"),
        build_tag("meta", http_equiv="Content-Security-Policy", content=_build_policy(style, script)),
        build_tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        build_tag("meta", name="generator", content=f"doxel {report['versions']['doxel']}"),
        build_tag("title", report["title"]),
        build_tag("style", Html(style)),
    )
    body = build_tag(
        "body",
        build_tag("header", build_tag("h1", isolate(report["title"])), build_lead(report)),
        _build_navigation(parts),
        build_tag(
            "main",
            *(build_tag("section", build_tag("h2", title), inside, id=key) for key, title, inside in parts),
        ),
        build_tag(
            "footer",
            f"Made by doxel {report['versions']['doxel']}. Everything on this page is in report.json.",
        ),
        Html('<div id="tip" role="status" hidden></div>'),
        Html(f'<script type="application/json" id="report">{embed_json(report)}</script>'),
        build_tag("script", Html(script)),
    )
    return f'<!DOCTYPE html>\n<html lang="en">{head}{body}</html>\n'


def _build_sections(report: Mapping[str, Any]) -> list[tuple[str, str, Html | None]]:
    """Return the sections of the page in order; scripts fill empty ones, and None is left out."""
    empty = Html("")
    parts = report["tasks"] or [{**report, "runs": range(len(report["runs"]))}]
    has_several_runs = any(len(part["runs"]) > 1 for part in parts)
    return [
        ("leaderboard", "Leaderboard", build_leaderboard(report)),
        ("curves", "Curves", empty if any(part["curves"] for part in parts) else None),
        ("documents", "Documents", empty if report["documents"] else None),
        ("topics", "Topics", empty),
        ("aspects", "Aspects", build_aspects(report)),
        ("runs", "Runs", empty),
        ("differences", "Differences", empty if has_several_runs else None),
        ("agreement", "Agreement of measures", empty if any(part["agreement"] for part in parts) else None),
        ("overlap", "Overlap of runs", empty if report["overlap"] else None),
        ("skipped", "Warnings", build_warnings(report)),
        ("how", "How this was made", build_provenance(report)),
    ]


def _build_navigation(parts: Sequence[tuple[str, str, Html]]) -> Html:
    short = {"agreement": "Agreement", "overlap": "Overlap", "how": "How"}
    links = [build_tag("a", short.get(key, title), href=f"#{key}") for key, title, _ in parts]
    chooser = build_tag(
        "label", build_tag("span", "measure"), build_tag("select", id="measure"), class_="choice"
    )
    inside = build_tag("div", build_tag("nav", *links, aria_label="sections of this page"), chooser)
    return Html(f'<div id="bar" role="region" aria-label="navigation" hidden>{inside}</div>')


def _read_asset(name: str) -> str:
    return (files("doxel.reports") / "page" / name).read_text(encoding="utf-8")


def _join_scripts() -> str:
    """Return all scripts as one, in a function scope."""
    return '"use strict";\n(() => {\n' + "".join(_read_asset(f"{name}.js") for name in _SCRIPTS) + "})();\n"


def _build_policy(style: str, script: str) -> str:
    """Return a content security policy that allows this style and script only, and loads nothing."""
    hashes = {
        kind: base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for kind, text in (("style", style), ("script", script))
    }
    return "default-src 'none'; base-uri 'none'; form-action 'none'; " + "; ".join(
        f"{kind}-src 'sha256-{digest}'" for kind, digest in hashes.items()
    )


def build_lead(report: Mapping[str, Any]) -> Html:
    """Return the line below the title: the numbers of runs, topics, measures and documents."""
    counts = [
        pluralise(len(report["runs"]), "run")
        + (f" of {pluralise(len(report['tasks']), 'task')}" if report["tasks"] else ""),
        pluralise(len(report["topics"]), "topic"),
        pluralise(len(report["measures"]), "measure"),
    ]
    spans = [build_tag("span", ", ".join(counts))]
    if report["collection"]:
        collection = report["collection"]
        spans += [
            build_tag("span", f"; {pluralise(collection['documents'], 'document')} of "),
            isolate(Path(collection["name"]).name),
        ]
    return build_tag("p", *spans, class_="lead")


def build_leaderboard(report: Mapping[str, Any]) -> Html:
    """Return the leaderboard without intervals, for browsers without scripts; the script replaces it.

    If the runs have several tasks, each has its own.
    """
    if not report["tasks"]:
        return _build_board(report, range(len(report["runs"])))
    parts = [
        build_tag(
            "div",
            build_tag("h3", task["name"], class_="task"),
            _build_board(report, task["runs"]),
            data_part=f"task-{place}",
        )
        for place, task in enumerate(report["tasks"])
    ]
    return Html("".join(parts))


def _build_board(report: Mapping[str, Any], runs: Sequence[int]) -> Html:
    head = build_tag(
        "tr",
        build_tag("th", "run", scope="col"),
        *(build_tag("th", name, scope="col", class_="number") for name in report["measures"]),
    )
    rows = [
        build_tag(
            "tr",
            build_tag("th", isolate(report["runs"][place]), scope="row"),
            *(build_tag("td", _format_score(of_run[place]), class_="number") for of_run in report["means"]),
        )
        for place in runs
    ]
    table = build_tag("table", build_tag("thead", head), build_tag("tbody", *rows), class_="data")
    return build_tag("div", _build_scroller("leaderboard", table), data_part="table")


def _format_score(mean: Mapping[str, Any] | None) -> str:
    return "–" if mean is None or mean["score"] is None else f"{mean['score']:.4f}"


_MOST_ASPECTS = 500  # rows of the table; the others are in report.json


def build_aspects(report: Mapping[str, Any]) -> Html | None:
    """Return the aspects that a run missed, with the rank at which each run shows them, or None."""
    aspects = report.get("aspects")
    if not aspects:
        return None
    missed = [aspect for aspect in aspects if None in aspect["ranks"]]
    counts = [
        sum(aspect["ranks"][place] is None for aspect in aspects) for place in range(len(report["runs"]))
    ]
    names = ("topic", "aspect", "weight", "vital")
    head = build_tag(
        "tr",
        *(build_tag("th", name, scope="col") for name in names),
        *(build_tag("th", isolate(run), scope="col", class_="number") for run in report["runs"]),
    )
    total = build_tag(
        "tr",
        build_tag("th", f"missed of {len(aspects):,}", scope="row", colspan=len(names)),
        *(build_tag("td", f"{count:,}", class_="number") for count in counts),
    )
    rows = [_build_aspect_row(aspect) for aspect in missed[:_MOST_ASPECTS]]
    table = build_tag("table", build_tag("thead", head), build_tag("tbody", total, *rows), class_="data")
    note = "The rank by which the first results show at least half of a gold span of the aspect."
    if len(missed) > len(rows):
        note += (
            f" The first {len(rows):,} of {len(missed):,} aspects that a run missed; all are in report.json."
        )
    return Html(build_tag("p", note, class_="note") + _build_scroller("aspects", table))


def _build_aspect_row(aspect: Mapping[str, Any]) -> Html:
    return build_tag(
        "tr",
        build_tag("th", isolate(aspect["topic"]), scope="row"),
        build_tag("td", isolate(aspect["aspect"] or aspect["place"])),
        build_tag("td", f"{aspect['weight']:g}", class_="number"),
        build_tag("td", "yes" if aspect["vital"] else "no"),
        *(
            build_tag("td", "missed" if rank is None else f"{rank:,}", class_="number")
            for rank in aspect["ranks"]
        ),
    )


def _build_warning(warning: Mapping[str, Any]) -> list[str]:
    run, code = warning.get("run"), warning["code"]
    return [
        *([isolate(run), ": "] if run else []),
        isolate(warning["sentence"]),
        *([f" [{code}]"] if code else []),
    ]


def build_warnings(report: Mapping[str, Any]) -> Html:
    """Return the lists of rejected runs and warnings, with reasons."""
    items = [
        build_tag(
            "li",
            isolate(row["run"]),
            ": the whole run was skipped: "
            if row["what"] == ["all"]
            else f": {', '.join(row['what'])} not computed: ",
            isolate(row["reason"]),
        )
        for row in report["skipped"]
    ]
    warnings = [build_tag("li", *_build_warning(warning)) for warning in report["warnings"]]
    parts = [build_tag("h3", "Not scored"), build_tag("ul", *items, class_="plain")] if items else []
    parts += [build_tag("h3", "Notes"), build_tag("ul", *warnings, class_="plain")] if warnings else []
    return Html("".join(parts)) if parts else build_tag("p", "None.", class_="clear")


def build_provenance(report: Mapping[str, Any]) -> Html:
    """Return the parameters, the files with their hashes, and the versions."""
    parameters = {**report["parameters"], **report["options"]}
    settings = [
        build_tag(
            "tr",
            build_tag("th", key.replace("_", " "), scope="row"),
            build_tag("td", isolate(_format_value(value))),
        )
        for key, value in parameters.items()
        if value not in (None, [], "")
    ]
    versions = ", ".join(f"{name} {version}" for name, version in report["versions"].items())
    settings.append(build_tag("tr", build_tag("th", "versions", scope="row"), build_tag("td", versions)))
    head = [
        build_tag("th", label, scope="col", class_=kind)
        for label, kind in (("file", None), ("read as", None), ("bytes", "number"), ("SHA-256", None))
    ]
    rows = [_build_file_row(file) for file in report["files"]]
    if report["collection"]:
        rows.append(_build_collection_row(report["collection"]))
    parts = [build_tag("h3", "Parameters"), build_tag("table", build_tag("tbody", *settings), class_="facts")]
    if rows:
        table = build_tag(
            "table",
            build_tag("thead", build_tag("tr", *head)),
            build_tag("tbody", *rows),
            class_="data files",
        )
        parts += [build_tag("h3", "Files", class_="later"), _build_scroller("files", table)]
    return Html("".join(parts))


def _build_scroller(label: str, content: Html) -> Html:
    """Return a region that scrolls sideways and can be focused with the keyboard."""
    return build_tag("div", content, class_="wide", tabindex=0, role="region", aria_label=label)


def _build_file_row(file: Mapping[str, Any]) -> Html:
    return build_tag(
        "tr",
        build_tag("th", isolate(file["name"]), scope="row"),
        build_tag("td", file["role"]),
        build_tag("td", f"{file['bytes']:,}", class_="number"),
        build_tag("td", build_tag("code", file["sha256"])),
    )


def _build_collection_row(collection: Mapping[str, Any]) -> Html:
    return build_tag(
        "tr",
        build_tag("th", isolate(collection["name"]), scope="row"),
        build_tag("td", "collection"),
        build_tag("td", pluralise(collection["documents"], "document"), class_="number"),
        build_tag("td", build_tag("code", collection["fingerprint"])),
    )


def _format_value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) else str(value)


_VOID = {"meta", "link", "br"}


class Html(str):
    """A piece of HTML; all other values are text and are escaped."""

    __slots__ = ()


def build_tag(element: str, *children: object, **attributes: object) -> Html:
    """Return an element; the attribute ``class_`` becomes ``class``, attributes of None are left out.

    >>> build_tag("p", "1 < 2", build_tag("b", "&"), class_="note")
    '<p class="note">1 &lt; 2<b>&amp;</b></p>'
    """
    pairs = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape_html(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    inside = "".join(child if isinstance(child, Html) else escape_html(str(child)) for child in children)
    return Html(f"<{element}{pairs}>" if element in _VOID else f"<{element}{pairs}>{inside}</{element}>")


def isolate(name: object) -> Html:
    """Return a name in a ``bdi`` element, so that right-to-left names do not reorder the text around them."""
    return build_tag("bdi", name)


def embed_json(data: Any) -> Html:
    r"""Return data as JSON for a script element, with all characters escaped that could end it.

    >>> embed_json({"run": "</script>"})
    '{"run":"\\u003c/script\\u003e"}'
    """
    text = format_json(data, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    # a lone surrogate cannot be written to a file
    return Html(text.encode("utf-8", "backslashreplace").decode("utf-8"))
