"""People who use the pages without scripts."""

import re

import pytest

from assess.site_fixtures import PASSWORD


@pytest.fixture
def enter(site):
    """Signs a user in with the form, as a browser does."""

    def sign_in(name):
        visitor = site.visitor()
        assert visitor.get("/").headers["location"] == "/sign-in"
        word = re.search(r'name="word" value="([^"]+)"', visitor.get("/sign-in").text).group(1)
        answer = visitor.http.post("/sign-in", data={"name": name, "password": PASSWORD, "word": word})
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        home = visitor.get("/")
        visitor.csrf = re.search(r'name="csrf" value="([^"]+)"', home.text).group(1)
        return visitor

    return sign_in
