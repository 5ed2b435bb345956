"""Generates a client with openapi-python-client, and imports each of its modules.

Usage: openapi_generated.py DOCUMENT FOLDER [HTTP TOKEN], with the address of a server of the
example `linear`
"""

import contextlib
import importlib
import io
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

GUIDE = Path(__file__).parents[2] / "docs" / "openapi.md"


def generate(document, folder):
    name = f"{Path(document).stem}_client"
    config = Path(folder, "config.json")
    config.write_text('{"post_hooks": []}')
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--path", document]
    options = ["--meta", "none", "--fail-on-warning", "--config", str(config)]
    subprocess.run([*command, *options, "--output-path", str(Path(folder, name))], check=True)
    sys.path.insert(0, folder)
    package = importlib.import_module(name)
    for module in pkgutil.walk_packages(package.__path__, f"{name}."):
        importlib.import_module(module.name)


def follow_guide(http):
    """Runs the example in the guide, and compares the output."""
    ((program, expected),) = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", GUIDE.read_text(), re.S)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(program.replace("localhost:8000", http), {})
    assert printed.getvalue() == expected, printed.getvalue()


def ask(http, token):
    from linear_client import AuthenticatedClient, Client
    from linear_client.api.linear import linear_generate, linear_infer, linear_metadata, linear_ready, linear_stats
    from linear_client.models import (
        Error,
        LinearGenerateRequest,
        LinearInferRequest,
        LinearInputScale,
        LinearInputX,
    )

    rows = [[float(row + column) for column in range(20)] for row in range(2)]
    expected = [
        2 * sum(value * (i + j) / 16 for i, value in enumerate(row)) for row in rows for j in range(30)
    ]

    def request(*scales):
        return LinearInferRequest(
            id="7",
            inputs=[
                LinearInputX(shape=[2, 20], data=rows),
                LinearInputScale(shape=[2, 1], data=list(scales)),
            ],
        )

    def close(data, expected):
        assert len(data) == len(expected)
        assert all(abs(one - other) <= 1e-4 * abs(other) for one, other in zip(data, expected)), data

    with Client(f"http://{http}") as client:
        answer = linear_infer.sync(client=client, body=request(2.0, 2.0))
        assert (answer.model_name, answer.model_version, answer.id) == ("Linear", "1", "7"), answer
        (output,) = answer.outputs
        assert (output.name, output.datatype, output.shape) == ("OUTPUT_1", "FP32", [2, 30]), output
        close(output.data, expected)

        refused = linear_infer.sync_detailed(client=client, body=request(2.0, 3.0))
        assert 400 <= refused.status_code < 600 and isinstance(refused.parsed, Error), refused
        assert "scale" in refused.parsed.error, refused

        body = LinearGenerateRequest(x=rows[0], scale=2.0)
        answer = linear_generate.sync(client=client, body=body)
        close(answer.output_1, expected[:30])

        metadata = linear_metadata.sync(client=client)
        assert [tensor.name for tensor in metadata.inputs] == ["x", "scale"], metadata
        assert linear_ready.sync_detailed(client=client).status_code == 200

    key = {"token": token, "prefix": "", "auth_header_name": "triton-access-token"}
    with AuthenticatedClient(f"http://{http}", **key) as client:
        (statistics,) = linear_stats.sync(client=client).model_stats
        assert (statistics.name, statistics.inference_count) == ("Linear", 4), statistics


document, folder, *server = sys.argv[1:]
generate(document, folder)
if server:
    follow_guide(server[0])
    ask(*server)
