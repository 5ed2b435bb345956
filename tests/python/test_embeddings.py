"""Models behind OpenAI's route for embeddings, called by OpenAI's client, on both engines."""

import base64
import json
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import openai
import pytest
import tritonclient.http

from wire import HTTP, TIMEOUT, infer, request

OPENAI = os.environ["PYTRITON_TEST_OPENAI"]


@pytest.fixture
def client():
    with openai.OpenAI(base_url=f"http://{OPENAI}/v1", api_key="any", max_retries=0, timeout=TIMEOUT) as client:
        yield client


def post(document, **headers):
    """Returns the status and the parsed body of a plain request."""
    status, _, body = request("POST", "/v1/embeddings", json.dumps(document), headers, address=OPENAI)
    return status, json.loads(body)


def vector(text, rows, scale=1):
    return [len(text.encode()), (text.encode() or b"\0")[0], rows, scale]


@pytest.mark.parametrize("encoding", [openai.NOT_GIVEN, "float", "base64"])
def test_texts_become_vectors_in_their_order(client, encoding):
    # Eight rows are a batch, and the texts of one cost at most 64 bytes.
    batches = [["one"], ["héllo \"wörld\"\n", ""], ["x" * 30] * 2, ["y" * 200], ["z"] * 8, ["a b"] * 3]
    for chosen in [batches[:1], batches[1:2], batches[2:4], batches]:
        answer = client.embeddings.create(model="Vectors", input=sum(chosen, []), encoding_format=encoding)
        assert (answer.object, answer.model) == ("list", "Vectors")
        assert [(one.object, one.index) for one in answer.data] == [
            ("embedding", index) for index in range(sum(map(len, chosen)))]
        vectors = [one.embedding for one in answer.data]
        if encoding == "base64":
            vectors = [np.frombuffer(base64.b64decode(one), "<f4") for one in vectors]
        for text, found in zip(sum(chosen, []), vectors):
            assert len(found) == 4
            assert list(found[:2]) == vector(text, 0)[:2] and 1 <= found[2] <= 8 and found[3] == 1
        tokens = sum(len(text.split()) for text in sum(chosen, []))
        assert (answer.usage.prompt_tokens, answer.usage.total_tokens) == (tokens, tokens)


def test_one_text_is_a_string(client):
    answer = client.embeddings.create(model="Vectors", input="héllo", user="someone")
    (only,) = answer.data
    assert only.embedding == vector("héllo", 1)


def test_members_are_inputs_of_all_rows(client):
    answer = client.embeddings.create(model="Vectors", input=["a"] * 20, extra_body={"scale": 0.5})
    assert {one.embedding[3] for one in answer.data} == {0.5}


def test_shortened_vectors_have_length_one(client):
    answer = client.embeddings.create(model="Vectors", input=["a" * 97, "aaa"], dimensions=2)
    for one, length in zip(answer.data, [97, 3]):
        expected = np.array([length, 97]) / np.hypot(length, 97)
        np.testing.assert_allclose(one.embedding, expected, atol=1e-6)
    answer = client.embeddings.create(model="Vectors", input="a", dimensions=4)
    assert answer.data[0].embedding == vector("a", 1)


def test_texts_of_several_requests_share_a_batch(client):
    with ThreadPoolExecutor(32) as pool:
        for _ in range(20):
            answers = pool.map(lambda _: client.embeddings.create(model="Vectors", input="a"), range(64))
            rows = {answer.data[0].embedding[2] for answer in answers}
            if max(rows) > 1:
                return
    raise AssertionError("no batch had two rows")


def refused(client, **members):
    """Returns the error of a request."""
    with pytest.raises(openai.APIStatusError) as raised:
        client.embeddings.create(**{"model": "Vectors", "input": "a", **members})
    error = raised.value
    return error.status_code, error.type, error.param, error.code, error.body["message"]


def test_errors_have_the_format_of_the_api(client):
    invalid = "invalid_request_error"
    table = [
        ({"input": [1, 2, 3]}, 400, invalid, "input", "invalid_value", "tokens are not supported"),
        ({"input": [[1, 2], [3]]}, 400, invalid, "input", "invalid_value", "tokens are not supported"),
        ({"input": []}, 400, invalid, "input", "invalid_value", "at least one"),
        ({"input": ["a"] * 2049}, 400, invalid, "input", "invalid_value", "at most 2048"),
        ({"dimensions": 5}, 400, invalid, "dimensions", "invalid_value", "have 4 numbers"),
        ({"dimensions": 0}, 400, invalid, "dimensions", "invalid_value", "at least 1"),
        ({"encoding_format": "int8"}, 400, invalid, "encoding_format", "invalid_value", "base64"),
        ({"extra_body": {"scale": "x"}}, 400, invalid, "scale", "invalid_value", "a number"),
        ({"model": "nope"}, 404, invalid, "model", "model_not_found", "does not exist"),
        ({"model": "Letters"}, 404, invalid, "model", None, "/v1/completions"),
        ({"model": "NotFinite"}, 500, "server_error", None, None, "finite numbers"),
        # One of several batches fails.
        ({"input": ["a"] * 20 + ["fail"]}, 400, invalid, None, None, "as it was told"),
    ]
    for members, *expected, text in table:
        found = refused(client, **members)
        assert list(found[:4]) == expected and text in found[4], (members, found)
    status, answer = post({"model": "Vectors"})
    assert (status, answer["error"]["code"]) == (400, "missing_required_parameter")
    with pytest.raises(openai.NotFoundError):
        client.completions.create(model="Vectors", prompt="a")


def test_models_are_listed(client):
    assert {"Vectors", "NotFinite"} <= {model.id for model in client.models.list()}


def test_model_is_served_over_kserve():
    client = tritonclient.http.InferenceServerClient(HTTP, network_timeout=TIMEOUT)
    texts = np.array([["a"], ["bb"]], dtype=np.object_)
    outputs = infer(tritonclient.http, client, "Vectors", {"texts": texts})
    assert outputs["vectors"].tolist() == [vector("a", 2), vector("bb", 2)]
    assert outputs["prompt_tokens"].tolist() == [[1], [1]]
