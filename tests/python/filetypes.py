"""Compares `examples/magika` with Magika's own package on onnxruntime:
`python filetypes.py HTTP GRPC WHEEL EXAMPLE ENGINE`
"""

import bz2
import gzip
import io
import lzma
import marshal
import pathlib
import pickle
import random
import sqlite3
import struct
import sys
import tarfile
import tempfile
import time
import wave
import zipfile
import zlib

import numpy as np
import tritonclient.grpc
import tritonclient.http
from tritonclient.utils import InferenceServerException

MODES = ["high_confidence", "medium_confidence", "best_guess"]

SOURCES = {
    "c": b'#include <stdio.h>\n\nint main(int argc, char **argv) {\n    for (int i = 1; i < argc; i++)\n        printf("%s\\n", argv[i]);\n    return 0;\n}\n',
    "go": b'package main\n\nimport "fmt"\n\nfunc main() {\n\tfor i := 0; i < 3; i++ {\n\t\tfmt.Println("hello", i)\n\t}\n}\n',
    "java": b'package org.example;\n\nimport java.util.List;\n\npublic class Main {\n    public static void main(String[] args) {\n        System.out.println(List.of(args));\n    }\n}\n',
    "javascript": b"const fs = require('fs');\n\nmodule.exports = async function read(path) {\n  const text = await fs.promises.readFile(path, 'utf8');\n  return text.split('\\n').map((line) => line.trim());\n};\n",
    "shell": b'#!/bin/sh\nset -eu\nfor file in "$@"; do\n  echo "$file" >&2\ndone\nexec cat -- "$@"\n',
    "sql": b"CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT NOT NULL);\nINSERT INTO people VALUES (1, 'Ada');\nSELECT name FROM people WHERE id > 0 ORDER BY name;\n",
    "css": b"body {\n  margin: 0;\n  font-family: sans-serif;\n}\n\n.menu > li:hover {\n  color: #f00;\n}\n",
    "html": b"<!DOCTYPE html>\n<html><head><title>Hi</title></head>\n<body><h1>Hi</h1><p>There.</p></body></html>\n",
    "xml": b'<?xml version="1.0" encoding="UTF-8"?>\n<list><item id="1">one</item><item id="2">two</item></list>\n',
    "json": b'{"name": "x", "values": [1, 2.5, null, true], "inner": {"a": "b"}}\n',
    "yaml": b"apiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n  ports:\n    - port: 80\n",
    "csv": b"name,age,city\nAda,36,London\nAlan,41,Wilmslow\nGrace,85,Arlington\n" * 4,
    "tsv": b"name\tage\tcity\nAda\t36\tLondon\nAlan\t41\tWilmslow\n" * 4,
    "dockerfile": b"FROM debian:12\nRUN apt-get update && apt-get install -y curl\nCOPY . /app\nWORKDIR /app\nCMD [\"./run\"]\n",
    "makefile": b"CC = cc\nall: main\n\nmain: main.o\n\t$(CC) -o $@ $^\n\nclean:\n\trm -f *.o main\n\n.PHONY: all clean\n",
    "latex": b"\\documentclass{article}\n\\begin{document}\n\\section{One}\nLet $x^2 = y$.\n\\end{document}\n",
    "eml": b"From: a@example.org\nTo: b@example.org\nSubject: Hi\nDate: Mon, 1 Jan 2024 10:00:00 +0000\nMIME-Version: 1.0\nContent-Type: text/plain\n\nHello.\n",
    "svg": b'<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><circle cx="5" cy="5" r="4" fill="red"/></svg>\n',
    "pem": b"-----BEGIN CERTIFICATE-----\n" + b"MIIBszCCAVmgAwIBAgIUQ2VydGlmaWNhdGUgb2Ygbm9ib2R5IGF0IGFsbA==\n" * 9 + b"-----END CERTIFICATE-----\n",
    "pdf": b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [] /Count 0 >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n",
    "wasm": b"\0asm\1\0\0\0\1\7\1\x60\2\x7f\x7f\1\x7f\3\2\1\0\7\7\1\3add\0\0\n\t\1\7\0 \0 \1j\x0b",
    "gif": b"GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\4\1\0\0\0\0,\0\0\0\0\1\0\1\0\0\2\2D\1\0;",
}

# The same text in many languages and alphabets.
TEXTS = [
    "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience.",
    "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt.",
    "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison.",
    "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью.",
    "すべての人間は、生れながらにして自由であり、かつ、尊厳と権利とについて平等である。",
    "人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心,并应以兄弟关系的精神相对待。",
    "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق. وقد وهبوا عقلا وضميرا.",
    "כל בני אדם נולדו בני חורין ושווים בערכם ובזכויותיהם.",
    "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।",
    "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.",
    "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.",
    "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ",
]


