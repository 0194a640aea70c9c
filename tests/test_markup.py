"""The XML parser: what it refuses, its messages, and what it never opens."""

import html.entities
import pickle
from pathlib import Path

import pytest
from hypothesis import given, settings

from documents.plain_walk import parse as plain_parse
from documents.random_xml import documents
from doxel.errors import InputError, MarkupError
from doxel.markup import Declarations, XmlParser, read_declarations
from random_share import count_cases

HTML = read_declarations((), "html")
HIDDEN = "the content of a local file"


def refusal(source: bytes, declared: Declarations | None = None) -> MarkupError:
    with pytest.raises(MarkupError) as caught:
        XmlParser(declared).parse(source, "bad.xml")
    error = caught.value
    assert error.file == "bad.xml"
    assert error.wanted
    assert error.found
    assert "\n" not in str(error)
    return error


def text(source: bytes, declared: Declarations | None = None) -> str:
    return str(XmlParser(declared).parse(source, "good.xml").xpath("string()"))


def laughs(levels: int = 12) -> bytes:
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, levels))
    return f'<!DOCTYPE a [<!ENTITY l0 "ha">{entities}]>\n<a>&l{levels - 1};</a>'.encode()


# What it refuses


@pytest.mark.parametrize(
    ("source", "line", "wanted", "found"),
    [
        (b"", None, "an XML document", "no content"),
        (b" \r\n\t", None, "an XML document", "no content"),
        (b"just text", 1, "an XML document", "Start tag expected"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 1, "an XML document", "Start tag expected"),
        (bytes(range(256)), 1, "an XML document", "Document is empty"),
        (b"\x00" * 100, 1, "an XML document", "Document is empty"),
        (b"<a>\n<b>\ntext", 3, "one complete root element", "Premature end of data in tag b"),
        (b"<a>\n<b></b>\n</a", 3, "well-formed markup", "expected '>'"),
        (b"<a/>\n<b/>", 2, "one complete root element", "Extra content"),
        (b"<a>\n<b></a>", 2, "matching tags", "b line 2 and a"),
        (b"<a>\n<x:b/></a>", 2, "well-formed markup", "Namespace prefix x on b is not defined"),
        (b'<a>\n<b c="1" c="2"/></a>', 2, "well-formed markup", "Attribute c redefined"),
        (b"<a>\n&#xD800;</a>", 2, "well-formed markup", "xmlChar"),
        (b'<?xml version="1.0" encoding="utf-8"?>\n<a>\ncaf\xe9</a>', 3, "in the encoding", "Invalid bytes"),
        (b"<a>\ncaf\xe9</a>", 2, "UTF-8 if it declares none", "Invalid bytes"),
        (
            b'<?xml version="1.0" encoding="us-ascii"?>\n<a>\xc3\xa9</a>',
            1,
            "in the encoding",
            "Invalid bytes",
        ),
        (b'<?xml version="1.0" encoding="klingon"?>\n<a/>', 1, "in the encoding", "klingon"),
        (b'<?xml version="1.0" encoding="utf-16"?>\n<a/>', 1, "", ""),
        (laughs(), 1, "entities that expand within limits", "without limit"),
        (b'<!DOCTYPE a [<!ENTITY x "&y;"><!ENTITY y "&x;">]>\n<a>&x;</a>', 1, "well-formed", "loop"),
        (b"<a>" * 10_000 + b"</a>" * 10_000, 1, "nested at most 256 deep", "deeper nesting"),
    ],
    ids=lambda value: repr(value[:30]) if isinstance(value, bytes) else "",
)
def test_invalid_xml_is_refused_with_its_line(source, line, wanted, found):
    error = refusal(source)
    assert error.line == line
    assert wanted in error.wanted
    assert found in error.found


def test_quadratic_expansion_is_refused():
    source = f'<!DOCTYPE a [<!ENTITY x "{"ha" * 50_000}">]>\n<a>{"&x;" * 50_000}</a>'
    assert refusal(source.encode()).line == 2


def test_nesting_is_allowed_up_to_the_limit():
    root = XmlParser().parse(b"<a>" * 256 + b"</a>" * 256, "deep.xml")
    assert len(list(root.iter())) == 256
    assert refusal(b"<a>" * 257 + b"</a>" * 257).found == "deeper nesting"


def test_a_parser_still_works_after_a_bad_document():
    parser = XmlParser(HTML)
    for bad in (b"<a>", b'<!DOCTYPE a [<!ENTITY x SYSTEM "x">]><a>&x;</a>', b""):
        with pytest.raises(MarkupError):
            parser.parse(bad, "bad.xml")
        assert parser.parse(b"<a>&eacute;</a>", "good.xml").text == "é"


