"""Checksums of stored files: every change is detected, at the moment for which it is meant."""

import random

import pytest

from doxel.files.checksums import (
    FileChecksum,
    compute_checksum,
    compute_seal,
    find_damage,
    find_damaged_content,
    find_damaged_end,
    find_damaged_file,
    parse_checksums,
)

CONTENT = random.Random(1).randbytes(5000)


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "table.parquet"
    file.write_bytes(CONTENT)
    return file


def test_a_checksum_has_the_published_values(tmp_path):
    """The check values of CRC-32 (123456789: cbf43926) and SHA-256 (abc, FIPS 180-2, appendix B.1)."""
    (tmp_path / "digits").write_bytes(b"123456789")
    (tmp_path / "letters").write_bytes(b"abc")
    digits, letters = compute_checksum(tmp_path / "digits"), compute_checksum(tmp_path / "letters")
    assert (digits.size, digits.crc32, digits.end) == (9, "cbf43926", "cbf43926")
    assert letters.sha256 == "ba7816bf8f01cfea414140de5dae2223"


def test_an_intact_file_has_no_damage(path):
    checksum = compute_checksum(path)
    assert find_damage(CONTENT, checksum) is None
    assert [find(path, checksum) for find in (find_damaged_content, find_damaged_end, find_damaged_file)] == [
        None,
        None,
        None,
    ]


def test_blocks_do_not_change_a_checksum(path, monkeypatch):
    whole = compute_checksum(path)
    monkeypatch.setattr("doxel.files.checksums._BLOCK_BYTES", 300)  # the end is in several blocks
    assert compute_checksum(path) == whole
    assert find_damaged_content(path, whole) is None


@pytest.mark.parametrize("place", [0, 2500, 3999, 4000, 4999])
def test_a_flipped_bit_is_detected(path, place):
    checksum = compute_checksum(path)
    flipped = bytearray(CONTENT)
    flipped[place] ^= 16
    path.write_bytes(flipped)
    assert find_damage(bytes(flipped), checksum).startswith("wanted the CRC-32 ")
    assert find_damaged_content(path, checksum).startswith("wanted the CRC-32 ")
    assert find_damaged_file(path, checksum).startswith("wanted the SHA-256 ")
    in_end = place >= 4000  # the last 1,000 bytes
    assert (find_damaged_end(path, checksum) or "").startswith("wanted the CRC-32 of its end ") == in_end


def test_another_size_is_detected(path):
    checksum = compute_checksum(path)
    path.write_bytes(CONTENT[:-1])
    message = "wanted 5,000 bytes, found 4,999"
    assert find_damage(CONTENT[:-1], checksum) == message
    for find in (find_damaged_content, find_damaged_end, find_damaged_file):
        assert find(path, checksum) == message


@pytest.mark.parametrize("number", [1, 2])
def test_a_verification_compares_every_checksum(path, number):
    fields = list(compute_checksum(path))
    fields[number] = "00000000"
    assert find_damaged_file(path, FileChecksum(*fields)).startswith("wanted the CRC-32 ")


@pytest.mark.parametrize(
    "data", [[], {"a": 1}, {"a": [1, "", ""]}, {"a": ["1", "", "", ""]}, {"a": [True, *"abc"]}]
)
def test_invalid_checksums_are_refused(data):
    with pytest.raises(ValueError, match="checksum"):
        parse_checksums(data)


def test_a_seal_depends_on_every_value():
    seals = {compute_seal({"a": 1}), compute_seal({"a": 2}), compute_seal({"b": 1}), compute_seal({"a": "1"})}
    assert len(seals) == 4


def test_a_seal_does_not_depend_on_the_order_of_keys():
    assert compute_seal({"a": 1, "b": {"c": 2, "d": 3}}) == compute_seal({"b": {"d": 3, "c": 2}, "a": 1})
