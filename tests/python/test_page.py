"""The docs page with a keyboard, on a small screen, in dark mode, and with hostile input."""

import struct
import zlib

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from page import BASE, chromium, fill, look, output, send, shoot  # noqa: F401

MARKUP = '<img src=x onerror="document.title=\'broken\'"></pre><script>document.title="broken"</script>'


def png(width, height, pixel):
    """Returns a picture of one colour."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + bytes(pixel) * width) * height
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def test_markup_is_shown_as_text(look):
    page = look("Markup")
    expect(page.locator("article > .description")).to_contain_text("<b>what</b>")
    fill(page, text=MARKUP)
    send(page)
    assert output(page, "OUTPUT_1") == MARKUP
    assert MARKUP in page.locator("code").inner_text().replace('\\"', '"').replace("'\\''", "'")
    assert page.locator("article img, article b, article script").count() == 0
    page = look("Refusal", refused=["500"])
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".status.wrong")).to_contain_text("no, <b>never</b>")
    assert page.title() != "broken"
    shoot(page, "refusal")


def test_content_security_policy_blocks_foreign_code(look):
    page = look("Markup", refused=["Content Security Policy", "Trusted", "TrustedScript"])
    for attempt in [
        "document.body.innerHTML = '<b>x</b>'",
        "document.head.append(Object.assign(document.createElement('script'), { text: '1' }))",
    ]:
        stopped = page.evaluate("(code) => { const run = () => { %s }; try { run(); return false } catch { return true } }" % attempt)
        assert stopped, attempt
    assert page.evaluate("fetch('http://127.0.0.1:9/').then(() => 'came', () => 'stopped')") == "stopped"


def test_picture_is_sent_as_pixels(look):
    page = look("Negative")
    picture = {"name": "red.png", "mimeType": "image/png", "buffer": png(16, 12, (255, 0, 10))}
    page.get_by_label("file or image… for image").set_input_files(picture)
    expect(page.locator(".chip")).to_contain_text("red.png, as pixels")
    expect(page.locator(".chip img")).to_be_visible()
    page.get_by_text("binary", exact=True).click()
    send(page)
    expect(page.locator(".output .type")).to_have_text("UINT8 [1, 12, 16, 3]")
    pixel = page.locator(".pictures canvas").evaluate("(canvas) => [...canvas.getContext('2d').getImageData(3, 3, 1, 1).data]")
    assert pixel == [0, 255, 245, 255]
    shoot(page, "picture")


def test_file_is_sent_as_bytes(look):
    page = look("File")
    picture = {"name": "red.png", "mimeType": "image/png", "buffer": png(16, 12, (255, 0, 10))}
    page.get_by_label("file… for file").set_input_files(picture)
    expect(page.locator(".chip img")).to_be_visible()
    send(page)
    answered = page.locator(".pictures img")
    expect(answered).to_be_visible()
    assert answered.evaluate("(image) => [image.naturalWidth, image.naturalHeight]") == [16, 12]


@pytest.mark.parametrize("encoding", ["JSON", "binary"])
def test_numbers_of_every_datatype_round_trip(look, encoding):
    page = look("Integers")
    fill(page, small="-128 127", large="-9223372036854775808 9007199254740993", largest="18446744073709551615")
    page.get_by_text(encoding, exact=True).click()
    send(page)
    assert output(page, "OUTPUT_1") == "-128 127"
    assert output(page, "OUTPUT_2") == "-9223372036854775808 9007199254740993"
    assert output(page, "OUTPUT_3") == "18446744073709551615"
    page = look("Floats")
    fill(page, half="0.5 -65504 6e-8 inf", brain="1.5 nan", double="0.1 1e300", truth="true false 1")
    page.get_by_text(encoding, exact=True).click()
    send(page)
    assert output(page, "OUTPUT_1") == "0.5 -65504 5.960464477539063e-8 Infinity"
    assert output(page, "OUTPUT_2") == "1.5 NaN"
    assert output(page, "OUTPUT_3") == "0.1 1e+300"
    assert output(page, "OUTPUT_4") == "true false true"


def test_invalid_values_are_reported_before_sending(look):
    page = look("Linear")
    for text, said in [("1 2 3", "3 values do not fit [?, 20]"), ("1 two", "“two” is not a valid FP32"), ("[[1], [2, 3]]", "the lists have different lengths")]:
        fill(page, x=text)
        expect(page.locator(".said.wrong")).to_have_text(said)
        page.get_by_role("button", name="Send").click()
        expect(page.locator(".answer .status")).to_have_text(said)
        expect(page.get_by_label("x", exact=True)).to_be_focused()


def test_parameters_and_versions_are_sent(look):
    page = look("Greet")
    page.get_by_text("Version, parameters, headers").click()
    fill(page, text="Hi", parameters='{"times": 2}')
    send(page)
    assert output(page, "OUTPUT_1") == "Hi Hi stranger, from instance 0"
    page = look("Mean")
    page.get_by_text("Version, parameters, headers").click()
    page.get_by_label("version", exact=True).select_option("1")
    fill(page, x="2 8")
    send(page)
    assert output(page, "OUTPUT_1") == "5"
    section = page.locator("section").filter(has=page.get_by_role("heading", name="The same call"))
    section.get_by_text("Rust", exact=True).click()
    expect(section.locator("code")).to_contain_text(".version(1)")


def test_sequence_continues(look):
    page = look("Running")
    for value, total in [("1", "1"), ("2", "3"), ("4", "7")]:
        fill(page, x=value)
        send(page)
        assert output(page, "OUTPUT_1") == total
    page.get_by_label("last request").check()
    send(page)
    expect(page.get_by_label("first request")).to_be_checked()
    expect(page.get_by_label("last request")).not_to_be_checked()


def test_stream_is_displayed(look):
    page = look("Countdown")
    fill(page, **{"from": "3"})
    send(page)
    assert [text.split(" ms ")[1] for text in page.locator(".events li").all_inner_texts()] == [f"OUTPUT_1: {number}" for number in (3, 2, 1, 0)]


def test_waveform_is_drawn(look):
    page = look("Wave")
    fill(page, length="200")
    send(page)
    expect(page.locator(".output svg")).to_have_attribute("aria-label", "OUTPUT_1, from -1 to 0.9996")
    shoot(page, "wave")


def test_live_panel_draws_statistics(look):
    page = look("Linear")
    figures = page.locator(".live figure")
    expect(figures).to_have_count(6)
    for _ in range(5):
        send(page)
    expect(figures.filter(has_text="requests").locator("strong")).not_to_have_text("0 /s")
    expect(figures.filter(has_text="latency").locator("strong")).to_contain_text("p99")
    expect(figures.filter(has_text="batches").locator("strong")).to_have_text("1 row on average")
    expect(figures.filter(has_text="instances busy").locator("strong")).to_contain_text("of 1")
    shoot(page, "live")


def test_overview_shows_rates_of_all_models(look):
    page = look("Linear")
    page.get_by_role("link", name="All models").click()
    expect(page.get_by_role("heading", level=2)).to_have_text("All models")
    row = page.locator("tbody tr").filter(has_text="AddSub")
    expect(row.locator("td").nth(0)).to_have_text("0 /s")
    for _ in range(5):
        inputs = [{"name": name, "datatype": "FP32", "shape": [1, 2], "data": [1, 2]} for name in "ab"]
        assert page.request.post(f"{BASE}/v2/models/AddSub/infer", data={"inputs": inputs}).ok
    expect(row.locator("td").nth(0)).not_to_have_text("0 /s")
    expect(row.locator("td").nth(1)).to_have_text("0 /s")
    expect(row.locator("td").nth(2)).to_contain_text("ms")
    expect(row.locator("td").nth(5)).to_have_text("1")
    other = page.locator("tbody tr").filter(has_text="Linear")
    expect(other.locator("td").nth(2)).to_have_text("–")
    shoot(page, "overview")
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    row.get_by_role("link").click()
    expect(page.get_by_role("heading", level=2)).to_have_text("AddSub")


def test_earlier_requests_are_listed_and_repeated(look):
    page = look("AddSub")
    assert page.get_by_text("Requests of this page").is_hidden()
    for a, b in [("1 2", "3 5"), ("10 20", "30 50")]:
        fill(page, a=a, b=b)
        send(page)
    page.get_by_text("Requests of this page (2)").click()
    entries = page.locator(".tried li")
    expect(entries.first).to_contain_text("a: 10 20, b: 30 50")
    expect(entries.first).to_contain_text("200 in")
    entries.last.get_by_role("button", name="show").click()
    assert output(page, "add") == "4 7"
    expect(page.locator("code")).to_contain_text("[1,2]")
    entries.first.get_by_role("button", name="repeat").click()
    expect(page.get_by_text("Requests of this page (3)")).to_be_visible()
    assert output(page, "add") == "40 70"
    shoot(page, "tried")
    for _ in range(19):
        entries.first.get_by_role("button", name="repeat").click()
        expect(page.locator(".answer .status.right")).to_be_visible()
    expect(entries).to_have_count(20)
    page.get_by_role("link", name="Linear").click()
    expect(page.get_by_role("heading", level=2)).to_have_text("Linear")
    assert page.get_by_text("Requests of this page").is_hidden()
    page.get_by_role("link", name="AddSub").click()
    expect(page.locator(".tried li")).to_have_count(20)


def test_calls_between_models_are_counted(look):
    page = look("Peak")
    expect(page.locator(".live figure")).to_have_count(6)
    assert page.locator(".calls").count() == 0
    fill(page, length="20")
    for _ in range(3):
        send(page)
    row = page.locator(".calls tbody tr")
    expect(row.locator("th")).to_have_text("calls Wave")
    expect(row.locator("td").nth(0)).to_have_text("3")
    expect(row.locator("td").nth(1)).to_have_text("0")
    expect(row.locator("td").nth(2)).to_contain_text("ms")
    shoot(page, "calls")
    page = look("Wave")
    expect(page.locator(".calls tbody th")).to_have_text("called by Peak")


def test_page_is_usable_with_the_keyboard(look):
    page = look("AddSub")
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to the model")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
    expect(page.get_by_role("heading", level=2)).to_have_text("AddSub")
    page.locator(".skip").focus()
    seen = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        what, ring = page.evaluate(
            "() => { const at = document.activeElement; const on = at.matches('.choice input') ? at.nextElementSibling : at;"
            " return [at.getAttribute('aria-label') ?? at.labels?.[0]?.textContent ?? at.textContent, getComputedStyle(on).outlineStyle] }"
        )
        seen.add(what)
        assert ring != "none", what
        if what == "a":
            page.keyboard.press("Control+A")
            page.keyboard.type("5 6")
        if what == "b":
            page.keyboard.press("Control+A")
            page.keyboard.type("1 1")
            page.keyboard.press("Control+Enter")
            expect(page.locator(".answer .status.right")).to_be_visible()
            break
    assert {"Linear", "a", "b"} <= seen, seen
    assert output(page, "add") == "6 7"


@pytest.mark.parametrize("model", ["Linear", "Transform", "Running", "Writer", "Embedding"])
def test_page_fits_a_phone_screen(look, model):
    page = look(model, viewport={"width": 360, "height": 740}, has_touch=True)
    send(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    shoot(page, f"telephone-{model}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("model", ["Linear", "Running", "Transform"])
def test_page_is_accessible_in_both_colour_schemes(look, scheme, model):
    page = look(model, color_scheme=scheme, bypass_csp=True)
    send(page)
    expect(page.locator(".live figure")).to_have_count(6)
    shoot(page, f"{scheme}-{model}")
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    names = page.locator("main").aria_snapshot()
    assert f'form "try {model}"' in names and 'textbox "x"' in names and 'region "Answer"' in names, names


CONTROLS = {"button", "checkbox", "combobox", "ComboBoxSelect", "DisclosureTriangle", "link", "radio", "searchbox", "spinbutton", "textbox"}


@pytest.mark.parametrize("model", ["Linear", "Greet", "Negative", "Running", "Writer"])
def test_accessibility_tree_is_complete(look, model):
    page = look(model)
    send(page)
    expect(page.locator(".live figure")).to_have_count(6)
    page.get_by_text("Version, parameters, headers").click()
    nodes = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    nodes = [node for node in nodes if not node["ignored"]]
    tree = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes]
    roles = [role for role, _ in tree]
    assert [role for role, name in tree if role in CONTROLS | {"image", "region", "form", "figure", "dialog"} and not name.strip()] == []
    for landmark in ["banner", "navigation", "main", "form"]:
        assert roles.count(landmark) == 1, landmark
    regions = [name for role, name in tree if role == "region"]
    assert len(regions) == len(set(regions)), regions
    properties = [{one["name"]: one["value"].get("value") for one in node.get("properties", [])} for node in nodes]
    levels = [own["level"] for role, own in zip(roles, properties) if role == "heading"]
    assert levels[:2] == [1, 2]
    assert all(deeper <= level + 1 for level, deeper in zip(levels, levels[1:])), levels


def test_reduced_motion_disables_animations(look):
    page = look("Linear", reduced_motion="reduce")
    assert page.get_by_role("button", name="Send").evaluate("(button) => getComputedStyle(button).transitionDuration") == "0s"


def test_page_is_small():
    import urllib.request

    with urllib.request.urlopen(f"{BASE}/docs") as response:
        assert len(response.read()) < 120_000
