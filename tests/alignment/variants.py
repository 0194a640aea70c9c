"""Harmless and harmful changes of a text, as chunkers, pages and people make them."""

import random
import unicodedata

__all__ = ["DAMAGES", "HARMLESS", "add_noise", "write_words"]

PREFIX = "This passage is about the history of the town and follows the chapter on trade. "


def add_noise(text, share, seed=1):
    """Delete, replace or insert about this share of the characters."""
    generator = random.Random(seed)
    characters = []
    for character in text:
        if generator.random() >= share:
            characters.append(character)
            continue
        kind = generator.randrange(3)
        if kind:
            characters.append(generator.choice("abcdefgh"))
        if kind == 2:
            characters.append(character)
    return "".join(characters)


def write_words(count, seed=1):
    """Return words made of random syllables, with punctuation and paragraphs."""
    generator = random.Random(seed)
    syllables = ["ka", "ri", "to", "me", "sul", "pen", "dor", "vi", "lan", "gu", "che", "fro", "bis", "nel"]
    words = ["".join(generator.choices(syllables, k=generator.randint(1, 4))) for _ in range(count)]
    words = [word.capitalize() if number % 11 == 0 else word for number, word in enumerate(words)]
    words = [f"{word}," if number % 7 == 6 else word for number, word in enumerate(words)]
    words = [f"{word}.\n\n" if number % 40 == 39 else f"{word} " for number, word in enumerate(words)]
    return "".join(words).strip()


# Each leaves the letters and digits of the text as they are, and their order.
HARMLESS = {
    "lower case": str.lower,
    "upper case": str.upper,
    "decomposed": lambda text: unicodedata.normalize("NFD", text),
    "compatible": lambda text: unicodedata.normalize("NFKC", text),
    "straight quotes": lambda text: text.replace("“", '"').replace("”", '"').replace("’", "'"),
    "hyphens": lambda text: text.replace("—", "--").replace("–", "-"),
    "ligatures": lambda text: text.replace("fi", "ﬁ").replace("fl", "ﬂ"),
    "soft hyphens": lambda text: text.replace("tion", "\u00adtion"),
    "joined lines": lambda text: " ".join(text.split()),
    "no white space": lambda text: "".join(text.split()),
    "wide spaces": lambda text: text.replace(" ", " \u00a0\n"),
    "Markdown emphasis": lambda text: f"**{text.replace(' the ', ' _the_ ')}**",
    "a Markdown heading": lambda text: f"## {text}",
    "a Markdown link": lambda text: text.replace("harbour", "[harbour](https://town.example/harbour?a=1)"),
    "HTML": lambda text: f"<p class='x'>{text.replace(' the ', ' <b>the</b> ')}</p><!-- end -->",
    "HTML references": lambda text: text.replace("&", "&amp;").replace("é", "&eacute;"),
    "a table": lambda text: f"| {text.replace('. ', ' | ')} |",
    "dots at the end": lambda text: f"{text}...",
    "dots on both sides": lambda text: f"... {text} …",
}  # fmt: skip

# Each changes letters; the share of the text that must still be found.
DAMAGES = {
    "a prefix": (lambda text: PREFIX + text, 0.99),
    "a long prefix": (lambda text: PREFIX * 4 + text, 0.99),
    "a suffix": (lambda text: f"{text} (source: the town museum, room 4)", 0.99),
    "2 % noise": (lambda text: add_noise(text, 0.02), 0.97),
    "10 % noise": (lambda text: add_noise(text, 0.10), 0.93),
    "a prefix and 2 % noise": (lambda text: PREFIX + add_noise(text, 0.02), 0.97),
}
