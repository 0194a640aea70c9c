"""Limits on inputs: larger ones are refused with a sentence, quickly and in little memory."""

import gzip
import json
import lzma
import os
import re
import resource
import zipfile
from functools import partial
from itertools import product
from pathlib import Path

import pytest

import doxel
from documents.commands import doxel as command
from documents.commands import doxel_process, is_sentence, write_files
from doxel.documents.parsing.markdown import outline_markdown
from doxel.errors import DoxelError, InputError
from doxel.files import read_bytes
from doxel.files.budget import INPUT_LIMITS, change_limit, find_limit
from doxel.markup import HtmlParser, XmlParser
from fuzz import seeds
from limits import in_time
from random_share import take_some


@pytest.fixture(autouse=True)
def defaults(monkeypatch):
    for limit in INPUT_LIMITS.values():
        monkeypatch.setenv(limit.variable, "1")  # so that settings of a command are removed after the test
        monkeypatch.delenv(limit.variable)


def test_every_limit_can_be_changed(monkeypatch):
    for limit in INPUT_LIMITS.values():
        monkeypatch.setenv(limit.variable, "1")  # restored afterwards
        change_limit(f"{limit.name}=12_345")
        assert find_limit(limit.name) == 12_345


@pytest.mark.parametrize(
    "setting", ["ratio=0", "ratio=-1", "ratio=1.5", "ratio=", "ratio", f"ratio={'9' * 5000}", "x=1", ""]
)
def test_other_settings_are_refused(setting):
    with pytest.raises(InputError, match="budget"):
        change_limit(setting)
    assert command("--budget", setting, "measures").status == 2


def test_a_wrong_environment_variable_is_reported(monkeypatch):
    monkeypatch.setenv("DOXEL_MAX_RATIO", "many")
    with pytest.raises(InputError, match="DOXEL_MAX_RATIO: wanted a whole number from 1, found 'many'"):
        find_limit("ratio")


def test_the_documentation_lists_every_limit():
    page = (Path(__file__).resolve().parents[2] / "docs" / "limits.md").read_text(encoding="utf-8")
    for limit in INPUT_LIMITS.values():
        assert f"| `{limit.name}` | {limit.default:,} | {limit.about} |" in page


@pytest.mark.parametrize("pack", [gzip.compress, partial(lzma.compress, preset=0)], ids=["gz", "xz"])
def test_a_file_that_grows_too_much_is_refused(pack, tmp_path):
    """Zeros grow a thousand times and more, texts about ten times."""
    (tmp_path / "zeros").write_bytes(pack(bytes(80_000_000)))
    with pytest.raises(InputError, match="unpacks to too much data: wanted at most 200 times its size"):
        read_bytes(tmp_path / "zeros")
    (tmp_path / "few").write_bytes(pack(bytes(1_000_000)))
    assert len(read_bytes(tmp_path / "few")) == 1_000_000


def test_a_member_of_an_archive_that_grows_too_much_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros.txt", bytes(80_000_000))
        archive.writestr("text.txt", b"Ripe apples.")
    report = doxel.ingest(tmp_path / "a.zip", tmp_path / "c.doxel")
    assert report.documents == 1
    assert "zeros.txt: unpacks to too much data" in str(report.refused[0])


@pytest.mark.integration
def test_a_large_bomb_needs_little_memory(tmp_path):
    """Two gigabytes of zeros, under a limit of memory that they would not fit into."""
    with gzip.open(tmp_path / "a.run.gz", "wb", compresslevel=1) as stream:
        for _ in range(200):
            stream.write(bytes(10_000_000))
    (tmp_path / "a.qrels").write_text(seeds.ASSESSMENTS["inex.qrels"])
    outcome = doxel_process(
        *("evaluate", "-a", tmp_path / "a.qrels", "-m", "MAiP", tmp_path / "a.run.gz"),
        before=lambda: resource.setrlimit(resource.RLIMIT_AS, (1_800_000_000, 1_800_000_000)),
    )
    assert outcome.status == 2
    assert "unpacks to too much data: wanted at most 200 times its size" in outcome.err


