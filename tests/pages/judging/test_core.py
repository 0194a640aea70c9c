"""The page's own computations, in a browser, on the vectors that it shares with the server."""

import json
from pathlib import Path

import pytest

from assess.random_events import full_state
from doxel.assess.scales import SCALES
from pages.judging.core import columns, computing, scale_json

VECTORS = Path(__file__).parents[2] / "assess" / "vectors"


def vectors(name):
    return json.loads((VECTORS / f"{name}.json").read_text("utf-8"))


SNAPPING = vectors("snapping")["cases"]


@pytest.fixture(scope="module")
def computed(chromium, tmp_path_factory):
    documents = {case["name"]: case["markup"] for case in SNAPPING}
    with computing(chromium, tmp_path_factory.mktemp("core"), documents) as compute:
        yield compute


def test_the_scales_of_these_tests_are_those_of_the_server(computed):
    scale = computed("return (await fetch('/api/assignments/1')).json()")["scale"]
    expected = scale_json(SCALES[0])
    assert expected == {name: scale[name] for name in expected}


def test_vectors_of_character_sets(computed):
    cases = vectors("characters")["cases"]
    results = computed(
        """return given.map(({one, other}) => ({joined: joinSpans(one, other),
             common: intersectSpans(one, other), without: subtractSpans(one, other)}))""",
        cases,
    )
    assert results == [{name: case[name] for name in ("joined", "common", "without")} for case in cases]


def test_vectors_of_folds(computed):
    cases = vectors("fold")["cases"]
    assert computed("return given.map(({events}) => foldEvents(events))", cases) == [
        full_state(case["state"]) for case in cases
    ]


def test_the_empty_states_agree(computed):
    assert computed("return EMPTY") == full_state({})


def test_vectors_of_undoing(computed):
    cases = vectors("undo")["cases"]
    results = computed("return given.map(({before, event}) => invertEvent(foldEvents(before), event))", cases)
    assert results == [case["undo"] for case in cases]


def test_vectors_of_rules(computed):
    rules = vectors("rules")
    scales = {scale.name: scale_json(scale) for scale in SCALES}
    results = computed(
        """const outline = new Outline(given.columns);
           return given.cases.map(({state, scale, pooled}) =>
             findBreaches({...EMPTY, ...state}, given.scales[scale], outline, pooled))""",
        {
            "columns": columns(*zip(*rules["elements"], strict=True)),
            "cases": rules["cases"],
            "scales": scales,
        },
    )
    assert [[[breach["code"], breach["path"]] for breach in breached] for breached in results] == [
        case["breaches"] for case in rules["cases"]
    ]


OFFSETS = vectors("offsets")["cases"]


