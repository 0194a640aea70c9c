"""Contents of files: decoded or refused with the line, and written whole or not at all."""

import os

import pytest

from doxel.errors import InputError
from doxel.files import read_bytes, read_text, write_atomically

# Text


def test_text_is_utf8_without_its_byte_order_mark(tmp_path):
    (tmp_path / "a").write_bytes("\ufeffcafé 😀\r\n".encode())
    assert read_text(tmp_path / "a") == "café 😀\r\n"


def test_an_invalid_byte_is_reported_with_its_line(tmp_path):
    (tmp_path / "a").write_bytes(b"one\ntwo\ncaf\xe9")
    with pytest.raises(InputError, match="a, line 3: wanted UTF-8 text, found byte 0xe9"):
        read_text(tmp_path / "a")


@pytest.mark.parametrize(("name", "reason"), [("missing", "no such file"), (".", "is a directory")])
def test_an_unreadable_path_is_reported_with_the_reason(name, reason, tmp_path):
    with pytest.raises(InputError, match=f"cannot be read: {reason}"):
        read_bytes(tmp_path / name)


# Writing


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
        pytest.raises(InputError, match="cannot be written: no such file"),
        write_atomically(tmp_path / "missing" / "a"),
    ):
        pass
