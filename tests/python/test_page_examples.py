"""Every form of the examples is filled in, and answers; the same call as a program does too."""

import os
import re
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from page import chromium, fill, look, output, send, shoot  # noqa: F401

TWENTY = " ".join(["1"] * 20)

EXAMPLES = [
    ("AddSub", {"a": "1 2", "b": "3 5"}, {"add": "4 7", "sub": "-2 -3"}),
    ("Beam", {"start": "1", "length": "3"}, {"OUTPUT_1": "2 3 4"}),
    ("Compiled", {"x": "1 2"}, {"OUTPUT_1": "2 4", "OUTPUT_2": "1"}),
    ("Counter", {"x": "1 2 3"}, {"OUTPUT_1": r"\d+"}),
    ("Embedding", {"ids": "1 0"}, {"OUTPUT_1": "8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7"}),
    ("Greet", {"text": "Good day"}, {"OUTPUT_1": "Good day stranger, from instance 0"}),
    ("Identity", {"INPUT_1": "1 2\n3 4.5"}, {"OUTPUT_1": "1 2 3 4.5"}),
    ("IdentityBytes", {"INPUT_1": "one\nand two"}, {"OUTPUT_1": "one\nand two"}),
    ("Linear", {"x": f"{TWENTY}\n{TWENTY}", "scale": "2"}, {"OUTPUT_1": "23.75 26.25 .* 96.25 23.75 .* 96.25"}),
    ("Mean", {"x": "2 8"}, {"OUTPUT_1": r"4|4\.000\d+|3\.999\d+"}),
    ("Softmax", {"scores": "[[1, 1], [0, 0]]", "temperature": "0.5"}, {"OUTPUT_1": "0.5 0.5 0.5 0.5"}),
    ("Sum", {"a": "1 2 3", "b": "9007199254740993 0 -1"}, {"OUTPUT_1": "9007199254740994 2 2"}),
    ("Transform", {"x": "1 2"}, {"OUTPUT_1": "1 2"}),
    ("Transform", {"x": "1 2", "scale": "2", "offset": "10 20"}, {"OUTPUT_1": "12 24"}),
]


def snippet(page, language):
    page.locator("section").get_by_text(language, exact=True).click()
    return page.locator("code").inner_text()


def is_right(page, expected):
    for name, text in expected.items():
        assert re.fullmatch(text, output(page, name), re.DOTALL), (name, output(page, name))


@pytest.mark.parametrize(("model", "values", "expected"), EXAMPLES)
def test_a_form_answers_and_so_does_the_same_call_as_a_program(look, tmp_path, model, values, expected):
    page = look(model)
    fill(page, **values)
    for encoding in ["JSON", "binary"]:
        page.get_by_text(encoding, exact=True).click()
        send(page)
        is_right(page, expected)
    page.get_by_text("JSON", exact=True).click()
    path = {"PATH": os.environ["PATH"], "no_proxy": "127.0.0.1"}
    for language, command in [("curl", ["bash", "-c"]), ("Python", [sys.executable, "-c"])]:
        text = snippet(page, language)
        done = subprocess.run([*command, text], capture_output=True, text=True, timeout=60, cwd=tmp_path, env=path)
        assert done.returncode == 0, text + done.stderr
        for name in expected:
            first = output(page, name).split()[0]
            assert first.rstrip(".0") in done.stdout or model == "Counter", (language, name, done.stdout)


def test_a_form_begins_with_values_that_answer(look):
    page = look("Linear")
    for model in sorted({model for model, _, _ in EXAMPLES}):
        page.get_by_role("link", name=model, exact=True).click()
        expect(page.get_by_role("heading", level=2)).to_have_text(model)
        send(page)
        shoot(page, f"example-{model}")


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


@pytest.mark.parametrize(("model", "value"), [("Writer", {"prompt": "You may"}), ("Companion", {"messages": '{"role": "user", "content": "You may"}'})])
def test_a_stream_is_read_as_it_comes(look, model, value):
    page = look(model)
    fill(page, **value, max_tokens="9")
    send(page)
    assert page.locator(".events li").count() >= 9
    assert len(page.locator("pre.stream").inner_text().split()) >= 5
    shoot(page, f"example-{model}")
