"""``doxel demo``: all steps, and the page at the end."""

from __future__ import annotations

import json
import re
from urllib.parse import unquote, urlparse

from documents.commands import doxel


def test_the_folder_has_a_default():
    assert "[default: doxel-demo]" in " ".join(doxel("demo", "--help").out.split())


def test_the_demo_runs_all_steps(demo_command):
    outcome, folder = demo_command
    assert outcome.status == 0
    commands = re.findall(r"\$ doxel (\w+)", outcome.err)
    assert list(dict.fromkeys(commands)) == ["ingest", "collection", "check", "evaluate", "compare", "report"]
    address = outcome.messages[-1].partition("open this page in a browser: ")[2]
    page = unquote(urlparse(address).path)
    assert page == str((folder / "report" / "index.html").resolve())
    report = json.loads((folder / "report" / "report.json").read_text("utf-8"))
    assert len(report["runs"]) == 4
    assert len(report["documents"]) == 15
    assert all(document["text"] for document in report["documents"])
    # the page shows the same figures as `doxel evaluate`
    maip = report["means"][report["measures"].index("MAiP")]
    for run, mean in zip(report["runs"][:3], maip, strict=False):
        lines = [line for line in outcome.out.splitlines() if line.strip().startswith(run)]
        assert any(f"{mean['score']:.4f}" in line for line in lines)