# Parsers


def test_html_with_many_unfinished_ends_is_parsed_soon():
    with in_time(10):
        HtmlParser().parse("<p>text" + "</html " * 100_000, "a.html")


MANY = 100_000
HOSTILE = {
    "double quotes": "".join(f' a{number}="1"' for number in range(MANY)),
    "signs in values": "".join(f' a{number}=">"' for number in range(MANY)),
    "single quotes": "".join(f" a{number}='x y'" for number in range(MANY)),
}


@pytest.mark.parametrize("attributes", HOSTILE.values(), ids=HOSTILE)
def test_elements_with_very_many_attributes_are_refused_soon(attributes):
    wanted = r"a\.x, line 2: wanted elements with at most 5,000 attributes.*found about 100,00"
    with in_time(10):
        with pytest.raises(DoxelError, match=wanted):
            XmlParser().parse(f"<x>\n<y{attributes}/></x>".encode(), "a.x")
        with pytest.raises(DoxelError, match=wanted):
            HtmlParser().parse(f"<div>\n<p{attributes}>text", "a.x")
        with pytest.raises(DoxelError, match="at most 5,000 attributes"):
            XmlParser().parse(f"<x><y{attributes}/></x>".encode("utf-16"), "a.x")


def test_html_with_signs_in_values_is_counted():
    with in_time(10), pytest.raises(DoxelError, match="at most 5,000 attributes"):
        HtmlParser().parse("<p" + "".join(f' a{number}="<b"' for number in range(MANY)) + ">", "a.html")


def test_many_attributes_of_many_elements_and_long_values_are_accepted():
    words = "words " * 20_000
    text = f'<x t="{words}">' + '<y a="1" b="2"/>' * 20_000 + "</x>"
    with in_time(10):
        assert len(XmlParser().parse(text.encode(), "a.xml")) == 20_000
        HtmlParser().parse(text, "a.html")


def test_more_attributes_are_accepted_within_a_larger_budget(monkeypatch):
    monkeypatch.setenv("DOXEL_MAX_ATTRIBUTES", "7000")
    attributes = "".join(f' a{number}="1"' for number in range(6_000))
    assert len(XmlParser().parse(f"<x{attributes}/>".encode(), "a.xml").attrib) == 6_000


@pytest.mark.parametrize(
    "parse",
    [lambda text: XmlParser().parse(text.encode(), "a"), lambda text: HtmlParser().parse(text, "a")],
    ids=["xml", "html"],
)
def test_depth_and_time_are_limited(parse, monkeypatch):
    text = "<div>" * 50 + "x" + "</div>" * 50
    parse(text)
    monkeypatch.setenv("DOXEL_MAX_DEPTH", "20")
    with pytest.raises(DoxelError, match="wanted elements nested at most 20 deep"):
        parse(text)
    monkeypatch.setenv("DOXEL_MAX_DEPTH", "60")
    ticks = iter(range(0, 10_000, 400))
    monkeypatch.setattr("doxel.markup.time.monotonic", lambda: next(ticks))
    with pytest.raises(DoxelError, match="wanted a document that is parsed within 300 s"):
        parse(text)


def test_the_time_of_markdown_is_limited_while_it_is_parsed(monkeypatch):
    text = "# Title\n\n" + "word\n\n" * 50
    outline_markdown(text, "a.md")
    ticks = iter(range(0, 100_000, 40))
    monkeypatch.setattr("time.monotonic", lambda: next(ticks))
    with pytest.raises(
        InputError, match=r"a\.md: wanted a document that is parsed within 300 s.*found 320 s"
    ):
        outline_markdown(text, "a.md")


