"""A document on the screen: what is rendered, where positions are, what is painted; in a real browser."""

import pytest

from assess.pages import judging, judging_site

DOCUMENTS = {
    "apples": "<article><title>Apples</title><sec><p>Red <em>apples</em> are ripe.</p></sec></article>",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with judging_site(tmp_path_factory.mktemp("view"), DOCUMENTS) as found:
        yield found


def test_the_page_opens(chromium, site):
    with judging(chromium, site, "apples") as opened:
        assert opened.page.get_attribute("body", "data-doc") == "apples"
