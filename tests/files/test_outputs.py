"""Outputs: files and folders whole or not at all, streams to everything that is not a file."""

import ast
import errno
import io
import os
import pty
import shutil
import signal
import stat
import subprocess
import sys
import time
from contextlib import redirect_stdout
from pathlib import Path

import pytest

import doxel
from doxel.errors import InputError
from doxel.files import is_stream, write_atomically, write_file, write_folder
from syntax import parse

# Files


def test_atomic_writing_replaces_the_file(tmp_path):
    target = tmp_path / "a"
    target.write_text("old")
    with target.open() as reader:
        with write_atomically(target) as stream:
            stream.write(b"new")
            assert target.read_text() == "old"
        assert target.read_text() == "new"
        assert reader.read() == "old"  # a reader of the old file is not disturbed
    assert list(tmp_path.iterdir()) == [target]


def test_a_failure_leaves_the_old_file(tmp_path):
    target = tmp_path / "a"
    target.write_text("old")
    with pytest.raises(ZeroDivisionError), write_atomically(target) as stream:
        stream.write(b"half" * (1 // len(b"")))
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_new_file_gets_the_usual_permissions(tmp_path):
    mask = os.umask(0o027)
    try:
        with write_atomically(tmp_path / "a") as stream:
            stream.write(b"x")
    finally:
        os.umask(mask)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640


def test_writing_to_a_missing_folder_is_reported(tmp_path):
    with (
        pytest.raises(InputError, match=r"a: cannot be written: the folder .*missing does not exist$"),
        write_atomically(tmp_path / "missing" / "a"),
    ):
        pass


def test_a_replaced_file_keeps_its_permissions(tmp_path):
    (tmp_path / "a").write_text("secret")
    (tmp_path / "a").chmod(0o600)
    write_file(tmp_path / "a", b"new")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600


def test_a_folder_is_not_replaced_by_a_file(tmp_path):
    with pytest.raises(InputError, match="cannot be written: is a directory"):
        write_file(tmp_path, b"x")


def test_a_name_with_a_null_character_is_reported(tmp_path):
    with pytest.raises(InputError, match=r"cannot be written: .*null"):
        write_file(f"{tmp_path}/a\0b", b"x")


# Links


def test_links_are_followed_to_their_file(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").write_text("old")
    (tmp_path / "second").symlink_to("there/file")
    (tmp_path / "first").symlink_to("second")
    write_file(tmp_path / "first", b"new")
    assert (tmp_path / "first").is_symlink()
    assert (tmp_path / "second").is_symlink()
    assert (tmp_path / "there" / "file").read_text() == "new"


def test_a_link_to_nothing_creates_its_file(tmp_path):
    (tmp_path / "link").symlink_to("file")
    write_file(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "new"


def test_links_in_a_circle_are_reported(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(InputError, match="cannot be written: too many levels of symbolic links"):
        write_file(tmp_path / "a", b"x")


# Streams


def test_a_pipe_with_a_name_is_written_to_and_stays(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)  # waits for no writer
    write_file(tmp_path / "pipe", b"through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_a_device_is_written_to_and_stays(tmp_path):
    device = tmp_path / "null"
    try:
        os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        device.write_bytes(b"")
    except PermissionError:
        pytest.skip("this user cannot make devices")
    (tmp_path / "link").symlink_to(device)
    write_file(device, b"gone")
    write_file(tmp_path / "link", b"gone")
    assert stat.S_ISCHR(device.stat().st_mode)
    assert (tmp_path / "link").is_symlink()


def test_a_terminal_is_written_to():
    ours, theirs = pty.openpty()
    try:
        write_file(os.ttyname(theirs), b"shown")
        assert os.read(ours, 100) == b"shown"
    finally:
        os.close(ours)
        os.close(theirs)


def test_an_open_descriptor_is_written_to_at_its_position(tmp_path):
    with (tmp_path / "log").open("wb") as log:
        log.write(b"before ")
        log.flush()
        write_file(f"/dev/fd/{log.fileno()}", b"between")
        log.seek(0, os.SEEK_END)
        log.write(b" after")
    assert (tmp_path / "log").read_bytes() == b"before between after"


def test_a_dash_is_stdout():
    printed = io.StringIO()
    with redirect_stdout(printed):
        write_file("-", b"scores")
    assert printed.getvalue() == "scores"


def test_after_an_error_nothing_is_written_to_stdout():
    def write_half():
        with write_atomically("-") as stream:
            stream.write(b"half")
            raise ZeroDivisionError

    printed = io.StringIO()
    with redirect_stdout(printed), pytest.raises(ZeroDivisionError):
        write_half()
    assert printed.getvalue() == ""


def test_without_stdout_a_dash_is_refused(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(InputError, match="-: cannot be written: stdout is closed"):
        write_file("-", b"scores")


# Folders


def _fill(place, error):
    with write_folder(place, last="index.html") as folder:
        write_file(folder / "index.html", b"new")
        raise error


def test_a_folder_appears_whole(tmp_path):
    with write_folder(tmp_path / "deep" / "report") as folder:
        write_file(folder / "a", b"1")
        assert not (tmp_path / "deep" / "report").exists()
    assert (tmp_path / "deep" / "report" / "a").read_bytes() == b"1"
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["report"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_after_an_error_there_is_no_folder(error, tmp_path):
    with pytest.raises((KeyboardInterrupt, InputError)):
        _fill(tmp_path / "deep" / "report", error)
    assert list(tmp_path.iterdir()) == []


def test_after_an_error_an_existing_folder_is_unchanged(tmp_path):
    (tmp_path / "index.html").write_text("old")
    with pytest.raises(KeyboardInterrupt):
        _fill(tmp_path, KeyboardInterrupt)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("index.html", "old")]


def test_an_existing_folder_keeps_its_other_files(tmp_path):
    (tmp_path / "curves").mkdir()
    (tmp_path / "curves" / "mine.txt").write_text("mine")
    with write_folder(tmp_path) as folder:
        (folder / "curves").mkdir()
        write_file(folder / "curves" / "new.txt", b"new")
    assert sorted(path.name for path in (tmp_path / "curves").iterdir()) == ["mine.txt", "new.txt"]
    assert [path.name for path in tmp_path.iterdir()] == ["curves"]


def test_folders_can_be_replaced_as_a_whole(tmp_path):
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "old.run").write_text("old")
    (tmp_path / "notes").write_text("mine")
    with write_folder(tmp_path, replace=True) as folder:
        (folder / "runs").mkdir()
        write_file(folder / "runs" / "new.run", b"new")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["new.run", "notes", "runs"]


def test_the_page_is_gone_before_the_first_file_is_moved_and_comes_last(tmp_path, monkeypatch):
    (tmp_path / "index.html").write_text("old")
    moved = []
    move = Path.replace

    def watch(path, target):
        if target.parent == tmp_path:
            moved.append((target.name, (tmp_path / "index.html").exists()))
        return move(path, target)

    with write_folder(tmp_path, last="index.html") as folder:
        for name in ("a", "index.html", "z"):
            write_file(folder / name, b"new")
        monkeypatch.setattr(Path, "replace", watch)
    assert moved == [("a", False), ("z", False), ("index.html", False)]


def test_the_folder_that_completes_another_is_gone_first_and_comes_last(tmp_path, monkeypatch):
    for name in ("a", "report", "z"):
        (tmp_path / "out" / name).mkdir(parents=True)
        (tmp_path / "out" / name / "file").write_text("old")
    states = []

    def replace(path, place, move=Path.replace):
        states.append((place.name, sorted(path.name for path in (tmp_path / "out").glob("[!.]*"))))
        return move(path, place)

    monkeypatch.setattr(Path, "replace", replace)
    with write_folder(tmp_path / "out", last="report", replace=True) as folder:
        for name in ("a", "report", "z"):
            (folder / name).mkdir()
            (folder / name / "file").write_text("new")
    assert states == [("a", ["z"]), ("z", ["a"]), ("report", ["a", "z"])]
    assert {path.read_text() for path in (tmp_path / "out").rglob("file")} == {"new"}
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a", "report", "z"]


def test_streams_are_recognised(tmp_path):
    (tmp_path / "file").write_text("")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    (tmp_path / "loop").symlink_to("loop")
    streams = ["-", "/dev/null", "/dev/stdout", "/dev/fd/7", tmp_path / "pipe", tmp_path / "link"]
    assert all(map(is_stream, streams))
    names = ["file", "new", "file/new", "loop", "\0", "."]
    assert not any(is_stream(f"{tmp_path}/{name}") for name in names)


def test_an_interrupt_waits_until_all_files_are_moved(tmp_path, monkeypatch):
    (tmp_path / "a").write_text("old")
    move = Path.replace

    def interrupt(path, target):
        signal.raise_signal(signal.SIGINT)
        return move(path, target)

    def fill():
        with write_folder(tmp_path) as folder:
            for name in ("a", "b"):
                write_file(folder / name, b"new")
            monkeypatch.setattr(Path, "replace", interrupt)

    with pytest.raises(KeyboardInterrupt):
        fill()
    assert [(tmp_path / name).read_text() for name in ("a", "b")] == ["new", "new"]


def test_an_error_names_the_folder_that_was_asked_for(tmp_path):
    with (
        pytest.raises(InputError, match="/report/a/b: cannot be written"),
        write_folder(tmp_path / "report") as folder,
    ):
        write_file(folder / "a" / "b", b"x")


def test_errors_of_copying_a_folder_give_the_first_reason(tmp_path):
    with (
        pytest.raises(InputError, match=r"out: cannot be written: no space$"),
        write_folder(tmp_path / "out"),
    ):
        raise shutil.Error([("from", "to", "no space"), ("from2", "to2", "no space either")])


def test_a_file_in_place_of_a_folder_is_refused(tmp_path):
    (tmp_path / "a").write_text("mine")
    with (
        pytest.raises(InputError, match="wanted a folder to write to, found a file"),
        write_folder(tmp_path / "a"),
    ):
        pass
    (tmp_path / "there" / "scores.csv").mkdir(parents=True)
    with (
        pytest.raises(InputError, match=r"scores[.]csv is in the way"),
        write_folder(tmp_path / "there") as folder,
    ):
        write_file(folder / "scores.csv", b"x")


# One layer

# Files that count only once a manifest or a renamed folder names them, locks, and streams in memory.
OWN_WRITERS = {
    (
        "documents/parts.py",
        "write_parquet",
    ): "a part of a collection, which counts once the manifest names it",
    ("search/index_building.py", "write_parquet"): "an index, whose folder is renamed when it is complete",
    ("search/index_building.py", "open"): "a lock",
    ("documents/manifest.py", "open"): "a lock",
    ("evaluation/compat/evalj/evalj_recall_base.py", "write_parquet"): "to a stream in memory",
    ("evaluation/compat/evalj/evalj_recall_base.py", "ZipFile"): "to the stream of the output layer",
    ("reports/output_files.py", "write_parquet"): "to the stream of the output layer",
    ("cli/commands/evaluate.py", "write_parquet"): "to stdout",
    ("cli/commands/recallbase.py", "write_parquet"): "to stdout",
    ("cli/main.py", "open"): "a closed stdout",
    ("cli/options.py", "write_text"): "a paragraph of help",
    ("reports/matplotlib_pictures.py", "savefig"): "to a stream in memory",
    ("runs/column_runs.py", "write_csv"): "to a stream in memory",
}
WRITERS = {
    "write_text",
    "write_bytes",
    "write_parquet",
    "savefig",
    "mkstemp",
    "NamedTemporaryFile",
    "sink_parquet",
}


def _find_writers(path):
    """Yield the names of calls that write to a path."""
    for node in ast.walk(parse(path)):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        modes = [
            argument.value
            for argument in (*node.args, *(keyword.value for keyword in node.keywords))
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
        ]
        is_open = name in {"open", "ZipFile"} and any(
            set(mode) <= set("wxabrt+") and set(mode) & set("wxa+") for mode in modes
        )
        to_file = name == "write_csv" and node.args
        if name in WRITERS or is_open or to_file:
            yield name


def test_everything_is_written_by_one_layer():
    source = Path(doxel.__file__).parent
    strays = {
        (path.relative_to(source).as_posix(), name)
        for path in source.rglob("*.py")
        if path.name != "outputs.py"
        for name in _find_writers(path)
    }
    assert strays <= OWN_WRITERS.keys()


@pytest.mark.parametrize("number", [errno.EPIPE, errno.EBADF])
def test_a_folder_is_not_blamed_for_a_closed_stdout(number, tmp_path):
    with pytest.raises(OSError, match="of stdout"), write_folder(tmp_path / "new"):
        raise OSError(number, "of stdout")
    assert list(tmp_path.iterdir()) == []


KILLED = """
import os, signal, sys
from doxel.files import write_folder
with write_folder(sys.argv[1]) as folder:
    (folder / "index.html").write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("exists", [False, True])
def test_leftovers_of_a_killed_process_are_removed_by_the_next_one(exists, tmp_path):
    target = tmp_path / "report"
    place = target if exists else tmp_path
    place.mkdir(exist_ok=True)
    process = subprocess.run([sys.executable, "-c", KILLED, str(target)], check=False)
    (left,) = place.iterdir()
    assert (process.returncode, left.name.startswith(".report.")) == (-signal.SIGKILL, True)
    long_ago = time.time() - 60
    os.utime(left, (long_ago, long_ago))
    other_files = [place / ".report.settings", place / ".other.abcdefgh.unfinished"]
    for other in other_files:
        other.mkdir()
        os.utime(other, (long_ago, long_ago))
    with write_folder(target) as folder:
        assert not left.exists()
        os.utime(folder, (long_ago, long_ago))
        with write_folder(target):  # another writer at the same time: that folder is locked
            assert folder.exists()
        (folder / "index.html").write_text("whole")
    assert (target / "index.html").read_text() == "whole"
    assert all(other.exists() for other in other_files)
    assert sorted(place.iterdir()) == sorted([*other_files, target / "index.html" if exists else target])


KILLED_IN_A_FILE = """
import os, signal, sys
from doxel.files.outputs import write_atomically
with write_atomically(sys.argv[1]) as stream:
    stream.write(b"half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_file_that_a_killed_process_left_is_removed_by_the_next_one(tmp_path):
    target = tmp_path / "scores.csv"
    process = subprocess.run([sys.executable, "-c", KILLED_IN_A_FILE, str(target)], check=False)
    (left,) = tmp_path.iterdir()
    assert (process.returncode, left.name.startswith(".scores.csv.")) == (-signal.SIGKILL, True)
    long_ago = time.time() - 60
    os.utime(left, (long_ago, long_ago))
    other = tmp_path / ".scores.csv.settings"
    other.touch()
    os.utime(other, (long_ago, long_ago))
    with write_atomically(target) as stream:
        assert not left.exists()
        (unfinished,) = set(tmp_path.iterdir()) - {other}
        os.utime(unfinished, (long_ago, long_ago))
        with write_atomically(target):  # another writer at the same time: that file is locked
            assert unfinished.exists()
        stream.write(b"whole")
    assert target.read_bytes() == b"whole"
    assert sorted(tmp_path.iterdir()) == [other, target]
