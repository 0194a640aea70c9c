"""The pages of studies, generated from their results on the bundled campaign.

``build.py`` writes the pages, and a test compares them with the current results.  The remarks, which are
written by hand, interpret the results without figures.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from doxel.campaign import DemoFiles, write_demo
from doxel.documents.ingestion import ingest
from doxel.reports.study_pages import render_markdown_table, render_result_markdown
from doxel.reports.study_pictures import build_study_pictures, draw_study
from doxel.studies import STUDIES, SettingsStudy, Study, StudyResult, find_study, study_settings

__all__ = ["REAL", "demo_pages", "real_page", "write_studies"]

STUDIES_FOLDER = Path(__file__).resolve().parents[1] / "studies"
REAL = STUDIES_FOLDER.parents[2] / "shared" / "data" / "plos-jats"
_SIMULATED, _SIMULATED_REAL = 25, 12  # topics; fewer for real articles, which are long
_DOTS = 150  # per inch, so that pages stay small

_MADE = "*`docs/build.py` generates this page from the results of the study.*"
_REMARKS = Path(__file__).with_name("remarks")


def _remark(name: str) -> str:
    """Return the hand-written interpretation of a study."""
    return (_REMARKS / f"{name}.md").read_text(encoding="utf-8").rstrip()


@dataclass(frozen=True)
class _Pair:
    """Two settings that a paper compares, and the question behind the comparison."""

    question: str
    assessments: str
    a: str
    b: str


_PAIRS = (
    _Pair("quantisations", "inex2005", "quant=gen", "quant=strict"),
    _Pair("quantisations", "inex2005", "quant=gen", "quant=genlifted"),
    _Pair("quantisations", "qrels", "quant=spec", "quant=strict2006"),
    _Pair("links filtered or not", "qrels", "", "exclude_tags=links"),
    _Pair("fewer grades", "inex2005", "", "grades=1"),
    _Pair("CO against CO+S", "qrels", "", "hints=strict"),
    _Pair("overlap on and off", "qrels", "overlap=on", "overlap=off"),
    _Pair("target vague or strict", "qrels", "structure=VVCAS", "structure=SVCAS"),
    _Pair("support vague or strict", "qrels", "structure=SVCAS", "structure=SSCAS"),
)
# assessments of 2005 contain elements only, so passages gain nothing there
_ELEMENT_RUNS = (
    "bm25-articles",
    "bm25-context",
    "bm25-elements",
    "bm25-focused",
    "bm25-sections",
    "tfidf-leaves",
)


def write_studies(*, real: bool = False) -> list[Path]:
    """Write the pages and their pictures; with ``real`` also the page about real articles, if available."""
    STUDIES_FOLDER.mkdir(exist_ok=True)
    pages = demo_pages()
    if real and REAL.is_dir():
        pages |= real_page(REAL)
    paths = []
    for name, content in pages.items():
        path = STUDIES_FOLDER / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        paths.append(path)
    return paths


def demo_pages(
    *, pictures: bool = True, results: Mapping[str, StudyResult] | None = None
) -> dict[str, str | bytes]:
    """Return the pages about the bundled campaign, and their pictures, by file name.

    ``results`` are those of the studies, where somebody has them already.
    """
    with tempfile.TemporaryDirectory() as folder:
        demo = write_demo(folder)
        results = results or {study.name: _ask(study, demo) for study in STUDIES}
        simulated = find_study("stereotypes").ask(
            [], None, collection=demo.collection, simulate_grades=_SIMULATED
        )
        pairs = _pairs(demo)
    pages: dict[str, str | bytes] = {"index.md": _index(results)}
    for study in STUDIES:
        pictures_of_study, files = _pictures(study.name, results[study.name], draw=pictures)
        pages |= files
        more: list[str] = []
        if study.name == "stereotypes":
            also, files = _pictures("stereotypes-simulated", simulated, draw=pictures)
            pages |= files
            more = _simulated(simulated, also)
        if study.name == "settings":
            more = ["## The questions of the papers", render_markdown_table(pairs)]
        pages[f"{study.name}.md"] = _page(study, results[study.name], pictures_of_study, more)
    return pages


def _ask(study: Study, demo: DemoFiles) -> StudyResult:
    """Run a study with the defaults of the command."""
    runs = {path.stem: str(path) for path in demo.runs}
    return study.ask(
        [runs[name] for name in study.demo_runs],
        study.choose_demo_assessments(demo.assessments),
        collection=demo.collection,
        topic_file=demo.topics,
        **study.demo_options,
    )


def _pictures(stem: str, result: StudyResult, *, draw: bool) -> tuple[dict[str, str], dict[str, str | bytes]]:
    """Return the captions and the content of a study's pictures, by file name."""
    words: dict[str, str] = {}
    files: dict[str, str | bytes] = {}
    for name, picture in build_study_pictures(result).items():
        file = f"{stem}-{name}.png"
        words[file] = ", ".join(filter(None, (picture.title, picture.note)))
        if draw:
            files[file] = draw_study(picture, "png", dots=_DOTS)
    return words, files


