"""``doxel judge``: the token, the page with passages first, and gold that outlives the process."""

import json
import os
import re
import signal
import stat
import subprocess
import sys
import threading
from contextlib import ExitStack, contextmanager

import httpx
import pytest

import doxel
from browser import PATIENCE, new_tab, settle, watched
from documents.commands import doxel as command

MANUAL = (
    "Switch it off first.\n\n" + "Nothing of interest is said here.\n\n" * 80 + "Then remove the hot lid.\n"
)
RESULTS = [
    {"topic": "q1", "doc": "manual", "start": MANUAL.index("Then"), "end": len(MANUAL) - 1},
    {"topic": "q1", "doc": "guide", "start": 0, "end": 9},
    {"topic": "q2", "doc": "guide", "start": 10, "end": 14},
    {"topic": "other", "doc": "guide", "start": 0, "end": 4},
]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A collection, questions and a run."""
    folder = tmp_path_factory.mktemp("alone")
    (folder / "source").mkdir()
    (folder / "source" / "manual.txt").write_text(MANUAL)
    (folder / "source" / "guide.txt").write_text("A guide. To the lid.")
    doxel.ingest(folder / "source", folder / "c")
    questions = [{"id": "q1", "text": "How do I open it?"}, {"id": "q2", "text": "What is a lid?"}]
    for name, rows in (("questions", questions), ("run", RESULTS)):
        (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return folder


class Judging:
    """A running ``doxel judge``."""

    def __init__(self, files, gold, *options):
        arguments = ["-c", files / "c", "-t", files / "questions.jsonl", "-o", gold, *options]
        line = [sys.executable, "-m", "doxel", "judge", *map(str, arguments), str(files / "run.jsonl")]
        self.process = subprocess.Popen(line, stderr=subprocess.PIPE, text=True)
        self.lines = []
        self.address = ""
        for text in self.process.stderr:
            self.lines.append(text.rstrip())
            if match := re.search(r"judge at (http://\S+)", text):
                self.address = match[1]
                break
        self.reader = threading.Thread(target=lambda: self.lines.extend(self.process.stderr), daemon=True)
        self.reader.start()

    @property
    def site(self):
        return self.address.partition("/open/")[0]

    def end(self, number):
        self.process.send_signal(number)
        self.process.wait(PATIENCE)
        self.reader.join(PATIENCE)


@contextmanager
def judging(files, gold, *options):
    process = Judging(files, gold, "--no-browser", *options)
    try:
        yield process
    finally:
        if process.process.poll() is None:
            process.end(signal.SIGTERM)
        process.process.stderr.close()


class Judge:
    """A browser without a page: the session of the token, and events."""

    def __init__(self, address):
        self.site = address.partition("/open/")[0]
        self.http = httpx.Client(base_url=self.site, timeout=PATIENCE, follow_redirects=True)
        assert self.http.get(address).status_code == 200
        self.csrf = self.http.get("/api/session").json()["csrf"]
        self.sequence = 0

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.http.close()

    def send(self, doc, kind, body, assignment=1):
        state = self.http.get(f"/api/assignments/{assignment}/states/{doc}").json()
        self.sequence += 1
        event = {
            "doc": doc,
            "client": f"test{id(self)}",
            "sequence": self.sequence,
            "kind": kind,
            "body": body,
        }
        answer = self.http.post(
            f"/api/assignments/{assignment}/events",
            json={"events": [{**event, "fingerprint": state["fingerprint"]}]},
            headers={"x-csrf-token": self.csrf},
        )
        assert answer.status_code == 200, answer.text


def read_lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def wait_for(condition):
    waiting = threading.Event()
    for _ in range(PATIENCE * 10):
        if condition():
            return
        waiting.wait(0.1)
    pytest.fail("this did not happen")


@pytest.mark.integration
def test_only_the_first_browser_with_the_token_can_judge(files, tmp_path):
    with judging(files, tmp_path / "gold.jsonl") as process, ExitStack() as clients:
        assert process.site.startswith("http://127.0.0.1:")
        assert len(process.address.rpartition("/")[2]) >= 40
        stranger = clients.enter_context(httpx.Client(base_url=process.site, timeout=PATIENCE))
        assert stranger.get("/").headers["location"] == "/sign-in"
        assert stranger.get("/open/guess").status_code == 403
        assert stranger.get("/api/assignments").status_code == 401
        judge = clients.enter_context(Judge(process.address))
        assert [entry["topic"] for entry in judge.http.get("/api/assignments").json()["assignments"]] == [
            "q1",
            "q2",
        ]
        assert judge.http.get(process.address).status_code == 200  # the same browser may come back
        for address in ("/", "/assignments/1/documents/manual"):
            assert " · doxel judge</title>" in judge.http.get(address).text
        used = stranger.get(process.address)
        assert used.status_code == 403
        assert "set-cookie" not in used.headers
        assert "used already" in used.text
        sign_in = stranger.post("/api/session", json={"name": "judge", "password": "no hash: cannot sign in"})
        assert sign_in.status_code in {401, 403}
    assert "3 passages of 2 documents to judge for 2 questions" in "\n".join(process.lines)


def test_highlights_are_gold_at_once_and_a_document_that_was_only_opened_is_not(files, tmp_path):
    gold = tmp_path / "gold.jsonl"
    with judging(files, gold) as process, Judge(process.address) as judge:
        judge.send("manual", "show", {"pooled": True})
        judge.send("guide", "highlight", {"spans": [[0, 7]]}, 2)
        wait_for(gold.exists)
        assert read_lines(gold) == [{"topic": "q2", "doc": "guide", "start": 0, "end": 7, "text": "A guide"}]
        judge.send("manual", "validate", {})
        wait_for(lambda: {"topic": "q1", "doc": "manual"} in read_lines(gold))
        process.end(signal.SIGINT)
    assert "gold.jsonl: 1 passage in 2 judged documents" in process.lines[-1]
    assert doxel.read_assessments(gold).topics == ["q1", "q2"]


@pytest.mark.integration
def test_nothing_is_lost_when_the_process_is_killed(files, tmp_path):
    gold = tmp_path / "gold.jsonl"
    with judging(files, gold) as process, Judge(process.address) as judge:
        judge.send("guide", "highlight", {"spans": [[0, 7]]})
        process.end(signal.SIGKILL)
    gold.unlink(missing_ok=True)  # as if it had not been written in time
    with judging(files, gold) as process:
        assert read_lines(gold) == [{"topic": "q1", "doc": "guide", "start": 0, "end": 7, "text": "A guide"}]
        with Judge(process.address) as judge:
            judge.send("guide", "highlight", {"spans": [[9, 20]]}, 2)
        process.end(signal.SIGTERM)
    assert [line["topic"] for line in read_lines(gold)] == ["q1", "q2"]


def test_gold_that_was_made_elsewhere_is_not_replaced(files, tmp_path):
    gold = tmp_path / "gold.jsonl"
    gold.write_text('{"topic": "q1", "doc": "guide"}\n')
    outcome = command(
        "judge", "-c", files / "c", "-t", files / "questions.jsonl", "-o", gold, files / "run.jsonl"
    )
    assert outcome.status == 2
    assert "the gold file exists already" in outcome.err
    assert gold.read_text() == '{"topic": "q1", "doc": "guide"}\n'


def test_runs_without_results_for_the_questions_are_reported(files, tmp_path):
    (tmp_path / "questions.jsonl").write_text('{"id": "q7", "text": "Why?"}\n')
    outcome = command(
        "judge", "-c", files / "c", "-t", tmp_path / "questions.jsonl", "-o", tmp_path / "g.jsonl",
        files / "run.jsonl",
    )  # fmt: skip
    assert outcome.status == 2
    assert "nothing to judge: wanted results for the questions" in outcome.err


@pytest.mark.integration
def test_the_browser_gets_the_address_from_a_private_file(files, tmp_path):
    """Other users of the machine see the arguments of programs, and must not see the token."""
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}.new; mv {opened}.new {opened}\n')
    browser.chmod(0o755)
    os.environ["BROWSER"] = f"{browser} %s"
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "doxel", "judge", "-c", files / "c", "-t", files / "questions.jsonl",
             "-o", tmp_path / "gold.jsonl", files / "run.jsonl"], stderr=subprocess.DEVNULL,
        )  # fmt: skip
    finally:
        del os.environ["BROWSER"]
    wait_for(opened.exists)
    path = opened.read_text().strip().removeprefix("file://")
    assert "token" not in path
    assert stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) == 0o700  # noqa: PTH116, PTH120
    with open(path, encoding="utf-8") as page:  # noqa: PTH123
        address = re.search(r"url=(http://[^\"]+)", page.read())[1]
    with Judge(address) as judge:
        assert judge.csrf
    process.send_signal(signal.SIGINT)
    process.wait(PATIENCE)
    assert not os.path.exists(path)  # noqa: PTH110


@pytest.mark.parametrize("size", [(1280, 900), pytest.param((390, 800), marks=pytest.mark.integration)])
def test_the_page_shows_the_passages_first_and_a_highlight_becomes_gold(chromium, files, tmp_path, size):
    gold = tmp_path / "gold.jsonl"
    with judging(files, gold) as process, new_tab(chromium) as page, watched(page) as visit:
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.goto(process.address)
        page.wait_for_selector("body[data-open=manual]")  # the first result of the first question
        page.wait_for_selector("[data-action=pooled][aria-pressed=true]", state="attached")
        settle(page)
        box = page.get_by_text("Then remove the hot lid.").bounding_box()
        assert 0 <= box["y"] < size[1]  # the end of a long document, brought into view
        if "DOXEL_PICTURES" in os.environ:
            page.screenshot(path=f"{os.environ['DOXEL_PICTURES']}/judge-{size[0]}.png")
        page.get_by_text("Then remove the hot lid.").click(click_count=3)
        page.keyboard.press("h")
        wait_for(lambda: gold.exists() and read_lines(gold))
        (line,) = read_lines(gold)
        assert line["text"].strip() == "Then remove the hot lid."
        assert visit.complaints == []


def test_runs_may_name_questions_by_their_text(files, tmp_path):
    rows = [{**row, "topic": "How do I open it?"} for row in RESULTS[:2]]
    (tmp_path / "run.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    for name in ("c", "questions.jsonl"):
        (tmp_path / name).symlink_to(files / name)
    with judging(tmp_path, tmp_path / "gold.jsonl") as process:
        assert "doxel: 2 passages of 2 documents to judge for 1 question" in process.lines
