"""The page's own computations agree with the server's, on some hundred random cases in a browser."""

import random

import numpy as np
import pytest

from assess.random_events import random_event, random_spans
from doxel.assess.document_state import (
    EMPTY_STATE,
    ElementOutline,
    apply_event,
    find_breaches,
    fold_events,
    invert_event,
    state_to_json,
)
from doxel.assess.judging_events import (
    EVENT_KINDS,
    Event,
    intersect_characters,
    join_spans,
    subtract_characters,
)
from doxel.assess.scales import SCALES
from pages.judging.core import as_lists, columns, computing, event_json, scale_json


@pytest.fixture(scope="module")
def computed(chromium, tmp_path_factory):
    with computing(chromium, tmp_path_factory.mktemp("agreement"), {"a": "<a>b</a>"}) as compute:
        yield compute


def random_outline(chance, characters=60):
    """A tree of elements over a text, in document order; some are empty, some as large as their parent."""
    rows = []

    def grow(path, start, end, parent, depth):
        rows.append((path, start, end, parent))
        row, place, counts = len(rows) - 1, start, {}
        while depth < 4 and chance.random() < 0.7:
            first = chance.randint(place, end)
            last = end if chance.random() < 0.2 else chance.randint(first, end)
            label = chance.choice("pqs")
            counts[label] = counts.get(label, 0) + 1
            grow(f"{path}/{label}[{counts[label]}]", first, last, row, depth + 1)
            place = last

    grow("/a[1]", 0, characters, -1, 0)
    return rows


def python_outline(rows):
    path, start, end, parent = zip(*rows, strict=True)
    return ElementOutline(path, *(np.array(column, dtype=np.int64) for column in (start, end, parent)))


def random_case(seed):
    chance = random.Random(seed)
    rows = random_outline(chance)
    paths = [path for path, *_ in rows]
    scale = chance.choice(SCALES)
    pooled = chance.choices([*paths, "/a[1]/nowhere[7]"], k=chance.randint(0, 4))
    # passages and grades more often, so that all rules are broken by some case
    kinds = [*EVENT_KINDS, "highlight", "grade"]
    if not scale.grades:
        kinds = [kind for kind in kinds if kind != "grade"]
    elements = [*paths, "/a[1]/nowhere[7]"]
    events = [random_event(chance, kinds, elements, scale.grades) for _ in range(chance.randint(0, 14))]
    one, other = ([*random_spans(chance), *random_spans(chance)] for _ in range(2))
    return rows, scale, pooled, events, one, other


def single_case():
    """One highlighted character, with a grade that says there is none."""
    (scale,) = (scale for scale in SCALES if scale.name == "2005")
    grade = {"path": "/a[1]", "grades": {"exhaustivity": "0"}}
    events = [Event("highlight", {"spans": [[3, 4]]}), Event("grade", grade)]
    return [("/a[1]", 0, 60, -1)], scale, [], events, [(3, 4)], []


CASES = [*(random_case(seed) for seed in range(400)), single_case()]


def test_random_sets_of_characters_agree(computed):
    pairs = [[as_lists(one), as_lists(other)] for *_, one, other in CASES]
    results = computed(
        "return given.map(([one, other]) => [joinSpans(one, other),"
        " intersectSpans(one, other), subtractSpans(one, other)])",
        pairs,
    )
    wanted = [
        [as_lists(how(one, other)) for how in (join_spans, intersect_characters, subtract_characters)]
        for *_, one, other in CASES
    ]
    assert results == wanted


def test_random_folds_and_their_undoing_agree(computed):
    results = computed(
        """return given.map((events) => {
             let state = EMPTY;
             return events.map((event) => {
               const undo = invertEvent(state, event);
               state = applyEvent(state, event);
               return [undo, state];
             });
           })""",
        [[event_json(event) for event in events] for _, _, _, events, _, _ in CASES],
    )
    for (_, _, _, events, _, _), steps in zip(CASES, results, strict=True):
        state = EMPTY_STATE
        for event, (undo, reached) in zip(events, steps, strict=True):
            assert undo == [event_json(inverse) for inverse in invert_event(state, event)]
            state = apply_event(state, event)
            assert reached == state_to_json(state)


