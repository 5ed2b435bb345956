"""NVIDIA's asyncio clients."""

import asyncio

import numpy as np
import pytest
import tritonclient.grpc.aio
import tritonclient.http.aio
from tritonclient.utils import InferenceServerException

from wire import GRPC, HTTP

CLIENTS = {"http": (tritonclient.http.aio, HTTP), "grpc": (tritonclient.grpc.aio, GRPC)}


def run(flavour, main):
    """Runs `main(module, client)` with a timeout of twenty seconds."""
    module, address = CLIENTS[flavour]

    async def with_client():
        client = module.InferenceServerClient(address)
        try:
            return await asyncio.wait_for(main(module, client), 20)
        finally:
            await client.close()

    return asyncio.run(with_client())


def given(module, name, array):
    made = module.InferInput(name, list(array.shape), "FP32")
    made.set_data_from_numpy(array)
    return made


@pytest.mark.parametrize("flavour", CLIENTS)
def test_surface(flavour):
    async def main(module, client):
        assert await client.is_server_live()
        assert await client.is_server_ready()
        assert await client.is_model_ready("AddSub")
        assert not await client.is_model_ready("Nope")
        metadata = await client.get_model_metadata("AddSub")
        assert (metadata["name"] if isinstance(metadata, dict) else metadata.name) == "AddSub"

    run(flavour, main)


@pytest.mark.parametrize("flavour", CLIENTS)
def test_concurrent_requests(flavour):
    async def main(module, client):
        async def one(index):
            rows = 1 + index % 4
            a = np.full((rows, 3), index, dtype=np.float32)
            b = np.arange(rows * 3, dtype=np.float32).reshape(rows, 3)
            inputs = [given(module, "a", a), given(module, "b", b)]
            result = await client.infer("AddSub", inputs, request_id=str(index))
            response = result.get_response()
            assert (response["id"] if isinstance(response, dict) else response.id) == str(index)
            np.testing.assert_array_equal(result.as_numpy("add"), a + b)
            np.testing.assert_array_equal(result.as_numpy("sub"), a - b)

        await asyncio.gather(*(one(index) for index in range(64)))

    run(flavour, main)


@pytest.mark.parametrize("flavour", CLIENTS)
def test_client_recovers_after_errors(flavour):
    async def main(module, client):
        x = np.array([[-1.0]], dtype=np.float32)
        with pytest.raises(InferenceServerException, match="-1 is below zero"):
            await client.infer("Fail", [given(module, "INPUT_1", x)])
        with pytest.raises(InferenceServerException, match="unknown model: 'Nope'"):
            await client.infer("Nope", [given(module, "INPUT_1", x)])
        result = await client.infer("Fail", [given(module, "INPUT_1", -x)])
        np.testing.assert_array_equal(result.as_numpy("OUTPUT_1"), -x)

    run(flavour, main)


def test_stream():
    async def main(module, client):
        async def requests():
            for index in range(20):
                x = np.full((1, 2), index - 10, dtype=np.float32)
                yield {
                    "model_name": "Raw",
                    "inputs": [given(module, "INPUT_1", x)],
                    "request_id": str(index),
                }

        good, bad = {}, 0
        async for result, error in client.stream_infer(requests()):
            if error is None:
                good[int(result.get_response().id)] = result.as_numpy("OUTPUT_1")[0, 0]
            else:
                assert "has a value below zero" in str(error)
                bad += 1
            if len(good) + bad == 20:
                break
        assert good == {index: 2 * (index - 10) for index in range(10, 20)}
        assert bad == 10

    run("grpc", main)
