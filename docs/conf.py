"""The configuration of Sphinx. ``build.py`` fills the folder that Sphinx reads, and builds the site."""  # noqa: INP001

import inspect
import sys
from pathlib import Path
from typing import Any

from docutils import nodes

import doxel

sys.path.insert(0, str(Path(__file__).parent))

project = "doxel"
author = "The doxel authors"
version = release = doxel.__version__
language = "en"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "pagemaker.formulas",
    "pagemaker.handbook",
]
smartquotes = False
nitpicky = True
nitpick_ignore_regex = [
    ("py:.*", r"(?!doxel\b).*"),  # other libraries: their inventories would need a network
    ("py:.*", r"doxel\.\w+\..*"),  # modules that are not part of the public API
]

myst_heading_anchors = 6

napoleon_google_docstring = False
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 80

html_theme = "furo"
html_title = f"doxel {release}"
html_static_path = ["static"]
html_css_files = ["doxel.css"]
html_js_files = ["search_excerpts.js"]
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b5a8a", "color-brand-content": "#0b5a8a"},
    "dark_css_variables": {"color-brand-primary": "#7cc0ec", "color-brand-content": "#7cc0ec"},
}
html_math_renderer = "mathml"
html_copy_source = False
html_show_copyright = False

copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
copybutton_line_continuation_character = "\\"


def restore_docstring(_app: Any, what: str, _name: str, member: Any, _options: Any, lines: list[str]) -> None:
    """Undo napoleon on a property: it takes the words before the first colon for a type."""
    if what in {"attribute", "property"}:
        lines[:] = (inspect.getdoc(member) or "").splitlines()


def clean_up(_app: Any, document: nodes.document) -> None:
    """Write a dash between a parameter and its description, and ``iP@0.01`` as text, not as an address."""
    for text in list(document.findall(nodes.Text)):
        if text == " -- ":
            text.parent.replace(text, nodes.Text(" \N{EN DASH} "))
    for link in list(document.findall(nodes.reference)):
        if link.get("refuri", "").startswith("mailto:"):
            link.parent.replace(link, link.children)


def shorten_defaults(*event: Any) -> tuple[str, str] | None:
    """Write the default of a dataclass field as ``...`` if a factory creates it."""
    signature, returned = event[-2:]
    return (signature.replace("<factory>", "..."), returned) if signature else None


def setup(app: Any) -> None:
    """Connect the hooks of this file."""
    app.connect("autodoc-process-signature", shorten_defaults)
    app.connect("autodoc-process-docstring", restore_docstring, priority=501)
    app.connect("doctree-read", clean_up)
