"""The start of the command line: fast, with help, and with hints for typing errors and wrong files."""

import json
import os
import re
import subprocess
import sys

import click
import pytest

import doxel as package
from documents.commands import doxel, doxel_process, write_files
from doxel.cli.main import COMMANDS, SECTIONS, cli, main

HEAVY = {"numpy", "polars", "lxml", "rich"}

REPORT = """
import json, sys
from doxel.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit as left:
    print(json.dumps([left.code, sorted({name.partition(".")[0] for name in sys.modules})]), file=sys.stderr)
"""


@pytest.mark.parametrize("argument", ["--version", "--help", "-h"])
def test_nothing_heavy_is_imported_before_it_is_needed(argument):
    done = subprocess.run(
        [sys.executable, "-c", REPORT, argument], capture_output=True, check=True, text=True
    )
    status, modules = json.loads(done.stderr)
    assert status == 0
    assert "doxel" in modules
    assert HEAVY & set(modules) == set()


@pytest.mark.parametrize("is_enabled", [True, False])
def test_the_search_for_garbage_is_as_it_was_after_a_command_is_imported(is_enabled):
    script = (
        "import gc, sys\nfrom doxel.cli.main import cli\n"
        + "gc.disable()\n" * (not is_enabled)
        + "cli.get_command(None, 'topics')\nprint(gc.isenabled(), gc.get_freeze_count() > 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)
    assert done.stdout.split() == [str(is_enabled)] * 2


def test_heavy_modules_are_detected():
    done = subprocess.run(
        [sys.executable, "-c", REPORT, "collection", "--help"], capture_output=True, check=True, text=True
    )
    _, modules = json.loads(done.stderr)
    assert {"numpy", "polars"} <= set(modules)


@pytest.mark.parametrize(("chosen", "used"), [(None, "1"), ("3", "3")])
def test_linear_algebra_has_one_thread_unless_another_number_is_chosen(monkeypatch, chosen, used):
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", chosen or "")
    if chosen is None:
        monkeypatch.delenv("OPENBLAS_NUM_THREADS")
    with pytest.raises(SystemExit):
        main(["--version"])
    assert os.environ["OPENBLAS_NUM_THREADS"] == used


@pytest.mark.parametrize(("inherited", "tail"), [("", ""), ("dirty_decay_ms:500", ",dirty_decay_ms:500")])
def test_the_threads_of_polars_share_freed_memory_whatever_else_is_set(monkeypatch, inherited, tail):
    monkeypatch.setenv("_RJEM_MALLOC_CONF", inherited)
    for _ in range(2):  # once is enough
        with pytest.raises(SystemExit):
            main(["--version"])
        assert os.environ["_RJEM_MALLOC_CONF"] == f"narenas:1,dirty_decay_ms:5000,muzzy_decay_ms:5000{tail}"


def test_importing_the_package_loads_no_heavy_modules():
    code = "import sys, doxel; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert HEAVY & {name.partition(".")[0] for name in done.stdout.split()} == set()


def test_an_evaluation_of_columns_imports_no_parsers_of_documents_and_queries(tmp_path):
    (tmp_path / "a.qrels").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "a.run").write_text("1 Q0 b 1 2.0 run\n1 Q0 a 2 1.0 run\n")
    arguments = ["evaluate", "-a", str(tmp_path / "a.qrels"), "-m", "AP", str(tmp_path / "a.run")]
    script = REPORT.replace('name.partition(".")[0]', "name")
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, check=True, text=True
    )
    assert "0.5" in done.stdout
    status, modules = json.loads(done.stderr.splitlines()[-1])
    assert status == 0
    late = ("lxml", "doxel.documents.parsing.", "doxel.topics.nexi", "doxel.topics.topic_files")
    assert [name for name in modules if name.startswith(late)] == []


def test_the_version_is_printed():
    assert doxel("--version").out == f"doxel, version {package.__version__}\n"
    assert doxel_process("--version").out == f"doxel, version {package.__version__}\n"


def test_help_lists_every_command():
    outcome = doxel("--help")
    assert outcome.status == 0
    for name, (_, line) in COMMANDS.items():
        assert f"  {name}" in outcome.out
        assert line in outcome.out


def test_help_lists_each_command_once_under_its_heading():
    sections = re.findall(r"^(\w+):\n((?:  .*\n)+)", doxel("--help").out, re.MULTILINE)
    listed = {heading: re.findall(r"^  (\w+) ", lines, re.MULTILINE) for heading, lines in sections}
    assert {heading: list(names) for heading, names in SECTIONS.items()} == {
        heading: names for heading, names in listed.items() if heading != "Options"
    }
    names = [name for names in SECTIONS.values() for name in names]
    assert sorted(names) == sorted(set(names)) == sorted(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name):
    command = cli.get_command(None, name)
    assert command.name == name
    outcome = doxel(name, "--help")
    assert outcome.status == 0
    assert outcome.out.startswith(f"Usage: doxel {name} ")
    assert command.help


@pytest.mark.parametrize("path", ["assess", "assess user", "assess assignment", "campaign", "study"])
def test_the_help_of_a_group_shows_the_lines_of_its_commands_in_full(path):
    group = cli
    for name in path.split():
        group = group.get_command(None, name)
    text = group.get_help(click.Context(group, terminal_width=78))  # 80 columns less the margin
    _, listed = text.split("Commands:\n")
    lines = listed.splitlines()
    assert lines
    assert [line for line in lines if line.endswith("...")] == []


