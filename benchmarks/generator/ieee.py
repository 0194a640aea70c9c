"""Documents like those of INEX 2002-2005: scientific articles with deep sections and bibliographies."""

from __future__ import annotations

from benchmarks.generator.grammar import Grammar, Tag, zipf_weights
from benchmarks.generator.vocabulary import Vocabulary

__all__ = ["grammar"]

_TAGS = 176  # 004, section 2.1

_INLINE = {
    "it": 33.0,
    "ref": 20.0,
    "sub": 13.0,
    "b": 8.0,
    "tmath": 6.0,
    "sup": 6.0,
    "scp": 4.0,
    "tt": 3.0,
    "en": 2.0,
    "url": 2.0,
    "rm": 1.5,
    "bi": 1.0,
    "u": 1.0,
    "ss": 0.8,
    "instruction": 0.5,
    "art": 0.5,
}
_MATHS = {"it": 36.0, "sub": 24.0, "sup": 12.0, "rm": 8.0, "b": 6.0, "mo": 12.0, "frac": 6.0, "rad": 2.0}
_MIXES = {
    "maths": _MATHS,
    "authors": {"au": 1.0},
    "keywords": {"kwd": 1.0},
    "sections": {"sec": 1.0},
    "sec": {
        "p": 48.0,
        "ip1": 8.0,
        "ss1": 44.0,
        "list": 6.0,
        "fig": 6.0,
        "tbl": 3.0,
        "tf": 12.0,
        "theorem": 2.0,
    },
    "ss1": {
        "p": 46.0,
        "ip1": 8.0,
        "ss2": 25.0,
        "list": 7.0,
        "fig": 6.0,
        "tbl": 4.0,
        "tf": 14.0,
        "theorem": 3.0,
    },
    "ss2": {
        "p": 46.0,
        "ip2": 8.0,
        "ss3": 16.0,
        "list": 7.0,
        "fig": 4.0,
        "tbl": 4.0,
        "tf": 14.0,
        "theorem": 3.0,
    },
    "items": {"item": 1.0},
    "item": {"p": 5.0, "list": 1.0, "tf": 1.0},
    "statement": {"p": 3.0, "tf": 2.0, "list": 1.0},
    "rows": {"row": 1.0},
    "entries": {"entry": 1.0},
    "references": {"bb": 1.0},
    "cited": {"au": 55.0, "obi": 12.0, "loc": 8.0, "url": 3.0, "cty": 3.0},
    "back": {"ack": 4.0, "app": 2.0, "vt": 8.0, "footnote": 6.0},
}


def grammar(words: Vocabulary) -> Grammar:
    """Return the grammar; rare tags are named with words of the vocabulary."""
    common = [*_front(), *_body(), *_tables(), *_back(), *_inlines()]
    common_names = {tag.name for tag in common}
    rare = [
        word
        for word in words.words[500:1_500]
        if word.isascii() and word.isalpha() and word not in common_names
    ]
    rare = rare[: _TAGS - sum(not tag.markup for tag in common)]
    mixes = {**_MIXES, "inline": {**_INLINE, **zipf_weights(rare, 9.0)}}
    unusual = [Tag(name, mix="inline", many=0.4, words=1.6) for name in rare]
    return Grammar([*common, *unusual], mixes)


def _front() -> list[Tag]:
    return [
        Tag("article", "block", first=("fno", "doi", "fm", "bdy", "bm")),
        Tag("fno", words=1.0, source="names"),
        Tag("doi", words=1.0, source="numbers"),
        Tag("fm", "block", first=("hdr", "tig", "au", "abs", "kwds"), mix="authors", many=1.5),
        Tag("hdr", "block", first=("hdr1", "hdr2")),
        Tag("hdr1", "block", first=("ti", "crt")),
        Tag("hdr2", "block", first=("obi", "pdt", "pp")),
        Tag("crt", "block", first=("issn", "cci")),
        Tag("issn", words=1.0, source="numbers"),
        Tag("cci", words=4.0, capital=True),
        Tag("tig", "block", first=("atl", "pn")),
        Tag("atl", mix="inline", many=0.1, words=7.0, capital=True),
        Tag("pn", words=1.0, source="numbers"),
        Tag("au", "block", first=("fnm", "snm")),
        Tag("fnm", words=1.0, source="names"),
        Tag("snm", words=1.0, source="names"),
        Tag("abs", "block", first=("p",)),
        Tag("kwds", "block", first=("kwd", "kwd"), mix="keywords", many=2.0),
        Tag("kwd", words=2.0),
    ]


