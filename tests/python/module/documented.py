"""Runs the Python blocks of a document in order; the output must match the document."""

import contextlib
import io
import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
known = {}
for (language, text), (following, shown) in zip(blocks, [*blocks[1:], ("", "")], strict=True):
    if language != "python":
        continue
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(text, sys.argv[1], "exec"), known)
    expected = shown if following == "text" else ""
    assert said.getvalue().rstrip() == expected.rstrip(), f"{text}\nprinted\n{said.getvalue()}"
