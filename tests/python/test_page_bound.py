"""Every model of a server is asked by the form that the page has for it, as it stands there."""

from playwright.sync_api import expect

from page import chromium, look, send, shoot  # noqa: F401


def test_every_form_answers_as_it_stands(look):
    page = look("")
    expect(page.locator("nav a").first).to_be_visible()
    for model in page.locator("nav a").all_inner_texts():
        page.get_by_role("link", name=model, exact=True).click()
        expect(page.get_by_role("heading", level=2)).to_have_text(model)
        send(page)
        assert page.locator(".output").count() > 0
        shoot(page, f"example-{model}")
