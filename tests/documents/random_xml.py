"""Random XML documents, generated as text so that every way of writing them occurs."""

from xml.sax.saxutils import escape, quoteattr

from hypothesis import strategies as st

__all__ = ["documents"]

# Entities with plain text, with a reference to another, with an astral character, and with markup.
_SUBSET = (
    '[<!ENTITY plain "plain text"> <!ENTITY nested "a &plain; b"> <!ENTITY far "&#x1F642;">'
    ' <!ENTITY marked "<p>in <b>an</b></p> entity"> <!ENTITY empty "">]'
)
_REFERENCES = ("&plain;", "&nested;", "&far;", "&marked;", "&empty;", "&lt;", "&amp;", "&#233;", "&#x1F600;")

_NAMES = ("p", "p", "p", "sec", "b", "ü", "p-1", "p.2", "_x", "文")
_PREFIXES = ("", "", "", "x:", "y:")
_ROOT_NAMESPACES = ' xmlns:x="urn:one" xmlns:y="urn:two"'
_DEFAULT_NAMESPACES = ("", "", "", ' xmlns="urn:one"', ' xmlns="urn:default"', ' xmlns=""')

# All characters of XML 1.0, with many emoji, astral and combining characters and all kinds of white space.
_CHARACTERS = st.one_of(
    st.sampled_from("ab é\u0301😀🏳\u200d🌈𝄞\U0010fffd<>&\"'"),
    st.sampled_from("\t\n\r \u00a0\u2028"),
    st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff"),
)
_texts = st.text(_CHARACTERS, max_size=8)


def _is_comment(text: str) -> bool:
    return "--" not in text and not text.endswith("-")


_pieces = st.one_of(
    _texts.map(escape),
    st.sampled_from(_REFERENCES),
    _texts.filter(lambda text: "]]>" not in text).map(lambda text: f"<![CDATA[{text}]]>"),
    _texts.filter(_is_comment).map(lambda text: f"<!--{text}-->"),
    _texts.filter(lambda text: "?>" not in text).map(lambda text: f"<?target {text}?>"),
)
_names = st.tuples(st.sampled_from(_PREFIXES), st.sampled_from(_NAMES)).map("".join)
_attributes = st.dictionaries(
    st.sampled_from(("id", "x:id", "xml:lang", "ü", "title")), _texts, max_size=3
).map(lambda attributes: "".join(f" {name}={quoteattr(value)}" for name, value in attributes.items()))


# An element's start tag (name, attributes), its end (None), or something between tags (a string).
_starts = st.tuples(_names, st.builds("{}{}".format, st.sampled_from(_DEFAULT_NAMESPACES), _attributes))
_events = st.one_of(_starts, _starts, st.none(), st.none(), _pieces, _pieces)


def _written(events: list[tuple[str, str] | str | None]) -> str:
    """Write events as well-formed content: superfluous end tags are left out, missing ones added."""
    pieces: list[str] = []
    open_elements: list[str] = []
    for event in events:
        if isinstance(event, str):
            pieces.append(event)
        elif event is not None:
            name, attributes = event
            pieces.append(f"<{name}{attributes}>")
            open_elements.append(name)
        elif open_elements:
            pieces.append(f"</{open_elements.pop()}>")
    return "".join(pieces) + "".join(f"</{name}>" for name in reversed(open_elements))


@st.composite
def documents(draw: st.DrawFn) -> bytes:
    """The bytes of a document, in one of several encodings."""
    encoding = draw(st.sampled_from(("utf-8", "utf-8", "utf-8-sig", "utf-16")))
    around = st.sampled_from(("", "\n", "<!-- before or after -->", "<?before or after?>\n"))
    name = draw(_names)
    size = draw(st.sampled_from((0, 12, 30, 60)))  # hypothesis by itself prefers short lists
    content = _written(draw(st.lists(_events, min_size=size, max_size=size)))
    namespaces = _ROOT_NAMESPACES + draw(st.sampled_from(_DEFAULT_NAMESPACES))
    declaration = draw(st.sampled_from(("", f'<?xml version="1.0" encoding="{encoding[:6].strip("-")}"?>')))
    text = (
        f"{declaration}{draw(around)}<!DOCTYPE {name} {_SUBSET}>{draw(around)}"
        f"<{name}{namespaces}{draw(_attributes)}>{content}</{name}>{draw(around)}"
    )
    return text.encode(encoding)
