"""``doxel demo``: the whole chain, and a page at its end."""

from __future__ import annotations

import json
import re
from urllib.parse import unquote, urlparse

from documents.commands import doxel


def test_the_whole_chain(tmp_path):
    outcome = doxel("demo", "--out", tmp_path / "a demo")
    assert outcome.status == 0
    commands = re.findall(r"\$ doxel (\w+)", outcome.err)
    assert list(dict.fromkeys(commands)) == ["ingest", "collection", "check", "evaluate", "compare", "report"]
    address = outcome.messages[-1].partition("open this page in a browser: ")[2]
    page = unquote(urlparse(address).path)
    assert page == str((tmp_path / "a demo" / "report" / "index.html").resolve())
    report = json.loads((tmp_path / "a demo" / "report" / "report.json").read_text("utf-8"))
    assert len(report["runs"]) == 4
    assert len(report["documents"]) == 15
    assert all(one["text"] for one in report["documents"])
    # the figures of the page are those that `doxel evaluate` printed before
    maip = report["means"][report["measures"].index("MAiP")]
    for run, mean in zip(report["runs"][:3], maip, strict=False):
        lines = [line for line in outcome.out.splitlines() if line.strip().startswith(run)]
        assert any(f"{mean['score']:.4f}" in line for line in lines)
