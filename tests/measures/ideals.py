"""The run for which each measure is 1.

"random" topics are those of the oracle, of 2005.  In the "perfect" topic all results are fully relevant and
nothing overlaps.  Some measures reach their maximum only there: graded relevance, a reader who reads on, or
ancestors and descendants in the recall base keep even the best list below it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from oracle import Case, Document, Result, grow, plant
from oracle.quantisation import quantiser
from oracle.recall_bases import Target, full_base, ideal_base


def perfect() -> Case:
    """Return two documents of paragraphs, each exhaustive, specific and highlighted as one passage."""
    documents, grades, highlights = [], {}, {}
    for name, paragraphs in (("d1", 4), ("d2", 2)):
        children = [grow("p", 10 * place, 10 * place + 10) for place in range(paragraphs)]
        root = plant(grow("article", 0, 10 * paragraphs, *children))
        documents.append(Document(name, root.size, root, "x" * root.size))
        highlights[name] = [(child.start, child.end) for child in root.children]
        grades |= {(name, child.path): 2 for child in root.children}
    beps = dict.fromkeys(highlights, 0)
    chunks = [Result(name, start, end) for name, spans in highlights.items() for start, end in spans]
    return Case(
        documents,
        highlights,
        beps=beps,
        grades=grades,
        scale="2005",
        judged=set(highlights),
        chunks=chunks,
    )


def single() -> Case:
    """Return the perfect topic with one relevant paragraph."""
    case = perfect()
    grades = {("d1", "/article[1]/p[1]"): 2}
    return replace(case, highlights={"d1": [(0, 10)]}, grades=grades, beps={"d1": 0}, judged={"d1"})


def gold(case: Case) -> list[Result]:
    """Return the highlighted text as passages without overlap, document by document."""
    spans: list[Result] = []
    for name in case.relevant_documents():
        places = sorted(case.relevant(name))
        starts = [place for place in places if place - 1 not in case.relevant(name)]
        ends = [place + 1 for place in places if place + 1 not in case.relevant(name)]
        spans += [Result(name, start, end) for start, end in zip(starts, ends, strict=True)]
    return spans


def passages(case: Case) -> list[Result]:
    """Return the highlighted passages as they were marked."""
    return [Result(name, start, end) for name, spans in case.highlights.items() for start, end in spans]


def gold_twice(case: Case) -> list[Result]:
    """Return the highlighted text twice, so that every result overlaps another."""
    return [passage for passage in gold(case) for _ in range(2)]


def entry_points(case: Case) -> list[Result]:
    """Return the best entry points."""
    return [Result(name, start, start) for name, start in case.beps.items()]


Run = Callable[[Case], list[Result]]


def base(quant: str = "gen", construction: str | None = None, tie: str = "ancestor") -> Run:
    """Return a run of the full recall base, or of an ideal one, with the highest gain first."""

    def best_first(case: Case) -> list[Result]:
        q = quantiser(case, quant)
        return _results(full_base(q) if construction is None else ideal_base(q, construction, tie))

    return best_first


def roots(case: Case) -> list[Result]:
    """Return the relevant articles with the highest gain first."""
    return _results([target for target in full_base(quantiser(case)) if target.element.path.count("/") == 1])


def highlighted_elements(case: Case) -> list[Result]:
    """Return every element with highlighted text."""
    return _results(full_base(quantiser(case, "spec")))


def _results(targets: list[Target]) -> list[Result]:
    ordered = sorted(targets, key=lambda target: -target.q)
    elements = [(target.doc, target.element) for target in ordered]
    return [Result(doc, element.start, element.end, element.path) for doc, element in elements]


def returning(case: Case, run: Run) -> Case:
    """Return the case with this run."""
    return replace(case, results=run(case))


def _xcg(options: str) -> str:
    """Return all measures of XCG with these parameters."""
    return (
        f"nxCG({options})@1,2,5,100, MAnxCG({options})@1,5,100, gr({options})@100, "
        f"ep({options})@0.01,0.37,1, MAep({options}), MAep(ideal_curve=step, {options}), "
        f"iMAep({options}), iMAep(run_curve=points, {options}), "
        f"iMAep(ideal_curve=step, run_curve=step, {options})"
    )


# (topics, run, measures that are 1 for this run)
MOST: list[tuple[str, Run, str]] = [
    # sections 3 and 4: relevance must be certain
    (
        "random",
        base("strict"),
        (
            "qP(quant=strict)@1, inex_eval(quant=strict), inex_eval(quant=strict, step=0.1), "
            "inex_eval(quant=strict, method=rank, step=1), inex_eval_P(quant=strict)@0.3,1"
        ),
    ),
    (
        "random",
        base("strict", "path"),
        "inex_eval(quant=strict, base=ideal), qR(quant=strict, base=ideal)@100",
    ),
    ("random", base(), "qR@100"),
    (
        "perfect",
        base(),
        (
            "inex_eval_ng, inex_eval_ng(variant=s), inex_eval_ng(grades=strict), inex_eval_ng_P@1,3, "
            "inex_eval_ng_R@100, inex_eval_ng_R(variant=s)@100"
        ),
    ),
    # section 5
    ("random", base(), _xcg("task=thorough") + ", browse_MAep"),
    *(
        ("random", base("gen", construction, tie), _xcg(f"construction={construction}, tie={tie}"))
        for construction in ("path", "greedy", "best-sum", "leaves")
        for tie in ("ancestor", "descendant")
    ),
    ("random", base("gen", "path"), "nxCG(alpha=0)@5, nxCG(alpha=0.5)@5, nxCG(overlap=off)@5"),
    ("random", roots, "fetch_MAep"),
    ("single", base("strict"), "xCG(quant=strict)@1,5, xCI(quant=strict)@1,5, SR(quant=strict)@1,5"),
    # section 6
    ("random", base("gen", "path"), "GR@100, EPRUM, EPRUM_P@0.1,1, EPRUM(expectation=lengths), PRUM"),
    ("random", base(), "GR(task=thorough)@100, PRUM(task=thorough, unreached=ignored)"),
    ("random", base(), "EPRUM_P(base=full)@0.1,1, EPRUM_Pk(base=full)@1, PRUM_P(base=full)@0.1,1"),
    ("random", entry_points, 'BEPD(A=0.1), EPRUM(model="bep_distance", A=0.1)'),
    ("perfect", passages, "T2I@1,3, T2I_AP"),
    # sections 7, 8 and 12
    (
        "random",
        gold,
        (
            "HiXEval_P@1,100, HiXEval_R@100, HiXEval_F@100, iP@0,0.01,1, iP(task=thorough)@1, MAiP, "
            "MAgP, MAgP(beta=0.25), gP@1, gP(pad=False)@100, gR@100, igP@0,0.5,1, art_prec, art_rec, art_f1, "
            "char_rec, char_prec, char_prec@1, char_prec(repeats=charged), char_iou, char_f1@100, "
            "token_rec, token_prec, token_prec(repeats=charged), token_iou, token_f1@100, span_rec(min=1), "
            "span_rec@100, hit@1, hit(min=1), span_RR, span_RR(min=1)"
        ),
    ),
    ("random", gold, "read(recall=0.001)"),  # one character is enough, and the first character is relevant
    (
        "perfect",
        gold,
        "chroma_rec, chroma_prec@1, chroma_iou, chroma_omega, omega_prec, omega_rec, omega_iou",
    ),
    ("perfect", gold, "greedy_prec@1,6, greedy_rec@6, greedy_iou@6"),
    ("random", gold, "AP, AP@100, nDCG, nDCG@10, P@1, R@100, RR"),
    ("random", highlighted_elements, "HiXEval_R(task=thorough)@100"),
    ("random", entry_points, "MAgP(score=bep), gP(score=bep)@1, gR(score=bep)@100"),
    ("perfect", gold, "MAgP(score=t2i), gP(score=t2i, T=1)@1, igP(score=t2i)@1"),
    ("random", gold_twice, "overlap@2,100"),
    # section 9
    ("perfect", base(), "SRP@1,3, SRP(isolation=ratio)@3, SRP(among=all)@3, SRPL"),
]