def test_a_large_document_is_left_out_and_reported(tmp_path):
    write_files(tmp_path / "docs", {"a.txt": "x" * 3_000, "b.txt": "small"})
    outcome = command(
        "--budget", "document-bytes=1000", "ingest", tmp_path / "docs", "-o", tmp_path / "c.doxel"
    )
    os.environ.pop("DOXEL_MAX_DOCUMENT_BYTES", None)
    assert outcome.status == 1
    assert "a.txt: wanted documents of at most 1,000 bytes" in outcome.err
    assert len(doxel.read_collection(tmp_path / "c.doxel")) == 1


# Long lines


KINDS = {
    "run": ("evaluate", "-a", "{gold}", "-m", "MAiP", "{long}"),
    "assessments": ("evaluate", "-a", "{long}", "-m", "MAiP", "{run}"),
    "topics": ("topics", "{long}"),
    "pool": ("pool", "--depth", "5", "-o", "{out}", "{long}"),
    "measure": ("evaluate", "-a", "{gold}", "-m", "MAiP" + "x" * 50_000, "{run}"),
    "query": ("nexi", "//" + "x" * 50_000 + "["),
}


@pytest.mark.parametrize(
    "content", ["x", '{{"topic": "', "1 Q0 ", "<topic>"], ids=["x", "json", "columns", "xml"]
)
@pytest.mark.parametrize("kind", KINDS)
def test_a_very_long_line_is_a_sentence(kind, content, tmp_path):
    (tmp_path / "long").write_text(content + "y" * 12_000_000)
    (tmp_path / "gold").write_text(seeds.ASSESSMENTS["inex.qrels"])
    (tmp_path / "run").write_text(seeds.RUNS["fol.run"])
    places = {name: tmp_path / name for name in ("long", "gold", "run", "out")}
    outcome = command(*(word.format(**places) for word in KINDS[kind]))
    assert outcome.status == 2
    assert len(outcome.err) < 10_000
    assert all(is_sentence(message) or message.startswith("    ") for message in outcome.messages)


LATER_LINES = {
    "a.run": ("1 Q0 a 1 1 x\n", "1 Q0 {} 2 0.5 x\n"),
    "fol.run": ("1 Q0 a 1 1 x 0 5\n", "1 Q0 {} 2 0.5 x 0 5\n"),
    "a.jsonl": ('{{"topic": "1", "doc": "a"}}\n', '{{"topic": "1", "doc": "{}"}}\n'),
}


@pytest.mark.parametrize(("name", "lines"), LATER_LINES.items(), ids=LATER_LINES)
def test_a_very_long_line_of_a_run_is_not_read_in_bulk(name, lines, tmp_path, monkeypatch):
    """The bulk readers would need many times its size, and end the process where there is not so much."""
    for reader in ("doxel.runs.column_runs.scan_columns", "doxel.runs.jsonl_runs.read_bulk"):
        monkeypatch.setattr(reader, lambda *_: pytest.fail("the line was read in bulk"))
    (tmp_path / name).write_text("".join(line.format("y" * 10_500_000) for line in lines))
    with pytest.raises(InputError, match=f"{name}, line 2: a very long line"):
        doxel.read_run(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "line_end"), take_some(product(["a.txt", "a.md", "a.jsonl"], ["\n", "\r\n", "\r"]), 2), ids=repr
)
def test_a_document_with_a_very_long_line_is_left_out(name, line_end, tmp_path):
    long, short = f"One.{line_end}{'x' * 10_500_000}", f"{'x' * 5_500_000}{line_end}{'x' * 5_500_000}"
    texts = {f"long-{name}": long, f"short-{name}": short}
    if name == "a.jsonl":
        texts = {file: json.dumps({"id": file, "text": text}) for file, text in texts.items()}
    write_files(tmp_path / "docs", texts)
    outcome = command("ingest", tmp_path / "docs", "-o", tmp_path / "c.doxel")
    assert re.search(f"skipped: .*long-{name}, line .*2: a very long line", outcome.err)
    assert len(doxel.read_collection(tmp_path / "c.doxel")) == 1


# Memory


