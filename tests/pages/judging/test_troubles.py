"""Troubles of an assessor: no server, no session, a locked assignment, a second tab."""

import pytest

from assess.site_fixtures import PASSWORD
from pages.judging.judge import judged
from pages.judging.served_site import judging_site, judging_url

FRUIT = "<article><title>Apples</title><p>Red apples are ripe.</p><p>Green ones are not.</p></article>"
NAMES = """offline reload expired expired-tab expired-open tabs locked reading away away-next refused retried
textless-before textless preceding between following"""
LONG = "".join(
    f"<p>{' '.join(f'word {at}' for at in range(from_, from_ + 50))}</p>" for from_ in range(0, 1000, 50)
)
DOCUMENTS = dict.fromkeys(NAMES.split(), FRUIT) | {"long": f"<article>{LONG}</article>"}
# whether words are on the screen, in the paragraph that holds them
SHOWN = """words => [...document.querySelectorAll('#document p')].some((node) => {
  const { top, bottom } = node.getBoundingClientRect();
  return node.textContent.includes(words) && bottom > 60 && top < innerHeight;
})"""
FAILED = "Failed to load resource"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with judging_site(tmp_path_factory.mktemp("troubles"), DOCUMENTS) as new_site:
        yield new_site


@pytest.fixture
def lock(site):
    """Locks or unlocks an assignment; all are unlocked after the test."""
    olga = site.visitor("olga")
    yield lambda assignment, *, locked=True: olga.post(
        f"/api/assignments/{assignment}/locked", {"locked": locked}
    )
    for assignment in (1, 2):
        olga.post(f"/api/assignments/{assignment}/locked", {"locked": False})


def test_work_goes_on_without_the_server_and_is_saved_when_it_is_back(chromium, site):
    with judged(chromium, site, "offline") as judge:
        judge.page.context.set_offline(True)
        judge.drag("Red apples")
        judge.press("h", "b")
        judge.saves("Offline, 2 kept here")
        assert judge.known()["highlights"] == []
        assert judge.page.locator("#passages li").count() == 1
        judge.press("v")
        judge.saves("Offline, 3 kept here")
        judge.page.context.set_offline(False)
        assert judge.state()["validated"]
        assert judge.texts() == ["Red apples"]
        judge.forgive(FAILED)


def test_unsent_events_survive_the_page(chromium, site):
    with judged(chromium, site, "reload") as judge:
        judge.page.route("**/events", lambda route: route.abort())
        judge.drag("Green ones")
        judge.press("h")
        judge.saves("Offline, 1 kept here")
        judge.page.unroute("**/events")
        judge.reload()
        judge.opens("reload")
        assert judge.texts() == ["Green ones"]
        assert judge.page.locator("#passages li").count() == 1
        judge.forgive(FAILED)


def test_a_failed_fetch_is_shown_and_the_open_document_stays(chromium, site):
    with judged(chromium, site, "away") as judge:
        address = "**/api/assignments/1/events/away-next"
        judge.page.route(address, lambda route: route.abort())
        judge.reload()  # so that it has not been fetched ahead
        judge.opens("away")
        judge.press("]")
        judge.said("away-next cannot be opened now")
        assert judge.page.evaluate("document.body.dataset.open") == "away"
        judge.drag("Green")
        judge.press("h")
        assert judge.texts() == ["Green"]
        judge.page.unroute(address)
        judge.press("]")
        judge.opens("away-next")
        judge.forgive(FAILED)


def test_a_document_that_could_not_be_fetched_is_not_followed(chromium, site):
    with judged(chromium, site, "textless-before") as judge:
        judge.page.route("**/api/assignments/1/documents/textless", lambda route: route.abort())
        judge.reload()  # so that it has not been fetched ahead
        judge.opens("textless-before")
        with judge.page.expect_response("**/events/textless"):
            judge.press("]")
        judge.said("textless cannot be opened now")
        urls = []
        judge.page.on("request", lambda request: urls.append(request.url))
        with judge.page.expect_response("**/events/textless-before?*"):
            judge.page.evaluate("dispatchEvent(new Event('focus'))")
        assert [url for url in urls if "/events/textless?" in url] == []
        # nor does the page go there by itself much later, when somebody has to sign in again
        judge.page.unroute("**/api/assignments/1/documents/textless")
        judge.page.context.clear_cookies()
        judge.drag("Green")
        judge.press("h")
        judge.page.get_by_role("dialog", name="Sign in again").wait_for()
        judge.page.keyboard.type(PASSWORD)
        judge.press("Enter")
        judge.saves("Saved")
        assert [url for url in urls if url.endswith("/events/textless")] == []
        assert judge.page.evaluate("document.body.dataset.open") == "textless-before"
        judge.forgive(FAILED)