def _page(study: Study, result: StudyResult, pictures: Mapping[str, str], more: list[str]) -> str:
    pieces = [
        f"# {study.name}",
        f"{study.question}",
        _plain(study.about),
        " ".join([f"Source: {study.source}.", *_measures(study)]),
        f"```text\n{_command(study)}\n```",
        "On the bundled campaign:",
        *render_result_markdown(result, pictures),
        "## Interpretation",
        _remark(study.name),
        *more,
        _MADE,
    ]
    return "\n\n".join(pieces) + "\n"


def _measures(study: Study) -> list[str]:
    names = ", ".join(f"`{name}`" for name in study.measures)
    return [f"Default measures: {names}."] if names else []


def _command(study: Study) -> str:
    commands = [f"doxel study {study.name}"]
    data = "-c COLLECTION -a ASSESSMENTS" + (" RUN..." if study.takes_runs else "")
    commands.append(f"doxel study {study.name} {data} -o DIR")
    if study.name in {"stereotypes", "claims"}:
        commands.append(f"doxel study {study.name} -c COLLECTION --simulate-grades {_SIMULATED}")
    if study.name == "settings":
        commands.append(
            "doxel study settings --a quant=spec --b 'quant=strict; exclude_tags=links' -m nxCG@10"
        )
    return "\n".join(commands)


def _simulated(result: StudyResult, pictures: Mapping[str, str]) -> list[str]:
    heading = [f"## The same articles with {_SIMULATED} simulated topics", _remark("simulated")]
    return [*heading, *render_result_markdown(result, pictures, level=3)]


def _index(results: Mapping[str, StudyResult]) -> str:
    rows = [
        f"- [{study.name}]({study.name}.md): {study.question} *{_plain(results[study.name].findings[0])}*"
        for study in STUDIES
    ]
    real = "The first study was also applied to [real articles](real-articles.md)."
    pieces = ["# Studies", _remark("index"), "\n".join(rows), real, _remark("python"), _MADE]
    return "\n\n".join(pieces) + "\n"


def _pairs(demo: DemoFiles) -> pl.DataFrame:
    """Return the results of the settings study for all pairs of settings, one row per pair and measure."""
    paths = {path.stem: str(path) for path in demo.runs}
    rows = []
    for pair in _PAIRS:
        names = find_study("settings").demo_runs if pair.assessments == "qrels" else _ELEMENT_RUNS
        study = study_settings(
            [paths[name] for name in names],
            demo.assessments[pair.assessments],
            ["nxCG(task=focused)@10", "MAep(task=thorough)"],
            collection=demo.collection,
            topic_file=demo.topics,
            a=pair.a,
            b=pair.b,
        )
        rows += list(_pair_rows(pair, study))
    return pl.DataFrame(rows)


def _pair_rows(pair: _Pair, study: SettingsStudy) -> Iterator[dict[str, Any]]:
    tables = study.agreement.iter_rows(named=True), study.conclusions.iter_rows(named=True)
    for agreement, conclusion in zip(*tables, strict=True):
        yield {
            "question": pair.question,
            "A": study.a,
            "B": study.b,
            "measure": agreement["measure"],
            "runs": agreement["runs"],
            "tau": agreement["tau"],
            "low": agreement["low"],
            "high": agreement["high"],
            "moved": agreement["moved"],
            "distinguished under both": conclusion["both"],
            "A only": conclusion["only_a"],
            "B only": conclusion["only_b"],
        }


def real_page(source: Path) -> dict[str, str | bytes]:
    """Return the page about stereotypical systems on real articles with simulated grades."""
    with tempfile.TemporaryDirectory() as folder:
        report = ingest(str(next(source.glob("*.tar.xz"))), f"{folder}/real.doxel", jobs=1)
        result = find_study("stereotypes").ask(
            [], None, collection=f"{folder}/real.doxel", simulate_grades=_SIMULATED_REAL
        )
    pictures, files = _pictures("real-articles", result, draw=True)
    about = (
        f"The study [stereotypes](stereotypes.md) on {report.documents:,} articles of PLOS in JATS, with "
        f"{report.elements:,} elements, and {_SIMULATED_REAL} topics of simulated grades."
    )
    origin = (
        "*`docs/build.py --examples` generates this page if the articles are available; a test compares it.*"
    )
    pieces = [
        "# Stereotypical systems on real articles",
        about,
        *render_result_markdown(result, pictures),
        origin,
    ]
    return {"real-articles.md": "\n\n".join(pieces) + "\n", **files}


def _plain(words: str) -> str:
    return " ".join(words.split()).replace("_", "\\_").replace("*", "\\*")
