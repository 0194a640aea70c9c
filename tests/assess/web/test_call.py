"""Pages: the Markdown of organisers becomes HTML in which nothing can run."""

import pytest

from doxel.assess.web.call import render_markdown


def test_markdown_is_rendered():
    html = render_markdown("# A\n\n- *b*\n\n| c |\n|---|\n| d |\n")
    assert "<h2>A</h2>" in html
    assert "<li><em>b</em></li>" in html
    assert "<td>d</td>" in html


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        '<img src=x onerror="alert(1)">',
        "[x](javascript:alert(1))",
        "![x](https://elsewhere.example/x.png)",
        '<https://example.org/"onmouseover=x>',
        "[x](data:text/html;base64,AA)",
    ],
)
def test_nothing_can_run_or_be_fetched(text):
    html = render_markdown(text).lower()
    for danger in ("<script", "<img", 'href="javascript', 'href="data', "<iframe"):
        assert danger not in html
