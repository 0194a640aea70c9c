"""From topics to queries: which part of a topic is asked, and what to make of titles that are no queries."""

from __future__ import annotations

import re
from dataclasses import dataclass

from doxel.errors import InputError, QueryError
from doxel.topics.nexi.parser import parse
from doxel.topics.nexi.tree import Keywords, Query
from doxel.topics.topics import Topic

__all__ = ["Question", "question"]

_NO_WORDS = re.compile(r"[()\[\],\"]|(?<!\S)[+-]+(?!\S)")


@dataclass(frozen=True)
class Question:
    """A topic's query; ``remark`` is what is remarkable about it."""

    topic: str
    query: Query | Keywords
    field: str
    remark: str | None = None


def question(topic: Topic, field: str | None, file: str | None = None, line: int | None = None) -> Question:
    """Return what a topic asks.

    ``field`` is the part that is asked; None takes the query with structure of topics of the kind CAS
    and its relatives, and else the title.  A topic that lacks the part is asked by the other.

    Raises
    ------
    InputError
        Where there is nothing to ask, or a query with structure that cannot be understood.
    """
    preferred = field or ("castitle" if topic.kind and topic.kind.upper().endswith("CAS") else "title")
    other = "title" if preferred == "castitle" else "castitle"
    written = {"title": topic.title, "castitle": topic.castitle}
    chosen = preferred if (written[preferred] or "").strip() else other
    text = (written[chosen] or "").strip()
    if not text:
        raise InputError(
            f"topic {topic.id}", file=file, line=line, wanted=f"a {preferred} to search for", found="none"
        )
    lacks = field is not None and chosen != field
    remark = f"topic {topic.id} has no {field}: its {chosen} is searched for" if lacks else None
    try:
        return Question(topic.id, parse(text), chosen, remark)
    except QueryError as error:
        if text.startswith("/") or chosen == "castitle":
            raise error.at(file, line, f"the query of topic {topic.id}") from None
    bare = " ".join(_NO_WORDS.sub(" ", text).split())
    if not bare:
        raise InputError(
            f"topic {topic.id}", file=file, line=line, wanted="words to search for", found=repr(text)
        )
    remark = f"topic {topic.id}: brackets, commas and quotation marks of its title are read as blanks"
    return Question(topic.id, parse(bare), chosen, remark)