def _body() -> list[Tag]:
    return [
        Tag("bdy", "block", first=("sec", "sec"), mix="sections", many=0.7, scaled=True),
        Tag("sec", "block", first=("st", "p"), mix="sec", many=3.5),
        Tag("ss1", "block", first=("st", "p"), mix="ss1", many=4.1),
        Tag("ss2", "block", first=("st", "p"), mix="ss2", many=4.2),
        Tag("ss3", "block", first=("st", "p"), mix="statement", many=2.0),
        Tag("st", mix="inline", many=0.1, words=3.2, capital=True),
        Tag("p", mix="inline", many=3.2, words=20.0, prose=True),
        Tag("ip1", mix="inline", many=3.0, words=12.0, prose=True),
        Tag("ip2", mix="inline", many=3.0, words=12.0, prose=True),
        Tag("list", "block", first=("item", "item"), mix="items", many=2.0, attributes='type="l{}"'),
        Tag("item", "block", first=("label", "p"), mix="item", many=0.2),
        Tag("label", words=1.0, source="numbers"),
        Tag("tf", "block", first=("fd",), attributes='id="f{}"'),
        Tag("fd", mix="maths", many=5.0, words=1.2, source="numbers"),
        Tag("mo", words=1.0, source="numbers"),
        Tag("frac", "block", first=("num", "den")),
        Tag("num", mix="maths", many=1.2, words=1.0),
        Tag("den", mix="maths", many=1.0, words=1.0),
        Tag("rad", mix="maths", many=1.3, words=1.0),
        Tag("theorem", "block", first=("st", "p"), mix="statement", many=1.5),
    ]


def _tables() -> list[Tag]:
    return [
        Tag("fig", "block", first=("no", "fgc", "art"), attributes='id="g{}"'),
        Tag("no", words=1.0, source="numbers"),
        Tag("fgc", mix="inline", many=1.0, words=9.0, prose=True),
        Tag("art", "empty", attributes='file="p{}.gif" w="350" h="210"'),
        Tag("tbl", "block", first=("no", "fgc", "tgroup"), attributes='id="t{}"'),
        Tag("tgroup", "block", first=("thead", "tbody")),
        Tag("thead", "block", first=("row",)),
        Tag("tbody", "block", first=("row", "row"), mix="rows", many=3.5),
        Tag("row", "block", first=("entry", "entry"), mix="entries", many=2.5),
        Tag("entry", mix="inline", many=0.2, words=1.6),
    ]


def _back() -> list[Tag]:
    return [
        Tag("bm", "block", first=("bib", "vt"), mix="back", many=1.6),
        Tag("bib", "block", first=("bibl",)),
        Tag("bibl", "block", first=("h", "bb", "bb"), mix="references", many=9.5, scaled=True),
        Tag("h", words=1.0, capital=True),
        Tag(
            "bb",
            "block",
            first=("au", "atl", "ti", "pdt", "pp"),
            mix="cited",
            many=1.7,
            attributes='id="b{}"',
        ),
        Tag("ti", words=4.0, capital=True),
        Tag("pdt", "block", first=("mo1", "yr")),
        Tag("mo1", words=1.0, source="names"),
        Tag("yr", words=1.0, source="numbers"),
        Tag("pp", words=1.0, source="numbers"),
        Tag("obi", "block", first=("volno", "issno")),
        Tag("volno", words=1.0, source="numbers"),
        Tag("issno", words=1.0, source="numbers"),
        Tag("loc", words=2.0, source="names"),
        Tag("cty", words=1.0, source="names"),
        Tag("ack", "block", first=("h", "p")),
        Tag("app", "block", first=("h", "sec")),
        Tag("vt", "block", first=("p",)),
        Tag("footnote", "block", first=("p",), attributes='id="n{}"'),
    ]


def _inlines() -> list[Tag]:
    return [
        Tag("it", mix="inline", many=0.14, words=1.4),
        Tag("b", mix="inline", many=0.15, words=1.4),
        Tag("ref", words=1.0, source="numbers", attributes='rid="b{}" type="bib"'),
        Tag("sub", mix="maths", many=0.12, words=1.0),
        Tag("sup", mix="maths", many=0.12, words=1.0, source="numbers"),
        Tag("tmath", mix="maths", many=1.0, words=1.0),
        Tag("scp", words=1.5),
        Tag("tt", words=1.8),
        Tag("en", mix="inline", many=0.2, words=1.5),
        Tag("url", words=1.0),
        Tag("rm", words=1.2),
        Tag("bi", mix="inline", many=0.2, words=1.4),
        Tag("u", mix="inline", many=0.2, words=1.4),
        Tag("ss", words=1.2),
        Tag("instruction", "empty", markup="<?page-break?>"),
    ]
