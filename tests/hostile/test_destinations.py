"""Where output goes: pipes, links, stdout, closed streams, full disks and interrupted commands."""

import os
import re
import resource
import signal
import subprocess
import sys
import threading
from pathlib import Path

import polars as pl
import pytest

from documents.commands import doxel as command
from documents.commands import doxel_process, is_sentence
from doxel.assess import demo_site
from doxel.cli.commands import demo
from doxel.reports import output_files, report_folder, study_pages
from fuzz import seeds
from fuzz.targets import fruit
from random_share import take_some

WRITERS = {
    "convert": "convert {r} {out} --to jsonl --lossy -c {c}",
    "simulate": "simulate -c {c} -a {a} --system perfect -o {out} --limit 5",
    "pool": "pool -c {c} --depth 5 -o {out} {r}",
    "search": "search -c {c} -t {t} --task focused -o {out}",
    "align": "align -c {c} {j} -o {out}",
    **{
        f"evaluate -f {layout}": f"evaluate -a {{a}} -m MAiP {{r}} -f {layout} -o {{out}}"
        for layout in ("table", "tsv", "csv", "json", "parquet", "latex", "trec")
    },
    "evaluate -f inex_eval": "evaluate -a {a} --compat inex_eval -f inex_eval --task focused {r} -o {out}",
}


