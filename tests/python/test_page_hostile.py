"""Hostile or excessive content from a server or its models: the page shows it as text, within
limits, and stays usable.
"""

import json
import struct

import pytest
from playwright.sync_api import expect

from page import chromium, fill, look, output, send, shoot  # noqa: F401

MARKUP = "<img src=x onerror=\"document.title='broken'\"></title></script><script>document.title='broken'</script>"
TURNED = "abc\u202egnp.exe\u2066 שלום"
LONG = "wide" * 1200
TEXT = {"content_type": "application/json"}


def tensor(name, datatype="FP32", dims=(-1,), **more):
    return {"name": name, "datatype": datatype, "dims": list(dims), "description": "", **more}


def model(name, **more):
    usual = {
        "name": name,
        "versions": ["1"],
        "description": "",
        "max_batch_size": 0,
        "decoupled": False,
        "sequences": False,
        "instances": 1,
        "options": {},
        "inputs": [tensor("x")],
        "outputs": [tensor("y")],
    }
    return {**usual, **more}


def served(*models):
    """Mocks a server with these models and no other responses."""
    paths = {f"/{index}": {"post": {"x-pytriton-model": shown}} for index, shown in enumerate(models)}
    document = json.dumps({"paths": paths, "x-pytriton-ports": {}})
    statistics = json.dumps({"model_stats": []})
    return {
        "**/openapi.json": lambda route: route.fulfill(body=document, **TEXT),
        "**/stats": lambda route: route.fulfill(body=statistics, **TEXT),
        "**/docs/metrics": lambda route: route.fulfill(body=""),
    }


def answering(*outputs, **more):
    """Mocks a server with a model that responds with these outputs."""
    shown = [tensor(one["name"], one["datatype"]) for one in outputs]
    answer = json.dumps({"model_name": "M", "model_version": "1", "outputs": outputs, **more})
    return {**served(model("M", outputs=shown)), "**/infer": lambda route: route.fulfill(body=answer, **TEXT)}


def elements(page):
    return page.evaluate("document.querySelectorAll('*').length")


def is_whole(page):
    assert page.title() != "broken"
    assert page.locator("main img, main script, nav img, main b").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("text", [MARKUP, TURNED, LONG, "'; DROP TABLE x; --\"\\\n`$(id)`", "__proto__"])
def test_model_names_and_descriptions_are_shown_as_text(look, text, width):
    nasty = model(
        text,
        description=f"{text}\n{text}",
        versions=["1", text],
        options={text: text, "inner": {text: [text]}},
        inputs=[tensor(text, description=text), tensor("b", "BYTES", [1], description=text, optional=True, example=[text])],
        outputs=[tensor(text, description=text)],
    )
    answer = json.dumps({"model_name": text, "model_version": text, "parameters": {text: text}, "outputs": [{"name": text, "datatype": "BYTES", "shape": [1], "data": [text]}]})
    routes = {**served(nasty), "**/infer": lambda route: route.fulfill(body=answer, **TEXT)}
    page = look("", routes=routes, viewport={"width": width, "height": 800})
    expect(page.get_by_role("heading", level=2)).to_be_visible()
    assert page.locator("h2").text_content() == text
    send(page)
    assert page.locator(".output pre").text_content() == text
    for language in ["curl", "Python", "Rust"]:
        page.locator("section").get_by_text(language, exact=True).click()
        code = page.locator("code").text_content()
        # A copied text is the visible one.
        assert not set(code) & set("\u202e\u2066"), code
    is_whole(page)
    if width > 360:
        shoot(page, f"hostile-{len(text)}")


def test_five_hundred_models_are_searchable(look):
    models = [model(f"model_{number}_{'long' * (number % 9)}", description="x" * 400) for number in range(500)]
    page = look("", routes=served(*models))
    links = page.locator("nav ul a")
    expect(links).to_have_count(500)
    page.get_by_label("find a model").fill("MODEL_42_")
    expect(links.filter(visible=True)).to_have_count(1)
    links.filter(visible=True).click()
    expect(page.get_by_role("heading", level=2)).to_contain_text("model_42_")
    page.get_by_label("find a model").fill("")
    expect(links.filter(visible=True)).to_have_count(500)
    shoot(page, "five-hundred")
    page.set_viewport_size({"width": 360, "height": 740})
    is_whole(page)
    shoot(page, "five-hundred-small")