@pytest.mark.parametrize("case", OFFSETS, ids=lambda case: case["name"])
def test_vectors_of_offsets_are_those_of_python(case):
    text = case["text"]
    assert len(text) == case["length"]
    assert [[point, len(text[:point].encode("utf-16-le")) // 2] for point, _ in case["at"]] == case["at"]
    assert [[start, end, text[start:end]] for start, end, _ in case["slices"]] == case["slices"]


def test_vectors_of_offsets(computed):
    results = computed(
        """return given.map((one) => {
             const text = new Text(one.text);
             return {
               length: text.length,
               at: one.at.map(([point, unit]) => [text.toPoint(unit), text.toUnit(point)]),
               halves: one.halves.map(([unit]) => [unit, text.toPoint(unit)]),
               slices: one.slices.map(([start, end]) => [start, end, text.slice(start, end)]),
             };
           })""",
        OFFSETS,
    )
    assert results == [
        {name: case[name] for name in ("length", "at", "halves", "slices")} for case in OFFSETS
    ]


ELEMENTS = vectors("elements")


def _holders(start, end):
    """The elements that contain a span, outermost first."""
    return [element for element in ELEMENTS["elements"] if element[1] <= start and end <= element[2]]


@pytest.mark.parametrize("case", ELEMENTS["around"], ids=lambda case: case["name"])
def test_vectors_of_elements_are_right(case):
    holders = _holders(*case["span"])
    assert case["path"] == (holders[-1][0] if holders else None)


@pytest.mark.parametrize("case", ELEMENTS["grown"], ids=lambda case: case["name"])
def test_vectors_of_growing_are_right(case):
    start, end = case["span"]
    around = _holders(start, max(end, start + 1))  # a caret is before a character
    larger = [element[1:3] for element in around if element[1:3] != case["span"]]
    assert case["grown"] == (larger[-1] if larger else case["span"])


@pytest.mark.parametrize("case", ELEMENTS["shrunk"], ids=lambda case: case["name"])
def test_vectors_of_shrinking_are_right(case):
    (start, end), position = case["span"], case["position"]
    inside = [
        element[1:3]
        for element in _holders(position, position + 1)
        if start <= element[1] and element[2] <= end
    ]
    smaller = [span for span in inside if span != case["span"]]
    assert case["shrunk"] == (smaller[0] if smaller else case["span"])


def test_vectors_of_elements(computed):
    results = computed(
        """const outline = new Outline(given.columns);
           const path = (row) => row < 0 ? null : outline.path(row);
           return {
             paths: given.elements.map(([path]) => outline.path(outline.row(path))),
             unknown: ['', '/a[2]', '/a[1]/p[1]', 'a[1]', '/a[01]', '/a[1]/', '/a']
               .map((one) => outline.row(one)),
             children: [-1, 0, 3, 4].map((row) => outline.children(row)),
             ancestors: outline.ancestors(4),
             around: given.around.map(({span}) => path(outline.findAround(...span))),
             grown: given.grown.map(({span}) => outline.growSpan(span)),
             shrunk: given.shrunk.map(({span, position}) => outline.shrinkSpan(span, position)),
           };""",
        {**ELEMENTS, "columns": columns(*zip(*ELEMENTS["elements"], strict=True))},
    )
    assert results == {
        "paths": [path for path, *_ in ELEMENTS["elements"]],
        "unknown": [-1] * 7,
        "children": [[0], [1, 2, 8], [4, 5], []],
        "ancestors": [3, 2, 0],
        "around": [case["path"] for case in ELEMENTS["around"]],
        "grown": [case["grown"] for case in ELEMENTS["grown"]],
        "shrunk": [case["shrunk"] for case in ELEMENTS["shrunk"]],
    }


SNAPPED = """
const modes = ['free', 'word', 'sentence', 'element'];
const snap = async ({name, select}) => {
  const {text: string, elements} = await (await fetch(`/api/assignments/1/documents/${name}`)).json();
  const [text, outline] = [new Text(string), new Outline(elements)];
  const start = text.toPoint(string.indexOf(select));
  const span = [start, start + new Text(select).length];
  const found = modes.map((mode) => [mode, text.slice(...snapSpan(span, mode, text, outline))]);
  return Object.fromEntries([['name', name], ...found]);
};
"""


def test_vectors_of_snapping(computed):
    results = computed(f"{SNAPPED} return Promise.all(given.map(snap))", SNAPPING)
    wanted = [
        {name: case[name] for name in ("name", "free", "word", "sentence", "element")} for case in SNAPPING
    ]
    assert results == wanted


BEPS = "const [first, second, third] = [1, 2, 3].map((position) => ({kind: 'bep', body: {position}}));"


def test_a_new_step_clears_redo_and_idle_events_are_not_steps(computed):
    results = computed(
        f"""{BEPS}
           const history = new History();
           const before = [history.record(EMPTY, [first]),
                           history.record(applyEvent(EMPTY, first), [second])];
           history.undo();
           const couldRedo = history.canRedo;
           history.record(applyEvent(EMPTY, first), [third]);
           return [...before, couldRedo, history.canRedo, history.record(EMPTY, []),
                   history.record(EMPTY, [{{kind: 'show', body: {{pooled: true}}}}]), history.undo()];"""
    )
    assert results == [True, True, True, False, False, False, [{"kind": "bep", "body": {"position": 1}}]]


def test_refused_events_leave_the_undo_history(computed):
    results = computed(
        f"""{BEPS}
           const note = {{kind: 'note', body: {{text: 'hm'}}}};
           const history = new History();
           history.record(EMPTY, [first]);
           history.record(applyEvent(EMPTY, first), [note, second]);
           history.forget(second);  // half of the step
           const [half] = history.undo();
           history.forget(half);  // nor was that undone
           const isBack = !history.canRedo;
           const again = history.undo();
           history.undo();
           history.forget(first);
           return [half, isBack, again, history.canUndo, history.redo(), history.canRedo];"""
    )
    undoing = {"kind": "note", "body": {"text": ""}}
    assert results == [undoing, True, [undoing], False, [{"kind": "note", "body": {"text": "hm"}}], False]


def test_snapping_covers_words_of_any_length(computed):
    """The inspected neighbourhood grows with the word; text beyond it has no effect."""
    results = computed(
        """const filler = 'ripe apples '.repeat(90_000);
           const word = 'x'.repeat(5_000);
           const flags = '\\u{1F1E9}\\u{1F1EA}'.repeat(700);
           const string = `${filler}${word} ${flags} ${filler}`;
           const text = new Text(string);
           const outline = new Outline(
             {labels: ['a'], label: [0], ordinal: [1], start: [0], end: [text.length], parent: [-1]});
           const begin = filler.length;
           const flag = begin + word.length + 1;
           return [snapSpan([begin + 2500, begin + 2501], 'word', text, outline).map((at) => at - begin),
                   snapSpan([flag + 701, flag + 702], 'free', text, outline).map((at) => at - flag),
                   snapSpan([3, 7], 'word', text, outline), snapSpan([9, 9], 'word', text, outline)]"""
    )
    assert results == [[0, 5000], [700, 702], [0, 11], [9, 9]]
