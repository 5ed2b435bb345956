"""OpenAI routes over TLS, with a tritonserver without TLS."""

import os

import httpx
import openai

from wire import trusting

OPENAI = os.environ["PYTRITON_TEST_OPENAI"]


def test_openai_client_connects():
    with httpx.Client(verify=trusting()) as transport:
        url = f"https://{OPENAI}/v1"
        client = openai.OpenAI(base_url=url, api_key="any", http_client=transport, max_retries=0)
        assert "Letters" in [model.id for model in client.models.list()]
        whole = client.completions.create(model="Letters", prompt="abc")
        assert whole.choices[0].text
