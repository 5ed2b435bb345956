"""A browser with the docs page."""

import os
import pathlib
import re

import pytest
from playwright.sync_api import expect, sync_playwright

BASE = f"http://{os.environ['PYTRITON_TEST_HTTP']}"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
SCREENSHOTS = pathlib.Path(os.environ["PYTRITON_TEST_SCREENSHOTS"])

# The timeout on a busy machine.
expect.set_options(timeout=20_000)


@pytest.fixture(scope="session")
def chromium():
    """Debian's Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        yield browser
        browser.close()


@pytest.fixture
def look(chromium):
    """Opens the page at a model, optionally with mocked responses. At the end, the browser must
    have reported no errors and must not have contacted other hosts.
    """
    contexts, flaws = [], []

    def open_at(model, refused=(), routes=None, token=None, **options):
        context = chromium.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        context.grant_permissions(["clipboard-read", "clipboard-write"], origin=BASE)
        contexts.append(context)
        page = context.new_page()

        def heard(message):
            if message.type in ("error", "warning") and not any(text in message.text for text in refused):
                flaws.append(message.text)

        page.on("console", heard)
        page.on("pageerror", lambda error: flaws.append(str(error)))
        page.on("request", lambda request: None if request.url.startswith((f"{BASE}/", "blob:", "data:")) else flaws.append(request.url))
        for pattern, answer in (routes or {}).items():
            page.route(pattern, answer)
        page.goto(f"{BASE}/docs#token={token}" if token else f"{BASE}/docs#{model}")
        if model:
            expect(page.get_by_role("heading", level=2)).to_have_text(model)
        return page

    yield open_at
    for context in contexts:
        context.close()
    assert flaws == []


def fill(page, **values):
    """Fills in the form; a path selects a file."""
    for name, value in values.items():
        if isinstance(value, pathlib.Path):
            page.get_by_label(re.compile(f"^file.* for {name}$")).set_input_files(value)
            expect(page.locator(".chip").filter(has_text=value.name)).to_be_visible()
        else:
            page.get_by_label(name, exact=True).fill(value)


def send(page):
    """Submits the form and waits for the response."""
    page.get_by_role("button", name="Send").click()
    # Networks in debug builds are slow.
    expect(page.locator(".answer .status.right")).to_be_visible(timeout=60_000)


def output(page, name):
    """Returns an output as text."""
    shown = page.locator(".output").filter(has=page.locator(".name", has_text=name))
    text = shown.locator("label").get_by_text("text", exact=True)
    if text.count():
        text.click()
    return shown.locator("pre").inner_text()


def shoot(page, name):
    """Saves a screenshot."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=True)
