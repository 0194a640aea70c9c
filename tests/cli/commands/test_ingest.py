"""``doxel ingest``: every problem is reported in one sentence, and the rest is done."""

import contextlib
import gzip
import io
import os
import resource
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from documents.commands import contents, doxel, doxel_process, is_sentence, names_in, write_files
from doxel.documents import ingestion, read_collection

GOOD = {"good/1.xml": "<a>one</a>", "good/2.xml": "<a>two<b/></a>"}


def laughs() -> str:
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    return f'<!DOCTYPE a [<!ENTITY l0 "ha">{entities}]>\n<a>&l11;</a>'


# A document, the line of the error (0 for none), and pieces of "wanted" and "found".
BAD_DOCUMENTS: dict[str, tuple[str | bytes, int, str, str]] = {
    "empty": ("", 0, "an XML document", "no content"),
    "blank": (" \n ", 0, "an XML document", "no content"),
    "binary": (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\xff\xfe", 1, "an XML document", "Start tag expected"),
    "truncated": ("<a>\n<b>text", 2, "one complete root element", "Premature end of data in tag b"),
    "truncated in a tag": ("<a>\n\n<b", 3, "well-formed markup", "Couldn't find end of Start Tag b"),
    "Latin-1 called UTF-8": (
        b'<?xml version="1.0" encoding="UTF-8"?>\n<a>caf\xe9</a>',
        2,
        "text in the encoding that the document declares",
        "Invalid bytes",
    ),
    "unknown encoding": (
        '<?xml version="1.0" encoding="klingon"?>\n<a/>',
        1,
        "text in the encoding that the document declares",
        "klingon",
    ),
    "UTF-8 called UTF-16": ('<?xml version="1.0" encoding="UTF-16"?>\n<a/>', 1, "well-formed", ""),
    "undefined entity": (
        "<a>\ncaf&eacute;</a>",
        2,
        "--dtd, or the standard names with --entities html",
        "eacute",
    ),
    "billion laughs": (laughs(), 1, "entities that expand within limits", "without limit"),
    "nested too deep": ("<a>" * 10_000 + "</a>" * 10_000, 1, "at most 256 deep", "deeper nesting"),
}


def names_everything(message: str, file: object, line: int, wanted: str, found: str) -> bool:
    """Return whether a message names file, line, what was wanted and what was found."""
    place = f"{file}, line {line}: " if line else f"{file}: "
    after_wanted = message.partition("wanted ")[2]
    return (
        is_sentence(message)
        and place in message
        and wanted in after_wanted
        and found in after_wanted.rpartition("found ")[2]
    )


@pytest.mark.parametrize("name", BAD_DOCUMENTS)
def test_a_bad_document_is_reported_and_the_rest_is_done(name, tmp_path):
    source, line, wanted, found = BAD_DOCUMENTS[name]
    write_files(tmp_path, {**GOOD, "good/bad.xml": source})
    outcome = doxel("ingest", tmp_path / "good", "-o", tmp_path / "c")
    assert outcome.status == 1
    assert outcome.out == ""
    refusal, summary = outcome.messages
    assert names_everything(refusal, tmp_path / "good/bad.xml", line, wanted, found)
    assert refusal.startswith("doxel: skipped: ")
    assert summary.startswith("doxel: 2 documents, 3 elements with 2 tags, 6 characters added")
    assert summary.endswith("; 1 skipped")
    assert sorted(read_collection(tmp_path / "c")) == ["1", "2"]


@pytest.mark.parametrize("name", BAD_DOCUMENTS)
def test_with_strict_a_bad_document_is_fatal(name, tmp_path):
    source, line, wanted, found = BAD_DOCUMENTS[name]
    write_files(tmp_path, {"bad.xml": source})
    outcome = doxel("ingest", tmp_path / "bad.xml", "-o", tmp_path / "c", "--strict")
    assert outcome.status == 2
    (message,) = outcome.messages
    assert names_everything(message, tmp_path / "bad.xml", line, wanted, found)
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize("name", BAD_DOCUMENTS)
def test_a_single_bad_document_leaves_nothing_behind(name, tmp_path):
    write_files(tmp_path, {"bad.xml": BAD_DOCUMENTS[name][0]})
    outcome = doxel("ingest", tmp_path / "bad.xml", "-o", tmp_path / "c")
    assert outcome.status == 1
    assert all(is_sentence(message) for message in outcome.messages)
    assert outcome.messages[-1] == (
        f"doxel: no collection was written to {tmp_path / 'c'}: no document could be read; "
        "1 document was skipped"
    )
    assert names_in(tmp_path) == ["bad.xml"]


def test_a_separate_process_prints_no_traceback(tmp_path):
    write_files(tmp_path, {f"s/{number}.xml": bad for number, (bad, *_) in enumerate(BAD_DOCUMENTS.values())})
    write_files(tmp_path, {"s/good.xml": "<a/>"})
    outcome = doxel_process("ingest", tmp_path / "s", "-o", tmp_path / "c", "--jobs", 2)
    assert outcome.status == 1
    assert len(outcome.messages) == len(BAD_DOCUMENTS) + 1
    assert all(is_sentence(message) for message in outcome.messages)


def test_strict_stops_at_the_first_bad_document(tmp_path, monkeypatch):
    monkeypatch.setattr(ingestion, "BATCH_BYTES", 1)
    write_files(tmp_path, {"s/1.xml": "<a/>", "s/2.xml": "<b>", "s/3.xml": "<c>", "s/4.xml": "<d/>"})
    for jobs in (1, 2):
        folder = tmp_path / f"c{jobs}"
        outcome = doxel("ingest", tmp_path / "s", "-o", folder, "--strict", "--jobs", jobs)
        assert outcome.status == 2
        assert "2.xml, line 1" in outcome.err
        assert list(read_collection(folder)) == ["1"]
        assert names_in(folder) == [".lock", "manifest.json", "part-0001"]


def test_a_file_name_that_is_not_utf_8_is_reported(tmp_path):
    write_files(tmp_path, GOOD)
    try:
        Path(os.fsdecode(os.fsencode(tmp_path / "good") + b"/caf\xe9.xml")).write_text("<a/>")
    except OSError as error:
        pytest.skip(f"this file system refuses such names itself: {error}")
    outcome = doxel_process("ingest", tmp_path / "good", "-o", tmp_path / "c")
    assert outcome.status == 1
    assert names_everything(
        outcome.messages[0], f"{tmp_path}/good/caf\\udce9.xml", 0, "a name in UTF-8", "caf"
    )
    assert len(read_collection(tmp_path / "c")) == 2


# Files that must not be opened


@pytest.mark.parametrize("options", [(), ("--entities", "html")], ids=["alone", "with declarations"])
def test_an_external_entity_is_not_read(options, tmp_path):
    """The file is a pipe without a writer: opening it would block forever."""
    os.mkfifo(tmp_path / "secret")
    source = f'<!DOCTYPE a [<!ENTITY x SYSTEM "{(tmp_path / "secret").as_uri()}">]>\n<a>&x;</a>'
    write_files(tmp_path, {"bad.xml": source})
    outcome = doxel_process("ingest", tmp_path / "bad.xml", "-o", tmp_path / "c", *options)
    assert outcome.status == 1
    assert f"{tmp_path / 'bad.xml'}, line " in outcome.messages[0]
    assert "wanted " in outcome.messages[0]
    assert "found " in outcome.messages[0]
    assert all(is_sentence(message) for message in outcome.messages)


def tar_of(path: Path, *infos: tarfile.TarInfo) -> Path:
    with tarfile.open(path, "w") as archive:
        for info in infos:
            content = b"<a>text</a>" if info.isfile() else b""
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path


def zip_of(path: Path, *infos: zipfile.ZipInfo) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for info in infos:
            archive.writestr(info, "<a>text</a>")
    return path


def tar_link(name: str, target: str, kind: bytes) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def zip_link(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = 0o120777 << 16
    return info


ARCHIVES: dict[str, tuple[Callable[[Path], Path], str, str, str]] = {
    "tar with ..": (
        lambda path: tar_of(path, tarfile.TarInfo("good.xml"), tarfile.TarInfo("../evil.xml")),
        "../evil.xml",
        "a path below the top of the archive",
        "../evil.xml",
    ),
    "tar with an absolute path": (
        lambda path: tar_of(path, tarfile.TarInfo("good.xml"), tarfile.TarInfo("/tmp/evil.xml")),  # noqa: S108
        "/tmp/evil.xml",  # noqa: S108
        "a path below the top of the archive",
        "/tmp/evil.xml",  # noqa: S108
    ),
    "tar with a symbolic link": (
        lambda path: tar_of(
            path, tarfile.TarInfo("good.xml"), tar_link("evil.xml", "/etc/hostname", tarfile.SYMTYPE)
        ),
        "evil.xml",
        "a plain file",
        "a link",
    ),
    "tar with a hard link": (
        lambda path: tar_of(
            path, tarfile.TarInfo("good.xml"), tar_link("evil.xml", "good.xml", tarfile.LNKTYPE)
        ),
        "evil.xml",
        "a plain file",
        "a link",
    ),
    "zip with ..": (
        lambda path: zip_of(path, zipfile.ZipInfo("good.xml"), zipfile.ZipInfo("a/../../evil.xml")),
        "a/../../evil.xml",
        "a path below the top of the archive",
        "a/../../evil.xml",
    ),
    "zip with a link": (
        lambda path: zip_of(path, zipfile.ZipInfo("good.xml"), zip_link("evil.xml")),
        "evil.xml",
        "a plain file",
        "a link",
    ),
}


@pytest.mark.parametrize("name", ARCHIVES)
def test_archive_members_outside_the_archive_are_rejected(name, tmp_path):
    make, member, wanted, found = ARCHIVES[name]
    archive = make(tmp_path / "archive")
    outcome = doxel("ingest", archive, "-o", tmp_path / "c")
    assert outcome.status == 1
    assert names_everything(outcome.messages[0], f"{archive}:{member}", 0, wanted, found)
    assert list(read_collection(tmp_path / "c")) == ["good"]
    assert names_in(tmp_path) == ["archive", "c"]

    outcome = doxel("ingest", archive, "-o", tmp_path / "strict", "--strict")
    assert outcome.status == 2
    assert names_everything(outcome.err.strip(), f"{archive}:{member}", 0, wanted, found)
    assert not (tmp_path / "strict").exists()


# Truncated files


def test_a_truncated_gzip_file_is_reported(tmp_path):
    whole = gzip.compress(b"<a>" + os.urandom(2000).hex().encode() + b"</a>")
    write_files(tmp_path, {**GOOD, "good/cut.xml.gz": whole[: len(whole) // 2]})
    outcome = doxel("ingest", tmp_path / "good", "-o", tmp_path / "c")
    assert outcome.status == 1
    assert names_everything(
        outcome.messages[0], tmp_path / "good/cut.xml.gz", 0, "a whole compressed file", "end-of-stream"
    )
    assert len(read_collection(tmp_path / "c")) == 2
    assert doxel("ingest", tmp_path / "good", "-o", tmp_path / "d", "--strict").status == 2


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:xz"])
def test_a_truncated_archive_is_reported(mode, tmp_path):
    """Its readable part is ingested; the whole archive then completes the collection."""
    write_files(tmp_path, {f"s/{number}.xml": f"<a>{os.urandom(999).hex()}</a>" for number in range(60)})
    archive = tmp_path / "a.tar"
    with tarfile.open(archive, mode) as opened:
        opened.add(tmp_path / "s", ".")
    whole = archive.read_bytes()
    archive.write_bytes(whole[: len(whole) // 2])
    outcome = doxel("ingest", archive, "-o", tmp_path / "c")
    assert outcome.status == 1
    assert names_everything(outcome.messages[0], archive, 0, "a whole archive", "")
    assert 0 < len(read_collection(tmp_path / "c")) < 60
    archive.write_bytes(whole)
    assert doxel("ingest", archive, "-o", tmp_path / "c").status == 0
    assert len(read_collection(tmp_path / "c")) == 60


# Permissions and space

# Root must drop a capability, or permissions would not apply.
WITHOUT_OVERRIDE = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search,-fowner")


@pytest.fixture(scope="session")
def bound() -> tuple[str, ...]:
    """The words before a command that make permissions apply to it."""
    if os.geteuid() != 0:
        return ()
    if shutil.which("setpriv") is None:
        pytest.skip("as root, permissions are tested with setpriv, which is not installed")
    probe = subprocess.run([*WITHOUT_OVERRIDE, "true"], check=False, capture_output=True, text=True)
    if probe.returncode:
        pytest.skip(f"as root, permissions are tested with setpriv, which fails here: {probe.stderr.strip()}")
    return WITHOUT_OVERRIDE


@contextlib.contextmanager
def mode(path: Path, bits: int):
    before = path.stat().st_mode
    path.chmod(bits)
    try:
        yield
    finally:
        path.chmod(before)


@pytest.mark.parametrize("refused", ["good/2.xml", "good/sub"])
def test_a_file_without_read_permission_is_skipped(refused, bound, tmp_path):
    write_files(tmp_path, {**GOOD, "good/sub/3.xml": "<a/>"})
    with mode(tmp_path / refused, 0):
        outcome = doxel_process("ingest", tmp_path / "good", "-o", tmp_path / "c", prefix=bound)
    assert outcome.status == 1
    refusal, summary = outcome.messages
    assert refusal == f"doxel: skipped: {tmp_path / refused}: cannot be read: permission denied"
    assert summary.startswith("doxel: 2 documents")


@pytest.mark.parametrize("source", ["good/1.xml", "good"])
def test_a_source_without_read_permission_is_reported(source, bound, tmp_path):
    write_files(tmp_path, GOOD)
    with mode(tmp_path / source, 0):
        outcome = doxel_process("ingest", tmp_path / source, "-o", tmp_path / "c", prefix=bound)
    assert outcome.status == 1
    assert outcome.messages[0] == f"doxel: skipped: {tmp_path / source}: cannot be read: permission denied"
    assert not (tmp_path / "c").exists()


def test_a_source_in_a_locked_folder_is_reported(bound, tmp_path):
    write_files(tmp_path, GOOD)
    with mode(tmp_path / "good", 0):
        outcome = doxel_process("ingest", tmp_path / "good/1.xml", "-o", tmp_path / "c", prefix=bound)
    assert outcome.status == 1
    assert outcome.messages[0].endswith("good/1.xml: cannot be read: permission denied")


def test_a_collection_that_cannot_be_written_is_reported(bound, tmp_path):
    write_files(tmp_path, GOOD)
    (tmp_path / "locked").mkdir()
    with mode(tmp_path / "locked", 0o555):
        outcome = doxel_process("ingest", tmp_path / "good", "-o", tmp_path / "locked/c", prefix=bound)
        assert outcome.status == 2
        assert outcome.messages == [f"doxel: {tmp_path / 'locked/c'}: cannot be written: permission denied"]
        assert names_in(tmp_path / "locked") == []


def test_a_collection_that_cannot_be_extended_is_reported(bound, tmp_path):
    write_files(tmp_path, GOOD)
    assert doxel("ingest", tmp_path / "good/1.xml", "-o", tmp_path / "c").status == 0
    before = contents(tmp_path / "c")
    with mode(tmp_path / "c", 0o555):
        outcome = doxel_process("ingest", tmp_path / "good", "-o", tmp_path / "c", prefix=bound)
        assert outcome.status == 2
        (message,) = outcome.messages
        assert is_sentence(message)
        assert "cannot be written: permission denied" in message
        # it can still be read
        assert doxel_process("collection", tmp_path / "c", prefix=bound).status == 0
    assert contents(tmp_path / "c") == before


def limit_files_to(size: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.parametrize("size", [0, 100, 2000, 20_000])
def test_a_full_disk_is_reported(size, tmp_path):
    """The limit is too small for a manifest, for a small table, or for the texts."""
    write_files(tmp_path, {f"s/{number}.xml": f"<a>{os.urandom(5000).hex()}</a>" for number in range(9)})
    outcome = doxel_process(
        "ingest", tmp_path / "s", "-o", tmp_path / "c", "--jobs", 1, before=limit_files_to(size)
    )
    assert outcome.status == 2
    (message,) = outcome.messages
    assert is_sentence(message)
    assert str(tmp_path / "c") in message
    assert "cannot be written: " in message
    assert not (tmp_path / "c").exists()


def test_a_full_disk_leaves_the_collection_unchanged(tmp_path):
    write_files(tmp_path, GOOD)
    assert doxel("ingest", tmp_path / "good", "-o", tmp_path / "c").status == 0
    before, files = contents(tmp_path / "c"), names_in(tmp_path / "c")
    write_files(tmp_path, {f"good/x{number}.xml": f"<a>{os.urandom(5000).hex()}</a>" for number in range(9)})
    for jobs in (1, 2):
        outcome = doxel_process(
            "ingest", tmp_path / "good", "-o", tmp_path / "c", "--jobs", jobs, before=limit_files_to(20_000)
        )
        assert outcome.status == 2
        assert is_sentence(outcome.messages[0])
        assert len(outcome.messages) == 1
        assert contents(tmp_path / "c") == before
        assert names_in(tmp_path / "c") == files
    assert doxel("ingest", tmp_path / "good", "-o", tmp_path / "c").status == 0
    assert len(read_collection(tmp_path / "c")) == 11


# Wrong calls


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("missing.xml", "-o", "c"), "doxel: missing.xml: cannot be read: no such file or directory"),
        (("good", "missing.xml", "-o", "c"), "doxel: missing.xml: cannot be read: no such file or directory"),
        (
            ("empty", "-o", "c"),
            (
                "doxel: no documents in the sources: wanted files such as *.xml, "
                "*.html, *.md, *.txt, *.pdf or *.jsonl, found no files"
            ),
        ),
        (
            ("notes", "-o", "c"),
            (
                "doxel: no documents in the sources: wanted files such as *.xml, "
                "*.html, *.md, *.txt, *.pdf or *.jsonl, found 1 of .dat"
            ),
        ),
        (("good", "-o", "good"), "doxel: good: wanted a new folder or a collection, found other files"),
        (("good", "-o", "good/1.xml"), "doxel: good/1.xml: cannot be written: file exists"),
        (("good", "-o", "good/1.xml/c"), "doxel: good/1.xml/c: cannot be written: not a directory"),
        (("good", "-o", "app"), "doxel: app/manifest.json: not a manifest of a collection: found 'format'"),
        (("good", "-o", "c", "--dtd", "x.dtd"), "doxel: x.dtd: cannot be read: no such file or directory"),
        (
            ("good", "-o", "c", "--dtd", "notes/n.dat"),
            "doxel: notes/n.dat: not a DTD: wanted declarations of",
        ),
    ],
)
def test_a_wrong_call_is_rejected_before_anything_is_written(arguments, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, {**GOOD, "notes/n.dat": "text", "app/manifest.json": '{"name": "another thing"}'})
    (tmp_path / "empty").mkdir()
    before = sorted(tmp_path.rglob("*"))
    outcome = doxel("ingest", *arguments)
    assert outcome.status == 2
    assert outcome.err.startswith(sentence)
    assert len(outcome.messages) == 1
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    "arguments", [(), ("good",), ("good", "-o", "c", "--jobs", "0"), ("good", "-o", "c", "--ids", "number")]
)
def test_conflicting_options_are_rejected(arguments):
    outcome = doxel("ingest", *arguments)
    assert outcome.status == 2
    assert "Usage: doxel ingest" in outcome.err
    assert "Traceback" not in outcome.err


def test_an_empty_folder_can_become_a_collection(tmp_path):
    write_files(tmp_path, {**GOOD, "bad.xml": ""})
    (tmp_path / "c").mkdir()
    assert doxel("ingest", tmp_path / "bad.xml", "-o", tmp_path / "c").status == 1
    assert names_in(tmp_path / "c") == []
    assert doxel("ingest", tmp_path / "good", "-o", tmp_path / "c").status == 0


def test_duplicate_ids_are_reported(tmp_path):
    write_files(tmp_path, {"a/1.xml": "<a>one</a>", "b/1.xml": "<a>two</a>", "b/2.xml": "<a>three</a>"})
    outcome = doxel("ingest", tmp_path / "a", tmp_path / "b", "-o", tmp_path / "c")
    assert outcome.status == 1
    assert names_everything(outcome.messages[0], tmp_path / "b/1.xml", 0, "one document per id", "a/1.xml")
    assert "would be a second document '1'" in outcome.messages[0]
    assert len(read_collection(tmp_path / "c")) == 2
    outcome = doxel("ingest", tmp_path / "a", tmp_path / "b", "-o", tmp_path / "d", "--strict")
    assert outcome.status == 2
    assert not (tmp_path / "d").exists()


def test_duplicate_ids_in_an_addition_are_reported(tmp_path):
    write_files(tmp_path, {"a/x/1.xml": "<a>one</a>", "b/y/1.xml": "<a>two</a>"})
    assert doxel("ingest", tmp_path / "a", "-o", tmp_path / "c").status == 0
    outcome = doxel("ingest", tmp_path / "b", "-o", tmp_path / "c")
    assert outcome.status == 1
    assert "would make the document id '1' ambiguous" in outcome.messages[0]
    assert names_everything(outcome.messages[0], tmp_path / "b/y/1.xml", 0, "unique", "x/1.xml")
    assert list(read_collection(tmp_path / "c")) == ["1"]


# Successful calls


def test_the_summary_counts_documents_elements_and_characters(tmp_path):
    write_files(tmp_path, {**GOOD, "good/notes.dat": ""})
    outcome = doxel("ingest", tmp_path / "good", "-o", tmp_path / "c", "--jobs", 1)
    assert outcome.status == 0
    ignored, summary = outcome.messages
    assert ignored == "doxel: ignored: 1 file of unknown type (.dat)"
    assert summary.startswith(
        f"doxel: 2 documents, 3 elements with 2 tags, 6 characters added to {tmp_path / 'c'} in "
    )
    again = doxel("ingest", tmp_path / "good", "-o", tmp_path / "c")
    assert again.status == 0
    assert "doxel: already in the collection: 2 documents" in again.messages


def test_entities_are_read_from_declarations(tmp_path):
    write_files(
        tmp_path,
        {
            "s/plain.xml": "<a>&eacute;</a>",
            "s/dtd.xml": '<!DOCTYPE a SYSTEM "http://example.org/a.dtd">\n<a>&eacute;</a>',
            "s/subset.xml": '<!DOCTYPE a [<!ENTITY x "y">]><a>&eacute;&x;</a>',
            "s/wide.xml": '<?xml version="1.0" encoding="UTF-16"?><a>&eacute;</a>'.encode("utf-16"),
            "latin.ent": '<!ENTITY eacute "&#233;">',
        },
    )
    assert doxel("ingest", tmp_path / "s", "-o", tmp_path / "none").status == 1
    for name, options in {"html": ("--entities", "html"), "dtd": ("--dtd", tmp_path / "latin.ent")}.items():
        assert doxel("ingest", tmp_path / "s", "-o", tmp_path / name, *options).status == 0
        collection = read_collection(tmp_path / name)
        assert {doc: collection[doc].text for doc in collection} == {
            "plain": "é",
            "dtd": "é",
            "subset": "éy",
            "wide": "é",
        }


def test_a_second_ingestion_at_the_same_time_is_rejected(tmp_path):
    """While one process writes, another gets an error, and the first is not disturbed."""
    write_files(tmp_path, GOOD)
    others: list = []

    def meanwhile(_documents: int, _size: int) -> None:
        others.append(doxel("ingest", tmp_path / "good", "-o", tmp_path / "c"))

    ingestion.ingest(tmp_path / "good", tmp_path / "c", progress=meanwhile)
    (other,) = others
    assert other.status == 2
    assert other.messages == [f"doxel: {tmp_path / 'c'}: another process is writing this collection"]
    assert len(read_collection(tmp_path / "c")) == 2
    assert doxel("ingest", tmp_path / "good", "-o", tmp_path / "c").status == 0


def test_an_interrupt_is_reported(tmp_path):
    """As by Ctrl-C, in the middle: exit status 130, a word, and the collection can be completed."""
    write_files(tmp_path, GOOD)
    script = (
        "import os, signal, sys\n"
        "from doxel.cli.main import main\n"
        "from doxel.documents import ingestion\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # background jobs ignore it
        "ingestion.write_part = lambda *_: os.kill(os.getpid(), signal.SIGINT)\n"
        "main(sys.argv[1:])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "ingest", str(tmp_path / "good"), "-o", str(tmp_path / "c")],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 130
    assert done.stderr.strip() == "doxel: stopped"
    assert not (tmp_path / "c").exists()
