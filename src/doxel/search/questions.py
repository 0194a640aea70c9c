"""Select the query of a topic: its title or castitle, with titles that are not valid queries cleaned."""

from __future__ import annotations

import re
from dataclasses import dataclass

from doxel.errors import InputError, QueryError
from doxel.topics.nexi.query_parser import parse
from doxel.topics.nexi.query_tree import Keywords, Query
from doxel.topics.topics import Topic

__all__ = ["Question", "question"]

_NO_WORDS = re.compile(r"[()\[\],\"]|(?<!\S)[+-]+(?!\S)")


@dataclass(frozen=True)
class Question:
    """The query of a topic; ``remark`` is a sentence about an unusual query."""

    topic: str
    query: Query | Keywords
    field: str
    remark: str | None = None


def question(topic: Topic, field: str | None, file: str | None = None, line: int | None = None) -> Question:
    """Return the query of a topic.

    ``field`` is the topic field to use; None selects the castitle for topics of the kind CAS and its
    variants, and the title for others.  If the field is empty, the other one is used.

    Raises
    ------
    InputError
        If both fields are empty, or if a query with structure cannot be parsed.
    """
    preferred = field or ("castitle" if topic.kind and topic.kind.upper().endswith("CAS") else "title")
    other = "title" if preferred == "castitle" else "castitle"
    fields = {"title": topic.title, "castitle": topic.castitle}
    used = preferred if (fields[preferred] or "").strip() else other
    text = (fields[used] or "").strip()
    if not text:
        raise InputError(
            f"topic {topic.id}", file=file, line=line, wanted=f"a {preferred} to search for", found="none"
        )
    is_missing = field is not None and used != field
    remark = f"topic {topic.id} has no {field}; searching for its {used}" if is_missing else None
    try:
        return Question(topic.id, parse(text), used, remark)
    except QueryError as error:
        if text.startswith("/") or used == "castitle":
            raise error.at(file, line, f"the query of topic {topic.id}") from None
    words = " ".join(_NO_WORDS.sub(" ", text).split())
    if not words:
        raise InputError(
            f"topic {topic.id}", file=file, line=line, wanted="words to search for", found=repr(text)
        )
    remark = f"topic {topic.id}: brackets, commas and quotation marks in its title are ignored"
    return Question(topic.id, parse(words), used, remark)
