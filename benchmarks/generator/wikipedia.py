"""Documents like those of INEX 2006: articles of Wikipedia, full of links, with a long tail of tags."""

from __future__ import annotations

from benchmarks.generator.grammar import Grammar, Tag, zipf_weights
from benchmarks.generator.vocabulary import Vocabulary

__all__ = ["grammar"]

_TAGS = 1_241  # 004, section 2.1

_LINK = 'xlink:type="simple" xlink:href="{}.xml"'
_INLINE = {
    "collectionlink": 54.0,
    "emph2": 9.0,
    "emph3": 8.0,
    "unknownlink": 8.0,
    "outsidelink": 4.0,
    "br": 3.0,
    "weblink": 2.0,
    "wikipedialink": 2.0,
    "sub": 1.5,
    "sup": 1.5,
    "small": 1.2,
    "languagelink": 1.0,
    "math": 0.8,
    "comment": 0.6,
    "image": 0.6,
    "font": 0.6,
    "big": 0.3,
    "code": 0.3,
    "u": 0.3,
    "tt": 0.2,
}
_MIXES = {
    "body": {"section": 41.0, "p": 54.0, "figure": 6.0, "normallist": 4.0, "table": 2.0, "template": 6.0},
    "section": {
        "p": 56.0,
        "section": 16.0,
        "normallist": 9.0,
        "numberlist": 2.0,
        "definitionlist": 2.0,
        "figure": 4.0,
        "table": 1.5,
        "template": 2.0,
        "indentation1": 4.0,
        "blockquote": 1.5,
        "gallery": 0.5,
        "center": 0.5,
        "div": 0.5,
    },
    "items": {"item": 1.0},
    "definitions": {"term": 1.0, "definition": 2.0},
    "rows": {"row": 1.0},
    "cells": {"cell": 4.0, "header": 1.0},
    "item": {
        "collectionlink": 60.0,
        "emph2": 8.0,
        "emph3": 6.0,
        "unknownlink": 10.0,
        "normallist": 7.0,
        "br": 2.0,
    },
    "parameters": {"parameter": 1.0},
    "images": {"image": 3.0, "caption": 1.0},
}


def grammar(words: Vocabulary) -> Grammar:
    """Return the grammar; rare tags are named with words of the vocabulary."""
    common = _common_tags()
    common_names = {tag.name for tag in common}
    rare = [
        word
        for word in words.words[1_000:4_000]
        if word.isascii() and word.isalpha() and word not in common_names
    ]
    rare = rare[: _TAGS - sum(not tag.markup for tag in common)]
    mixes = {**_MIXES, "inline": {**_INLINE, **zipf_weights(rare, 5.0)}}
    unusual = [Tag(name, mix="inline", many=0.5, words=1.6) for name in rare]
    return Grammar([*common, *unusual], mixes)


def _common_tags() -> list[Tag]:
    return [*_structure(), *_blocks(), *_inlines()]


def _structure() -> list[Tag]:
    return [
        Tag("article", "block", first=("name", "conversionwarning", "body")),
        Tag("name", words=2.2, source="names"),
        Tag("conversionwarning", words=1.0, source="numbers"),
        Tag("body", "block", first=("p",), mix="body", many=3.75, scaled=True),
        Tag("section", "block", first=("title",), mix="section", many=2.3),
        Tag("title", mix="inline", many=0.12, words=2.5, capital=True),
    ]


def _blocks() -> list[Tag]:
    return [
        Tag("p", mix="inline", many=2.9, words=28.3, prose=True),
        Tag("normallist", "block", first=("item", "item"), mix="items", many=2.4),
        Tag("numberlist", "block", first=("item", "item"), mix="items", many=2.0),
        Tag("item", mix="item", many=0.9, words=4.4, capital=True),
        Tag("definitionlist", "block", mix="definitions", first=("term", "definition"), many=3.0),
        Tag("term", words=1.8, capital=True),
        Tag("definition", mix="inline", many=0.8, words=8.0, prose=True),
        Tag("figure", "block", first=("image", "caption")),
        Tag("caption", mix="inline", many=0.6, words=6.0, prose=True),
        Tag(
            "table",
            "block",
            first=("row", "row"),
            mix="rows",
            many=3.0,
            attributes='border="1" cellpadding="2"',
        ),
        Tag("row", "block", first=("cell",), mix="cells", many=2.2),
        Tag("cell", mix="inline", many=0.35, words=1.6),
        Tag("header", words=1.5, capital=True),
        Tag("template", "block", mix="parameters", many=2.0, attributes='name="box{}"'),
        Tag("parameter", mix="inline", many=0.3, words=1.5, attributes='number="{}"'),
        Tag("indentation1", mix="inline", many=0.7, words=8.0, prose=True),
        Tag("blockquote", "block", first=("p",)),
        Tag("gallery", "block", first=("image",), mix="images", many=4.0),
        Tag("center", mix="inline", many=0.8, words=3.0),
        Tag("div", "block", first=("p",), mix="section", many=0.5),
    ]


def _inlines() -> list[Tag]:
    return [
        Tag("collectionlink", mix="inline", many=0.02, words=1.6, attributes=_LINK),
        Tag("unknownlink", words=1.8, attributes='src="{}"'),
        Tag(
            "outsidelink", words=2.2, attributes='xlink:type="simple" xlink:href="http://www.example.org/{}"'
        ),
        Tag(
            "weblink", words=1.4, attributes='xlink:type="simple" xlink:href="http://www.example.com/{}.html"'
        ),
        Tag("wikipedialink", words=1.6, attributes=_LINK),
        Tag("languagelink", words=1.2, attributes='lang="x{}"'),
        Tag("emph2", mix="inline", many=0.25, words=1.8),
        Tag("emph3", mix="inline", many=0.18, words=1.8),
        Tag("small", mix="inline", many=0.5, words=2.2),
        Tag("font", mix="inline", many=0.6, words=2.0, attributes='color="c{}"'),
        Tag("big", mix="inline", many=0.4, words=1.5),
        Tag("u", mix="inline", many=0.3, words=1.5),
        Tag("tt", mix="inline", many=0.1, words=1.5),
        Tag("sub", words=1.0, source="numbers"),
        Tag("sup", words=1.0, source="numbers"),
        Tag("math", words=3.0, source="numbers"),
        Tag("code", words=2.5),
        Tag("br", "empty"),
        Tag("image", "empty", attributes='xlink:type="simple" xlink:href="../pictures/{}.jpg" width="180"'),
        Tag("comment", "empty", markup="<!-- to be checked -->"),
    ]