def test_random_rules_agree(computed):
    results = computed(
        """return given.map(({columns, scale, pooled, state}) =>
             findBreaches(state, scale, new Outline(columns), pooled))""",
        [
            {
                "columns": columns(*zip(*rows, strict=True)),
                "scale": scale_json(scale),
                "pooled": pooled,
                "state": state_to_json(fold_events(events)),
            }
            for rows, scale, pooled, events, _, _ in CASES
        ],
    )
    wanted = [
        [vars(breach) for breach in find_breaches(fold_events(events), scale, python_outline(rows), pooled)]
        for rows, scale, pooled, events, _, _ in CASES
    ]
    assert results == wanted
    codes = {breach["code"] for breached in wanted for breach in breached}
    assert codes == {"bep-missing", "bep-alone", "grade-missing", "grade-contradiction", "grade-order"}


def test_random_elements_around_spans_agree_with_looking_at_all_of_them(computed):
    spans = {seed: random_spans(random.Random(seed), 6) for seed in range(len(CASES))}
    results = computed(
        """return given.map(({columns, spans}) => {
             const outline = new Outline(columns);
             return {paths: columns.start.map((_, row) => outline.path(row)),
                     around: spans.map((span) => outline.findAround(...span))};
           })""",
        [
            {"columns": columns(*zip(*rows, strict=True)), "spans": as_lists(spans[seed])}
            for seed, (rows, *_) in enumerate(CASES)
        ],
    )
    for seed, (rows, *_) in enumerate(CASES):
        assert results[seed]["paths"] == [path for path, *_ in rows]
        for (start, end), row in zip(spans[seed], results[seed]["around"], strict=True):
            holders = [at for at, element in enumerate(rows) if element[1] <= start and end <= element[2]]
            assert row == (holders[-1] if holders else -1)


def test_random_offsets_are_those_of_python(computed):
    chance = random.Random(13)
    texts = ["".join(chance.choice("ab é\u0301\n🍏🇩𝔸\uffff") for _ in range(500)) for _ in range(40)]
    results = computed(
        """return given.map((string) => {
             const text = new Text(string);
             const units = Array.from({length: text.length + 1}, (_, point) => text.toUnit(point));
             return units.map((unit) => [unit, text.toPoint(unit)]);
           })""",
        texts,
    )
    for text, places in zip(texts, results, strict=True):
        units = [len(text[:point].encode("utf-16-le")) // 2 for point in range(len(text) + 1)]
        assert places == [[unit, point] for point, unit in enumerate(units)]


def test_steps_are_undone_and_done_again_in_turn(computed):
    results = computed(
        """return given.map((events) => {
             const history = new History();
             const states = [EMPTY];
             for (let at = 0; at < events.length; at += 2) {
               const step = events.slice(at, at + 2);
               if (history.record(states.at(-1), step)) states.push(foldEvents(step, states.at(-1)));
               else states[states.length - 1] = foldEvents(step, states.at(-1));
             }
             let state = states.at(-1);
             const isRight = [];
             for (let at = states.length - 2; at >= 0; at -= 1) {
               state = foldEvents(history.undo(), state);
               isRight.push(areStatesEqual(
                 {...state, pooled_shown: false}, {...states[at], pooled_shown: false}));
             }
             isRight.push(history.canRedo === states.length > 1, !history.canUndo, history.undo() === null);
             while (history.canRedo) state = foldEvents(history.redo(), state);
             isRight.push(areStatesEqual(state, states.at(-1)), history.redo() === null);
             return isRight;
           })""",
        [[event_json(event) for event in events] for _, _, _, events, _, _ in CASES],
    )
    assert all(all(rights) for rights in results)
    assert sum(len(rights) for rights in results) > 5 * len(CASES)