# What it never opens


@pytest.fixture
def secret(tmp_path):
    path = tmp_path / "secret.txt"
    path.write_text(HIDDEN)
    return path


EXTERNAL = {
    "in the text": '<!DOCTYPE a [\n<!ENTITY x SYSTEM "{0}">]>\n<a>&x;</a>',
    "in an attribute": '<!DOCTYPE a [\n<!ENTITY x SYSTEM "{0}">]>\n<a b="&x;"/>',
    "through another entity": '<!DOCTYPE a [\n<!ENTITY x SYSTEM "{0}"><!ENTITY y "&x;">]>\n<a>&y;</a>',
    "as declarations": '<!DOCTYPE a [\n<!ENTITY % x SYSTEM "{0}"> %x;]>\n<a>&y;</a>',
    "by public name": '<!DOCTYPE a [\n<!ENTITY x PUBLIC "-//X//EN" "{0}">]>\n<a>&x;</a>',
}


@pytest.mark.parametrize("declared", [None, HTML], ids=["alone", "with declarations"])
@pytest.mark.parametrize("place", EXTERNAL)
@pytest.mark.parametrize("form", ["{0}", "file://{0}"])
def test_external_entities_are_refused_and_not_read(place, form, declared, secret):
    error = refusal(EXTERNAL[place].format(form.format(secret)).encode(), declared)
    assert error.line in {2, 3}
    assert HIDDEN not in str(error)


@pytest.mark.parametrize("declared", [None, HTML], ids=["alone", "with declarations"])
def test_an_external_dtd_is_not_read(declared, tmp_path):
    (tmp_path / "a.dtd").write_text('<!ENTITY x "from the DTD">')
    for address in (tmp_path / "a.dtd", (tmp_path / "a.dtd").as_uri()):
        source = f'<!DOCTYPE a SYSTEM "{address}">\n<a>{{}}</a>'
        assert text(source.format("text").encode(), declared) == "text"
        error = refusal(source.format("&x;").encode(), declared)
        assert error.line == 2
        assert "--dtd" in error.wanted


@pytest.mark.parametrize("declared", [None, HTML], ids=["alone", "with declarations"])
def test_an_unused_external_entity_is_ignored(declared, secret):
    source = f'<!DOCTYPE a [<!ENTITY x SYSTEM "{secret}">]><a>text</a>'
    assert text(source.encode(), declared) == "text"


def test_inclusions_are_not_followed(secret):
    source = f'<a xmlns:i="http://www.w3.org/2001/XInclude">x<i:include href="{secret}" parse="text"/></a>'
    assert text(source.encode()) == "x"


# Declarations from outside


def test_the_error_about_an_undefined_entity_names_both_remedies():
    error = refusal(b"<a>\n\ncaf&eacute;</a>")
    assert error.line == 3
    assert "--dtd" in error.wanted
    assert "--entities html" in error.wanted
    assert "eacute" in error.found


