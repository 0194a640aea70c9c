"""Random events of every kind, and the states of vectors, for all tests that fold events."""

from hypothesis import strategies as st

from doxel.assess.document_state import State, state_to_json
from doxel.assess.judging_events import Event, join_spans

__all__ = ["BODIES", "events", "full_state", "random_event", "random_spans"]

BODIES = {
    "highlight": {"spans": "spans"},
    "unhighlight": {"spans": "spans"},
    "bep": {"position": "position"},
    "grade": {"path": "path", "grades": "grades"},
    "validate": {},
    "reopen": {},
    "note": {"text": "text"},
    "show": {"pooled": "flag"},
}
_PATHS = ("/a[1]", "/a[1]/b[1]", "/a[1]/b[2]")
_GRADES = {"exhaustivity": ("?", "1", "2")}


def random_spans(chance, most=4):
    """One span or more, in any order; they may overlap."""
    starts = [chance.randint(0, 50) for _ in range(chance.randint(1, most))]
    return [(start, start + chance.randint(1, 15)) for start in starts]


def random_event(chance, kinds=tuple(BODIES), paths=_PATHS, grades=_GRADES):
    """An event as the parser returns it; ``chance`` is an object like random.Random."""
    kind = chance.choice(kinds)
    return Event(kind, {key: _random_value(chance, of, paths, grades) for key, of in BODIES[kind].items()})


def _random_value(chance, of, paths, grades):
    match of:
        case "spans":
            return [list(span) for span in join_spans(random_spans(chance))]
        case "position":
            return chance.choice([None, chance.randint(0, 59)])
        case "path":
            return chance.choice(paths)
        case "grades":
            graded = {name: chance.choice(values) for name, values in sorted(grades.items())}
            return chance.choice([None, graded, graded, graded])
        case "text":
            return chance.choice(["", "hm", "🍏\n"])
        case "flag":
            return chance.random() < 0.5
    raise ValueError(of)


def events():
    """Events that can be undone."""
    kinds = [kind for kind in BODIES if kind != "show"]
    return st.randoms(use_true_random=False).map(lambda chance: random_event(chance, kinds))


def full_state(differences):
    """The state of a vector, which lists only the fields that differ from the empty state."""
    return {**state_to_json(State()), **differences}
