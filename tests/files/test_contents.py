"""Contents of files: decoded or refused with the line."""

import pytest

from doxel.errors import InputError
from doxel.files import read_bytes, read_text


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
