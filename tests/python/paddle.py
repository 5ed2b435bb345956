"""Compares `examples/ocr` with onnxruntime and OpenCV:
`python paddle.py HTTP GRPC PACKAGE EXAMPLE ENGINE`
"""

import base64
import io
import pathlib
import subprocess
import sys
import tempfile

import cv2
import numpy as np
import onnxruntime
import pyclipper
import tritonclient.grpc
import tritonclient.http
from PIL import Image, ImageDraw, ImageFont
from tritonclient.utils import InferenceServerException

# The tolerance of corners in pixels, because OpenCV uses whole pixels.
PIXELS = 6


def drawn(lines, size, font=28, ink="black", paper="white", angle=0):
    """Draws lines of text; each has a text and a start."""
    image = Image.new("RGB", size, paper)
    draw = ImageDraw.Draw(image)
    for text, place in lines:
        draw.text(place, text, ink, font=ImageFont.load_default(font))
    return image.rotate(angle, Image.Resampling.BICUBIC, fillcolor=paper)


def encoded(image, form="PNG", **options):
    file = io.BytesIO()
    image.save(file, form, **options)
    return file.getvalue()


class Reference:
    """PP-OCRv4 with the pipeline of PaddleOCR."""

    def __init__(self, package):
        assets = pathlib.Path(package) / "assets"
        names = ["ch_PP-OCRv4_det_infer", "ch_ppocr_mobile_v2.0_cls_infer", "ch_PP-OCRv4_rec_infer"]
        self.sessions = [onnxruntime.InferenceSession(assets / f"{name}.onnx") for name in names]
        self.letters = ["", *(assets / "ppocr_keys_v1.txt").read_text("utf-8").split("\n"), " "]

    def run(self, network, pictures, mean=0.5, deviation=0.5):
        """Returns the output of one of the networks for pictures in blue, green and red."""
        planes = ((pictures / 255 - mean) / deviation).transpose(0, 3, 1, 2).astype(np.float32)
        return self.sessions[network].run(None, {"x": planes})[0]

    def probabilities(self, image):
        return self.run(0, image[None], [0.485, 0.456, 0.406], [0.229, 0.224, 0.225])[0, 0]

    def directions(self, pictures):
        return self.run(1, pictures)

    def spelt(self, pictures):
        for row in self.run(2, pictures):
            numbers, sure = row.argmax(axis=1), row.max(axis=1)
            kept = (numbers != 0) & (numbers != np.concatenate([[0], numbers[:-1]]))
            yield "".join(self.letters[number] for number in numbers[kept]), sure[kept].mean() if kept.any() else 0.0

    def boxes(self, image):
        height, width = image.shape[:2]
        scale = min(1, 960 / max(height, width))
        rows, columns = (max(32, round(side * scale / 32) * 32) for side in (height, width))
        map = self.probabilities(cv2.resize(image, (columns, rows)))
        contours, _ = cv2.findContours((map > 0.3).astype(np.uint8), cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
        for contour in contours:
            mask = cv2.fillPoly(np.zeros(map.shape, np.uint8), [contour], 1)
            rectangle = cv2.minAreaRect(contour)
            if cv2.mean(map, mask)[0] < 0.6 or min(rectangle[1]) < 3:
                continue
            corners = cv2.boxPoints(rectangle)
            distance = cv2.contourArea(corners) * 1.6 / cv2.arcLength(corners, True)
            offset = pyclipper.PyclipperOffset()
            offset.AddPath(corners, pyclipper.JT_ROUND, pyclipper.ET_CLOSEDPOLYGON)
            (grown,) = offset.Execute(distance)
            corners = cv2.boxPoints(cv2.minAreaRect(np.array(grown)))
            corners = corners[np.argsort(corners[:, 0], kind="stable")]
            left, right = (side[np.argsort(side[:, 1])] for side in (corners[:2], corners[2:]))
            corners = np.array([left[0], right[0], right[1], left[1]]) * [width / columns, height / rows]
            yield np.clip(corners, 0, [width - 1, height - 1]).astype(np.float32)

    def cut(self, image, box):
        width = max(np.linalg.norm(box[0] - box[1]), np.linalg.norm(box[3] - box[2]))
        height = max(np.linalg.norm(box[0] - box[3]), np.linalg.norm(box[1] - box[2]))
        size = (int(width), int(height))
        whole = np.array([[0, 0], [size[0], 0], size, [0, size[1]]], np.float32)
        line = cv2.warpPerspective(
            image, cv2.getPerspectiveTransform(box, whole), size, borderMode=cv2.BORDER_REPLICATE, flags=cv2.INTER_CUBIC
        )
        return np.rot90(line) if height >= 1.5 * width else line

    def lines(self, image):
        """Returns the text of a picture, from top to bottom."""
        # The distance between adjacent lines in the pages with several columns.
        boxes = sorted(self.boxes(image), key=lambda box: (box[:, 1].mean() // 50, box[0, 0]))
        for box in boxes:
            line = self.cut(image, box)
            if self.directions(padded(line, 192))[0, 1] > 0.9:
                line = cv2.rotate(line, cv2.ROTATE_180)
            ((text, score),) = self.spelt(padded(line, max(320, columns(line))))
            if score >= 0.5:
                yield text, score, box


def columns(line):
    """Returns the width of a line that is scaled to a height of 48 pixels."""
    return int(np.ceil(48 * line.shape[1] / line.shape[0]))


def padded(line, width):
    """Scales a line to a height of 48 pixels and this width, padded with grey or truncated."""
    line = cv2.resize(line, (columns(line), 48))[:, :width]
    return np.pad(line, ((0, 0), (0, width - line.shape[1]), (0, 0)), constant_values=127)[None]


def blue_first(image):
    return np.ascontiguousarray(np.asarray(image.convert("RGB"))[..., ::-1])


# Without spaces, whose detection can depend on a tenth of a pixel.
LONG = "The-quick-brown-fox-jumps-over-the-lazy-dog-1234567890"

PAGES = {
    "nothing": drawn([], (200, 100)),
    "one": drawn([("Hello,World!", (20, 20))], (240, 80)),
    "two": drawn([("first-line", (20, 20)), ("second-line", (30, 80))], (256, 140)),
    "columns": drawn([(f"{word}-{number + 10}", (20 + 180 * (number % 2), 15 + 50 * (number // 2))) for number, word in
                      enumerate(["alpha", "beta", "gamma", "delta", "epsilon"])], (384, 160), 24),
    "long": drawn([(LONG, (12, 20))], (640, 72), 22),
    "turned": drawn([("upside-down", (30, 24)), ("second-line", (30, 84))], (256, 140), angle=180),
    "slanted": drawn([("slanted-text", (40, 110))], (288, 256), angle=20),
    "colours": drawn([("Yellow-on-blue", (20, 20))], (288, 80), ink="yellow", paper="navy"),
    "large": drawn([("LARGE", (400, 20))], (1400, 100), 50),
}


# The number of lines of each page.
LINES = dict(zip(PAGES, [0, 1, 2, 5, 1, 2, 1, 1, 1]))

# The pages that tritonserver reads.
SOME = ["nothing", "one", "two", "columns", "turned", "colours"]


def compare(read, expected, name):
    assert [text for text, _, _ in read] == [text for text, _, _ in expected], (name, read, expected)
    for (_, score, box), (_, right, corners) in zip(read, expected):
        assert abs(score - right) < 0.05, (name, read, expected)
        assert np.abs(box - corners).max() < PIXELS, (name, box, corners)


def networks(server, reference):
    """Checks each of the three models, alone and in batches."""
    page = PAGES["columns"]
    pages = np.stack([np.asarray(page), np.asarray(page.rotate(180))])
    (map,) = ask(server, "Detection", "picture", pages, ["probability"])
    expected = [reference.probabilities(page[..., ::-1]) for page in pages]
    np.testing.assert_allclose(map, expected, atol=1e-3)
    assert (map > 0.9).any()

    one, other = (blue_first(PAGES[name])[15:65] for name in ("one", "colours"))
    lines = np.concatenate([padded(one, 192), padded(one[::-1, ::-1], 192), padded(other, 192)])
    (directions,) = ask(server, "Direction", "line", lines[..., ::-1], ["direction"])
    np.testing.assert_allclose(directions, reference.directions(lines), atol=1e-3)
    assert directions.argmax(axis=1).tolist() == [0, 1, 0], directions

    lines = np.concatenate([padded(one, 320), padded(other, 320)])
    texts, scores = ask(server, "Recognition", "line", lines[..., ::-1], ["text", "score"])
    expected = list(reference.spelt(lines))
    assert [text.decode() for (text,) in texts] == [text for text, _ in expected], (texts, expected)
    np.testing.assert_allclose(scores[:, 0], [score for _, score in expected], atol=1e-3)


def refused(server):
    """Checks invalid inputs of the networks."""
    for model, name, shape, expected in [
        ("Detection", "picture", (1, 33, 32, 3), "multiples of 32"),
        ("Detection", "picture", (1, 2048, 2080, 3), "at most 4194304"),
        ("Recognition", "line", (1, 48, 9, 3), "multiple of 8"),
        ("Recognition", "line", (1, 48, 2568, 3), "multiple of 8"),
    ]:
        try:
            ask(server, model, name, np.zeros(shape, np.uint8), [])
        except InferenceServerException as error:
            assert expected in error.message(), error
        else:
            raise AssertionError(f"{model} takes {shape}")


def ask(server, model, name, values, outputs):
    given = tritonclient.http.InferInput(name, list(values.shape), "UINT8")
    given.set_data_from_numpy(np.ascontiguousarray(values))
    answer = server.infer(model, [given])
    return [answer.as_numpy(output) for output in outputs]


def same(url, read):
    """Checks that the form of a picture does not change its text, and pictures without text."""
    page, expected = PAGES["one"], [text for text, _, _ in read(url, [encoded(PAGES["one"])])[0]]
    clear = Image.new("RGBA", page.size, (0, 0, 0, 0))
    clear.paste(page, mask=Image.eval(page.convert("L"), lambda level: 255 - level))
    sideways = Image.Exif()
    sideways[0x0112] = 6
    same = {
        "grey": encoded(page.convert("L")),
        "transparent": encoded(clear),
        "16 bits": encoded(Image.fromarray(np.asarray(page.convert("L")).astype(np.uint16) * 257)),
        "CMYK JPEG": encoded(page.convert("CMYK"), "JPEG", quality=95),
        "a JPEG that lies on its side": encoded(page.rotate(90, expand=True), "JPEG", quality=95, exif=sideways),
        "a URL": b"data:image/png;base64," + base64.b64encode(encoded(page)),
    }
    for name, picture in same.items():
        assert [text for text, _, _ in read(url, [picture])[0]] == expected, name
    blank = [(1, 1), (1, 300), (300, 1), (2000, 3)]
    for size in blank:
        assert read(url, [encoded(Image.new("L", size, 255))]) == [[]], size


def broken(url, read, expected):
    """Checks that invalid pictures affect neither the server nor other requests."""
    picture = encoded(PAGES["one"])
    broken = {b"data:image/png;base64,?": "no base 64", b"": "no PNG or JPEG", b"GIF89a": "no PNG or JPEG", picture[: len(picture) // 2]: "no PNG or JPEG"}
    # 250 million pixels in a few kilobytes.
    broken[encoded(Image.new("1", (16000, 16000)))] = "at most 16777216 pixels, found 16000 x 16000"
    for picture, message in broken.items():
        try:
            read(url, [picture])
        except InferenceServerException as error:
            assert message in error.message(), error
        else:
            raise AssertionError("it was read")
    (lines,) = read(url, [encoded(PAGES["one"])])
    compare(lines, expected, "one")


def main():
    http, grpc, package, example, engine = sys.argv[1:]
    sys.path.insert(0, example)
    import client

    # Both engines call the same code for a picture. tritonserver forms the batches and runs the
    # calls between the models, so it reads one page of each form that these depend on.
    whole = engine == "embedded"
    pages = {name: page for name, page in PAGES.items() if whole or name in SOME}
    reference = Reference(package)
    expected = {name: list(reference.lines(blue_first(page))) for name, page in pages.items()}
    assert [len(lines) for lines in expected.values()] == [LINES[name] for name in pages], expected
    assert [text for text, _, _ in expected["turned"]] == ["second-line", "upside-down"], expected["turned"]
    with tritonclient.http.InferenceServerClient(http, network_timeout=100) as server:
        networks(server, reference)
        refused(server)

    # Single files, several in a batch, and requests of several clients.
    files = {name: encoded(page) for name, page in pages.items()}
    for name in files if whole else ["columns"]:
        (lines,) = client.read(http, [files[name]])
        compare(lines, expected[name], name)
    names = ["two", "nothing", "turned"]
    batch = client.question([files[name] for name in names], tritonclient.grpc)
    with tritonclient.grpc.InferenceServerClient(grpc) as server:
        for name, lines in zip(names, client.lines(server.infer("OCR", [batch]))):
            compare(lines, expected[name], name)
    names = ["one", "two", "turned", "colours"]
    with tritonclient.http.InferenceServerClient(http, concurrency=4, network_timeout=100) as server:
        begun = [server.async_infer("OCR", [client.question([files[name]])]) for name in names]
        for name, answer in zip(names, begun):
            (lines,) = client.lines(answer.get_result())
            compare(lines, expected[name], name)

    broken(http, client.read, expected["one"])
    if not whole:
        return
    same(http, client.read)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "page.png"
        path.write_bytes(files["two"])
        command = [sys.executable, str(pathlib.Path(example) / "client.py"), http, str(path)]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert [line.split()[-1] for line in said.splitlines()] == [text for text, _, _ in expected["two"]], said


if __name__ == "__main__":
    main()
