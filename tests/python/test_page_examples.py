"""Fills in the form of every model of a server, and runs the same call as a program.

A model without a row in these tables is an error: add a row for each new example and, if it has its
own server, a line in `tests/browser/tests/browser/examples.rs`.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import urllib.request

import pytest
from playwright.sync_api import expect

from page import BASE, chromium, fill, look, output, send, shoot  # noqa: F401

TWENTY = " ".join(["1"] * 20)

# A picture with two lines of text.
PAGE = pathlib.Path(__file__).parents[2] / "examples" / "ocr" / "page.png"

# A model, the values of its form, and its response as regular expressions. For streams: the minimum
# number of responses, and a text that one of them contains.
FORMS = [
    ("AddSub", {"a": "1 2", "b": "3 5"}, {"add": "4 7", "sub": "-2 -3"}),
    ("Beam", {"start": "1", "length": "3"}, {"OUTPUT_1": "2 3 4"}),
    ("Companion", {"messages": '{"role": "user", "content": "You may"}', "max_tokens": "9"}, (9, r": \w+")),
    ("Compiled", {"x": "1 2"}, {"OUTPUT_1": "2 4", "OUTPUT_2": "1"}),
    ("Countdown", {"from": "3"}, (4, "OUTPUT_1: 2")),
    ("Counter", {"x": "1 2 3"}, {"OUTPUT_1": r"\d+"}),
    ("Detection", {"picture": PAGE}, {"probability": r"\d.*"}),
    ("Direction", {"line": PAGE}, {"direction": r"[01]\S* [01]\S*"}),
    ("Embedding", {"ids": "1 0"}, {"OUTPUT_1": "8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7"}),
    ("File", {"file": "as it is"}, {"OUTPUT_1": "as it is"}),
    (
        "Floats",
        {"half": "0.5 inf", "brain": "1.5 nan", "double": "0.1 1e300", "truth": "true false"},
        {"OUTPUT_1": "0.5 Infinity", "OUTPUT_2": "1.5 NaN", "OUTPUT_3": r"0.1 1e\+300", "OUTPUT_4": "true false"},
    ),
    ("Greet", {"text": "Good day"}, {"OUTPUT_1": "Good day stranger, from instance 0"}),
    ("Identity", {"INPUT_1": "1 2\n3 4.5"}, {"OUTPUT_1": "1 2 3 4.5"}),
    ("IdentityBytes", {"INPUT_1": "one\nand two"}, {"OUTPUT_1": "one\nand two"}),
    (
        "Integers",
        {"small": "-128 127", "large": "-9223372036854775808", "largest": "18446744073709551615"},
        {"OUTPUT_1": "-128 127", "OUTPUT_2": "-9223372036854775808", "OUTPUT_3": "18446744073709551615"},
    ),
    ("Linear", {"x": f"{TWENTY}\n{TWENTY}", "scale": "2"}, {"OUTPUT_1": "23.75 26.25 .* 96.25 23.75 .* 96.25"}),
    ("Magika", {"content": "<!DOCTYPE html><html><body><p>Hello</p></body></html>"}, {"label": r"html|txt", "mime_type": r"text/\w+"}),
    ("Markup", {"text": "<b>\"so\" it's</b>"}, {"OUTPUT_1": "<b>\"so\" it's</b>"}),
    ("Mean", {"x": "2 8"}, {"OUTPUT_1": r"4|4\.000\d+|3\.999\d+"}),
    ("MiniLM", {"sentence": "A cat sleeps."}, {"vector": r"(-?\d\S+ ?){384}"}),
    ("Negative", {}, {"OUTPUT_1": "254 253 252 .*"}),
    ("Network", {"x": "1 1 1"}, {"y": "3 6", "device": "gpu:[01]"}),
    ("OCR", {"picture": PAGE}, {"text": r"Fine print\nis printed, too\.", "lines": "2"}),
    ("Recognition", {"line": PAGE}, {"score": r"[01]\S*"}),
    ("Peak", {"length": "3"}, {"OUTPUT_1": r"0\.198\d*"}),
    ("Running", {"x": "2"}, {"OUTPUT_1": r"\d+"}),
    ("Softmax", {"scores": "[[1, 1], [0, 0]]", "temperature": "0.5"}, {"OUTPUT_1": "0.5 0.5 0.5 0.5"}),
    ("Speech", {"samples": " ".join(["0"] * 512)}, {"probability": r"0\.\d+|\d\S*e-\d+"}),
    ("Sum", {"a": "1 2 3", "b": "9007199254740993 0 -1"}, {"OUTPUT_1": "9007199254740994 2 2"}),
    ("Transform", {"x": "1 2"}, {"OUTPUT_1": "1 2"}),
    ("Transform", {"x": "1 2", "scale": "2", "offset": "10 20"}, {"OUTPUT_1": "12 24"}),
    ("Wave", {"length": "3"}, {"OUTPUT_1": r"0 0\.0998\d* 0\.198\d*"}),
    ("Writer", {"prompt": "You may", "max_tokens": "9"}, (9, r": \w+")),
    ("fit", {"x": "1", "y": "3"}, {"loss": r"\d\S*"}),
    ("line", {"x": "1 2 3"}, {"y": "3 5 7"}),
    ("predict", {"x": "2"}, {"y": r"-?\d\S*"}),
    ("square", {"x": "1 2 3"}, {"y": "1 4 9"}),
]

# The responses of these models depend on earlier requests.
REMEMBERING = {"Counter", "Running", "Speech", "fit", "predict"}

# This model refuses every request.
REFUSING = {"Refusal"}


def served():
    """Returns the names of the server's models, or of those that the test selects."""
    with urllib.request.urlopen(f"{BASE}/openapi.json") as response:
        paths = json.load(response)["paths"].values()
    operations = [operation for path in paths for operation in path.values()]
    models = {operation["x-pytriton-model"]["name"] for operation in operations if "x-pytriton-model" in operation}
    selected = os.environ.get("PYTRITON_TEST_MODELS")
    return models & set(selected.split()) if selected else models


