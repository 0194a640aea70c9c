"""Control characters in the names of runs, topics and documents are shown escaped, in every output."""

import json
import re

import pytest

from documents.commands import doxel as command
from documents.commands import write_files

EVIL = "a\x1b[31m\x07\x9b\u202eb"  # colours, a bell, an escape of one byte, and writing from the right
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
SHOWN = "\\x1b[31m\\x07\\x9b\\u202e"


def _lines(*records):
    return "".join(f"{json.dumps(record)}\n" for record in records)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    topics = (f"t{EVIL}", "2", "3")
    runs = {
        f"{name}.jsonl": _lines(
            *(
                {"run": name + EVIL, "topic": topic, "doc": EVIL, "rank": 1, "start": start, "end": start + 9}
                for topic in topics
            )
        )
        for name, start in (("r1", 0), ("r2", 4))
    }
    gold = [{"topic": topic, "doc": EVIL, "start": 0, "end": 5} for topic in topics]
    return write_files(tmp_path_factory.mktemp("evil"), {**runs, "gold.jsonl": _lines(*gold)})


CALLS = {
    **{
        f"evaluate {layout}": f"evaluate -q -f {layout} -m char_rec@5"
        for layout in ("tsv", "csv", "table", "json")
    },
    **{f"evaluate {layout}": f"evaluate -q -f {layout} -m char_rec@5" for layout in ("trec", "latex")},
    **{
        f"compare {layout}": f"compare -f {layout} -m char_rec@5 --resamples 100"
        for layout in ("table", "tsv", "json")
    },
    **{
        f"explain {layout}": f"explain --topic 2 -f {layout} -m char_rec@5"
        for layout in ("table", "csv", "html", "json")
    },
    "check": "check -f json",
    "pool": "pool --depth 5 --statistics -m char_rec@5",
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_printed_names_are_escaped(call, folder):
    runs = (folder / "r1.jsonl", folder / "r2.jsonl")[: 1 if "explain" in call else 2]
    outcome = command(*call.split(), "-a", folder / "gold.jsonl", *runs)
    assert outcome.status in {0, 1}, outcome.err
    assert not CONTROL.search(outcome.out)
    assert not CONTROL.search(outcome.err)
    if "json" not in call:  # JSON has its own escapes
        assert SHOWN in outcome.out.replace(r"\textbackslash{}", "\\").replace("{[}", "[")


def test_no_name_can_begin_a_line_of_messages(tmp_path):
    run = {"run": "r\ndoxel: all is well", "topic": "1", "doc": "a", "rank": 1, "start": 0, "end": 9}
    gold = {"topic": "1", "doc": "b", "start": 0, "end": 5}
    write_files(tmp_path, {"run.jsonl": _lines(run), "gold.jsonl": _lines(gold)})
    outcome = command("evaluate", "-a", tmp_path / "gold.jsonl", "-m", "char_rec@5", tmp_path / "run.jsonl")
    assert "r\\ndoxel: all is well" in outcome.err
    assert "\ndoxel: all is well" not in outcome.err


def test_json_still_holds_the_names(folder):
    outcome = command(
        "evaluate", "-a", folder / "gold.jsonl", "-m", "char_rec@5", "-f", "json", folder / "r1.jsonl"
    )
    assert {record["run"] for record in json.loads(outcome.out)["scores"]} == {f"r1{EVIL}"}


def test_the_files_of_a_report_show_them_escaped(folder, tmp_path, recwarn):
    runs = (folder / "r1.jsonl", folder / "r2.jsonl")
    outcome = command(
        "report", "-a", folder / "gold.jsonl", "-m", "char_rec@5", "-o", tmp_path / "report", *runs
    )
    assert outcome.status == 0, outcome.err
    assert not [str(warning.message) for warning in recwarn if "Glyph" in str(warning.message)]
    for path in (tmp_path / "report").rglob("*"):
        if path.suffix in {".html", ".svg", ".tex", ".csv", ".json", ".gp", ".dat"}:
            assert not CONTROL.search(path.read_text(encoding="utf-8")), path.name
    assert SHOWN in (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    for kind in ("svg", "gp", "dat"):
        assert SHOWN in (tmp_path / "report" / "curves" / f"char_rec.{kind}").read_text(encoding="utf-8")