HUGE = list(range(100_000))
OUTPUTS = {
    "many": ({"name": "y", "datatype": "FP32", "shape": [10_000], "data": HUGE[:10_000]}, "0 1 2 3"),
    "rows": ({"name": "y", "datatype": "INT64", "shape": [1000, 100], "data": HUGE}, "0 1 2 3"),
    "axes": ({"name": "y", "datatype": "INT8", "shape": [2] * 10, "data": [1] * 1024}, "1 1 1"),
    "empty": ({"name": "y", "datatype": "FP32", "shape": [0], "data": []}, ""),
    "hollow": ({"name": "y", "datatype": "FP32", "shape": [3, 0], "data": []}, ""),
    "one": ({"name": "y", "datatype": "FP32", "shape": [], "data": [5]}, "5"),
    "strange": ({"name": "y", "datatype": "FP32", "shape": [4], "data": [float("nan"), float("inf"), -float("inf"), 1]}, "NaN Infinity -Infinity 1"),
    "nothing": ({"name": "y", "datatype": "FP64", "shape": [20], "data": [float("nan")] * 20}, "NaN NaN"),
    "texts": ({"name": "y", "datatype": "BYTES", "shape": [20_000], "data": [MARKUP] * 20_000}, MARKUP),
    "a text": ({"name": "y", "datatype": "BYTES", "shape": [1], "data": ["word " * 1_000_000]}, "word word"),
    "turned": ({"name": "y", "datatype": "BYTES", "shape": [2], "data": [TURNED, "\0\x07"]}, "abc"),
}


@pytest.mark.parametrize("kind", OUTPUTS)
def test_display_of_responses_is_bounded(look, kind):
    given, text = OUTPUTS[kind]
    page = look("M", routes=answering(given))
    send(page)
    for view in page.locator(".output .choice label").all():
        view.click()
        assert elements(page) < 4_000, view.inner_text()
        assert len(page.locator(".output").inner_text()) < 200_000
    assert output(page, "y").startswith(text)
    is_whole(page)
    shoot(page, f"answer-{kind}")


def test_binary_bytes_are_shown_as_their_length(look):
    head = json.dumps({"model_name": "M", "model_version": "1", "outputs": [{"name": "y", "datatype": "BYTES", "shape": [2], "parameters": {"binary_data_size": 12}}]}).encode()
    body = head + struct.pack("<I", 3) + b"\xff\xfe\x80" + struct.pack("<I", 1) + b"a"
    headers = {"content-type": "application/octet-stream", "inference-header-content-length": str(len(head))}
    routes = {**answering(tensor("y", "BYTES")), "**/infer": lambda route: route.fulfill(body=body, headers=headers)}
    page = look("M", routes=routes)
    send(page)
    assert output(page, "y") == "3 bytes that are not text\na"


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (200, "{", "the response is malformed"),
        (200, "null", "the response is malformed"),
        (200, '{"outputs": [{"name": "y", "datatype": "FP32", "shape": [2]}]}', "the response is malformed"),
        (200, '{"outputs": [{"name": "y", "datatype": "NEW", "shape": [1], "parameters": {"binary_data_size": 4}}]}', "the response is malformed"),
        (500, MARKUP, f"500: {MARKUP}"),
        (503, json.dumps({"error": MARKUP * 1000}), "503: <img"),
    ],
)
def test_invalid_response_is_reported(look, status, body, said):
    routes = {**answering(tensor("y")), "**/infer": lambda route: route.fulfill(status=status, body=body, **TEXT)}
    page = look("M", routes=routes, refused=[str(status)])
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".answer .status.wrong")).to_contain_text(said)
    assert len(page.locator(".answer .status").inner_text()) < 3_000
    expect(page.get_by_role("button", name="Send")).to_be_enabled()
    is_whole(page)


def test_display_of_streams_is_bounded_and_errors_are_reported(look):
    events = [f"data: {json.dumps({'y': [MARKUP]})}\n\n"] * 3_000 + ['data: {"error": "it is cut: <b>there</b>"}\n\n']
    shown = model("M", decoupled=True, outputs=[tensor("y", "BYTES", [1])])
    stream = lambda route: route.fulfill(body="".join(events), content_type="text/event-stream")  # noqa: E731
    page = look("M", routes={**served(shown), "**/generate_stream": stream})
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".answer .status.wrong")).to_have_text("it is cut: <b>there</b>")
    assert page.locator(".events li").count() == 500
    assert len(page.locator("pre.stream").text_content()) < 110_000
    is_whole(page)
    shoot(page, "cut")


def test_unreachable_server_is_reported(look):
    page = look("M", routes=answering(tensor("y")), refused=["ERR_FAILED"])
    page.route("**/infer", lambda route: route.abort())
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".answer .status.wrong")).to_have_text("the server cannot be reached")
    page.route("**/stats", lambda route: route.abort())
    expect(page.locator(".live .said")).to_contain_text("No statistics: the server cannot be reached")


@pytest.mark.parametrize("body", ["{", "null", "[]", '{"paths": {"/": {"post": {"x-pytriton-model": null}}}}', '{"paths": null}'])
def test_invalid_document_is_reported(look, body):
    page = look("", routes={"**/openapi.json": lambda route: route.fulfill(body=body, **TEXT)})
    expect(page.locator("main h2")).to_be_visible()
    shoot(page, "nothing")