def test_a_mistyped_command_gets_a_hint():
    outcome = doxel("ingset", "x")
    assert outcome.status == 2
    assert "No such command 'ingset'. Did you mean 'ingest'?" in outcome.err
    assert "Traceback" not in outcome.err


def test_an_unknown_option_is_rejected():
    outcome = doxel("ingest", "--fast", "x", "-o", "c")
    assert outcome.status == 2
    assert "No such option" in outcome.err


def test_no_command_prints_the_help():
    outcome = doxel()
    assert outcome.status == 2
    assert "Usage: doxel" in outcome.err


RUN = "1 Q0 d 1 0.9 r 0 5\n"
QRELS = "1 Q0 d 5 10 0 0:5\n"
TOPICS = "id\ttext\n1\tsome words\n"


@pytest.fixture
def folder(tmp_path):
    return write_files(
        tmp_path,
        {"a.run": RUN, "a.qrels": QRELS, "topics.tsv": TOPICS, "runs/b.run": RUN, "odd": "odd\n"}
        | {
            "c.doxel/manifest.json": "{}",
            "gold.csv": "topic,doc,start,end\n1,d,0,9\n",
            "gold.jsonl": '{"topic": "1", "doc": "d", "spans": [[0, 9]]}\n',
        },
    )


IS_RUN = "can be read as a run (fol); pass runs without an option"
IS_QRELS = "can be read as assessments (qrels); pass assessments with -a"
IS_TOPICS = "can be read as topics (tsv); pass topics with -t"


@pytest.mark.parametrize(
    ("call", "last"),
    [
        ("evaluate -a {0}/a.run -m MAiP {0}/a.run", f"{{0}}/a.run {IS_RUN}"),
        ("evaluate -a {0}/a.qrels -m MAiP {0}/a.qrels", f"{{0}}/a.qrels {IS_QRELS}"),
        ("evaluate -a {0}/topics.tsv -m MAiP {0}/a.run", f"{{0}}/topics.tsv {IS_TOPICS}"),
        ("evaluate -a {0}/runs -m MAiP {0}/a.run", f"{{0}}/runs/b.run {IS_RUN}"),
        (
            "evaluate -a {0}/a.qrels -m MAiP {0}/runs",
            "a run is a file; pass {0}/runs/* for all files in the folder",
        ),
        ("topics {0}/a.run", "{0}/a.run can be read as a run (fol)"),
        ("evaluate -a {0}/a.qrels -m MAiP {0}/c.doxel", "{0}/c.doxel is a collection; pass it with -c"),
        ("topics {0}/gold.csv", "{0}/gold.csv can be read as a run (csv) or as assessments (csv)"),
    ],
)
def test_the_hint_names_the_kind_of_the_file(folder, call, last):
    outcome = doxel(*call.format(folder).split())
    assert outcome.status == 2
    assert len(outcome.messages) == 2
    assert outcome.messages[-1] == f"doxel: {last.format(folder)}"


@pytest.mark.parametrize(
    "call",
    [
        "evaluate -a {0}/odd -m MAiP {0}/a.run",  # unknown format
        "evaluate -a {0}/a.qrels -m MAiP {0}/nowhere",
        "evaluate -a {0}/a.qrels -m MAIP {0}/a.run",  # not about a file
        "evaluate -a {0}/a.qrels -a {0}/a.qrels -c {0}/nowhere -m MAiP {0}/a.run",
        "convert {0}/a.run {0}/out --to qrels",  # the file is of the right kind
        "topics {0}/runs/nowhere",
        "evaluate -a {0}/a.qrels -m MAiP -o {0}/runs {0}/a.run",  # an output
        "evaluate -a {0}/gold.jsonl -m char_rec {0}/a.run",  # gold with an unknown key
    ],
)
def test_there_is_no_hint_in_case_of_doubt(folder, call):
    outcome = doxel(*call.format(folder).split())
    assert outcome.status == 2
    assert len(outcome.messages) == 1


def test_a_lack_of_memory_is_reported(folder, monkeypatch):
    def read(*_args, **_options):
        raise MemoryError

    monkeypatch.setattr("doxel.topics.topic_files.read_file_set", read)
    outcome = doxel("topics", folder / "topics.tsv")
    assert (outcome.status, outcome.messages) == (2, ["doxel: out of memory"])


@pytest.mark.parametrize(
    "options", [["-o", "run.jsonl"], ["-orun.jsonl"], ["--output=./run.jsonl"], ["-o", "gold.jsonl"]]
)
def test_an_output_that_is_an_input_is_refused_and_kept(tmp_path, monkeypatch, options):
    span = '{"topic": "1", "doc": "a", "start": 0, "end": 9}\n'
    monkeypatch.chdir(write_files(tmp_path, {"run.jsonl": span, "gold.jsonl": span}))
    call = ["evaluate", "-a", "gold.jsonl", "-m", "char_rec@5", "run.jsonl"]
    done = doxel(*call, *options)
    assert done.status == 2
    assert "wanted a file that the command does not read" in done.err
    assert (tmp_path / "run.jsonl").read_text() == (tmp_path / "gold.jsonl").read_text() == span
    for _ in range(2):  # a table of an earlier call is replaced
        assert doxel(*call, "-o", "scores.tsv").status == 0
