"""The page's core modules in a browser, with elements, scales and events as the server sends them."""

import json
from contextlib import contextmanager

from doxel.assess.document_styles import Styles
from doxel.assess.web.static_files import make_static_address
from pages.judging.served_site import judging_site, signed_in

__all__ = ["as_lists", "columns", "computing", "event_json", "scale_json"]

CORE = """
const names = ['text_offsets', 'document_outline', 'document_state'];
const [offsets, outlines, states] = await Promise.all(
  names.map((name) => import(`CORE/${name}.js`)));
const {Text, joinSpans, intersectSpans, subtractSpans} = offsets;
const {Outline, snapSpan} = outlines;
const {EMPTY, History, applyEvent, areStatesEqual, findBreaches, foldEvents, invertEvent} = states;
""".replace("CORE", make_static_address("core"))

# values that JSON lacks become text, which no test expects
_COMPUTE = f"""async (json) => {{
  const compute = async (given) => {{ {CORE} SCRIPT }};
  const keep = (_, value) => (value === undefined || Number.isNaN(value) ? String(value) : value);
  return JSON.stringify(await compute(JSON.parse(json)), keep);
}}"""


@contextmanager
def computing(browser, folder, documents):
    """Yield a function that runs a script with the core modules and one argument, and returns its result.

    Both travel as JSON: Playwright would convert every value of theirs in three processes.
    """
    with (
        judging_site(folder, documents, styles=Styles({}, "inline")) as site,
        signed_in(browser, site) as opened,
    ):
        yield lambda script, given=None: json.loads(
            opened.page.evaluate(_COMPUTE.replace("SCRIPT", script), json.dumps(given))
        )


def columns(paths, start, end, parent):
    """Elements as the server sends them to the page."""
    steps = [path.rpartition("/")[2].removesuffix("]").split("[") for path in paths]
    labels = sorted({label for label, _ in steps})
    return {
        "labels": labels,
        "label": [labels.index(label) for label, _ in steps],
        "ordinal": [int(ordinal) for _, ordinal in steps],
        "start": list(start),
        "end": list(end),
        "parent": list(parent),
    }


def scale_json(scale):
    return scale.as_json()


def event_json(event):
    return {"kind": event.kind, "body": event.body}


def as_lists(spans):
    return [list(span) for span in spans]