def edges():
    """Yields contents around byte limits: empty, nearly empty, whitespace, and the sizes of the
    parts that are read.
    """
    yield from [b"", b"\0", b"a", b"\xff", "é".encode(), "é".encode()[:1], b"1234567", b"12345678", b"123456789"]
    yield from [b"\xff" * 7, b"\xff" * 8, b"  1234567  ", b"  12345678  ", b"\x0b\x0c12345678\x0b", b"\x1c\x1d\x1e\x1f" * 3]
    yield from [b" " * size for size in (1, 7, 8, 4095, 4096, 4097, 8193)]
    yield from [b"\n" * 5000 + b"fn main() {}\n", b"fn main() {}\n" + b"\t" * 5000, b"\n" * 100 + SOURCES["c"] + b"\r\n" * 3000]
    # A letter of two bytes across the end of the part that is read, and more whitespace than is
    # read.
    yield from [b" " * 4095 + "é".encode(), b" " * 4094 + "é".encode(), b" " * 4096 + b"\xff" * 100]
    text = b"".join(SOURCES[name] for name in ("c", "go", "java"))
    text = text * (9000 // len(text) + 1)
    yield from [text[:size] for size in (1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097, 8191, 8192, 8193)]


def made():
    """Yields files of programs and libraries."""
    random_bytes = random.Random(1).randbytes
    text = TEXTS[0].encode() * 50
    yield from [gzip.compress(text, mtime=0), bz2.compress(text), lzma.compress(text), zlib.compress(text)]
    for kind, name, mode in [(zipfile.ZipFile, "a.txt", "w"), (zipfile.ZipFile, "word/document.xml", "w")]:
        file = io.BytesIO()
        with kind(file, mode) as archive:
            archive.writestr("[Content_Types].xml", SOURCES["xml"])
            archive.writestr(name, text)
        yield file.getvalue()
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        entry = tarfile.TarInfo("a.txt")
        entry.size = len(text)
        archive.addfile(entry, io.BytesIO(text))
    yield file.getvalue()
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setparams((1, 2, 16000, 0, "NONE", ""))
        sound.writeframes(random_bytes(4000))
    yield file.getvalue()
    for save in (np.save, np.savez):
        file = io.BytesIO()
        save(file, np.arange(1000.0))
        yield file.getvalue()
    yield pickle.dumps({"a": [1, 2, 3], "b": TEXTS})
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "a.db"
        with sqlite3.connect(path) as database:
            database.executescript(SOURCES["sql"].decode())
        database.close()
        yield path.read_bytes()
    chunk = lambda name, data: struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    pixels = zlib.compress(b"".join(b"\0" + random_bytes(48) for _ in range(16)))
    header = struct.pack(">IIBBBBB", 16, 16, 8, 2, 0, 0, 0)
    yield b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    yield b"BM" + struct.pack("<IHHIIiiHHIIiiII", 54 + 768, 0, 0, 54, 40, 16, 16, 1, 24, 0, 768, 0, 0, 0, 0) + random_bytes(768)
    code = compile(pathlib.Path(__file__).read_text("utf-8"), "a.py", "exec")
    yield b"\xcb\r\r\n" + bytes(12) + marshal.dumps(code)
    yield from [random_bytes(size) for size in (8, 100, 3000, 100_000)]
    letters = random.Random(2)
    yield "".join(letters.choice("abcdefgh 0123\n") for _ in range(3000)).encode()


def written(example):
    """Yields files of this repository and of Python."""
    root = pathlib.Path(example).resolve().parents[1]
    for pattern in ("*.*", "docs/*.md", "proto/*", "deploy/**/*", "examples/*/*.*", "examples/*/src/*.rs", "tests/python/*.py"):
        yield from (path.read_bytes() for path in sorted(root.glob(pattern))[:20] if path.is_file())
    for file in (sys.executable, zipfile.__file__, random.__file__, np.__file__):
        yield pathlib.Path(file).read_bytes()[: 1 << 20]


def corpus(example, whole):
    contents = [*edges(), *SOURCES.values(), *made()]
    if whole:
        contents += written(example)
    for text in TEXTS:
        contents += [text.encode(), (text + "\n").encode() * 40, text.encode("utf-16")]
    contents += [TEXTS[1].encode("latin-1") * 3, TEXTS[3].encode("cp1251") * 3, TEXTS[4].encode("shift-jis") * 3]
    return list(dict.fromkeys(contents))


def told_of(reference, content):
    """Returns the result of Magika's own package."""
    result = reference.identify_bytes(content)
    kind = result.output
    return str(kind.label), result.score, kind.mime_type, kind.group


def is_the_same(answers, expected):
    answers = list(answers)
    assert len(answers) == len(expected), (len(answers), len(expected))
    for number, (answer, right) in enumerate(zip(answers, expected)):
        assert (answer[0], *answer[2:]) == (right[0], *right[2:]) and abs(answer[1] - right[1]) < 1e-3, (number, answer, right)


def fails(text, client, protocol, rows, modes=None):
    def given(name, values, datatype="BYTES"):
        array = np.array(values, dtype=np.object_)
        return protocol.InferInput(name, list(array.shape), datatype).set_data_from_numpy(array)

    inputs = [given("content", rows)] + ([given("mode", modes)] if modes else [])
    try:
        client.infer("Magika", inputs)
    except InferenceServerException as error:
        assert text in error.message(), error
    else:
        raise AssertionError("it did not fail")


def main():
    http, grpc, wheel, example, engine = sys.argv[1:]
    sys.path[:0] = [wheel, example]
    import client
    import magika

    # Both engines call the same code for a content. tritonserver forms the batches, so fewer
    # contents suffice.
    whole = engine == "embedded"
    contents = corpus(example, whole)
    references = {mode: magika.Magika(prediction_mode=magika.PredictionMode(mode)) for mode in MODES}
    right = [told_of(references["high_confidence"], content) for content in contents]
    labels = {answer[0] for answer in right}
    if whole:
        # The contents must cover many types.
        assert len(contents) > 200 and len(labels) > 40, (len(contents), sorted(labels))
        assert {"empty", "unknown", "txt", "rust", "python", "png", "elf"} <= labels, sorted(labels)
    assert len(contents) > 64, len(contents)
    is_the_same(client.identify(http, contents), right)
    for count in (1, 2, 64):
        is_the_same(client.identify(http, contents[-count:]), right[-count:])

    # No mode changes a result with a score above all thresholds.
    unsure = [content for content, (_, score, *_) in zip(contents, right) if score < 0.96]
    expected = {mode: [told_of(reference, content) for content in unsure] for mode, reference in references.items()}
    assert len({tuple(answers) for answers in expected.values()}) == 3
    for mode in MODES:
        is_the_same(client.identify(http, unsure, mode), expected[mode])

    # Only both ends of a file are relevant.
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "a"
        for content, answer in zip(contents, right) if whole else []:
            path.write_bytes(content)
            ends = client.ends(path)
            assert len(ends) == min(len(content), 8192)
            if ends != content:
                is_the_same(client.identify(http, [ends]), [answer])

    with tritonclient.grpc.InferenceServerClient(grpc) as server:
        for begin in range(0, len(contents), 64):
            rows = np.array(contents[begin : begin + 64], dtype=np.object_).reshape(-1, 1)
            given = tritonclient.grpc.InferInput("content", list(rows.shape), "BYTES").set_data_from_numpy(rows)
            answer = server.infer("Magika", [given])
            columns = [answer.as_numpy(name)[:, 0] for name in ("label", "score", "mime_type", "group")]
            rows = [(label.decode(), score, mime.decode(), group.decode()) for label, score, mime, group in zip(*columns)]
            is_the_same(rows, right[begin : begin + 64])

    # An invalid mode is an error, only for the request that has it.
    for protocol, address in ((tritonclient.http, http), (tritonclient.grpc, grpc)):
        with protocol.InferenceServerClient(address) as server:
            unknown = "mode must be `high_confidence`, `medium_confidence` or `best_guess`, found `sure`"
            fails(unknown, server, protocol, [[b"a"]], [["sure"]])
            fails(unknown, server, protocol, [[b"a"], [b"b"]], [["best_guess"], ["sure"]])
            fails("mode", server, protocol, [[b"a"]], [[b"\xff"]])
            fails("content", server, protocol, [[b"a", b"b"]])
            fails("batch-size must be <= 64", server, protocol, [[b"a"]] * 65)
            fails("content", server, protocol, np.empty((0, 1)))

    # The time must not grow with the size, because only both ends of a file are read.
    large = [b"\x7fELF" + bytes(size) for size in (1 << 20, 1 << 24)]
    took = []
    for content in large:
        answer = told_of(references["high_confidence"], content)
        begun = time.monotonic()
        is_the_same(client.identify(http, [content]), [answer])
        took.append(time.monotonic() - begun)
    assert took[1] < 10 + 32 * took[0], took

    # Requests of several clients form a batch, even with different modes.
    with tritonclient.http.InferenceServerClient(http, concurrency=16) as server:
        before = statistics(server)
        begun = []
        for number, content in enumerate(unsure[:40]):
            inputs = [client.given("content", [content])]
            mode = [None, *MODES, "sure"][number % 5]
            if mode:
                inputs.append(client.given("mode", [mode]))
            begun.append((mode, number, server.async_infer("Magika", inputs)))
        for mode, number, asked in begun:
            try:
                answer = asked.get_result()
            except InferenceServerException as error:
                assert mode == "sure" and "found `sure`" in error.message(), (mode, error)
            else:
                assert answer.as_numpy("label")[0, 0].decode() == expected[mode or MODES[0]][number][0], (mode, number)
        after = statistics(server)
    assert after[0] - before[0] > after[1] - before[1], (before, after)


def statistics(server):
    (counts,) = server.get_inference_statistics("Magika")["model_stats"]
    return counts["inference_count"], counts["execution_count"]


if __name__ == "__main__":
    main()
