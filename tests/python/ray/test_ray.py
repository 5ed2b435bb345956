"""Tests the Ray Serve example on a cluster of two nodes, as `deploy/ray` configures it."""

import json
import os
import signal
import socket
import struct
import threading
import time
from pathlib import Path

import httpx
import pytest
import yaml

# Puts all nodes on the loopback interface, which Ray does on systems with a firewall prompt.
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

import ray
from ray import serve
from ray.cluster_utils import Cluster
from ray.serve.context import _get_global_client
from ray.serve.schema import ServeDeploySchema

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "examples" / "linear_python"
MANIFEST = yaml.safe_load((ROOT / "deploy" / "ray" / "ray-service.yaml").read_text())
SCALE = 2.0
PRODUCTS = [23.75, 26.25, 28.75, 31.25]


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@pytest.fixture(scope="module")
def url():
    # The replicas import the example, too.
    os.environ["PYTHONPATH"] = str(EXAMPLE)
    node = {"num_cpus": 2, "object_store_memory": 80 << 20}
    cluster = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    cluster.add_node(**node)
    ray.init(address=cluster.address)
    port = free_port()
    serve.start(http_options={"host": "127.0.0.1", "port": port})
    # One processor each, so that three replicas use both nodes.
    settings = ServeDeploySchema.model_validate(yaml.safe_load(MANIFEST["spec"]["serveConfigV2"]))
    _get_global_client().deploy_apps(settings, _blocking=True)
    yield f"http://127.0.0.1:{port}"
    serve.shutdown()
    ray.shutdown()
    cluster.shutdown()


def body(factor, scale=SCALE):
    return {
        "inputs": [
            {"name": "x", "datatype": "FP32", "shape": [1, 20], "data": [factor] * 20},
            {"name": "scale", "datatype": "FP32", "shape": [1, 1], "data": [scale]},
        ]
    }


def test_manifest_has_the_version_and_the_deployments(url):
    cluster = MANIFEST["spec"]["rayClusterConfig"]
    assert cluster["rayVersion"] == ray.__version__
    image = (ROOT / "deploy" / "images" / "ray.Dockerfile").read_text()
    assert f"FROM rayproject/ray:{ray.__version__}-" in image
    (application,) = serve.status().applications.values()
    assert application.status == "RUNNING"
    (deployment,) = application.deployments.values()
    assert deployment.replica_states == {"RUNNING": 3}
    # Each replica needs the processor of a worker; the head has none.
    workers = cluster["workerGroupSpecs"][0]
    assert cluster["headGroupSpec"]["rayStartParams"]["num-cpus"] == "0"
    assert workers["replicas"] == 3


def test_responses_match_the_server(url):
    answer = httpx.post(f"{url}/v2/models/Linear/infer", json=body(1.0), timeout=30)
    assert answer.status_code == 200, answer.text
    (output,) = answer.json()["outputs"]
    assert (output["name"], output["datatype"], output["shape"]) == ("OUTPUT_1", "FP32", [1, 30])
    assert output["data"][:4] == PRODUCTS
    wrong = body(1.0)
    wrong["inputs"][0]["datatype"] = "FP64"
    answer = httpx.post(f"{url}/v2/models/Linear/infer", json=wrong, timeout=30)
    assert answer.status_code == 400
    assert "data-type is 'FP64', but model 'Linear' expects 'FP32'" in answer.json()["error"]
    for path, status in (
        ("/v2/health/ready", 200),
        ("/v2/health/anything", 404),
        ("/v2/models/Linear", 200),
        ("/v2/models/Linear/versions/2", 404),
        # Restricted routes stay restricted.
        ("/v2/models/stats", 403),
        ("/docs", 200),
    ):
        assert httpx.get(f"{url}{path}", timeout=30).status_code == status, path


def test_binary_requests_are_accepted(url):
    """Sends binary requests like NVIDIA's client, with additional members."""
    x, scale = struct.pack("<20f", *[1.0] * 20), struct.pack("<f", SCALE)
    asked = {
        "id": "mine",
        "inputs": [
            {"name": "x", "datatype": "FP32", "shape": [1, 20], "parameters": {"binary_data_size": len(x)}},
            {"name": "scale", "datatype": "FP32", "shape": [1, 1], "parameters": {"binary_data_size": len(scale)}},
        ],
        "outputs": [{"name": "OUTPUT_1", "parameters": {"binary_data": True}}],
    }
    head = json.dumps(asked).encode()
    headers = {"inference-header-content-length": str(len(head)), "content-type": "application/octet-stream"}
    answer = httpx.post(f"{url}/v2/models/Linear/infer", content=head + x + scale, headers=headers, timeout=30)
    assert answer.status_code == 200, answer.text
    length = int(answer.headers["inference-header-content-length"])
    assert json.loads(answer.content[:length])["id"] == "mine"
    assert list(struct.unpack("<4f", answer.content[length : length + 16])) == PRODUCTS
    asked["outputs"][0]["name"] = "other"
    head = json.dumps(asked).encode()
    headers["inference-header-content-length"] = str(len(head))
    answer = httpx.post(f"{url}/v2/models/Linear/infer", content=head + x + scale, headers=headers, timeout=30)
    assert answer.status_code == 400 and "other" in answer.text


def test_responses_are_streamed(url):
    body = {"from": 3}
    with httpx.stream("POST", f"{url}/v2/models/Countdown/generate_stream", json=body, timeout=30) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        events = [json.loads(line[6:]) for line in answer.iter_lines() if line.startswith("data: ")]
    assert [event["OUTPUT_1"] for event in events] == [3, 2, 1, 0]


def test_killed_replica_loses_no_response(url):
    lock = threading.Lock()
    replicas, tried_again, wrong, answered = set(), [], [], []
    ended = threading.Event()

    def ask(thread):
        with httpx.Client(timeout=30) as client:
            number = 0
            while not ended.is_set():
                number += 1
                factor = float(thread * 1000 + number % 1000)
                while True:
                    try:
                        answer = client.post(f"{url}/v2/models/Linear/infer", json=body(factor))
                    except httpx.TransportError as error:
                        tried_again.append(repr(error))
                        continue
                    if answer.status_code == 200:
                        break
                    tried_again.append(answer.status_code)
                with lock:
                    replicas.add(int(answer.headers["replica"]))
                    answered.append(factor)
                got = answer.json()["outputs"][0]["data"][:4]
                if got != pytest.approx([product * factor for product in PRODUCTS], rel=1e-5):
                    wrong.append((factor, got))

    threads = [threading.Thread(target=ask, args=(thread,)) for thread in range(1, 9)]
    for thread in threads:
        thread.start()

    def wait_for(condition):
        deadline = time.monotonic() + 180
        while not condition():
            assert time.monotonic() < deadline
            time.sleep(0.05)

    try:
        wait_for(lambda: len(replicas) == 3)
        with lock:
            killed = next(iter(replicas))
            before = len(answered)
        os.kill(killed, signal.SIGKILL)
        # A new replica replaces it and responds.
        wait_for(lambda: len(replicas) == 4)
        wait_for(lambda: len(answered) > before + 100)
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    assert not wrong
    print(f"{len(answered)} answers, {len(tried_again)} tried again: {set(map(str, tried_again))}")
    # At most the requests that the killed replica had accepted.
    assert len(tried_again) <= 64
