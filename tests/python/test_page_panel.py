"""The docs page of a server that restricts only its statistics, as by default."""

import os

from playwright.sync_api import expect

from page import chromium, look, send  # noqa: F401


def test_only_the_panel_requires_the_token(look):
    page = look("Linear", refused=["403"])
    asked = []
    page.on("request", lambda request: asked.append(request.url) if request.url.endswith("/stats") else None)
    send(page)
    expect(page.locator(".live .said")).to_contain_text("the server requires the header triton-access-token")
    # Longer than the polling interval of the panel.
    page.wait_for_timeout(5_000)
    assert len(asked) <= 1, asked
    page.get_by_role("button", name="Enter the token…").click()
    page.get_by_label("triton-access-token").fill(os.environ["PYTRITON_TEST_TOKEN"])
    page.get_by_role("button", name="Use token").click()
    expect(page.locator(".live figure")).to_have_count(6)


def test_token_of_the_link_opens_the_panel(look):
    page = look("", refused=["403"], token=os.environ["PYTRITON_TEST_TOKEN"])
    page.get_by_role("link", name="Linear").click()
    expect(page.locator(".live figure")).to_have_count(6)
    assert "token" not in page.url
