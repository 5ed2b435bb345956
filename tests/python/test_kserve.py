"""KServe's own client, over HTTP/1.1 and over HTTP/2."""

import asyncio
import os

import pytest
from kserve import InferenceRESTClient, InferInput, InferRequest, RESTConfig

HTTP = "http://" + os.environ["PYTRITON_TEST_HTTP"]
DATA = [[1.0, 2.0]]


@pytest.fixture(params=[False, True], ids=["http1", "http2"])
def ask(request):
    """Calls a method of a client, in a loop of its own."""

    def call(method, *arguments, **options):
        async def calling():
            client = InferenceRESTClient(RESTConfig(protocol="v2", http2=request.param, retries=0, timeout=20))
            try:
                return await getattr(client, method)(HTTP, *arguments, **options)
            finally:
                await client.close()

        return asyncio.run(calling())

    return call


def test_server_and_models_are_live_and_ready(ask):
    assert ask("is_server_live") is True
    assert ask("is_server_ready") is True
    assert ask("is_model_ready", "AddSub") is True


def test_a_model_that_is_not_there_is_not_ready(ask):
    try:
        assert ask("is_model_ready", "Nope") is False
    except Exception as error:
        assert "400" in str(error)


def test_infer(ask):
    tensor = InferInput("INPUT_1", [1, 2], "FP32", data=DATA)
    answer = ask("infer", InferRequest("I_FP32", [tensor]), model_name="I_FP32")
    (output,) = answer.outputs
    assert (output.name, output.shape, output.data) == ("OUTPUT_1", [1, 2], [1.0, 2.0])
