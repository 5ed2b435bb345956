"""Compressed requests and responses."""

import gzip
import json
import zlib

import numpy as np
import pytest
import tritonclient.http

from wire import TRITONSERVER, request, tensor

PATH = "/v2/models/I_FP32/infer"
DOCUMENT = {"inputs": [{"name": "INPUT_1", "datatype": "FP32", "shape": [1, 2], "data": [1, 2]}]}
BODY = json.dumps(DOCUMENT).encode()
COMPRESS = {"gzip": gzip.compress, "deflate": zlib.compress}
DECOMPRESS = {"gzip": gzip.decompress, "deflate": zlib.decompress}


@pytest.mark.parametrize("there", [None, "gzip", "deflate"])
@pytest.mark.parametrize("back", [None, "gzip", "deflate"])
@pytest.mark.parametrize("binary", [False, True])
def test_client_compresses_both_ways(http, there, back, binary):
    sent = np.arange(5000, dtype=np.float32).reshape(1, 5000)
    inputs = [tensor(tritonclient.http, "INPUT_1", sent, binary_data=binary)]
    outputs = [tritonclient.http.InferRequestedOutput("OUTPUT_1", binary_data=binary)]
    result = http.infer(
        "I_FP32",
        inputs,
        outputs=outputs,
        request_compression_algorithm=there,
        response_compression_algorithm=back,
    )
    np.testing.assert_array_equal(result.as_numpy("OUTPUT_1"), sent)


@pytest.mark.parametrize("encoding", COMPRESS)
def test_compressed_request_is_accepted(encoding):
    headers = {"Content-Encoding": encoding}
    status, _, body = request("POST", PATH, COMPRESS[encoding](BODY), headers)
    assert status == 200
    assert json.loads(body)["outputs"][0]["data"] == [1.0, 2.0]


@pytest.mark.parametrize("accepted", ["gzip", "deflate", "gzip, deflate", "deflate, gzip;q=0.5"])
def test_response_is_compressed_on_request(accepted):
    status, headers, body = request("POST", PATH, BODY, {"Accept-Encoding": accepted})
    assert status == 200
    encoding = headers["Content-Encoding"]
    assert encoding in accepted
    assert json.loads(DECOMPRESS[encoding](body))["outputs"][0]["data"] == [1.0, 2.0]


@pytest.mark.parametrize("accepted", ["br", "identity"])
def test_response_is_not_compressed_without_a_supported_encoding(accepted):
    status, headers, body = request("POST", PATH, BODY, {"Accept-Encoding": accepted})
    assert status == 200
    assert headers["Content-Encoding"] is None
    assert json.loads(body)["outputs"][0]["data"] == [1.0, 2.0]


@pytest.mark.parametrize(
    "encoding, body",
    [
        ("gzip", BODY),
        ("gzip", gzip.compress(BODY)[:-12]),
        ("gzip", b""),
        ("deflate", BODY),
        ("deflate", zlib.compress(BODY)[:-6]),
    ],
)
def test_invalid_compressed_body_is_refused(encoding, body, then_right):
    status, _, answer = request("POST", PATH, body, {"Content-Encoding": encoding})
    if TRITONSERVER:
        # tritonserver uses the part that it can decompress, and reads an empty body as an empty
        # tensor.
        assert status in (200, 400, 500), answer
    else:
        assert status == 400, answer
        assert json.loads(answer)["error"]


@pytest.mark.parametrize("encoding", ["br", "gzip, gzip", "zstd"])
def test_unknown_encodings_are_refused(encoding, then_right):
    status, headers, answer = request("POST", PATH, BODY, {"Content-Encoding": encoding})
    assert (status, headers["Accept-Encoding"]) == (501, "gzip, deflate")
    assert json.loads(answer) == {"error": "Unsupported compression type"}


def test_decompression_bomb_is_refused(then_right):
    bomb = gzip.compress(b"[" + b" " * (512 << 20), compresslevel=1)
    status, _, answer = request("POST", PATH, bomb, {"Content-Encoding": "gzip"})
    # tritonserver decompresses the body, and finds no JSON.
    assert status in ((500,) if TRITONSERVER else (400, 413)), answer
