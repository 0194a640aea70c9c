"""Compressed files: recognised by content, read whole or refused, written by suffix."""

import bz2
import gzip
import lzma
import os

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from doxel.errors import InputError, MissingExtraError
from doxel.files import Member, read_bytes, strip_compression, write_file
from random_share import count_cases

COMPRESS = {
    "gz": gzip.compress,
    "xz": lzma.compress,
    "zst": zstandard.ZstdCompressor().compress,
}
TEXT = b"".join(b"line %d of some text\n" % number for number in range(2000))


@pytest.mark.parametrize("kind", COMPRESS)
def test_compression_is_recognised_by_content_not_by_name(kind, tmp_path):
    path = tmp_path / "no-suffix"
    path.write_bytes(COMPRESS[kind](TEXT))
    assert read_bytes(path) == TEXT


@pytest.mark.parametrize("kind", COMPRESS)
def test_concatenated_compressed_files_are_read_as_one(kind, tmp_path):
    path = tmp_path / "twice"
    path.write_bytes(COMPRESS[kind](TEXT) + COMPRESS[kind](b"the end"))
    assert read_bytes(path) == TEXT + b"the end"


@given(st.sampled_from(sorted(COMPRESS)), st.binary(max_size=300), st.floats(0, 1, exclude_max=True))
@settings(max_examples=count_cases(200), deadline=None)
def test_a_compressed_file_cut_anywhere_is_never_read_in_part(kind, content, share):
    whole = COMPRESS[kind](content)
    cut = whole[: int(share * len(whole))]
    member = Member("a", "a", content=cut)
    if not cut.startswith((b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd")):
        assert member.read() == cut  # too short to be recognised as compressed at all
        return
    with pytest.raises(InputError) as caught:
        member.read()
    assert caught.value.file == "a"
    assert caught.value.wanted == "a whole compressed file"
    assert caught.value.found


@pytest.mark.parametrize("kind", COMPRESS)
def test_damage_inside_is_noticed(kind, tmp_path):
    data = bytearray(
        COMPRESS[kind](os.urandom(3000)) if kind != "zst" else b"\x28\xb5\x2f\xfd" + b"\xff" * 99
    )
    data[len(data) // 2] ^= 0xFF
    path = tmp_path / "damaged"
    path.write_bytes(data)
    with pytest.raises(InputError, match="damaged: compressed file is damaged or cut short: wanted a whole"):
        read_bytes(path)


@pytest.mark.parametrize("kind", COMPRESS)
def test_a_bomb_is_not_unpacked(kind, tmp_path, monkeypatch):
    monkeypatch.setenv("DOXEL_MAX_UNPACKED_BYTES", "1_000_000")
    path = tmp_path / "bomb"
    path.write_bytes(COMPRESS[kind](bytes(3_000_000)))
    with pytest.raises(InputError, match="bomb: unpacks to too much data: wanted at most 1,000,000 bytes"):
        read_bytes(path)


def test_a_missing_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "zstandard", None)
    (tmp_path / "a.zst").write_bytes(COMPRESS["zst"](TEXT))
    with pytest.raises(MissingExtraError, match=r'pip install "doxel\[zst\]"'):
        read_bytes(tmp_path / "a.zst")


@pytest.mark.parametrize(
    ("name", "stripped"),
    [("a.run.gz", "a.run"), ("a.XML.GZ", "a.XML"), ("a.xml.xz", "a.xml"), ("a.zst", "a"), ("a.xml", "a.xml")],
)
def test_the_compression_suffix_is_stripped(name, stripped):
    assert strip_compression(name) == stripped


def test_other_compression_is_left_alone(tmp_path):
    """Runs and documents are not distributed as bzip2: such bytes are returned unchanged."""
    (tmp_path / "a.bz2").write_bytes(bz2.compress(TEXT))
    assert read_bytes(tmp_path / "a.bz2") == bz2.compress(TEXT)


@pytest.mark.parametrize("name", ["a.run.gz", "a.RUN.GZ", "a.run.Xz"])
def test_compression_suffixes_may_be_in_any_case(tmp_path, name):
    write_file(tmp_path / name, b"text")
    assert (tmp_path / name).read_bytes() != b"text"
    assert read_bytes(tmp_path / name) == b"text"
