"""Actions on the judging page, with mouse and keyboard, and the resulting state on the server."""

import re
from pathlib import Path

import pytest

from doxel.assess.web.static_files import make_static_address
from doxel.pooling import PooledPart
from pages.judging.judge import judged
from pages.judging.served_site import judging_site

FRUIT = (
    "<article><title>Apples</title><sec><p>Red <em>apples</em> are ripe. They keep.</p>"
    "<p>Green ones 🍏 are not.</p></sec><sec><p>Pears are no apples, they say.</p></sec></article>"
)
HEBREW = "<article><title>פירות</title><p>תפוחים אדומים הם בשלים מאוד</p></article>"
NAMES = (
    "drag emoji keyboard split merge entry elements undo rule nothing note find pooled gutter"
    " buttons fields back near first last fallback fallback-split aspects"
)
DOCUMENTS = dict.fromkeys(NAMES.split(), FRUIT) | {
    "hebrew": HEBREW,
    "other": FRUIT,
    "empty": "<article/>",
    "end": FRUIT,
}
PAINTED = """() => 'highlights' in CSS ? CSS.highlights.get("judged").size
  : Math.min(1, document.querySelectorAll(".paint-judged").length)"""
PARTS = {"pooled": [PooledPart("/article[1]/sec[1]/p[2]", None, None)]}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Assignments 1 and 2 snap to words, the others to the units given below."""
    others = [("carl", "2006", "sentence"), ("olga", "2006", "element"), ("dora", "2006", "free")]
    with judging_site(tmp_path_factory.mktemp("actions"), DOCUMENTS, parts=PARTS, others=others) as new_site:
        yield new_site


@pytest.fixture(params=[False, True], ids=["highlights", "without-highlights"])
def browser_kind(request):
    """Whether the browser lacks the Custom Highlight API."""
    return {"without_highlights": request.param}


def test_a_drag_across_markup_is_highlighted(chromium, site, browser_kind):
    doc = "fallback" if browser_kind["without_highlights"] else "drag"
    with judged(chromium, site, doc, **browser_kind) as judge:
        assert judge.page.evaluate("'highlights' in CSS") != browser_kind["without_highlights"]
        judge.drag("Red", "ripe")
        judge.press("h")
        judge.said("Highlighted: “Red apples are ripe”")
        assert judge.texts() == ["Red apples are ripe"]
        judge.lists("Red apples are ripe")
        assert judge.page.evaluate(PAINTED) == 1


@pytest.mark.parametrize(
    ("name", "assignment", "expected"),
    [
        ("dora", 5, "pples are ri"),
        ("carl", 3, "Red apples are ripe."),
        ("olga", 4, "Red apples are ripe. They keep."),
    ],
    ids=["free", "sentence", "element"],
)
def test_selections_snap_as_the_assignment_says(chromium, site, name, assignment, expected):
    with judged(chromium, site, "drag", name=name, assignment=assignment) as judge:
        judge.drag("pples are ri")
        judge.press("h")
        assert judge.texts() == [expected]


def test_a_drag_across_an_emoji_is_highlighted(chromium, site):
    with judged(chromium, site, "emoji") as judge:
        judge.drag("ones", "are not")
        judge.press("h")
        assert judge.texts() == ["ones 🍏 are not"]
        judge.caret("are not")
        judge.press("b")
        text = site.service.library.text("emoji")
        assert judge.state()["bep"] == text.index("are not")


def test_right_to_left_text_is_selected_as_it_is_read(chromium, site):
    with judged(chromium, site, "hebrew") as judge:
        judge.drag("אדומים", "בשלים")
        judge.press("h")
        assert judge.texts() == ["אדומים הם בשלים"]
        (listed,) = judge.page.locator("#passages li .go").all()
        assert listed.evaluate("(node) => getComputedStyle(node).direction") == "rtl"
        edges = "(node) => [node, node.firstChild].map((one) => { const range = new Range();"
        edges += " range.selectNodeContents(one); return range.getBoundingClientRect().right; })"
        button, text = listed.evaluate(edges)
        assert button == text
        judge.press("b")
        assert (
            judge.page.locator("#entry bdi").evaluate("(node) => getComputedStyle(node).direction") == "rtl"
        )


def test_removing_from_the_middle_splits_and_highlighting_again_merges(chromium, site, browser_kind):
    doc = "fallback-split" if browser_kind["without_highlights"] else "split"
    with judged(chromium, site, doc, **browser_kind) as judge:
        judge.drag("Red", "keep")
        judge.press("h")
        judge.drag("are ripe")
        judge.press("u")
        judge.said("two passages now")
        assert judge.texts() == ["Red apples", ". They keep"], "without the space"
        judge.drag("apples are ripe. They")
        judge.press("h")
        assert judge.texts() == ["Red apples are ripe. They keep"]


def test_u_with_a_caret_removes_the_passage_it_is_in(chromium, site):
    with judged(chromium, site, "merge") as judge:
        judge.drag("Red apples")
        judge.press("h")
        judge.drag("Green")
        judge.press("h")
        judge.caret("apples are")
        judge.press("u")
        assert judge.texts() == ["Green"]
        judge.drag("Pears")
        judge.press("h", "n")
        judge.said("Passage 1 of 2")
        judge.press("n")
        judge.said("Passage 2 of 2")
        judge.press("p", "u")
        assert judge.texts() == ["Pears"]
        judge.press("Control+z")
        judge.caret("Pears")
        judge.press("u")
        assert judge.texts() == ["Green"]
        judge.caret("Apples")
        judge.press("u")
        judge.said("not in a passage")
        assert judge.texts() == ["Green"]


def test_a_names_the_aspects_of_a_passage(chromium, site):
    with judged(chromium, site, "aspects") as judge:
        start = site.service.library.text("aspects").index("They")
        judge.press("a")
        judge.said("Put the caret into a passage first")
        judge.drag("They keep")
        judge.press("h", "a")
        dialog = judge.page.get_by_role("dialog", name="Aspect of the passage")
        dialog.get_by_label("Aspect", exact=True).fill(" storage ; taste;storage")
        dialog.get_by_role("button", name="Save").click()
        judge.said("Aspect: storage, taste")
        assert judge.state()["aspects"] == {str(start): "storage", str(start + 1): "taste"}
        assert judge.page.locator("#passages .aspect").all_inner_texts() == ["storage", "taste"]
        judge.press("a")
        field = dialog.get_by_label("Aspect", exact=True)
        assert field.input_value() == "storage; taste"
        assert judge.page.locator("#aspect-names option").count() == 2
        field.fill("")
        field.press("Enter")
        judge.said("no aspect")
        assert judge.state()["aspects"] == {}
        judge.press("Control+z")
        assert judge.state()["aspects"] == {str(start): "storage", str(start + 1): "taste"}
        judge.press("a", "Escape")
        judge.page.locator("dialog").wait_for(state="detached")
        judge.drag("Pears")
        judge.press("h", "a")
        dialog.get_by_label("Aspect", exact=True).fill("taste; price")
        dialog.get_by_label("Weight of taste").select_option("2")
        dialog.get_by_role("listitem").filter(has_text="price").get_by_label("vital").uncheck()
        dialog.get_by_role("button", name="Save").click()
        pears = site.service.library.text("aspects").index("Pears")
        state = judge.state()
        assert state["weights"] == {str(start + 1): "2", str(pears): "2"}, "one weight in the document"
        assert state["vital"] == {str(pears + 1): "no"}
        assert judge.page.locator("#passages .aspect").all_inner_texts()[1:] == [
            "taste ×2",
            "taste ×2",
            "price (not vital)",
        ]
        judge.press("Control+z")
        assert judge.state()["weights"] == {}


def test_the_best_entry_point(chromium, site):
    with judged(chromium, site, "entry") as judge:
        text = site.service.library.text("entry")
        judge.drag("They keep")
        judge.press("h", "b")
        assert judge.state()["bep"] == text.index("They")
        judge.caret("eep.")
        judge.press("b")
        assert judge.state()["bep"] == text.index("keep"), "at the start of the word"
        assert "keep" in judge.page.inner_text("#entry")
        judge.press("Shift+B")
        assert judge.state()["bep"] is None
        judge.press("Shift+B")
        judge.said("There is no best entry point")


def test_the_selection_grows_and_shrinks_by_elements(chromium, site):
    with judged(chromium, site, "elements") as judge:
        judge.caret("apples are")
        judge.press("e")
        assert judge.selected() == "apples"
        judge.press("e")
        assert judge.selected() == "Red apples are ripe. They keep."
        judge.press("e")
        assert judge.selected().startswith("Red")
        assert judge.selected().endswith("are not.")
        judge.press("Shift+E", "Shift+E")
        assert judge.selected() == "apples"
        judge.press("e", "h")
        assert judge.texts() == ["Red apples are ripe. They keep."]


def test_a_click_in_the_gutter_selects_a_whole_element(chromium, site):
    with judged(chromium, site, "gutter") as judge:
        judge.gutter("/article[1]/sec[2]").click()
        judge.said("Selected: section 2, ")
        judge.press("h")
        assert judge.texts() == ["Pears are no apples, they say."]


def test_everything_can_be_undone_and_done_again(chromium, site):
    with judged(chromium, site, "undo") as judge:
        judge.drag("Red apples")
        judge.press("h", "b", "v")
        judge.said("Done.")
        full = judge.state()
        assert full["validated"]
        judge.press("Control+z")
        assert not judge.state()["validated"]
        judge.press("Control+z", "Control+z")
        assert judge.state() == {**full, "highlights": [], "bep": None, "validated": False}
        judge.press("Control+z")
        judge.said("nothing to undo")
        judge.press("Control+Shift+z", "Control+y", "Control+y")
        assert judge.state() == full


def test_validating_shows_missing_parts_and_scrolls_there(chromium, site):
    with judged(chromium, site, "rule") as judge:
        judge.drag("Pears")
        judge.press("h")
        judge.caret("Red")
        judge.press("Shift+Enter")
        judge.said("where should reading start?")
        assert not judge.state("rule")["validated"]
        assert judge.page.evaluate("document.body.dataset.open") == "rule"
        assert "best entry point is missing" in judge.page.inner_text("#verdict")
        judge.press("b", "v")  # the caret has gone to the passage
        judge.said("Done.")
        state = judge.state()
        assert state["validated"]
        assert state["bep"] == state["highlights"][0][0]
        judge.page.get_by_role("button", name="Reopen").click()
        assert not judge.state()["validated"]


def test_nothing_relevant_removes_everything_in_one_step(chromium, site):
    with judged(chromium, site, "nothing") as judge:
        judge.drag("Pears")
        judge.press("h", "b")
        before = judge.state()
        judge.press("x")
        judge.said("1 passage removed; undo restores it")
        assert judge.state() == {**before, "highlights": [], "bep": None, "validated": True}
        judge.press("Control+z")
        assert judge.state() == before


def test_a_document_without_text_has_no_entry_point_and_can_be_done(chromium, site):
    with judged(chromium, site, "empty") as judge:
        judge.press("b")
        judge.said("There is no text in this document")
        judge.press("h", "e", "u", "n", "x")
        assert judge.state()["validated"]


def test_a_note_is_saved_by_itself(chromium, site):
    with judged(chromium, site, "note") as judge:
        judge.press("w")
        judge.page.keyboard.type("hub vx? 🍏")
        judge.press("Escape")
        state = judge.state()
        assert state["note"] == "hub vx? 🍏"
        assert not state["highlights"]
        assert not state["validated"], "no key acts while a text field has the focus"
        assert judge.page.evaluate("document.getElementById('document').contains(document.activeElement)")


def test_caret_and_selection_are_restored_after_leaving_a_field(chromium, site):
    text = site.service.library.text("back")
    with judged(chromium, site, "back") as judge:
        judge.caret("keep")
        judge.press("w", "Escape", "b")
        assert judge.state()["bep"] == text.index("keep")
        judge.drag("Green ones")
        judge.press("/", "Escape", "h")
        assert judge.texts() == ["Green ones"]


def test_no_key_acts_with_another_modifier(chromium, site):
    with judged(chromium, site, "fields") as judge:
        judge.drag("Pears")
        judge.press("Alt+h", "Control+h", "Meta+h", "Alt+x", "Control+b", "Alt+]")
        assert judge.state()["highlights"] == []
        assert judge.page.evaluate("document.body.dataset.open") == "fields"
        judge.page.keyboard.press("CapsLock")
        judge.page.keyboard.press("H")  # with Caps Lock and without shift a browser says "H", too
        judge.page.evaluate("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'H', code: 'KeyH'}))")
        assert judge.texts() == ["Pears"]


def test_a_found_match_can_be_highlighted(chromium, site):
    with judged(chromium, site, "find") as judge:
        judge.press("/")
        judge.page.keyboard.type("no-one (said) [so]")
        assert judge.page.inner_text("#find-count") == "not found"
        judge.press("Escape", "/")
        judge.page.keyboard.type("APPLES  are")
        assert judge.page.inner_text("#find-count") == "1 place"
        judge.press("Enter")
        assert judge.page.inner_text("#find-count") == "1 of 1"
        judge.press("Escape", "h")
        assert judge.texts() == ["apples are"]


def test_pooled_elements_are_shown_on_request_and_the_request_is_stored(chromium, site):
    with judged(chromium, site, "pooled") as judge:
        assert not judge.state()["pooled_shown"]
        judge.press("o")
        judge.said("Systems retrieved 1 part")
        assert judge.state()["pooled_shown"]
        judge.press("o")
        judge.said("hidden")
        judge.saves("Saved")
        kinds = site.visitor("anna").get("/api/assignments/1/events/pooled").json()["events"]
        assert [event["body"] for event in kinds] == [{"pooled": True}, {"pooled": False}]


def test_buttons_have_the_effect_of_their_keys(chromium, site):
    with judged(chromium, site, "buttons") as judge:
        judge.drag("Pears")
        tools = judge.page.get_by_role("toolbar", name="Tools")
        tools.get_by_role("button", name="Highlight").click()
        tools.get_by_role("button", name="Entry point").click()
        judge.page.get_by_role("button", name="Done", exact=True).click()
        state = judge.state()
        assert state["validated"]
        assert judge.texts() == ["Pears"]
        tools.get_by_role("button", name="Undo").click()
        assert not judge.state()["validated"]
        judge.page.get_by_role("button", name="Remove passage 1").click()
        assert judge.texts() == []


def test_buttons_near_the_selection_are_out_of_its_way(chromium, site):
    with judged(chromium, site, "near") as judge:
        near = judge.page.get_by_role("toolbar", name="Selection")
        assert near.is_hidden()
        judge.drag("Green", "are not")
        near.wait_for(state="visible")
        selection = judge.page.evaluate(
            "(({top, bottom}) => [top, bottom])(getSelection().getRangeAt(0).getBoundingClientRect())"
        )
        box = near.bounding_box()
        assert box["y"] >= selection[1] or box["y"] + box["height"] <= selection[0]
        near.get_by_role("button", name="Highlight").click()
        assert judge.texts() == ["Green ones 🍏 are not"]
        near.wait_for(state="hidden")


def test_keys_open_other_documents_and_the_next_one_not_done(chromium, site):
    with judged(chromium, site, "first") as judge:
        judge.press("]")
        judge.opens("last")
        assert judge.page.url.endswith("/assignments/1/documents/last")
        judge.press("[")
        judge.opens("first")
        judge.page.go_back()
        judge.opens("last")
        judge.page.go_forward()
        judge.opens("first")
        judge.press("x", "]", "]")
        judge.opens("fallback")
        judge.press("[")
        judge.opens("last")
        place = list(DOCUMENTS).index("last") + 1
        assert judge.page.inner_text("#position") == f"Document {place} of {len(DOCUMENTS)}"
        judge.press("x", "[")
        judge.opens("first")
        judge.press("Shift+Enter")
        judge.opens("fallback")
        assert judge.state("last")["validated"]


def test_the_skip_link_stays_in_the_document(chromium, site):
    """Browsers fire the same event for a link within the page as for going back."""
    with judged(chromium, site, "first") as judge:
        judge.press("]")
        judge.opens("last")
        judge.page.locator(".skip").focus()
        judge.press("Enter")
        judge.page.wait_for_url("**/documents/last#document")
        judge.press("]")
        judge.opens("fallback")


def test_the_documentation_has_all_keys(chromium, site):
    text = (Path(__file__).resolve().parents[3] / "docs" / "assess.md").read_text(encoding="utf-8")
    documented = set()
    for title in ("## Judging", "## Adjudication"):
        table = text.partition(title)[2].partition("| key |")[2].partition("\n\n")[0]
        cells = "".join(line.split("|")[1] for line in table.splitlines()[2:])
        documented |= set(re.findall(r"`([^`]+)`", cells))
    with judged(chromium, site, "other") as judge:
        keys = judge.page.evaluate(
            "async (address) => { const {KEYS, formatKey} = await import(address);"
            " return KEYS.filter(({isQuiet}) => !isQuiet).flatMap(({keys}) => keys.map(formatKey)); }",
            make_static_address("judge/keyboard.js"),
        )
    assert documented == set(keys)


def test_the_keys_are_shown_from_their_table(chromium, site):
    with judged(chromium, site, "other") as judge:
        judge.press("?")
        help_ = judge.page.get_by_role("dialog", name="Keys")
        help_.wait_for()
        keys = help_.locator("th").all_inner_texts()
        for key in [
            "h",
            "u",
            "b",
            "⇧B",
            "a",
            "e",
            "⇧E",
            "x",
            "v",
            "⇧↵",
            "[",
            "]",
            "n",
            "p",
            "o",
            "/",
            "t",
            "?",
        ]:
            assert key in keys
        judge.press("x", "Escape")  # the keys are the dialog's while it is open
        help_.wait_for(state="hidden")
        assert not judge.state()["validated"]
        judge.press("t")
        assert judge.page.locator("#topic").is_hidden()
        judge.press("t")
        assert "Only text about fruit that is ripe." in judge.page.inner_text("#topic")
