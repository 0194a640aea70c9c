"""``doxel report`` as a whole command on many runs, and its page in a browser."""

from __future__ import annotations

import shutil
import statistics
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from benchmarks.lines import Gate, Line, unavailable
from benchmarks.measuring import UnavailableError, command
from benchmarks.samples import Samples

__all__ = ["MEASURES", "measure", "report_command"]

_SECONDS, _PAGE, _OPENED = Gate("<=", 12.0), Gate("<", 5.0), Gate("<", 2.0)
_TIME_LIMIT = 180  # seconds, on a machine that runs other programs, too
_ARGUMENTS = ["--no-sandbox", "--disable-background-networking", "--disable-sync", "--no-first-run"]
MEASURES = ("inex2009-focused",)
# the first frame after the page has been loaded: its scripts have drawn everything that is there at first
_DRAWN = """() => new Promise((done) => requestAnimationFrame(() => {
  const {port1, port2} = new MessageChannel();
  port1.onmessage = () => done(performance.now());
  port2.postMessage(0);
}))"""


def measure(samples: Samples) -> Iterator[Line]:
    """Yield processor time, size of the page and the time until it is open, each a median."""
    folder, out = samples.report_campaign(), samples.scratch() / "report"
    runs = sorted((folder / "fol").glob("*.run"))
    size = f"{len(runs)} runs x {samples.scale.topics} topics"
    command_line = report_command(folder / "qrels.txt", runs, out)
    name = "report: seconds of processors"
    try:
        costs = [command(command_line, limit=_TIME_LIMIT) for _ in range(samples.scale.repetitions)]
    except UnavailableError as reason:
        yield unavailable(name, str(reason), _SECONDS)
        return
    seconds = statistics.median(cost.cpu for cost in costs)
    yield Line(name, seconds, "s", _SECONDS, f"{size}; least {min(cost.cpu for cost in costs):.1f} s")
    yield Line("report: page", (out / "index.html").stat().st_size / 1e6, "MB", _PAGE, size)
    yield _open_page(out / "index.html", samples.scale.repetitions)


def report_command(assessments: Path, runs: list[Path], out: Path) -> list[str]:
    """Return the command line of a report."""
    measures = [word for measure in MEASURES for word in ("-m", measure)]
    doxel = Path(sysconfig.get_path("scripts")) / "doxel"
    return [
        str(doxel),
        "report",
        "-a",
        str(assessments),
        *measures,
        "-o",
        str(out),
        *map(str, runs),
    ]


def _open_page(page: Path, repetitions: int) -> Line:
    name = "report: opening the page"
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        return unavailable(name, "there is no chromium: 'make system' installs it", _OPENED)
    from playwright.sync_api import sync_playwright

    opened = []
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=program, args=_ARGUMENTS) as browser,
    ):
        for _ in range(repetitions):
            tab = browser.new_page()
            tab.goto(page.resolve().as_uri(), wait_until="load")
            opened.append(tab.evaluate(_DRAWN) / 1000)
            tab.close()
    return Line(
        name,
        statistics.median(opened),
        "s",
        _OPENED,
        f"of {len(opened)}: {min(opened):.2f} to {max(opened):.2f} s",
    )
