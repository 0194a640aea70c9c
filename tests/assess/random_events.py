"""Random events of every declared kind, and the states of vectors, for all tests that fold events."""

from hypothesis import strategies as st

from doxel.assess.document_state import State, state_to_json
from doxel.assess.judging_events import EVENT_KINDS, Event, join_spans

__all__ = ["events", "full_state", "random_event", "random_spans"]

_PATHS = ("/a[1]", "/a[1]/b[1]", "/a[1]/b[2]")
_GRADES = {"exhaustivity": ("?", "1", "2")}


def random_spans(chance, most=4):
    """One span or more, in any order; they may overlap."""
    starts = [chance.randint(0, 50) for _ in range(chance.randint(1, most))]
    return [(start, start + chance.randint(1, 15)) for start in starts]


def random_event(chance, kinds=tuple(EVENT_KINDS), paths=_PATHS, grades=_GRADES):
    """An event as the parser returns it; ``chance`` is an object like random.Random."""
    kind = chance.choice(kinds)
    parts = [part for part in EVENT_KINDS[kind].body if not part.is_optional or chance.random() < 0.7]
    return Event(kind, {part.name: _random_value(chance, part, paths, grades) for part in parts})


def _random_value(chance, part, paths, grades):
    graded = {name: chance.choice(values) for name, values in sorted(grades.items())}
    values = {
        "spans": [[list(span) for span in join_spans(random_spans(chance))]],
        "position": [None, chance.randint(0, 59)],
        "path": paths,
        "place": ["0", "7", "41"],
        "name": [None, "who made it", "🍏"],
        "grades": [None, graded, graded, graded],
        "text": ["", "hm", "🍏\n"],
        "flag": [False, True],
        "choice": part.values,
    }
    return chance.choice(values[part.type])


def events():
    """Events that can be undone."""
    kinds = [name for name, kind in EVENT_KINDS.items() if kind.fold != "latch"]
    return st.randoms(use_true_random=False).map(lambda chance: random_event(chance, kinds))


def full_state(differences):
    """The state of a vector, which lists only the fields that differ from the empty state."""
    return {**state_to_json(State()), **differences}
