"""An ingestion that is killed at any moment: what is on disk is sound, and repeating completes it."""

import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from documents.commands import contents, doxel, is_sentence, names_in, write_files
from doxel.documents import ingest as ingestion
from doxel.documents import read_collection
from doxel.errors import CollectionError

DOCUMENTS = 200

# Ingests in small parts.  With a number as third argument the process kills itself when it is about
# to change something in the collection for the n-th time: make, rename, open or remove a file.
DRIVER = """
import os, signal, sys
from doxel.documents import ingest as ingestion

source, folder, moment, jobs = sys.argv[1:]
changes = 0

def watch(event, arguments):
    global changes
    if event not in ("open", "os.mkdir", "os.rename", "os.remove", "os.chmod", "shutil.rmtree"):
        return
    if isinstance(arguments[0], (str, os.PathLike)) and os.fspath(arguments[0]).startswith(folder):
        changes += 1
        if changes == int(moment):
            os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    ingestion.BATCH_BYTES = 2500
    if int(moment):
        sys.addaudithook(watch)
    ingestion.ingest(source, folder, jobs=int(jobs))
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A few hundred documents of some hundred bytes, two of them broken."""
    choose = random.Random(2006)
    folder = tmp_path_factory.mktemp("source")
    for number in range(DOCUMENTS):
        paragraphs = "".join(
            f"<p>{choose.getrandbits(200):x}<!-- - --></p>" for _ in range(choose.randint(1, 9))
        )
        write_files(folder, {f"{number % 7}/d{number}.xml": f'<article id="{number}">{paragraphs}</article>'})
    return write_files(folder, {"0/bad.xml": "<article>", "6/worse.xml": ""})


@pytest.fixture(scope="module")
def undisturbed(source, tmp_path_factory):
    """What an ingestion gives that nobody disturbs."""
    folder = tmp_path_factory.mktemp("undisturbed") / "c"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ingestion, "BATCH_BYTES", 2500)
        assert len(ingestion.ingest(source, folder).refused) == 2
    assert len(read_collection(folder).manifest.parts) > 20
    return folder


@pytest.fixture(scope="module")
def expected(undisturbed):
    return contents(undisturbed)


def start(source: Path, folder: Path, *, moment: int = 0, jobs: int = 1) -> subprocess.Popen[bytes]:
    arguments = [str(source), str(folder), str(moment), str(jobs)]
    script = folder.parent / "driver.py"
    script.write_text(DRIVER)
    return subprocess.Popen([sys.executable, str(script), *arguments], stderr=subprocess.DEVNULL)


def check_what_is_there(folder: Path, expected: list[dict]) -> int:
    """Check that a collection does not open, or opens and is sound; return how much of it is there."""
    outcome = doxel("collection", folder)
    assert all(is_sentence(message) for message in outcome.messages)
    try:
        found = contents(folder)
    except CollectionError:
        assert outcome.status == 2
        return 0
    assert outcome.status == 0
    assert found == expected[: len(found)]
    if not read_collection(folder).manifest.complete:
        assert any("its ingestion was interrupted" in message for message in outcome.messages)
    return len(found)


def check_completion(source: Path, folder: Path, undisturbed: Path, expected: list[dict]) -> None:
    """Repeat the ingestion and check that nothing tells the result from an undisturbed one."""
    outcome = doxel("ingest", source, "-o", folder, "--jobs", 1)
    assert outcome.status == 1  # the two broken ones, as before
    assert contents(folder) == expected
    mine, other = read_collection(folder).manifest, read_collection(undisturbed).manifest
    assert (mine.fingerprint, mine.ids, mine.complete) == (other.fingerprint, other.ids, True)
    assert names_in(folder) == [".lock", "manifest.json", *sorted(part.name for part in mine.parts)]


# Six changes make the folder, the lock and the manifest, six more each part: its folder, its place,
# and the manifest (written beside, made readable, put in place).  All moments up to the second part,
# and two later ones: before a part gets its place, before the manifest gets its.
@pytest.mark.parametrize("moment", [*range(1, 14), 32, 35])
def test_killed_at_a_change_of_the_collection(moment, source, undisturbed, expected, tmp_path):
    folder = tmp_path / "c"
    process = start(source, folder, moment=moment)
    assert process.wait(timeout=60) == -signal.SIGKILL
    done = check_what_is_there(folder, expected)
    assert done < DOCUMENTS
    check_completion(source, folder, undisturbed, expected)


@pytest.mark.parametrize("parts", [0, 1, 4])
@pytest.mark.parametrize("jobs", [1, 2])
def test_killed_when_so_many_parts_are_there(parts, jobs, source, undisturbed, expected, tmp_path):
    """Wherever the process is at that time: parsing, writing a part, waiting for its workers."""
    folder = tmp_path / "c"
    process = start(source, folder, jobs=jobs)
    while process.poll() is None:
        if folder.exists() and len(list(folder.glob("part-*"))) >= parts:
            process.kill()
            break
        time.sleep(0.001)
    assert process.wait(timeout=60) in {-signal.SIGKILL, 0}  # 0: on a busy machine it may be first
    check_what_is_there(folder, expected)
    check_completion(source, folder, undisturbed, expected)


def test_killed_again_and_again(source, undisturbed, expected, tmp_path):
    folder = tmp_path / "c"
    progress = [0]
    for moment in (20, 30, 40):
        assert start(source, folder, moment=moment).wait(timeout=60) == -signal.SIGKILL
        progress.append(check_what_is_there(folder, expected))
    assert progress == sorted(set(progress))  # each one takes it further
    check_completion(source, folder, undisturbed, expected)


def test_a_worker_that_outlives_its_parent_cannot_touch_the_next_ingestion(
    source, undisturbed, expected, tmp_path
):
    """What it writes late has a name of its own, and is cleared away."""
    folder = tmp_path / "c"
    assert start(source, folder, moment=20).wait(timeout=60) == -signal.SIGKILL
    late = folder / "part-0003.0123abcd"
    late.mkdir()
    (late / "texts.parquet").write_bytes(b"half a file")
    (folder / ".manifest.json.x1y2").write_bytes(b"{")
    check_what_is_there(folder, expected)
    check_completion(source, folder, undisturbed, expected)


def test_only_the_manifest_makes_a_part_exist(undisturbed, expected, tmp_path):
    """A part that is whole, but not listed, is as if it were not there."""
    folder = shutil.copytree(undisturbed, tmp_path / "c")
    shutil.copytree(folder / "part-0001", folder / "part-9999")
    assert contents(folder) == expected
