"""The docs page of a server that requires a token."""

import os

from playwright.sync_api import expect

from page import chromium, look, send, shoot  # noqa: F401

TOKEN = os.environ["PYTRITON_TEST_TOKEN"]


def give(page, token):
    page.get_by_label("triton-access-token").fill(token)
    page.get_by_role("button", name="Use token").click()


def test_page_shows_nothing_before_the_token_is_entered(look):
    page = look("", refused=["403"])
    expect(page.get_by_role("dialog")).to_contain_text("This server requires a token")
    assert "Linear" not in page.content()
    shoot(page, "token")
    give(page, "not the right one")
    expect(page.get_by_role("dialog")).to_contain_text("refused the previous value")
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("alert")).to_contain_text("requires the header triton-access-token")
    page.get_by_role("button", name="Try again").click()
    give(page, TOKEN)
    page.get_by_role("link", name="Linear").click()
    send(page)
    assert '-H "triton-access-token: $TOKEN"' in page.locator("code").inner_text()
    assert TOKEN not in page.content()
    expect(page.locator(".live figure")).to_have_count(6)
    page.reload()
    expect(page.get_by_role("dialog")).to_be_visible()
