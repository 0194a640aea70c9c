"""The guide for organisers in the documentation leads from nothing to qrels: it is followed literally."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from browser import opened
from doxel.campaign import write_demo

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "assess.md"
TOKEN = re.compile(r"\*\*(?P<press>[^*]+)\*\*|\*(?P<field>[^*`]+)\*:\s+`(?P<value>[^`]+)`|`(?P<key>x)`")


def section():
    """Return the part of the page that the organiser follows."""
    return GUIDE.read_text(encoding="utf-8").partition("## From nothing to qrels\n")[2].partition("\n## ")[0]


def commands(text):
    """Return the commands of the blocks in the guide, in order."""
    return [line[2:] for line in text.splitlines() if line.startswith("$ ")]


def steps(text):
    """Return the numbered steps: what is pressed, and what is entered where."""
    items = re.split(r"^\d+\. ", re.sub(r"```.*?```", "", text, flags=re.DOTALL), flags=re.MULTILINE)[1:]
    return [[match.groupdict() for match in TOKEN.finditer(item.partition("\n\n")[0])] for item in items]


def enter(page, label, value, folder):
    """Enter a value into the field with this label: a text, a choice or a file."""
    field = page.get_by_label(label).first
    kind = field.evaluate("element => element.type")
    if kind == "file":
        field.set_input_files(folder / value)
    elif kind == "select-one":
        field.select_option(value)
    else:
        if not field.is_visible():
            page.locator("details", has=field).locator("summary").first.click()
        field.fill(value)


def press(page, name):
    """Press the button or follow the link of this name; in a form with the value just entered, its button."""
    button = page.get_by_role("button", name=name, exact=True)
    (button if button.count() else page.get_by_role("link", name=name, exact=True)).first.click()
    page.wait_for_load_state()


def follow(page, step, folder):
    for token in step:
        if token["field"]:
            enter(page, token["field"], token["value"], folder)
        elif token["press"]:
            press(page, token["press"])


@pytest.fixture
def folder(tmp_path):
    write_demo(tmp_path / "doxel-demo")
    return tmp_path


def run(command, folder):
    words = [sys.executable, "-m", *command.split()]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


def test_the_guide_is_complete():
    guide_steps = steps(section())
    assert len(guide_steps) == 10
    pressed = [token["press"] for step in guide_steps for token in step if token["press"]]
    assert pressed[0] == "Become the organiser"
    assert pressed[-1] == "I have read them, go on"
    names = [command.split()[1] for command in commands(section())]
    assert names == ["demo", "pool", "assess", "evaluate", "assess"]


@pytest.mark.integration
def test_the_guide_leads_from_nothing_to_qrels(chromium, folder):
    demo, pool, serve, evaluate, export = commands(section())
    assert demo == "doxel demo"  # the fixture writes its files; the report at its end takes too long here
    assert run(pool, folder).returncode == 0
    words = [sys.executable, "-m", *serve.split(), "--port", "0"]
    server = subprocess.Popen(words, cwd=folder, stderr=subprocess.PIPE, text=True, env={**os.environ})
    try:
        lines = []
        for line in server.stderr:
            lines.append(line)
            if "serving on" in line:
                break
        (first,) = re.findall(r"http://\S+/set-up/\S+", "".join(lines))
        guide_steps = steps(section())
        with opened(chromium, first) as visit:
            for step in guide_steps[:7]:
                follow(visit.page, step, folder)
            link = visit.page.get_by_label("Link for anna").input_value()
            follow(visit.page, guide_steps[7], folder)
            visit.page.get_by_text("The work is distributed").wait_for()
            assert visit.complaints == []
        with opened(chromium, link) as visit:
            for step in guide_steps[8:]:
                follow(visit.page, step, folder)
            visit.page.locator("#done", has_text="0 of").wait_for()  # the document is open
            visit.page.keyboard.press("x")
            visit.page.locator("#done", has_text="1 of").wait_for()
            visit.page.locator("#save-words", has_text="Saved").wait_for()
            visit.page.keyboard.press("g")
            visit.page.get_by_role("dialog", name="Guidelines").get_by_text("Be fair").wait_for()
        scored = run(evaluate, folder)
        assert "MAep" in scored.stdout, scored.stderr
        exported = run(export, folder)
        assert exported.returncode == 0, exported.stderr
        assert len((folder / "autumn.qrels").read_text().splitlines()) == 1
    finally:
        server.terminate()
        server.wait(300)
        server.stderr.close()
