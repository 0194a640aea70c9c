"""Long articles, to be read in a browser."""

from __future__ import annotations

import random

__all__ = ["long_article"]

_WORDS = """
retrieval element of the passage and score relevant assessor it measures text a highlight for ideal gain in
naïve 🍏 to which an article with none between three judged
"""


def long_article(characters: int, seed: int = 1) -> str:
    """Return an article in XML with at least ``characters`` of text, about 35 per element."""
    draw, vocabulary = random.Random(seed), _WORDS.split()

    def words(most: int) -> str:
        return " ".join(draw.choices(vocabulary, k=draw.randint(1, most)))

    def paragraph() -> str:
        runs = []
        for _ in range(draw.randint(3, 14)):
            tag = draw.choice(["i", "b", "xref", "sub"])
            runs.append(f"{words(12)} <{tag}>{words(3)}</{tag}> ")
        return f"<p>{''.join(runs)}</p>\n"

    def items() -> str:
        entries = [f"<item>{paragraph()}</item>" for _ in range(draw.randint(2, 5))]
        return f"<list>{''.join(entries)}</list>\n"

    def row() -> str:
        return "<row>" + "".join(f"<cell>{words(3)}</cell>" for _ in range(4)) + "</row>"

    def table() -> str:
        return f"<table>{''.join(row() for _ in range(draw.randint(3, 8)))}</table>\n"

    sections: list[str] = []
    size = 0.0
    while size < characters:
        blocks = [draw.choices([paragraph, items, table], [8, 1, 1])[0]() for _ in range(draw.randint(3, 9))]
        sections.append(f"<sec><title>{words(5)}</title>{''.join(blocks)}</sec>\n")
        size += len(sections[-1]) * 0.72  # the rest are tags
    return f"<article><front><title>A long one</title></front><body>{''.join(sections)}</body></article>"
