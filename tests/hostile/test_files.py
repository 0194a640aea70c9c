"""Malicious files and archives: endless loops, bombs and endless devices."""

import gzip
import io
import tarfile
import zipfile

import pytest

from doxel.errors import InputError
from doxel.files import iterate_members, read_bytes
from doxel.files.archives import read_file_set

END = bytes(1024)


def header(name, size=0, kind=tarfile.REGTYPE):
    """A member's header block; unlike tarfile's own, its size may even be negative."""
    info = tarfile.TarInfo(name)
    info.type = kind
    block = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    block[124:136] = (b"\x80" if size >= 0 else b"\xff") + (size % 256**11).to_bytes(11, "big")
    total = sum(block[:148]) + 8 * 32 + sum(block[156:])
    block[148:156] = b"%06o\0 " % total
    return bytes(block)


def pax_header(**fields):
    """An extended header of the next member, as pax writes it."""
    records = b""
    for key, value in fields.items():
        body = f" {key}={value}\n".encode()
        size = next(size for size in range(len(body), len(body) + 9) if size == len(str(size)) + len(body))
        records += b"%d" % size + body
    return header("pax", len(records), tarfile.XHDTYPE) + records.ljust(512, b"\0")


FIRST = header("1.xml", 4) + b"<a/>".ljust(512, b"\0")
HOSTILE = {
    "a negative size leads back": FIRST + header("2.xml", -512) + END,
    "a negative size in pax leads back": FIRST + pax_header(size=-2048) + header("2.xml") + END,
    "headers without end": FIRST + pax_header(a=1) * 2000 + header("2.xml") + END,
    "a long name without end": FIRST + header("x", 10**9, tarfile.GNUTYPE_LONGNAME) + END,
    "a long name of a negative size": FIRST + header("x", -5, tarfile.GNUTYPE_LONGNAME) + END,
    "an invalid sparse map": FIRST + pax_header(**{"GNU.sparse.map": "0,x"}) + header("2.xml") + END,
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_header_ends_a_tar_archive(data, tmp_path):
    path = tmp_path / "a.tar"
    path.write_bytes(data)
    first, rest = iterate_members(path)
    assert first.read() == b"<a/>"
    assert rest.whole
    with pytest.raises(InputError, match=r"a\.tar: archive is damaged or cut short: wanted a whole archive"):
        rest.read()


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME])
def test_extended_headers_are_not_unpacked_without_a_limit(kind, tmp_path):
    path = tmp_path / "a.tar.gz"
    path.write_bytes(gzip.compress(header("x", 1 << 40, kind) + bytes(1 << 16), 1))
    (only,) = iterate_members(path)  # not even a tar archive
    assert only.path == str(path)


def test_a_sparse_tar_archive_is_a_bomb(tmp_path):
    path = tmp_path / "a.tar"
    fields = {"major": 1, "minor": 0, "realsize": 10**10, "name": "2.xml"}
    holes = pax_header(**{f"GNU.sparse.{key}": value for key, value in fields.items()})
    stored = header("2.xml", 512) + b"1\n0\n10000000000\n".ljust(512, b"\0")
    path.write_bytes(FIRST + holes + stored + END)
    _, bomb = iterate_members(path)
    with pytest.raises(InputError, match=r"2\.xml: unpacks to too much data"):
        bomb.read()


def zip_with_name(name):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr(zipfile.ZipInfo(name), b"<a/>")
    return target.getvalue()


def test_a_zip_member_without_a_name_is_refused(tmp_path):
    path = tmp_path / "a.zip"
    path.write_bytes(zip_with_name(""))
    (member,) = iterate_members(path)
    with pytest.raises(InputError, match="archive member points outside the archive"):
        member.read()


def test_a_zip_member_whose_name_is_not_text_is_refused(tmp_path):
    path = tmp_path / "a.zip"
    data = zip_with_name("é.xml")
    path.write_bytes(data.replace("é".encode(), b"\xc3\x28", 1))  # in one of its two headers
    (member,) = iterate_members(path)
    with pytest.raises(InputError, match="cannot be unpacked: wanted a complete member"):
        member.read()


def test_a_zip_archive_of_an_unknown_version_is_refused(tmp_path):
    path = tmp_path / "a.zip"
    data = bytearray(zip_with_name("1.xml"))
    data[data.index(b"PK\x01\x02") + 6] = 0xFF  # the version that is needed to unpack it
    path.write_bytes(data)
    (member,) = iterate_members(path)
    with pytest.raises(InputError, match="archive is damaged or cut short"):
        member.read()


def test_many_small_files_can_be_a_bomb_together(tmp_path, monkeypatch):
    monkeypatch.setenv("DOXEL_MAX_UNPACKED_BYTES", "1000")
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(3):
            archive.writestr(f"{number}.xml", b"x" * 400)
    with pytest.raises(InputError, match=r"a\.zip: unpacks to too much data: wanted at most 1,000 bytes"):
        read_file_set(path, kind="topics")


def test_an_endless_device_is_not_read_for_ever(monkeypatch):
    monkeypatch.setenv("DOXEL_MAX_UNPACKED_BYTES", "10_000_000")
    with pytest.raises(InputError, match="/dev/zero: unpacks to too much data"):
        read_bytes("/dev/zero")


def test_a_name_with_a_null_character_is_refused():
    with pytest.raises(InputError, match="cannot be read: embedded null byte"):
        read_bytes("a\0b")
