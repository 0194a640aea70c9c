"""Renders the page of a report from its data alone: the same data give the same bytes."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from doxel.errors import InputError
from doxel.reports.gathering import FORMAT
from doxel.reports.page.html import Html, embedded, isolated, tag
from doxel.reports.page.static import board, how, lead, skipped

__all__ = ["render"]

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


def render(report: Mapping[str, Any]) -> str:
    """Return the page of a report, from the data that ``gather`` returns and report.json contains."""
    if report.get("format") != FORMAT:
        raise InputError("report", wanted=f"format {FORMAT}", found=repr(report.get("format")))
    style, script = "".join(_file(f"{name}.css") for name in _STYLES), _script()
    parts = [(key, title, body) for key, title, body in _sections(report) if body is not None]
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="generator", content=f"doxel {report['versions']['doxel']}"),
        tag("title", report["title"]),
        tag("style", Html(style)),
    )
    body = tag(
        "body",
        tag("header", tag("h1", isolated(report["title"])), lead(report)),
        _bar(parts),
        tag("main", *(tag("section", tag("h2", title), inside, id=key) for key, title, inside in parts)),
        tag(
            "footer",
            f"Made by doxel {report['versions']['doxel']}. Everything on this page is in report.json.",
        ),
        Html('<div id="tip" role="status" hidden></div>'),
        Html(f'<script type="application/json" id="report">{embedded(report)}</script>'),
        tag("script", Html(script)),
    )
    return f'<!DOCTYPE html>\n<html lang="en">{head}{body}</html>\n'


def _sections(report: Mapping[str, Any]) -> list[tuple[str, str, Html | None]]:
    """Return the sections of the page in order; scripts fill empty ones, and None is left out."""
    empty, has_several_runs = Html(""), len(report["runs"]) > 1
    return [
        ("leaderboard", "Leaderboard", board(report)),
        ("curves", "Curves", empty if report["curves"] else None),
        ("documents", "Documents", empty if report["documents"] else None),
        ("topics", "Topics", empty),
        ("runs", "Runs", empty),
        ("differences", "Differences", empty if has_several_runs else None),
        ("agreement", "Agreement of measures", empty if report["agreement"] else None),
        ("overlap", "Overlap of runs", empty if report["overlap"] else None),
        ("skipped", "Warnings", skipped(report)),
        ("how", "How this was made", how(report)),
    ]


def _bar(parts: Sequence[tuple[str, str, Html]]) -> Html:
    short = {"agreement": "Agreement", "overlap": "Overlap", "how": "How"}
    links = [tag("a", short.get(key, title), href=f"#{key}") for key, title, _ in parts]
    chooser = tag("label", tag("span", "measure"), tag("select", id="measure"), class_="choice")
    inside = tag("div", tag("nav", *links, aria_label="sections of this page"), chooser)
    return Html(f'<div id="bar" role="region" aria-label="navigation" hidden>{inside}</div>')


def _file(name: str) -> str:
    return (files("doxel.reports.page") / name).read_text(encoding="utf-8")


def _script() -> str:
    """Return all scripts as one, in a function scope."""
    return '"use strict";\n(() => {\n' + "".join(_file(f"{name}.js") for name in _SCRIPTS) + "})();\n"


def _policy(style: str, script: str) -> str:
    """Return a content security policy that allows this style and script only, and loads nothing."""
    hashes = {
        kind: base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for kind, text in (("style", style), ("script", script))
    }
    return "default-src 'none'; base-uri 'none'; form-action 'none'; " + "; ".join(
        f"{kind}-src 'sha256-{digest}'" for kind, digest in hashes.items()
    )
