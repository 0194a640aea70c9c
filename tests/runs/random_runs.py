"""Random runs that one format can hold without loss."""

from hypothesis import strategies as st

from doxel.runs import RESULTS, Run
from doxel.runs.run import INEX_TASK_NAMES
from doxel.runs.run_files import find_run_format

__all__ = ["ids", "paths", "places", "runs", "words"]

# Letters of real ids, and characters with a special meaning in one of the formats.
_LETTERS = "ab019-_./:é漢😀&<>\"'[]{}\\#"
words = st.text(_LETTERS, min_size=1, max_size=8).filter(lambda word: word[0] not in "<{[")
ids = st.one_of(words, st.tuples(words, words).map(" ".join))  # for formats that keep white space

_steps = st.tuples(
    st.sampled_from(["", "", "x:"]),
    st.sampled_from(["article", "bdy", "sec", "p", "ss1", "é", "a-b.c_d"]),
    st.sampled_from(["", "[1]", "[2]", "[17]"]),
).map("".join)
paths = st.lists(_steps, min_size=1, max_size=5).map(lambda steps: "".join(f"/{step}" for step in steps))
places = st.one_of(
    paths,
    st.builds(
        "{}/text(){}{}".format,
        paths,
        st.sampled_from(["", "[1]", "[12]"]),
        st.sampled_from(["", ".0", ".17"]),
    ),
)

_ranks = st.integers(0, 10**6)
_scores = st.floats(allow_nan=False, allow_infinity=False)
_starts = st.integers(0, 10**12)

_spans = st.builds(lambda start, size: {"start": start, "end": start + size}, _starts, st.integers(0, 10**6))
_lost_spans = st.just({"start": -1, "end": -1})
_points = st.builds(lambda start: {"start": start}, st.one_of(_starts, st.just(-1)))
_elements = st.builds(lambda path: {"path": path}, paths)
_ranges = st.builds(lambda path, end: {"path": path, "path_end": end}, places, places)
_quotations = st.builds(
    lambda text: {"text": text}, st.text(max_size=20).filter(lambda text: "\x00" not in text)
)

_PLACES = {
    "span": st.one_of(_spans, _spans, _lost_spans),
    "point": _points,
    "element": _elements,
    "range": _ranges,
    "quotation": _quotations,
    "whole": st.just({}),
}


def _places(draw, name):
    """Draw the places of results, of any kind that the format can express."""
    kinds = set(find_run_format(name).result_kinds)
    if name == "paths":  # all results of a file are of the same kind
        kinds = {draw(st.sampled_from(sorted(kinds)))}
    if name == "inex-xml":  # only some tasks allow entry points
        kinds -= {"point"}
    return st.one_of(*(_PLACES[kind] for kind in sorted(kinds)))


@st.composite
def runs(draw, name):
    """Draw a run that the named format can hold without loss."""
    naming = ids if name in _RANKINGS else words
    if name in {"trec", "msmarco"}:  # a line that starts with # is a comment
        topics = draw(st.lists(naming.filter(lambda word: word[0] != "#"), min_size=1, max_size=3))
    else:
        topics = draw(st.lists(naming, min_size=1, max_size=3))
    has_rank, has_rsv = draw(st.sampled_from(_RANKINGS.get(name, [(True, True)])))
    row = st.tuples(st.sampled_from(topics), naming, _ranks, _scores, _places(draw, name))
    rows = [
        {
            "topic": topic,
            "doc": doc,
            "rank": rank if has_rank else None,
            "rsv": rsv if has_rsv else None,
            **place,
        }
        for topic, doc, rank, rsv, place in draw(st.lists(row, min_size=1, max_size=8))
    ]
    if name == "msmarco":  # such a document would mark a line of judgements
        rows = [row | {"doc": "d"} if row["doc"] == "0" else row for row in rows]
    if name == "run-json":  # an object has a key once, and a topic's documents together
        rows = list({(row["topic"], row["doc"]): row for row in rows}.values())
        order = [row["topic"] for row in rows]
        rows.sort(key=lambda row: order.index(row["topic"]))
    header = draw(_headers) if name == "inex-xml" else {}
    run_id = draw(naming) if "about" in find_run_format(name).holds else ""
    return Run(run_id, RESULTS.from_rows(rows), **header)


# formats without columns: ids may contain white space, rank or rsv may be missing
_RANKINGS = {
    "run-json": [(False, True)],
    "inex-xml": [(True, True), (True, False), (False, True)],
    "jsonl": [(True, True), (True, False), (False, True), (False, False)],
}
_sentences = st.text("abc é&<>\"'漢😀\n\t", min_size=1, max_size=20).filter(lambda text: text == text.strip())
_ABOUT = st.fixed_dictionaries(
    {},
    optional={
        "participant-id": words,
        "query": st.sampled_from(["automatic", "manual"]),
        "topic-part": st.sampled_from(["T", "TDK"]),
        "submission-type": st.just("adhoc"),
        "result-type": st.sampled_from(["element", "fol"]),
        "topic-fields": st.sampled_from(["title=yes", "title=yes castitle=no"]),
        "description": _sentences,
        "collections": st.sampled_from(["wikipedia", "ieee, wikipedia"]),
        "empty-topics": st.sampled_from(["900", "900, 901"]),
    },
)
_headers = st.builds(
    lambda about, task: {"about": {**about, "task": INEX_TASK_NAMES[task]} if task else about, "task": task},
    _ABOUT,
    st.sampled_from([None, *INEX_TASK_NAMES]),
)
