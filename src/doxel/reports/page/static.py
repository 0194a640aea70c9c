"""The parts of the page that stand still: they are there without a script, and on paper."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from doxel.reports.page.html import Html, isolated, tag
from doxel.wording import counted

__all__ = ["board", "how", "lead", "skipped"]


def lead(report: Mapping[str, Any]) -> Html:
    """Return the line below the title: what was compared."""
    counts = [
        counted(len(report["runs"]), "run"),
        counted(len(report["topics"]), "topic"),
        counted(len(report["measures"]), "measure"),
    ]
    said = [tag("span", ", ".join(counts))]
    if report["collection"]:
        collection = report["collection"]
        said += [
            tag("span", f"; {counted(collection['documents'], 'document')} of "),
            isolated(Path(collection["name"]).name),
        ]
    return tag("p", *said, class_="lead")


def board(report: Mapping[str, Any]) -> Html:
    """Return the leaderboard without intervals, for readers without a script; the script replaces it."""
    head = tag(
        "tr",
        tag("th", "run", scope="col"),
        *(tag("th", name, scope="col", class_="number") for name in report["measures"]),
    )
    rows = [
        tag(
            "tr",
            tag("th", isolated(run), scope="row"),
            *(tag("td", _score(of_run[place]), class_="number") for of_run in report["means"]),
        )
        for place, run in enumerate(report["runs"])
    ]
    table = tag("table", tag("thead", head), tag("tbody", *rows), class_="data")
    return tag("div", _scroller("leaderboard", table), data_part="table")


def _score(found: Mapping[str, Any] | None) -> str:
    return "–" if found is None or found["score"] is None else f"{found['score']:.4f}"


def skipped(report: Mapping[str, Any]) -> Html:
    """Return what was refused and what was left out, with the reasons."""
    refused = [
        tag(
            "li",
            isolated(one["run"]),
            ": the whole run was skipped: "
            if one["what"] == ["all"]
            else f": {', '.join(one['what'])} refused: ",
            isolated(one["reason"]),
        )
        for one in report["skipped"]
    ]
    noted = [tag("li", isolated(one)) for one in report["warnings"]]
    parts = [tag("h3", "Refused"), tag("ul", *refused, class_="plain")] if refused else []
    parts += [tag("h3", "Left out and noted"), tag("ul", *noted, class_="plain")] if noted else []
    return Html("".join(parts)) if parts else tag("p", "Nothing.", class_="clear")


def how(report: Mapping[str, Any]) -> Html:
    """Return the parameters, the files with their hashes, and the versions."""
    parameters = {**report["parameters"], **report["options"]}
    settings = [
        tag("tr", tag("th", key.replace("_", " "), scope="row"), tag("td", isolated(_shown(value))))
        for key, value in parameters.items()
        if value not in (None, [], "")
    ]
    versions = ", ".join(f"{name} {version}" for name, version in report["versions"].items())
    settings.append(tag("tr", tag("th", "versions", scope="row"), tag("td", versions)))
    head = [
        tag("th", label, scope="col", class_=kind)
        for label, kind in (("file", None), ("read as", None), ("bytes", "number"), ("SHA-256", None))
    ]
    rows = [_file(one) for one in report["files"]]
    if report["collection"]:
        rows.append(_collection(report["collection"]))
    parts = [tag("h3", "Parameters"), tag("table", tag("tbody", *settings), class_="facts")]
    if rows:
        table = tag("table", tag("thead", tag("tr", *head)), tag("tbody", *rows), class_="data files")
        parts += [tag("h3", "Files", class_="later"), _scroller("files", table)]
    return Html("".join(parts))


def _scroller(label: str, content: Html) -> Html:
    """Return what may be wider than its place: it can be reached and moved by keys."""
    return tag("div", content, class_="wide", tabindex=0, role="region", aria_label=label)


def _file(one: Mapping[str, Any]) -> Html:
    return tag(
        "tr",
        tag("th", isolated(one["name"]), scope="row"),
        tag("td", one["role"]),
        tag("td", f"{one['bytes']:,}", class_="number"),
        tag("td", tag("code", one["sha256"])),
    )


def _collection(one: Mapping[str, Any]) -> Html:
    return tag(
        "tr",
        tag("th", isolated(one["name"]), scope="row"),
        tag("td", "collection"),
        tag("td", counted(one["documents"], "document"), class_="number"),
        tag("td", tag("code", one["fingerprint"])),
    )


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) else str(value)
