"""The files that must be in a wheel and in a source distribution, and those that must not."""

from __future__ import annotations

import re

from tools.wheel.building import Built, WheelError

__all__ = ["check_contents"]

# files that the package reads at run time, one of each kind
NEEDED = (
    "doxel/py.typed",
    "doxel/data/demo/topics.xml",
    "doxel/data/demo/runs/lm-focused.run",
    "doxel/data/demo/assessments/handbook.qrels",
    "doxel/data/demo/handbook-markdown/overlap.md",
    "doxel/data/handbook/overlap.xml",
    "doxel/reports/page/style.css",
    "doxel/reports/page/page_base.js",
    "doxel/assess/templates/base.html",
    "doxel/assess/static/view/styles.json",
    "doxel/assess/static/core/judging_events.json",
)
_SUFFIXES = {
    *("", ".css", ".html", ".js", ".json", ".jsonl", ".md", ".py", ".qrels"),
    *(".run", ".svg", ".typed", ".xml"),
}
_FOREIGN = re.compile(r"(^|/)(__pycache__|\.[^/]*|tests?|build|dist)(/|$)|\.(pyc|sqlite|log)$")
_OF_SDIST = ("LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml", "Makefile", "tests/conftest.py")


def check_contents(built: Built) -> str:
    """Raise WheelError if files are missing or do not belong there; return their numbers and sizes."""
    wheel, sdist = built.in_wheel, built.in_sdist
    sources = {
        path.relative_to(built.sources / "src").as_posix()
        for path in (built.sources / "src").rglob("*")
        if path.is_file()
    }
    package = {name for name in wheel if ".dist-info/" not in name}
    _refuse("the wheel lacks", sources - package)
    _refuse("the sources lack files of the wheel:", package - sources)
    _refuse("the wheel lacks", set(NEEDED) - package)
    _refuse("files that do not belong in the wheel:", {name for name in wheel if _FOREIGN.search(name)})
    odd = {name for name in package if "." + name.rpartition(".")[2] not in _SUFFIXES}
    _refuse("files of unknown kinds in the wheel:", odd)
    _refuse("the source distribution lacks", {f"src/{name}" for name in sources} - sdist)
    _refuse("the source distribution lacks", set(_OF_SDIST) - sdist)
    if not any(name.endswith(".dist-info/licenses/LICENSE") for name in wheel):
        raise WheelError("the wheel has no licence")
    size = built.wheel.stat().st_size
    return (
        f"{built.wheel.name}: {len(wheel)} files, {size / 1e6:.1f} MB; {built.sdist.name}: {len(sdist)} files"
    )


def _refuse(problem: str, names: set[str]) -> None:
    if names:
        raise WheelError(f"{problem} {', '.join(sorted(names)[:10])}")
