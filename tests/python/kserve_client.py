"""Tests KServe's own client over HTTP/1.1 and HTTP/2.

Usage: kserve_client.py HTTP
"""

import asyncio
import sys

from kserve import InferenceRESTClient, InferInput, InferRequest, RESTConfig


async def ask(url, http2):
    client = InferenceRESTClient(RESTConfig(protocol="v2", http2=http2, retries=0, timeout=20))
    try:
        assert await client.is_server_live(url) is True
        assert await client.is_server_ready(url) is True
        assert await client.is_model_ready(url, "AddSub") is True
        assert await client.is_model_ready(url, "Nope") is False
        tensor = InferInput("INPUT_1", [1, 2], "FP32", data=[[1.0, 2.0]])
        answer = await client.infer(url, InferRequest("I_FP32", [tensor]), model_name="I_FP32")
        (output,) = answer.outputs
        assert (output.name, output.shape, output.data) == ("OUTPUT_1", [1, 2], [1.0, 2.0]), output
    finally:
        await client.close()


for http2 in (False, True):
    asyncio.run(ask(f"http://{sys.argv[1]}", http2))