def test_signing_in_again_in_place(chromium, site):
    with judged(chromium, site, "expired") as judge:
        judge.page.wait_for_load_state("networkidle")  # else fetching ahead would notice it first
        site.visitor("olga").delete("/api/users/1/sessions")
        judge.drag("Red apples")
        judge.press("h")
        dialog = judge.page.get_by_role("dialog", name="Sign in again")
        dialog.wait_for()
        judge.saves("Signed out, 1 kept here")
        assert "1 step of yours is kept here" in dialog.inner_text()
        judge.page.keyboard.type("not the password")
        judge.press("Enter")
        dialog.get_by_role("alert").get_by_text("wrong").wait_for()
        judge.press("Control+a")
        judge.page.keyboard.type(PASSWORD)
        judge.press("Enter")
        dialog.wait_for(state="hidden")
        assert judge.texts() == ["Red apples"]
        judge.press("b")  # the focus is back in the text, where the caret was
        assert judge.state()["bep"] == judge.known()["highlights"][0][0]
        judge.forgive(FAILED)


def test_choosing_later_keeps_the_work_and_the_link_to_sign_in(chromium, site):
    with judged(chromium, site, "expired-open") as judge:
        judge.page.wait_for_load_state("networkidle")  # else fetching ahead would notice it first
        judge.page.context.clear_cookies()
        judge.press("]")
        dialog = judge.page.get_by_role("dialog", name="Sign in again")
        dialog.get_by_role("button", name="Later").click()
        dialog.wait_for(state="hidden")
        judge.drag("Green")
        judge.press("h")
        judge.saves("Signed out, 1 kept here")
        judge.page.locator("#save").click()
        dialog.wait_for()
        judge.page.keyboard.type(PASSWORD)
        judge.press("Enter")
        judge.opens("tabs")  # where the assessor wanted to go
        judge.saves("Saved")
        assert judge.texts("expired-open") == ["Green"]
        judge.forgive(FAILED)


def test_signing_in_in_another_tab_is_enough(chromium, site):
    with judged(chromium, site, "expired-tab") as judge:
        judge.page.wait_for_load_state("networkidle")  # else fetching ahead would notice it first
        judge.page.context.clear_cookies()
        judge.drag("Green")
        judge.press("h")
        dialog = judge.page.get_by_role("dialog", name="Sign in again")
        dialog.wait_for()
        other = judge.page.context.new_page()
        other.goto(f"{site.address}/sign-in")
        other.get_by_label("Name").fill("anna")
        other.get_by_label("Password").fill(PASSWORD)
        other.get_by_role("button", name="Sign in").click()
        other.get_by_role("link", name="Topic 1").wait_for()
        judge.page.bring_to_front()
        judge.page.evaluate("dispatchEvent(new Event('focus'))")
        dialog.wait_for(state="hidden")
        assert judge.texts() == ["Green"]
        judge.forgive(FAILED)


def test_two_tabs_see_each_other(chromium, site):
    with judged(chromium, site, "tabs") as judge:
        other_page = judge.page.context.new_page()
        complaints = []
        other_page.on("console", lambda message: complaints.append(message.text))
        other_page.on("pageerror", lambda error: complaints.append(str(error)))
        other_page.goto(judging_url(site, "tabs"))
        other = judge.in_tab(other_page)
        other.opens("tabs")
        judge.page.bring_to_front()
        judge.drag("Red apples")
        judge.press("h")
        other_page.locator("#passages li", has_text="Red apples").wait_for()
        other_page.bring_to_front()
        other.drag("Green ones")
        other.press("h", "b", "v")
        other.said("Done.")
        judge.page.locator("#passages li", has_text="Green ones").wait_for()
        judge.page.locator("#verdict [data-done=true]").wait_for()
        assert judge.page.locator("#passages li").count() == 2
        assert judge.texts() == ["Red apples", "Green ones"]
        events = site.visitor("anna").get("/api/assignments/1/events/tabs").json()["events"]
        assert [event["kind"] for event in events] == ["highlight", "highlight", "bep", "validate"]
        assert complaints == []