SERVED = served()
STREAMS = {model for model, _, expected in FORMS if isinstance(expected, tuple)}


def program(page, language, folder):
    """Saves the same call as a program, and the files that it reads, in a directory."""
    section = page.locator("section").filter(has=page.get_by_role("heading", name="The same call"))
    section.get_by_text(language, exact=True).click()
    for button in section.get_by_role("button", name=re.compile("^save ")).all():
        with page.expect_download() as download:
            button.click()
        download.value.save_as(folder / download.value.suggested_filename)
    return section.locator("code").inner_text()


def ask_by_programs(page, folder, model, said):
    """Runs the call with curl and with Python, and saves the Rust program."""
    if page.get_by_label("first request").count():
        page.get_by_label("first request").check()
        page.get_by_label("last request").check()
    path = {"PATH": os.environ["PATH"], "no_proxy": "127.0.0.1"}
    for language, command in [("curl", ["bash", "-c"]), ("Python", [sys.executable, "-c"])]:
        text = program(page, language, folder)
        done = subprocess.run([*command, text], capture_output=True, text=True, timeout=60, cwd=folder, env=path)
        assert done.returncode == 0, text + done.stderr
        answer = folder / "answer.bin"
        heard = answer.read_text(errors="replace") if answer.exists() else done.stdout
        assert '"error"' not in heard, (language, heard)
        if not answer.exists():
            assert model in REMEMBERING or said in heard, (language, said, heard)
        answer.unlink(missing_ok=True)
    crate = os.environ.get("PYTRITON_TEST_SNIPPETS")
    if crate:
        crate = pathlib.Path(crate)
        name = f"call_{len(list((crate / 'src').glob('*.rs')))}_{model.lower()}"
        beside = crate / name
        beside.mkdir(parents=True)
        (crate / "src").mkdir(exist_ok=True)
        (crate / "src" / f"{name}.rs").write_text(program(page, "Rust", beside))
        (beside / "said.txt").write_text("" if model in REMEMBERING else said)


def test_tables_contain_every_model():
    assert SERVED - REFUSING <= {model for model, _, _ in FORMS}


def answered(page, expected):
    """Submits the form, and returns a text that its response must contain."""
    send(page)
    if isinstance(expected, dict):
        outputs = {name: output(page, name) for name in expected}
        for name, text in expected.items():
            assert re.fullmatch(text, outputs[name], re.DOTALL), (name, outputs[name])
        words = outputs[next(iter(expected))].split()
        # A number in the form of all languages; numpy formats long arrays differently.
        return words[0].split('"')[0].removesuffix(".0").removeprefix("0")[:5] if len(words) < 64 else ""
    least, text = expected
    events = page.locator(".events li").all_inner_texts()
    assert len(events) >= least
    assert any(re.search(text, event) for event in events), events
    stream = page.locator("pre.stream")
    assert not stream.is_visible() or len(stream.inner_text().split()) >= 5
    return ""


@pytest.mark.parametrize(("model", "values", "expected"), [row for row in FORMS if row[0] in SERVED])
def test_form_and_generated_program_return_equal_responses(look, tmp_path, model, values, expected):
    page = look(model)
    fill(page, **values)
    for encoding in ["JSON", "binary"] if model not in STREAMS else []:
        page.get_by_text(encoding, exact=True).click()
        answered(page, expected)
    if model not in STREAMS:
        page.get_by_text("JSON", exact=True).click()
    said = answered(page, expected)
    shoot(page, f"filled-{model}")
    ask_by_programs(page, tmp_path, model, said)


def test_generated_programs_contain_the_server_address(look, tmp_path):
    grpc, http = os.environ["PYTRITON_TEST_GRPC"], os.environ["PYTRITON_TEST_SERVER"]
    for model in sorted(SERVED - REFUSING):
        page = look(model)
        assert http in program(page, "curl", tmp_path)
        for language in ["Python", "Rust"]:
            assert (grpc if model in STREAMS else http) in program(page, language, tmp_path), (model, language)


def test_initial_values_of_a_form_are_valid(look):
    page = look("")
    for model in sorted(SERVED - REFUSING):
        page.get_by_role("link", name=model, exact=True).click()
        expect(page.get_by_role("heading", level=2)).to_have_text(model)
        send(page)
        assert page.locator(".output, .events li").count() > 0
        shoot(page, f"example-{model}")
