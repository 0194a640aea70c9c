"""Forms with and without files are parsed; anything else is refused."""

import pytest

from doxel.assess.web.form_data import parse_form
from doxel.errors import RefusedError

PLAIN = "application/x-www-form-urlencoded"


def multipart(*parts, boundary="xYz"):
    """Return the content type and the body of a form as browsers send it."""
    body = b"".join(
        b"--"
        + boundary.encode()
        + b"\r\nContent-Disposition: form-data; "
        + head.encode()
        + b"\r\n\r\n"
        + content
        + b"\r\n"
        for head, content in parts
    )
    return f"multipart/form-data; boundary={boundary}", body + b"--" + boundary.encode() + b"--\r\n"


def test_fields_keep_their_last_value_and_all_values():
    form = parse_form(PLAIN, b"topic=1&topic=2&name=a%20b&note=one%0D%0Atwo&empty=")
    assert form.fields == {"topic": "2", "name": "a b", "note": "one\ntwo", "empty": ""}
    assert form.lists["topic"] == ["1", "2"]


def test_a_file_arrives_byte_for_byte():
    data = bytes(range(256)) + b"\r\n--xY\r\n\n\r"
    kind, body = multipart(('name="a"', b"b"), ('name="upload"; filename="C:\\\\x/pool.jsonl"', data))
    form = parse_form(kind, body)
    assert form.fields == {"a": "b"}
    assert (form.files["upload"].name, form.files["upload"].data) == ("pool.jsonl", data)


def test_a_form_without_a_chosen_file_has_none():
    form = parse_form(*multipart(('name="upload"; filename=""', b""), ('name="file"', "ä".encode())))
    assert (form.files, form.fields) == ({}, {"file": "ä"})


@pytest.mark.parametrize(
    ("kind", "body", "status"),
    [
        ("text/plain", b"a=b", 415),
        ("", b"", 415),
        (PLAIN, b"\xff=1", 400),
        (PLAIN, b"&".join(b"a=1" for _ in range(5_001)), 400),
        ("multipart/form-data", b"--x--", 400),
        ("multipart/form-data; boundary=x", b"", 400),
        ("multipart/form-data; boundary=x", b"--x\r\nno head--x--", 400),
        (
            "multipart/form-data; boundary=x",
            b"--x\r\nContent-Disposition: form-data\r\n\r\na\r\n--x--\r\n",
            400,
        ),
        (*multipart(('name="a"', b"\xff")), 400),
    ],
)
def test_what_is_not_a_form_is_refused(kind, body, status):
    with pytest.raises(RefusedError) as refused:
        parse_form(kind, body)
    assert refused.value.status == status