def test_a_locked_assignment_can_be_read_and_not_changed(chromium, site, lock):
    lock(2)
    with judged(chromium, site, "locked", assignment=2, name="ben") as judge:
        assert "This assignment is locked" in judge.page.inner_text("#banner")
        assert judge.page.get_by_role("button", name="Highlight").count() == 0
        judge.drag("Red apples")
        judge.press("h")
        judge.said("This assignment is locked")
        judge.press("x", "v", "Shift+Enter", "b")
        assert judge.known() == site.visitor("ben").get("/api/assignments/2/states/reading").json()["state"]
        judge.press("]")
        judge.opens("reading")


def highlight_before_a_lock(judge, lock):
    """Highlight text, whose event arrives after the assignment was locked and before the page notices."""
    judge.page.context.set_offline(True)
    judge.drag("Red apples")
    judge.press("h")
    judge.saves("Offline, 1 kept here")
    lock(1)
    judge.page.context.set_offline(False)


def test_refused_events_are_shown_with_the_reason_until_dismissed(chromium, site, lock):
    with judged(chromium, site, "refused") as judge:
        judge.drag("Green")
        judge.press("h")
        judge.saves("Saved")
        highlight_before_a_lock(judge, lock)
        dialog = judge.page.get_by_role("dialog", name="Refused by the server")
        dialog.wait_for()
        assert "the assignment is locked" in dialog.inner_text()
        assert "Highlight in refused" in dialog.inner_text()
        judge.lists("Green")  # the page shows what the server has
        judge.page.locator("#banner", has_text="This assignment is locked").wait_for()
        judge.press("Escape")
        judge.saves("1 refused")
        judge.page.locator("#save").click()
        assert "“Red apples”" in dialog.inner_text()
        dialog.get_by_role("button", name="Dismiss").click()
        dialog.wait_for(state="hidden")
        assert judge.texts() == ["Green"]
        judge.forgive(FAILED)


def test_refused_events_can_be_sent_again(chromium, site, lock):
    with judged(chromium, site, "retried") as judge:
        highlight_before_a_lock(judge, lock)
        dialog = judge.page.get_by_role("dialog", name="Refused by the server")
        dialog.wait_for()
        lock(1, locked=False)
        dialog.get_by_role("button", name="Try again").click()
        dialog.wait_for(state="hidden")
        assert judge.texts() == ["Red apples"]
        judge.forgive(FAILED)


def test_others_work_is_read_only(chromium, site):
    with judged(chromium, site, "reading", assignment=2, name="olga") as judge:
        assert "You are reading the work of ben" in judge.page.inner_text("#banner")
        judge.drag("Red apples")
        judge.press("h")
        judge.said("only they can change it")
        assert judge.page.locator("#note").get_attribute("readonly") is not None
        judge.press("o")
        judge.said("Systems retrieved this document as a whole")
        assert judge.known()["highlights"] == []


def test_neighbours_are_fetched_ahead_and_open_without_a_connection(chromium, site):
    with judged(chromium, site, "between") as judge:
        judge.drag("Red apples")
        judge.press("h")
        assert judge.texts() == ["Red apples"]
        judge.page.wait_for_load_state("networkidle")
        judge.page.context.set_offline(True)
        judge.press("]")
        judge.opens("following")
        judge.drag("Green")
        judge.press("h")
        judge.saves("Offline, 1 kept here")
        judge.press("[")
        judge.opens("between")
        judge.lists("Red apples")  # which the server had acknowledged
        judge.press("[")
        judge.opens("preceding")
        judge.press("]", "]")
        judge.opens("following")
        judge.lists("Green")
        judge.press("Control+z")
        judge.lists()
        judge.press("Control+Shift+z")
        judge.page.context.set_offline(False)
        assert judge.texts("following") == ["Green"]
        judge.forgive(FAILED)


def test_a_document_opens_where_one_stopped_reading(chromium, site):
    with judged(chromium, site, "long") as judge:
        judge.caret("word 700")
        place = judge.page.evaluate("getSelection().focusOffset")
        judge.reload()
        judge.opens("long")
        judge.page.wait_for_function(SHOWN, arg="word 700 ")
        assert judge.page.evaluate("getSelection().focusOffset") == place
        judge.page.locator("#reading").evaluate("(node) => { node.scrollTop = 600; }")
        judge.page.wait_for_function(SHOWN, arg="word 220 ")
        judge.reload()
        judge.opens("long")
        judge.page.wait_for_function(SHOWN, arg="word 220 ")
        assert not judge.page.evaluate(SHOWN, "word 700 ")
