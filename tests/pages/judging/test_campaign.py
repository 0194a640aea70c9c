"""End to end: a pool of runs, judged in a browser, exported, scored as the same highlights are."""

import re

import numpy as np
import pytest

from assess.processes import served
from assess.site_fixtures import PASSWORD, Visitor
from browser import opened
from documents.commands import doxel
from doxel.assess.store.pooled_documents import Library
from doxel.campaign import write_demo
from doxel.documents import read_collection
from doxel.pooling import read_pool
from pages.judging.judge import Judge


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The demo's files, and a shallow pool of two of its runs."""
    folder = tmp_path_factory.mktemp("judged-demo")
    files = write_demo(folder)
    runs = [run for run in files.runs if run.name in {"bm25-focused.xml", "lm-focused.run"}]
    command = doxel("pool", *runs, "--depth", 3, "-c", files.collection, "-o", folder / "pool.jsonl")
    assert command.status == 0, command.err
    return folder, files, runs


@pytest.fixture
def plan(demo):
    """By document of topic 1: words to look for and the smallest element around them, or nothing."""
    folder, files, _ = demo
    library = Library(read_collection(files.collection))
    marks = {}
    for number, document in enumerate(read_pool(folder / "pool.jsonl").of("1")):
        text, outline = library.text(document.doc), library.outline(document.doc)
        rows = [row for row, path in enumerate(outline.path) if path.rpartition("/")[2].startswith("p[")]
        words = text[outline.start[rows[number]] : outline.end[rows[number]]].split()[:6]
        match = re.search(r"\s+".join(map(re.escape, words)), text)
        holds = (outline.start <= match.start()) & (outline.end >= match.end())
        smallest = min(np.flatnonzero(holds), key=lambda row: outline.end[row] - outline.start[row])
        span = int(outline.start[smallest]), int(outline.end[smallest])
        marks[document.doc] = (" ".join(words), span) if number % 3 != 2 else None
    return marks


def scores(files, runs, assessments):
    """The output of doxel evaluate: passage scores for two runs, entry point scores for a third."""
    common = ("evaluate", "-q", "-c", files.collection, "-a", assessments, "-f", "tsv")
    passages = doxel(*common, "-m", "nxCG@5", "-m", "MAep", "-m", "char_rec@10", "-m", "MAiP", *runs)
    (entries,) = (run for run in files.runs if run.name == "bm25-entry.run")
    points = doxel(*common, "-m", "BEPD(A=10)", entries)
    assert (passages.status, points.status) == (0, 0), passages.err + points.err
    return passages.out + points.out


def test_pool_highlight_validate_export_evaluate(chromium, demo, plan, tmp_path):
    folder, files, runs = demo
    database = tmp_path / "assess.sqlite"
    (tmp_path / "password").write_text(PASSWORD)
    for name, role in (("olga", "organiser"), ("anna", "assessor")):
        who = ("assess", "user", "add", name, "--role", role)
        assert doxel(*who, "--database", database, "--password-file", tmp_path / "password").status == 0
    where = ("-c", files.collection, "-t", files.topics, "--pool", folder / "pool.jsonl")
    with served(*where, "--database", database) as server:
        olga = Visitor(server.address).sign_in("olga")
        olga.post("/api/assignments", {"topic": "1", "assessor": "anna", "scale": "2006", "snapping": "free"})
        olga.http.close()
        with opened(chromium, f"{server.address}/sign-in") as visit:
            sign_in(visit.page)
            judge_all(Judge(visit, None, 1, "anna"), server.address, plan)
            assert visit.complaints == []
            assert all(url.startswith(f"{server.address}/") for url in visit.requests)
    exported = tmp_path / "exported.qrels"
    command = doxel(
        "assess", "export", exported, "--to", "qrels", "-c", files.collection, "--database", database
    )
    assert command.status == 0, command.err
    direct = tmp_path / "direct.qrels"
    direct.write_text("".join(line(files, doc, wanted) for doc, wanted in plan.items()))
    assert scores(files, runs, exported) == scores(files, runs, direct)
    assert len(scores(files, runs, exported).splitlines()) > 8


def sign_in(page):
    page.wait_for_function("() => document.activeElement.name === 'name'")
    page.keyboard.type("anna")
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Topic 1").wait_for()


def judge_all(judge, address, plan):
    """Judge one document after the other, never leaving the page."""
    docs = list(plan)
    judge.page.goto(f"{address}/assignments/1/documents/{docs[0]}")
    for doc in docs:
        judge.opens(doc)
        if plan[doc] is None:
            judge.press("x")
        else:
            judge.press("/")
            judge.page.keyboard.type(plan[doc][0])
            judge.press("Enter", "Escape", "e", "h", "b")
        judge.press("Shift+Enter")
    judge.said(f"All {len(docs)} documents are done")
    judge.saves("Saved")


def line(files, doc, wanted):
    """The qrels of a document: relevant size, size, entry point, passages as offset and length."""
    size = Library(read_collection(files.collection)).find(doc).characters
    if wanted is None:
        return f"1 Q0 {doc} 0 {size}\n"
    _, (start, end) = wanted
    return f"1 Q0 {doc} {end - start} {size} {start} {start}:{end - start}\n"
