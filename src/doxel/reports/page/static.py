"""The static parts of the page, which need no script and can be printed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from doxel.reports.page.html import Html, isolated, tag
from doxel.wording import pluralise

__all__ = ["board", "how", "lead", "skipped"]


def lead(report: Mapping[str, Any]) -> Html:
    """Return the line below the title: the numbers of runs, topics, measures and documents."""
    counts = [
        pluralise(len(report["runs"]), "run"),
        pluralise(len(report["topics"]), "topic"),
        pluralise(len(report["measures"]), "measure"),
    ]
    spans = [tag("span", ", ".join(counts))]
    if report["collection"]:
        collection = report["collection"]
        spans += [
            tag("span", f"; {pluralise(collection['documents'], 'document')} of "),
            isolated(Path(collection["name"]).name),
        ]
    return tag("p", *spans, class_="lead")


def board(report: Mapping[str, Any]) -> Html:
    """Return the leaderboard without intervals, for browsers without scripts; the script replaces it."""
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


def _score(mean: Mapping[str, Any] | None) -> str:
    return "–" if mean is None or mean["score"] is None else f"{mean['score']:.4f}"


def skipped(report: Mapping[str, Any]) -> Html:
    """Return the lists of rejected runs and warnings, with reasons."""
    rejected = [
        tag(
            "li",
            isolated(row["run"]),
            ": the whole run was skipped: "
            if row["what"] == ["all"]
            else f": {', '.join(row['what'])} not computed: ",
            isolated(row["reason"]),
        )
        for row in report["skipped"]
    ]
    warnings = [tag("li", isolated(warning)) for warning in report["warnings"]]
    parts = [tag("h3", "Not scored"), tag("ul", *rejected, class_="plain")] if rejected else []
    parts += [tag("h3", "Notes"), tag("ul", *warnings, class_="plain")] if warnings else []
    return Html("".join(parts)) if parts else tag("p", "None.", class_="clear")


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
    rows = [_file(file) for file in report["files"]]
    if report["collection"]:
        rows.append(_collection(report["collection"]))
    parts = [tag("h3", "Parameters"), tag("table", tag("tbody", *settings), class_="facts")]
    if rows:
        table = tag("table", tag("thead", tag("tr", *head)), tag("tbody", *rows), class_="data files")
        parts += [tag("h3", "Files", class_="later"), _scroller("files", table)]
    return Html("".join(parts))


def _scroller(label: str, content: Html) -> Html:
    """Return a region that scrolls sideways and can be focused with the keyboard."""
    return tag("div", content, class_="wide", tabindex=0, role="region", aria_label=label)


def _file(file: Mapping[str, Any]) -> Html:
    return tag(
        "tr",
        tag("th", isolated(file["name"]), scope="row"),
        tag("td", file["role"]),
        tag("td", f"{file['bytes']:,}", class_="number"),
        tag("td", tag("code", file["sha256"])),
    )


def _collection(collection: Mapping[str, Any]) -> Html:
    return tag(
        "tr",
        tag("th", isolated(collection["name"]), scope="row"),
        tag("td", "collection"),
        tag("td", pluralise(collection["documents"], "document"), class_="number"),
        tag("td", tag("code", collection["fingerprint"])),
    )


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) else str(value)