@pytest.fixture
def places(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    contents = {
        "t": seeds.TOPICS["topics.tsv"],
        "a": seeds.ASSESSMENTS["inex.qrels"],
        "r": seeds.RUNS["fol.run"],
        "j": '{"topic": "1", "text": "Red apples"}\n',
    }
    for name, text in contents.items():
        (folder / name).write_text(text, encoding="utf-8")
    return {name: folder / name for name in contents} | {"c": fruit() / "fruit.doxel"}


def call(name, places, out):
    return command(*(word.format(out=out, **places) for word in WRITERS[name].split()))


@pytest.mark.parametrize("name", WRITERS)
def test_every_writer_keeps_pipes_and_links_and_takes_a_dash(name, places, tmp_path):
    plain = tmp_path / "plain"
    assert call(name, places, plain).status in {0, 1}
    data = plain.read_bytes()
    (tmp_path / "link").symlink_to("target")
    call(name, places, tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == data
    os.mkfifo(tmp_path / "pipe")
    arrived = []
    reader = threading.Thread(target=lambda: arrived.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    call(name, places, tmp_path / "pipe")
    reader.join()
    assert arrived == [data]
    assert (tmp_path / "pipe").is_fifo()
    if b"PAR1" not in data:
        assert call(name, places, "-").out.encode() == data


@pytest.mark.parametrize("suffix", ["csv", "json", "parquet", "tex", "tsv", "tsv.gz", "txt"])
def test_the_suffix_of_the_file_decides_the_format_of_scores(suffix, places, tmp_path):
    layout = {"tex": "latex", "tsv.gz": "tsv", "txt": "tsv"}.get(suffix, suffix)
    arguments = ("evaluate", "-a", places["a"], "-m", "MAiP", places["r"])
    outcome = command(*arguments, "-o", tmp_path / f"scores.{suffix}")
    assert outcome.out == ""
    if suffix == "parquet":
        assert pl.read_parquet(tmp_path / "scores.parquet")["measure"].to_list() == ["MAiP"]
    elif suffix == "tsv.gz":
        import gzip

        assert gzip.decompress((tmp_path / "scores.tsv.gz").read_bytes()).startswith(b"run\t")
    else:
        printed = command(*arguments, "-f", layout).out
        assert (tmp_path / f"scores.{suffix}").read_text(encoding="utf-8") == printed


def test_scores_of_an_evaluation_that_fails_leave_the_old_file(places, tmp_path):
    (tmp_path / "scores.tsv").write_text("old")
    outcome = command(
        "evaluate", "-a", places["a"], "-m", "nonsense", places["r"], "-o", tmp_path / "scores.tsv"
    )
    assert outcome.status == 2
    assert (tmp_path / "scores.tsv").read_text() == "old"


def close(*numbers):
    return lambda: [os.close(number) for number in numbers]


CALLS = {
    "version": ("--version",),
    "evaluate": ("evaluate", "-a", "{a}", "-m", "MAiP", "{r}"),
    "convert": ("convert", "{r}", "{out}", "--to", "jsonl", "--lossy", "-c", "{c}"),
    "convert to stdout": ("convert", "{r}", "-", "--to", "jsonl", "--lossy", "-c", "{c}"),
    "an error": ("evaluate", "-a", "{a}", "-m", "nonsense", "{r}"),
}


@pytest.mark.parametrize(
    ("name", "closed"),
    take_some(
        [
            *(("version", closed) for closed in ((0,), (1,), (2,), (0, 1, 2))),
            *(("evaluate", closed) for closed in ((1,), (0, 1, 2))),
            *(("convert", closed) for closed in ((0,), (0, 1, 2))),
            ("convert to stdout", (1,)),
            *(("an error", closed) for closed in ((2,), (0, 1, 2))),
        ],
        5,
    ),
    ids=str,
)
def test_closed_standard_streams_give_no_traceback(name, closed, places, tmp_path):
    words = [word.format(out=tmp_path / "out", **places) for word in CALLS[name]]
    done = subprocess.run(
        [sys.executable, "-m", "doxel", *words],
        stdin=subprocess.PIPE,
        capture_output=True,
        check=False,
        text=True,
        preexec_fn=close(*closed),
    )
    assert "Traceback" not in done.stderr
    assert all(map(is_sentence, done.stderr.splitlines()))
    prints = name in {"version", "evaluate", "convert to stdout"}
    assert done.returncode == (2 if name == "an error" or (prints and 1 in closed) else 0)
    if prints and closed == (1,):
        assert re.search("stdout is closed|-: cannot be written", done.stderr)
    if name == "convert":
        assert (tmp_path / "out").read_text().startswith("{")


@pytest.mark.parametrize("name", ["evaluate", "an error"])
def test_the_exit_status_reports_an_error_that_stderr_cannot_take(name, places, tmp_path):
    """The first note of the evaluation fails, and so does the message about it."""
    words = [word.format(out=tmp_path / "out", **places) for word in CALLS[name]]
    if name == "evaluate":
        places["r"].write_text(places["r"].read_text() + "99 Q0 apples 1 1 a 0 5\n")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([sys.executable, "-m", "doxel", *words], stderr=full, check=False)
    assert done.returncode == 2


FOLDERS = {
    "report": "report -a {a} -c {c} -m MAiP -m iP@0.1 -o {out} {r}",
    "study": "study agreement -a {a} -c {c} -m MAiP -m char_prec@3 -o {out} {r} {p}",
}


@pytest.fixture
def folder_call(request, places, tmp_path):
    places["p"] = places["r"].with_name("p")
    places["p"].write_text(places["r"].read_text().replace(" a\n", " b\n"))
    return [word.format(out=tmp_path / "out", **places) for word in FOLDERS[request.param].split()]


@pytest.mark.parametrize("files", [0, 1, 5])
@pytest.mark.parametrize("folder_call", FOLDERS, indirect=True)
def test_an_interrupted_folder_does_not_appear(folder_call, files, tmp_path, monkeypatch):
    paths = []

    def interrupt(path, content, write=output_files.write_content):
        if len(paths) == files:
            raise KeyboardInterrupt
        paths.append(path)
        return write(path, content)

    for module in (output_files, report_folder, study_pages):
        monkeypatch.setattr(module, "write_content", interrupt)
    outcome = command(*folder_call)
    assert (outcome.status, outcome.messages[-1]) == (130, "doxel: stopped")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["files"]


@pytest.mark.parametrize("folder_call", FOLDERS, indirect=True)
def test_a_full_disk_leaves_the_folder_as_it_was(folder_call, tmp_path):
    """A limit on the size of files simulates the full disk."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "index.html").write_text("old")
    outcome = doxel_process(
        *folder_call, before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
    )
    assert outcome.status == 2
    assert "cannot be written: file too large" in outcome.err
    assert str(tmp_path / "out") in outcome.err
    assert [(path.name, path.read_text()) for path in (tmp_path / "out").iterdir()] == [("index.html", "old")]


@pytest.mark.parametrize(
    ("number", "status"),
    [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM), (signal.SIGHUP, -signal.SIGHUP)],
)
@pytest.mark.integration
def test_an_interrupted_demo_leaves_nothing(number, status, tmp_path):
    """Interrupted while the handbook is ingested, after all files were copied."""
    code = (
        "import os, signal, sys; import doxel.campaign.demo_campaign as demo\n"
        f"def ingest(*_): os.kill(os.getpid(), {int(number)}); signal.pause()\n"
        "demo.ingest = ingest\n"
        "from doxel.cli.main import main; main(['demo', '-o', sys.argv[1]])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "demo")], capture_output=True, check=False, text=True
    )
    assert (done.returncode, done.stderr.splitlines()[-1]) == (status, "doxel: stopped")
    assert list(tmp_path.iterdir()) == []


def test_a_demo_that_is_interrupted_before_its_report_changes_nothing(tmp_path, monkeypatch):
    def interrupt(arguments):
        if arguments[0] == "report":
            raise KeyboardInterrupt

    monkeypatch.setattr(demo, "_run_command", interrupt)
    monkeypatch.chdir(tmp_path)
    assert command("demo", "-o", "new").status == 130
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "old" / "report").mkdir(parents=True)
    assert command("demo", "-o", "old").status == 130
    assert [path.name for path in tmp_path.rglob("*")] == ["old", "report"]
    assert Path.cwd() == tmp_path


def test_an_interrupted_site_to_try_out_leaves_nothing(tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(demo_site, "assign_topic", interrupt)
    assert command("assess", "demo", "-o", tmp_path / "site", "--no-open").status == 130
    assert list(tmp_path.iterdir()) == []