SPELLINGS = {
    "no DOCTYPE": "<a>{}</a>",
    "XML declaration": '<?xml version="1.0"?>\n<a>{}</a>',
    "standalone": '<?xml version="1.0" standalone="yes"?>\n<a>{}</a>',
    "DOCTYPE": "<!DOCTYPE a>\n<a>{}</a>",
    "SYSTEM": '<?xml version="1.0"?>\n<!DOCTYPE a SYSTEM "a.dtd">\n<a>{}</a>',
    "PUBLIC": '<!DOCTYPE a PUBLIC "-//A//EN"\n  "a>b.dtd">\n<a>{}</a>',
    "internal subset": '<!DOCTYPE a [<!ENTITY own "mine">]>\n<a>{}</a>',
    "both": "<!DOCTYPE a SYSTEM 'a.dtd'\n [ <!-- ]> --> <!ENTITY own \"mine\">]>\n<a>{}</a>",
    "DOCTYPE in a comment": "<!-- <!DOCTYPE b [ ]> -->\n<?x <!DOCTYPE c>?>\n<a>{}</a>",
    "DOCTYPE after a comment": "<!-- > --><?x?>\n<!DOCTYPE a>\n<!-- x -->\n<a>{}</a>",
    "DOCTYPE in the text": "<a>{}<!-- <!DOCTYPE a> --></a>",
}
# Encodings, with the name that a document must declare if its first bytes do not show the encoding.
ENCODINGS = {
    "utf-8": None,
    "utf-8-sig": None,
    "utf-16": None,
    "utf-32": None,
    "utf-16-le": "UTF-16LE",
    "utf-16-be": "UTF-16BE",
    "latin-1": "ISO-8859-1",
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_declarations_work_however_the_document_is_written(spelling, encoding, tmp_path):
    (tmp_path / "a.ent").write_text('<!ENTITY mine "from a.ent">')
    source = SPELLINGS[spelling].format("caf&eacute; é &mine;")
    if ENCODINGS[encoding]:
        declaration = f'<?xml version="1.0" encoding="{ENCODINGS[encoding]}"'
        start = '<?xml version="1.0"'
        source = declaration + source.removeprefix(start) if start in source else f"{declaration}?>{source}"
    declared = read_declarations((tmp_path / "a.ent",), "html")
    assert text(source.encode(encoding), declared) == "café é from a.ent"


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_declarations_do_not_move_lines(spelling):
    source = SPELLINGS[spelling].format("\n&nonesuch;").encode()
    line = source[: source.index(b"&nonesuch")].count(b"\n") + 1
    assert refusal(source).line == refusal(source, HTML).line == line


def test_the_documents_own_declarations_come_first():
    source = b'<!DOCTYPE a [<!ENTITY eacute "E with an accent">]><a>&eacute; &agrave;</a>'
    assert text(source, HTML) == "E with an accent à"


@given(documents())
@settings(max_examples=count_cases(100), deadline=None)
def test_declarations_change_nothing_in_documents_that_do_not_need_them(source):
    expected = [(node.tag, node.text, node.tail, node.items()) for node in plain_parse(source).iter()]
    root = XmlParser(HTML).parse(source, "random.xml")
    assert [(node.tag, node.text, node.tail, node.items()) for node in root.iter()] == expected


def test_all_standard_character_names_are_declared():
    names = sorted(name for name in html.entities.html5 if name.endswith(";"))
    assert len(names) > 2000
    source = "".join(f"<e>&{name}</e>" for name in names)
    root = XmlParser(HTML).parse(f"<a>{source}</a>".encode(), "names.xml")
    assert [element.text for element in root] == [html.entities.html5[name] for name in names]


def test_declaration_files_may_build_on_each_other(tmp_path):
    (tmp_path / "main.dtd").write_text('<!ENTITY % more PUBLIC "-//X//EN" "sub/more.ent"> %more; %late;')
    (tmp_path / "more.ent").write_bytes(
        b'<?xml version="1.0" encoding="ISO-8859-1"?><!ENTITY e "\xe9"><!ENTITY % late "">'
    )
    declared = read_declarations((tmp_path / "main.dtd", tmp_path / "more.ent"))
    assert text(b"<a>&e;</a>", declared) == "é"
    assert text(b'<!DOCTYPE a [<!ENTITY % m SYSTEM "x/more.ent"> %m;]><a>&e;</a>', declared) == "é"


@pytest.mark.parametrize(
    ("files", "file", "problem"),
    [
        ({"bad.dtd": "no declarations"}, "bad.dtd", "not a DTD"),
        ({"good.dtd": '<!ENTITY x "y">', "bad.dtd": "<<>>"}, "bad.dtd", "not a DTD"),
        ({"main.dtd": '<!ENTITY % m SYSTEM "gone.ent"> %m;'}, "main.dtd", "refers to another file"),
        (
            {"main.dtd": '<!ENTITY % m SYSTEM "gone.ent"> %m;', "other.dtd": ""},
            "main.dtd",
            "refers to another file",
        ),
    ],
)
def test_declarations_that_cannot_be_used_are_refused_once(files, file, problem, tmp_path):
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=problem) as caught:
        read_declarations(tuple(tmp_path / name for name in files))
    assert Path(caught.value.file).name == file
    assert caught.value.wanted
    assert caught.value.found


def test_two_declaration_files_with_the_same_name_are_refused(tmp_path):
    (tmp_path / "sub").mkdir()
    for path in (tmp_path / "a.ent", tmp_path / "sub" / "a.ent"):
        path.write_text("")
    with pytest.raises(InputError, match=r"two declaration files with the same name: .* found a\.ent"):
        read_declarations((tmp_path / "a.ent", tmp_path / "sub" / "a.ent"))


def test_a_missing_declaration_file_is_reported(tmp_path):
    with pytest.raises(InputError, match=r"gone\.dtd: cannot be read: no such file"):
        read_declarations((tmp_path / "gone.dtd",))


def test_declarations_can_be_pickled():
    assert pickle.loads(pickle.dumps(HTML)) == HTML  # noqa: S301
