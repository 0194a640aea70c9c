"""One small case for every code: files with exactly this problem, and the lines of the findings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["CASES", "SOURCES", "Case", "graded", "highlighted", "lines", "xml_run"]

# The text of a is "One twothree fourfive": p[1] from 0 to 7, p[2] to 17 (both in sec[1]), sec[2] to 21.
# That of b is "same words, same words": p[1] from 0 to 12, p[2] to 22.  c has two sentences.
FIRST = "A text that is joined from pieces has more than one place in its document."
SECOND = "Only the longest of all its pieces says where a reader would have to start."
SOURCES = {
    "a.xml": "<article><sec><p>One two</p><p>three four</p></sec><sec><p>five</p></sec></article>",
    "b.xml": "<article><p>same words, </p><p>same words</p></article>",
    "c.xml": f"<article><p>{FIRST} </p><p>{SECOND}</p></article>",
}


@dataclass(frozen=True)
class Case:
    """Files to check, and the lines of the findings; None means a finding without a line."""

    lines: list[int | None]
    runs: Mapping[str, str] = field(default_factory=dict)
    assessments: Mapping[str, str] = field(default_factory=dict)
    topics: Mapping[str, str] = field(default_factory=dict)
    collection: bool = False
    task: str | None = None
    structure: str | None = None
    about: Mapping[str, str] = field(default_factory=dict)


def lines(*texts: str) -> str:
    return "".join(f"{line}\n" for line in texts)


def xml_run(task: str, *results: tuple[Any, ...], header: str = "", run_id: str = "r") -> str:
    """Write a run in INEX XML, one result (topic, doc, place, rank, rsv) per line from line 2 on."""
    topics = []
    for topic, doc, place, rank, rsv in results:
        place_tag = f"<path>{place}</path>" if isinstance(place, str) else _fol(*place)
        rank_tag = "" if rank is None else f"<rank>{rank}</rank>"
        rsv_tag = "" if rsv is None else f"<rsv>{rsv}</rsv>"
        result = f"<result><file>{doc}</file>{place_tag}{rank_tag}{rsv_tag}</result>"
        topics.append(f'<topic topic-id="{topic}">{result}</topic>')
    attributes = f'run-id="{run_id}"' + (f' task="{task}"' if task else "")
    return lines(f"<inex-submission {attributes}>{header}", *topics, "</inex-submission>")


def _fol(start: object, length: object = None) -> str:
    return f'<fol offset="{start}"/>' if length is None else f'<fol offset="{start}" length="{length}"/>'


def graded(year: str, *elements: Mapping[str, object]) -> str:
    """Write grades of elements of document a, one per line from line 3 on."""
    tag, name = ("path", "file") if year in {"2002", "2003"} else ("element", "name")
    tags = [
        f"<{tag} " + " ".join(f'{key}="{value}"' for key, value in element.items()) + "/>"
        for element in elements
    ]
    return lines('<assessments topic="1" pool="1">', f'<file {name}="a">', *tags, "</file></assessments>")


def highlighted(*children: str, doc: str = 'name="a"') -> str:
    """Write assessments of 2006 of document a, one child per line from line 3 on."""
    head = '<assessments topic="1" pool="1" whitespace-text-node="keep">'
    return lines(head, f"<file {doc}>", *children, "</file></assessments>")


def objects(*rows: Mapping[str, object]) -> str:
    return lines(*(json.dumps(row) for row in rows))


def passage(path: str, end: str | None = None, size: int | None = None) -> str:
    declared = "" if size is None else f' size="{size}"'
    return f'<passage start="{path}" end="{end or path}"{declared}/>'


BEP = '<best-entry-point path="/article[1]"/>'
P1, P2, SEC1, SEC2 = (
    "/article[1]/sec[1]/p[1]",
    "/article[1]/sec[1]/p[2]",
    "/article[1]/sec[1]",
    "/article[1]/sec[2]",
)
QRELS = "1 Q0 a 7 21 0 0:7\n"
FIRST_RESULT = ("1", "a", P1, 1, 0.9)
SOUND = xml_run("Thorough", FIRST_RESULT, ("1", "b", "/article[1]", 2, 0.8))
OTHER_FINGERPRINT = "0123456789abcdef0123456789abcdef"


def run(task: str, *results: tuple[Any, ...], lines: list[int | None], **more: Any) -> Case:
    return Case(lines, {"a.xml": xml_run(task, *results)}, **more)


CASES: dict[str, Case] = {
    "F001": Case([2], {"a.run": "1 Q0 a 1 0.9 r 0 5\n1 Q0 a 2 0.8 r 0\n"}, task="thorough"),
    "F002": Case(
        [None], {"a.jsonl": objects({"topic": "1", "doc": "a", "rank": 1, "chunk": 7})}, task="thorough"
    ),
    "C001": Case([None], {"a.xml": SOUND}, collection=True, about={"complete": "no"}),
    "T001": Case([2], topics={"t.tsv": "1\ttrees\n1\tgraphs\n"}),
    "T002": Case(
        [2], topics={"t.jsonl": objects({"id": 1, "text": "trees"}, {"id": 2, "narrative": "long"})}
    ),
    "T003": Case(
        [2],
        topics={
            "t.jsonl": objects(
                {"id": 1, "castitle": "//sec[about(., trees)]"},
                {"id": 2, "castitle": "//sec[about(., trees]"},
            )
        },
    ),
    "T004": Case(
        [2],
        topics={
            "t.jsonl": objects(
                {"id": 1, "castitle": "//sec[about(.//p, trees)]"},
                {"id": 2, "castitle": "//section[about(., trees)]"},
            )
        },
        collection=True,
    ),
    "R101": run("Thorough", FIRST_RESULT, ("1", "z", P1, 2, 0.8), lines=[3], collection=True),
    "R102": run("Thorough", FIRST_RESULT, ("1", "a", "/article[1]/p[9]", 2, 0.8), lines=[3], collection=True),
    "R103": run("Thorough", FIRST_RESULT, ("1", "a", (20, 2), 2, 0.8), lines=[3], collection=True),
    "R104": run("Thorough", FIRST_RESULT, ("1", "a", ("X", 0), 2, 0.8), lines=[3]),
    "R105": Case(
        [2],
        {
            "a.jsonl": objects(
                {"topic": 1, "doc": "a", "rank": 1, "text": "three four"},
                {"topic": 1, "doc": "a", "rank": 2, "text": "six"},
            )
        },
        collection=True,
        task="thorough",
    ),
    "R106": Case(
        [1],
        {"a.jsonl": objects({"topic": 1, "doc": "b", "rank": 1, "text": "same words"})},
        collection=True,
        task="thorough",
    ),
    "R107": Case([1], {"a.run": f"1 Q0 a 1 0.9 r {SEC2} {P1}\n"}, collection=True, task="thorough"),
    "R108": Case(
        [2],
        {
            "a.jsonl": objects(
                {"topic": 1, "doc": "a", "rank": 1, "start": 0, "end": 7, "text": "One  two"},
                {"topic": 1, "doc": "a", "rank": 2, "start": 8, "end": 12, "text": "three"},
            )
        },
        collection=True,
        task="thorough",
    ),
    "R109": Case(
        [None],
        {
            "a.xml": xml_run(
                "Thorough",
                FIRST_RESULT,
                header=f"<collections><collection>{OTHER_FINGERPRINT}</collection></collections>",
            )
        },
        collection=True,
    ),
    "R110": Case(
        [1],
        {"a.jsonl": objects({"topic": 1, "doc": "b", "rank": 1, "text": "same words, some words"})},
        collection=True,
        task="thorough",
    ),
    "R111": Case(
        [1],
        {"a.jsonl": objects({"topic": 1, "doc": "c", "rank": 1, "text": f"{SECOND} {FIRST}"})},
        collection=True,
        task="thorough",
    ),
    "R201": run("", FIRST_RESULT, lines=[None]),
    "R202": run("Focused", FIRST_RESULT, ("1", "a", SEC2, 2, 0.8), ("1", "a", SEC1, 3, 0.7), lines=[2, 4]),
    "R203": run(
        "RelevantInContext",
        FIRST_RESULT,
        ("1", "b", "/article[1]", 2, 0.8),
        ("1", "a", SEC2, 3, 0.7),
        lines=[4],
    ),
    "R204": run("RelevantInContext", ("1", "a", (0, 7), 1, 0.9), ("1", "a", (6, 4), 2, 0.8), lines=[2, 3]),
    "R205": run("BestInContext", ("1", "a", (0,), 1, 0.9), ("1", "a", (7,), 2, 0.8), lines=[3]),
    "R206": run(
        "Thorough",
        ("1", "a", SEC1, 1, 0.9),
        ("1", "a", P1, 2, 0.8),
        ("1", "a", (8, 4), 3, 0.7),
        ("1", "a", (5, 5), 4, 0.6),
        lines=[3, 4],
        topics={"t.jsonl": objects({"id": 1, "castitle": "//article[about(., trees)]//sec"})},
        collection=True,
        structure="target=strict",
    ),
    "R301": run(
        "Thorough", *(("1", f"d{rank}", P1, rank, 2000 - rank) for rank in range(1, 1502)), lines=[1502]
    ),
    "R302": run("Thorough", FIRST_RESULT, ("1", "a", "/article/sec/p", 2, 0.8), lines=[3]),
    "R303": run("Thorough", FIRST_RESULT, ("1", "b", P1, 2, 0.95), ("1", "b", P2, 3, 0.5), lines=[3]),
    "R304": run("Thorough", FIRST_RESULT, ("1", "b", P1, 2, 0.9), ("2", "b", P1, 1, 0.9), lines=[2]),
    "R305": run("Thorough", FIRST_RESULT, ("1", "b", P1, None, 0.5), lines=[3]),
    "R306": run("Thorough", FIRST_RESULT, ("2", "b", P1, None, 0.6), ("2", "a", P1, None, 0.5), lines=[3]),
    "R307": run("Thorough", ("1", "a", P1, 0, 0.9), ("1", "b", P1, 1, 0.8), lines=[2]),
    "R308": run("Thorough", FIRST_RESULT, ("1", "b", P1, 3, 0.8), lines=[3]),
    "R309": run("Thorough", FIRST_RESULT, ("1", "b", P1, 1, 0.8), ("1", "b", P2, 2, 0.7), lines=[3]),
    "R310": run("Thorough", FIRST_RESULT, ("1", "b", P1, 3, 0.7), ("1", "b", P2, 2, 0.8), lines=[4]),
    "R311": run("Thorough", FIRST_RESULT, ("2", "b", P1, 1, 0.6), ("2", "a", P1, 1, 0.5), lines=[3]),
    "R312": run("Thorough", FIRST_RESULT, ("2", "b", P1, None, 0.5), ("2", "a", P1, None, 0.6), lines=[3]),
    "R401": run("Thorough", FIRST_RESULT, ("2", "a", P1, 1, 0.9), lines=[3], assessments={"q": QRELS}),
    "R402": run("Thorough", FIRST_RESULT, lines=[None], assessments={"q": QRELS + "2 Q0 b 3 22 0 0:3\n"}),
    "R403": run("Thorough", FIRST_RESULT, lines=[None], assessments={"q": "2 Q0 b 3 22 0 0:3\n"}),
    "R404": run("Thorough", FIRST_RESULT, ("2", "a", P1, 1, 0.9), lines=[3], topics={"t.tsv": "1\ttrees\n"}),
    "R405": run("Thorough", FIRST_RESULT, lines=[None], topics={"t.tsv": "1\ttrees\n2\tgraphs\n"}),
    "R406": run("Thorough", FIRST_RESULT, lines=[None], assessments={"q": "1 Q0 z 3 22 0 0:3\n"}),
    "R501": Case([None, None], {"a.xml": SOUND, "b.xml": SOUND}),
    "A001": Case([1], assessments={"p": QRELS, "q": "1 Q0 a 6 21 0 0:6\n"}),
    "A002": Case([3], assessments={"q": QRELS + "1 Q0 b 3 22 0 0:3\n" + QRELS}),
    "A101": Case([2], assessments={"q": QRELS + "1 Q0 z 3 22 0 0:3\n"}, collection=True),
    "A102": Case([4], assessments={"q": highlighted(BEP, passage("/article[1]/p[9]"))}, collection=True),
    "A103": Case([2], assessments={"q": QRELS + "2 Q0 a 2 21 0 20:2\n"}),
    "A104": Case([1], assessments={"q": "1 Q0 a 7 21 22 0:7\n"}),
    "A105": Case([1], assessments={"q": objects({"topic": 1, "doc": "a", "text": "six"})}, collection=True),
    "A106": Case(
        [1], assessments={"q": objects({"topic": 1, "doc": "b", "text": "same words"})}, collection=True
    ),
    "A107": Case(
        [2],
        assessments={
            "q": objects(
                {"topic": 1, "doc": "a", "start": 0, "end": 7, "text": "One\ntwo"},
                {"topic": 1, "doc": "a", "start": 8, "end": 12, "text": "three"},
            )
        },
        collection=True,
    ),
    "A108": Case([4], assessments={"q": highlighted(BEP, passage(SEC2, P1))}, collection=True),
    "A109": Case(
        [2],
        assessments={
            "q": highlighted(BEP, passage(P1), doc=f'name="a" collection="{OTHER_FINGERPRINT}"'),
        },
        collection=True,
    ),
    "A110": Case(
        [1],
        assessments={"q": objects({"topic": 1, "doc": "b", "text": "same words, some words"})},
        collection=True,
    ),
    "A111": Case(
        [1],
        assessments={"q": objects({"topic": 1, "doc": "c", "text": f"{SECOND} {FIRST}"})},
        collection=True,
    ),
    "A201": Case([1, 1], assessments={"q": "1 Q0 a 9 21 0 0:7 5:4\n"}),
    "A202": Case([2], assessments={"q": QRELS + "1 Q0 b 0 22 3\n"}),
    "A203": Case([2], assessments={"q": QRELS + "1 Q0 b 3 22 -1 0:3\n"}),
    "A204": Case([4], assessments={"q": highlighted(BEP, BEP, passage(P1))}),
    "A205": Case([1], assessments={"q": "1 Q0 a 7 21 0 0:7 9:0\n"}),
    "A206": Case(
        [1],
        assessments={
            "q": objects(
                {"topic": 1, "doc": "a", "start": 2, "end": 2, "aspect": "x"},
                {"topic": 1, "doc": "a", "start": 2, "end": 5, "aspect": "y"},
            )
        },
    ),
    "A207": Case(
        [1, 2],
        assessments={
            "q": objects(
                {"topic": 1, "doc": "a", "start": 2, "end": 5, "aspect": "x"},
                {"topic": 1, "doc": "a", "start": 4, "end": 6, "aspect": "y"},
                {"topic": 1, "doc": "a", "start": 7, "end": 9, "aspect": "y"},
            )
        },
    ),
    "A301": Case(
        [4, 5],
        assessments={
            "q": graded(
                "2002",
                {"path": P1, "relevance": 1, "coverage": "L"},
                {"path": P2, "relevance": 0, "coverage": "L"},
                {"path": SEC2, "relevance": 2, "coverage": "N"},
            )
        },
    ),
    "A302": Case(
        [4, 5],
        assessments={
            "q": graded(
                "2003",
                {"path": P1, "exhaustiveness": 1, "specificity": 1},
                {"path": P2, "exhaustiveness": 0, "specificity": 2},
                {"path": SEC2, "exhaustiveness": 3, "specificity": 0},
                {"path": "/article[1]/sec[3]", "exhaustiveness": 0, "specificity": "U"},
            )
        },
    ),
    "A303": Case(
        [4],
        assessments={
            "q": graded(
                "2003",
                {"path": "/article[1]", "exhaustiveness": 2, "specificity": 1},
                {"path": P1, "exhaustiveness": 3, "specificity": 3},
                {"path": SEC2, "exhaustiveness": 2, "specificity": 3},
            )
        },
    ),
    "A304": Case(
        [4],
        assessments={
            "q": graded(
                "2002",
                {"path": P1, "relevance": 1, "coverage": "L"},
                {"path": "/article/sec/p", "relevance": 1, "coverage": "E"},
            )
        },
    ),
    "A305": Case(
        [3],
        assessments={
            "q": graded("2003", {"path": P1, "exhaustiveness": 1, "specificity": 1, "inconsistant": "true"})
        },
    ),
    "A401": Case([2], assessments={"q": QRELS + "1 Q0 b 4 22 0 0:3\n"}),
    "A402": Case([4], assessments={"q": highlighted(BEP, passage(P1, size=8))}, collection=True),
    "A403": Case(
        [4],
        assessments={
            "q": graded(
                "2005",
                {"path": P1, "exhaustivity": 1, "size": 7, "rsize": 7},
                {"path": P2, "exhaustivity": 1, "size": 7, "rsize": 8},
            )
        },
    ),
    "A501": Case([2], assessments={"q": QRELS + "2 Q0 b 3 22 0 0:3\n"}, topics={"t.tsv": "1\ttrees\n"}),
    "A502": Case([None], assessments={"q": QRELS}, topics={"t.tsv": "1\ttrees\n2\tgraphs\n"}),
    "A503": Case([2], assessments={"q": QRELS + "2 Q0 b 0 22\n"}),
}
