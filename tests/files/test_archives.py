"""Folders and archives: every member is read whole, or refused with a reason."""

import gzip
import io
import os
import tarfile
import zipfile
from pathlib import Path
from random import Random

import pytest

from doxel.errors import InputError
from doxel.files import iterate_members
from doxel.files.archives import read_file_set
from limits import in_time

TEXT = b"".join(b"line %d of some text\n" % number for number in range(2000))


def names_and_contents(source: Path) -> dict[str, bytes]:
    return {member.name: member.read() for member in iterate_members(source)}


def tar_of(path: Path, entries: dict[str, bytes], mode: str = "w") -> Path:
    with tarfile.open(path, mode) as archive:
        for name, content in entries.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path


def zip_of(path: Path, entries: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return path


# Folders


def test_a_folder_is_walked_in_order_without_hidden_files(tmp_path):
    for name in ("b/2.xml", "b/1.xml", "a.xml", ".hidden.xml", ".git/3.xml", "b/.4.xml"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(name)
    files = list(iterate_members(tmp_path))
    assert [member.name for member in files] == ["a.xml", "b/1.xml", "b/2.xml"]
    assert [member.read().decode() for member in files] == ["a.xml", "b/1.xml", "b/2.xml"]
    assert [member.display for member in files] == [str(tmp_path / member.name) for member in files]


def test_links_in_folders_are_followed_but_not_in_circles(tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "1.xml").write_text("<a/>")
    (tmp_path / "outside" / "back").symlink_to(tmp_path / "top")
    (tmp_path / "top").mkdir()
    (tmp_path / "top" / "linked").symlink_to(tmp_path / "outside")
    (tmp_path / "top" / "self").symlink_to(".")
    files = list(iterate_members(tmp_path / "top"))
    assert [member.name for member in files if member.refusal is None] == ["linked/1.xml"]
    refused = [member for member in files if member.refusal is not None]
    assert [Path(member.display).name for member in refused] == ["self", "back"]
    for member in refused:
        with pytest.raises(InputError, match="link to a folder that contains it"):
            member.read()


def test_a_broken_link_is_a_member_that_cannot_be_read(tmp_path):
    (tmp_path / "1.xml").symlink_to("nowhere.xml")
    (member,) = iterate_members(tmp_path)
    with pytest.raises(InputError, match=r"1\.xml: cannot be read: no such file"):
        member.read()


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "1.xml")
    for source in (tmp_path, tmp_path / "1.xml"):
        (member,) = iterate_members(source)
        with pytest.raises(InputError, match=r"not a file: wanted a .*file.*, found a pipe or a device"):
            member.read()


@pytest.mark.parametrize("name", ["missing", "file/below"])
def test_a_missing_source_is_an_error(name, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be read: no"):
        list(iterate_members(tmp_path / name))


# Archives

ENTRIES = {"b/2.xml": b"<b/>", "a.xml": b"<a/>", "c.txt": b"text", ".hidden": b"", "d/.x/1.xml": b""}
VISIBLE = {"b/2.xml": b"<b/>", "a.xml": b"<a/>", "c.txt": b"text"}


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:xz", "w:bz2"])
def test_tar_archives_are_read_without_hidden_files(mode, tmp_path):
    assert names_and_contents(tar_of(tmp_path / "a", ENTRIES, mode)) == VISIBLE


def test_tar_members_may_start_with_dot_slash(tmp_path):
    archive = tar_of(tmp_path / "a.tar", {f"./{name}": content for name, content in ENTRIES.items()})
    assert names_and_contents(archive) == VISIBLE


def test_zip_archives_are_read_in_order_without_hidden_files(tmp_path):
    archive = zip_of(tmp_path / "a", ENTRIES)
    assert names_and_contents(archive) == VISIBLE
    assert [member.display for member in iterate_members(archive)] == [
        f"{archive}:{name}" for name in ("a.xml", "b/2.xml", "c.txt")
    ]


def test_an_archive_may_be_empty(tmp_path):
    assert names_and_contents(zip_of(tmp_path / "a.zip", {})) == {}
    assert names_and_contents(tar_of(tmp_path / "a.tar", {})) == {}


def test_compressed_members_are_decompressed(tmp_path):
    assert names_and_contents(zip_of(tmp_path / "a.zip", {"1.xml.gz": gzip.compress(b"<a/>")})) == {
        "1.xml.gz": b"<a/>"
    }


OUTSIDE = ["../1.xml", "a/../../1.xml", "/etc/1.xml", "..\\1.xml", "\\1.xml"]


@pytest.mark.parametrize("make", [tar_of, zip_of])
@pytest.mark.parametrize("name", OUTSIDE)
def test_members_that_point_outside_are_refused(make, name, tmp_path):
    archive = make(tmp_path / "archive", {"good.xml": b"<a/>", name: b"<evil/>"})
    files = {member.name: member for member in iterate_members(archive)}
    assert files.pop("good.xml").read() == b"<a/>"
    (bad,) = files.values()
    assert bad.content is None
    with pytest.raises(InputError) as caught:
        bad.read()
    assert caught.value.problem == "archive member points outside the archive"
    assert caught.value.file == f"{archive}:{name}"
    assert caught.value.found == name


def test_links_and_devices_in_archives_are_refused(tmp_path):
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as archive:
        for number, kind in enumerate((tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE)):
            info = tarfile.TarInfo(f"{number}.xml")
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
    files = list(iterate_members(path))
    assert len(files) == 4
    for member in files:
        with pytest.raises(
            InputError, match="archive member is not a file: wanted a plain file, found a link"
        ):
            member.read()


def test_a_document_of_an_office_program_is_refused_whole(tmp_path):
    parts = {"[Content_Types].xml": b"<Types/>", "word/document.xml": b"<document>Hello</document>"}
    (member,) = iterate_members(zip_of(tmp_path / "report.docx", parts))
    with pytest.raises(InputError, match="document of an office program"):
        member.read()


def test_links_in_zip_archives_are_refused(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        info = zipfile.ZipInfo("1.xml")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    (member,) = iterate_members(path)
    assert member.content is None
    with pytest.raises(InputError, match=r"a\.zip:1\.xml: archive member is not a file"):
        member.read()


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:xz", "w:bz2"])
def test_a_tar_archive_cut_anywhere_is_never_taken_for_a_whole_one(mode, tmp_path):
    random = Random(2006)
    entries = {f"{number}.xml": random.randbytes(600 * number) for number in range(4)}
    whole = tar_of(tmp_path / "whole.tar", entries, mode).read_bytes()
    for size in [*range(1, len(whole), 61), len(whole) - 1]:
        cut = tmp_path / "cut.tar"
        cut.write_bytes(whole[:size])
        files = list(iterate_members(cut))
        if files[0].path is None:  # else too short to be recognised as an archive
            complete = {member.name: member.read() for member in files if member.refusal is None}
            assert complete.items() <= entries.items()
            assert complete == entries or files[-1].whole, size


@pytest.mark.parametrize("blocks", [0, 1, 2])
def test_a_tar_archive_ends_with_its_end_mark(blocks, tmp_path):
    """An archive cut between two members lacks nothing but the block of zeros at its end."""
    whole = tar_of(tmp_path / "whole.tar", {"1.xml": b"<a/>"}).read_bytes()
    cut = tmp_path / "cut.tar"
    cut.write_bytes(whole[: 1024 + 512 * blocks])
    files = list(iterate_members(cut))
    assert [member.name for member in files if member.refusal is None] == ["1.xml"]
    assert any(member.whole for member in files) == (blocks == 0)


def test_a_zip_archive_cut_in_half_is_refused(tmp_path):
    path = zip_of(tmp_path / "a.zip", {"1.xml": TEXT})
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    (member,) = iterate_members(path)
    assert member.whole
    with pytest.raises(InputError, match="archive is damaged or cut short: wanted a whole archive, found"):
        member.read()


def test_a_damaged_member_does_not_spoil_the_others(tmp_path):
    path = zip_of(tmp_path / "a.zip", {"1.xml": TEXT, "2.xml": b"<a/>"})
    data = bytearray(path.read_bytes())
    data[60] ^= 0xFF
    path.write_bytes(data)
    damaged, good = iterate_members(path)
    assert good.read() == b"<a/>"
    with pytest.raises(InputError, match=r"1\.xml: cannot be unpacked: wanted .*, found"):
        damaged.read()


def test_an_encrypted_member_is_refused(tmp_path):
    path = zip_of(tmp_path / "a.zip", {"1.xml": b"<a/>"})
    data = bytearray(path.read_bytes())
    for at in (6, data.index(b"PK\x01\x02") + 8):  # the flags, in both headers of the member
        data[at] |= 1
    path.write_bytes(data)
    (member,) = iterate_members(path)
    with pytest.raises(
        InputError, match=r"cannot be unpacked: wanted .* without a password, found .*encrypted"
    ):
        member.read()


@pytest.mark.parametrize("make", [tar_of, zip_of])
def test_a_bomb_in_an_archive_is_not_unpacked(make, tmp_path, monkeypatch):
    monkeypatch.setenv("DOXEL_MAX_UNPACKED_BYTES", "1000")
    small, bomb = iterate_members(make(tmp_path / "archive", {"1.xml": b"<a/>", "2.xml": bytes(2000)}))
    assert small.read() == b"<a/>"
    assert bomb.content is None
    with pytest.raises(InputError, match=r"2\.xml: unpacks to too much data"):
        bomb.read()


def test_a_name_that_is_too_long_is_an_error_of_doxel():
    with pytest.raises(InputError, match="file name too long"):
        read_file_set("a" * 100_000, kind="topics")


def test_a_file_of_null_bytes_is_looked_at_soon(tmp_path):
    """The xz reader would skip them four at a time, as the padding of a stream."""
    (tmp_path / "a.txt").write_bytes(bytes(50_000_000))
    with in_time(1):
        assert list(iterate_members(tmp_path / "a.txt")) == []  # an empty tar archive


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_tar_archives_of_every_compression_are_recognised_by_content(mode, tmp_path):
    assert names_and_contents(tar_of(tmp_path / "a", {"1.txt": TEXT}, mode)) == {"1.txt": TEXT}