SENTENCE = f"{'word ' * 19}end."
LARGE_DOCUMENTS = {  # the repeated text, and the number of repetitions
    "a.txt": (f"{SENTENCE}\n\n", 900_000),
    "a.md": (f"{SENTENCE}\n\n", 900_000),
    "a.xml": (f"<p>{SENTENCE}</p>", 900_000),
    "empty.xml": ("<b/>", 3_750_000),
}


@pytest.mark.parametrize("name", take_some(LARGE_DOCUMENTS, 1))
def test_a_document_that_needs_more_memory_than_the_limit_leaves_is_left_out(name, tmp_path):
    repeated, times = LARGE_DOCUMENTS[name]
    body = repeated * times
    write_files(
        tmp_path / "docs", {name: f"<a>{body}</a>" if name.endswith(".xml") else body, "b.txt": "small"}
    )
    outcome = doxel_process(
        *("ingest", tmp_path / "docs", "-o", tmp_path / "c.doxel"),
        before=lambda: resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30)),
    )
    assert re.search(f"skipped: .*{name}: not enough memory: wanted 2,[0-9]+ MB to read it", outcome.err)
    assert outcome.status == 1
    assert len(doxel.read_collection(tmp_path / "c.doxel")) == 1


CALLS = {
    "evaluate": "evaluate -c {c} -a {a} -m inex2009-focused {r}",
    "report": "report -c {c} -a {a} -t {t} -m MAiP -o {out} {r}",
    "search": "search -c {c} -t {t} --task focused -o {out}",
    "ingest": "ingest {handbook} -o {out}",
}


@pytest.mark.parametrize("name", take_some(CALLS, 1))
def test_two_gigabytes_of_address_space_are_enough(name, demo_files, tmp_path):
    """Also with the threads of a machine with 64 cores, each of which reserves some."""
    outcome = doxel_process(
        *(word.format(out=tmp_path / "out", **demo_files) for word in CALLS[name].split()),
        before=lambda: resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30)),
        environment={"POLARS_MAX_THREADS": "64", "OPENBLAS_NUM_THREADS": "64"},
    )
    assert outcome.status == 0, outcome.err


@pytest.fixture(scope="module")
def demo_files(tmp_path_factory):
    from doxel.campaign import write_demo

    demo = write_demo(tmp_path_factory.mktemp("demo") / "demo")
    runs = {path.stem: path for path in demo.runs}
    return {
        "c": demo.collection,
        "a": demo.assessments["qrels"],
        "t": demo.topics,
        "r": runs["lm-focused"],
        "handbook": demo.handbook,
    }


@pytest.mark.parametrize("name", ["a.run", "a.run.gz"])
def test_a_large_run_is_refused_before_it_is_parsed(tmp_path, name):
    lines = "".join(f"1 Q0 d{rank} {rank} {-rank} a\n" for rank in range(1, 200)).encode()
    (tmp_path / name).write_bytes(gzip.compress(lines) if name.endswith(".gz") else lines)
    (tmp_path / "gold.qrels").write_text("1 0 d1 1\n", "utf-8")
    outcome = command(
        "--budget", "table-bytes=3000", "evaluate", "-a", tmp_path / "gold.qrels", "-m", "AP", tmp_path / name
    )
    assert outcome.status == 2
    wanted = "wanted at most 3,000 bytes; --budget table-bytes=N allows more"
    assert f"too large to read: {wanted}, found {len(lines):,} bytes" in outcome.err


def test_large_assessments_are_refused_before_they_are_parsed(tmp_path, monkeypatch):
    monkeypatch.setenv("DOXEL_MAX_TABLE_BYTES", "15")
    for number in (1, 2):  # each has 9 bytes
        (tmp_path / f"{number}.qrels").write_text(f"{number} 0 d1 1\n", "utf-8")
    with pytest.raises(InputError, match=r"at most 15 bytes.*found 18 bytes"):
        doxel.read_assessments([tmp_path / "1.qrels", tmp_path / "2.qrels"])
