"""Properties that measures.md requires of every case, tested on random cases."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F  # noqa: N817 - there are dozens of them
from itertools import product
from random import Random
from typing import TYPE_CHECKING

import pytest

from random_share import count_cases

from . import MEASURES, Case, Refused, Result, random_case
from .discovery import eprum_points, prum_points
from .gains import gain_vectors
from .helpers import at, score
from .quantisation import quantiser
from .recall_bases import full_base, ideal_base
from .rules import Seen, ordered
from .user_models import Setting, unit_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .recall_bases import Target

SEEDS = range(count_cases(60))
CONSTRUCTIONS = ("path", "greedy", "best-sum", "leaves")


def cases(*, scale: str | None = None, kind: str | None = None) -> Iterator[Case]:
    """Random cases of all scales and kinds, or of one."""
    for seed in SEEDS:
        random = Random(seed)
        yield random_case(
            random,
            scale=scale or random.choice(("2002", "2003", "2005", "2006")),
            kind=kind or random.choice(("elements", "passages", "mixed")),
        )


def returning(case: Case, targets: Sequence[Target]) -> Case:
    """The case with the run that returns these targets, best first."""
    best = sorted(targets, key=lambda target: -target.q)
    results = [Result(x.doc, x.element.start, x.element.end, x.element.path) for x in best]
    return replace(case, results=results)


@pytest.mark.parametrize("task", ["focused", "thorough"])
def test_the_ideal_list_scores_1(task: str) -> None:
    for case in cases():
        for construction in CONSTRUCTIONS:
            q = quantiser(case)
            base = full_base(q) if task == "thorough" else ideal_base(q, construction)
            if not base:
                assert MEASURES["MAep"](case, task=task, construction=construction) is None
                continue
            ideal = returning(case, base)
            view = {"task": task, "construction": construction}
            assert set(at("nxCG", ideal, [1, 2, len(base), len(base) + 3], **view)) == {1}
            assert score("MAep", ideal, **view) == 1
            assert score("iMAep", ideal, **view) == 1
            assert score("gr", ideal, at=len(base), **view) == 1


def test_the_ideal_base_is_disjoint_and_overlaps_every_relevant_element() -> None:
    for case in cases():
        q = quantiser(case)
        for construction, tie in product(CONSTRUCTIONS, ("ancestor", "descendant")):
            base = ideal_base(q, construction, tie)
            for i, one in enumerate(base):
                assert not any(one.element.on_one_path(two.element) for two in base[:i])
            for target in full_base(q):
                assert any(target.element.on_one_path(member.element) for member in base)
        largest = sum(target.q for target in ideal_base(q, "best-sum"))
        assert all(largest >= sum(x.q for x in ideal_base(q, name)) for name in CONSTRUCTIONS)


def test_focused_gains_of_elements_are_bounded_by_the_ideal() -> None:
    for case in cases(kind="elements"):
        for construction in ("path", "greedy"):
            vectors = gain_vectors(case, construction=construction)
            for rank in range(1, len(vectors.run) + 1):
                assert sum(vectors.run[:rank]) <= sum(vectors.ideal[:rank])


def test_partly_seen_elements_gain_their_unseen_highlighted_share() -> None:
    for case in cases(scale="2006", kind="mixed"):
        seen = Seen(case)
        # without normalisation: Thorough with a written alpha of 1
        gains = gain_vectors(case, task="thorough", alpha=1, exclude_tags="links").run
        for result, gain in zip(ordered(case), gains, strict=True):
            element = case.element(result)
            excluded = element is not None and element.tag == "link"
            if not seen.again(result) and result.size and not excluded:
                new = (result.positions - seen.of(result.doc)) & case.relevant(result.doc)
                assert gain == F(len(new), result.size)
            seen.add(result)


def test_alpha_1_credits_every_highlighted_character_once() -> None:
    for case in cases():
        if case.relevant_size():
            for rank in (1, 4, 20):
                hixeval = MEASURES["HiXEval_R"](case, at=rank, task="focused")
                assert hixeval == MEASURES["char_rec"](case, at=rank)


def test_with_certain_users_eprum_is_average_precision_and_gr_is_recall() -> None:
    for case in cases():
        base = full_base(quantiser(case))
        if not base:
            continue
        hits, matched = [], set()
        for result in ordered(case):
            new = next(
                (i for i, x in enumerate(base) if x.element is case.element(result) and i not in matched),
                None,
            )
            hits.append(new is not None)
            matched.add(new)
        precisions = [F(sum(hits[: k + 1]), k + 1) for k, hit in enumerate(hits) if hit]
        average_precision = sum(precisions, F(0)) / len(base)
        assert score("EPRUM", case, base="full") == average_precision
        assert score("EPRUM", case, base="full", expectation="lengths") == average_precision
        assert score("PRUM", case, base="full") == average_precision
        if all(target.q == base[0].q for target in base):
            assert score("GR", case, at=99, base="full") == F(sum(hits), len(base))


def test_discovery_equals_the_sum_over_all_outcomes() -> None:
    for seed in range(8):
        random = Random(seed)
        rows = [[F(random.choice((0, 1, 2, 4)), 4) for _ in range(2)] for _ in range(3)]
        run = Setting([F(1)] * 2, rows, [1] * 3, unit_rows([F(1)] * 2))
        for r in (1, 2):
            precision = ranks = new = reaching = F(0)
            for outcome in product((0, 1), repeat=6):
                chance = F(1)
                for event, row, column in zip(outcome, (0, 0, 1, 1, 2, 2), (0, 1) * 3, strict=True):
                    chance *= rows[row][column] if event else 1 - rows[row][column]
                seen: set[int] = set()
                discoveries = 0
                for k in range(3):
                    if len(seen) >= r:
                        break
                    fresh = {x for x in (0, 1) if outcome[2 * k + x]} - seen
                    seen |= fresh
                    ranks += chance
                    discoveries += bool(fresh)
                    if len(seen) >= r:
                        precision += chance * F(r, k + 1)
                        reaching += chance * discoveries
                new += chance * discoveries
            assert (eprum_points(run, binary=True) or [])[r - 1] == precision
            assert prum_points(run)[r - 1] == reaching / ranks
            assert prum_points(run, unreached="ignored")[r - 1] == new / ranks


def test_without_overlap_thorough_and_focused_precision_agree() -> None:
    for seed in SEEDS:
        case = random_case(Random(seed), overlap=False)
        assert MEASURES["MAiP"](case, task="focused") == MEASURES["MAiP"](case, task="thorough")


def test_results_past_the_limit_do_not_change_scores() -> None:
    for seed in SEEDS:
        random = Random(seed)
        case = random_case(random)
        short = replace(case, results=ordered(case)[:3])
        for name, point in (("nxCG", 9), ("inex_eval", None), ("char_f1", None), ("GR", 9), ("SRPL", None)):
            full = MEASURES[name](case, at=point, limit=3)
            assert full == MEASURES[name](short, at=point, order="rank")


POINTS: dict[str, F] = {
    **dict.fromkeys(["iP", "igP", "ep", "EPRUM_P", "PRUM_P", "inex_eval_P"], F(3, 10)),
    **dict.fromkeys(["HiXEval_P", "HiXEval_R", "HiXEval_F", "overlap", "gP", "gR", "qP", "qR", "GR"], F(4)),
    **dict.fromkeys(["inex_eval_ng_P", "inex_eval_ng_R", "nxCG", "MAnxCG", "gr", "EPRUM_Pk", "T2I"], F(4)),
    **dict.fromkeys(["xCG", "xCI", "SR", "SRP", "greedy_prec", "greedy_rec", "greedy_iou"], F(4)),
}


def everywhere(case: Case) -> Iterator[tuple[str, object]]:
    """Every measure that can score the case, at some point."""
    for name, measure in MEASURES.items():
        if name.startswith("inex_eval_ng") and case.scale not in {"2003", "2005"}:
            continue
        if name.startswith("HiXEval") and case.scale == "2002" and not any(case.highlights.values()):
            continue  # coverage is not a scale
        try:
            yield name, measure(case, at=POINTS.get(name), **({"A": 1} if name == "BEPD" else {}))
        except Refused:
            assert name in {"iP", "MAiP", "gP", "gR", "igP", "MAgP", "BEPD"}


def test_every_measure_scores_every_case() -> None:
    # passages may gain more than the elements of the base
    unbounded = {
        "read",
        "HiXEval_R",
        "xCG",
        "xCI",
        "SR",
        "nxCG",
        "MAnxCG",
        "gr",
        "qR",
        "ep",
        "MAep",
        "iMAep",
        "browse_MAep",
    }
    for seed in SEEDS:
        random = Random(seed)
        case = random_case(
            random,
            scale=random.choice(("2002", "2003", "2005", "2006")),
            overlap=random.random() < 0.5,
            grouped=random.random() < 0.5,
            entry_points=random.random() < 0.3,
            bare=random.random() < 0.2,
            chunks=True,
            task=random.choice(("focused", "thorough")),
        )
        for name, value in everywhere(case):
            assert (
                value is None or isinstance(value, F) or name in {"read", "alpha_nDCG"}
            )  # infinity, logarithms
            if isinstance(value, F) and name not in unbounded:
                assert 0 <= value <= 1, (seed, name)
