"""Take the pictures of a report in a browser: its top, and a document in which the runs differ."""  # noqa: INP001

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
_ARGUMENTS = ["--no-sandbox", "--disable-background-networking", "--no-first-run"]
_WIDTH = 1180
_COMMAND = (
    "report -c handbook.doxel -a assessments/handbook.qrels -t topics.xml -o report"
    " -m MAiP,char_rec@5,char_prec@5 --test tukey --depth 10 --show 1,2,3"
    " --title 'Three systems on the handbook'"
    " runs/bm25-focused.xml runs/lm-focused.run runs/windows-disjoint.run"
)
_DOCUMENT = "overlap"  # the runs find 52, 100 and 79 per cent of its highlights
_SHOW_PART = """desk => {
  desk.style.height = '440px';
  const mark = desk.querySelectorAll('mark')[1];
  desk.scrollTop += mark.getBoundingClientRect().top - desk.getBoundingClientRect().top - 44;
}"""


def main() -> int:
    """Write a report on the demo, open it, and take a picture of its top and of a document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--report", type=Path, metavar="DIR", help="an existing report")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report = options.report or _write_report(Path(folder))
        _take(report / "index.html", DOCS / "pictures")
    return 0


def _write_report(folder: Path) -> Path:
    """Write a report on three runs, whose curves have bands, with the ten first results in the documents."""
    from doxel.campaign import write_demo
    from doxel.cli.main import cli

    write_demo(folder)
    os.chdir(folder)  # so that the page shows relative file names
    cli.main(shlex.split(_COMMAND), prog_name="doxel", standalone_mode=False)
    return folder / "report"


def _take(page: Path, folder: Path) -> None:
    from playwright.sync_api import sync_playwright

    folder.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=_ARGUMENTS)
        for scheme in ("light", "dark"):
            context = browser.new_context(
                viewport={"width": _WIDTH, "height": 6000}, color_scheme=scheme, device_scale_factor=1.5
            )
            opened = context.new_page()
            opened.goto(page.resolve().as_uri())
            for part in ("curves", "documents"):
                opened.locator(f"#{part}").scroll_into_view_if_needed()
                opened.wait_for_selector(f"#{part} svg.chart")
            opened.locator("#documents .shelf button", has_text=_DOCUMENT).first.click()
            opened.locator("#documents .desk").evaluate(_SHOW_PART)
            _picture(opened, folder / f"document-{scheme}.png", "#documents h2", "#documents .desk")
            opened.set_viewport_size({"width": _WIDTH, "height": 1000})  # the page marks the part at the top
            opened.evaluate("scrollTo(0, 0)")
            opened.wait_for_selector("nav a[aria-current]:has-text('Leaderboard')")
            _picture(opened, folder / f"report-{scheme}.png", "header", "#curves .legend")
            context.close()
        browser.close()


def _picture(page: Any, target: Path, first: str, last: str) -> None:
    """Save the part of the page between two elements, with few colours."""
    from PIL import Image

    page.evaluate("scrollTo(0, 0)")
    page.mouse.move(0, 0)
    begin, end = page.locator(first).first.bounding_box(), page.locator(last).first.bounding_box()
    top = begin["y"] - 14 if first != "header" else 0
    clip = {"x": 0, "y": top, "width": _WIDTH, "height": end["y"] + end["height"] + 10 - top}
    page.screenshot(path=target, clip=clip)  # a picture of the full page would resize it, and draw it again
    Image.open(target).convert("RGB").quantize(160, dither=Image.Dither.NONE).save(target, optimize=True)


if __name__ == "__main__":
    sys.exit(main())
