"""Starts a server as a manifest of `deploy/` specifies, and performs the operations of its
platform.

Usage: unshare --map-root-user --net --mount PYTHON deployed.py NAME BINARY PROGRAM [BACKENDS
MODELS]

The ports are the manifest's, in a network namespace of its own. BINARY has the test models or, for
the agents of platforms, models that are loaded and unloaded. PROGRAM replaces the container's
command if that is not the binary, such as tritonserver with its directories of backends and models.
"""

import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import grpc
import numpy as np
import tritonclient.grpc
from tritonclient.grpc import service_pb2 as pb
from tritonclient.grpc import service_pb2_grpc

import manifests
from asking import DEADLINE, LOCAL, get, post, until
from network import lo_up

# Differs from the address of a server that listens only on localhost.
POD = "127.0.0.2"
# The two parts of preStop in this test: the time in which requests still arrive, and the time
# without requests before SIGTERM.
STILL, NONE = 0.8, 0.2
TOKEN = "a-token-of-sixteen-characters-or-more"


class Pod:
    """A server in the environment of its manifest."""

    def __init__(self, made, binary, program, places):
        self.made = made
        arguments = made.arguments()
        if made.of == manifests.NATIVE:
            replaced = dict(zip(("--backend-directory", "--model-repository"), places))
            arguments = [f"{name}={replaced.get(name, value)}" for name, value in (one.split("=", 1) for one in arguments)]
        started = [program if made.of == manifests.NATIVE else binary, *arguments]
        environment = {"PATH": "/usr/bin:/bin", **made.environment}
        if made.of == manifests.TRITONSERVER:
            environment["PYTRITON_TRITONSERVER"] = program
        mounts = "".join(f"mount --bind {folder} {folder} && " for folder in made.writable())
        self.output = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            ["unshare", "--mount", "sh", "-c", f'{mounts}mount -o remount,bind,ro / && exec "$@"', "sh", *started],
            env=environment, stdout=self.output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        until(lambda: self.passes("startup" if made.probe("startup") else "readiness") or self.ended(), "it does not start")
        assert not self.ended(), self.log()

    def passes(self, kind):
        """Returns the result of a probe of the kubelet."""
        port, path = self.made.probe(kind)
        status, _ = get(port, path, POD)
        return status is not None and 200 <= status < 400

    def ended(self):
        return self.process.poll() is not None

    def log(self):
        self.output.seek(0)
        return self.output.read()

    def port(self, *names):
        """Returns the port with one of these names, or the only port."""
        ports = self.made.ports()
        return next((ports[name] for name in names if name in ports), next(iter(ports.values())))

    def http(self):
        return self.port("http", "http1", "server-http")

    def grpc(self):
        return self.port("grpc", "h2c", "server-grpc")

    def grpc_host(self):
        # Seldon's agent runs inside the pod.
        return LOCAL if self.made.name == "seldon" else POD


def listens(host, port):
    with socket.socket() as client:
        return client.connect_ex((host, port)) == 0


def ports_are_open(pod):
    """Checks that each port is open and has the protocol of its name."""
    for name, port in pod.made.ports().items():
        host = pod.grpc_host() if "grpc" in name else POD
        # tritonserver opens the metrics port only when it is ready.
        until(lambda: listens(host, port), f"nobody listens at {name}")
    status, text = get(pod.http(), "/v2", POD)
    assert status == 200 and "extensions" in text, text
    with tritonclient.grpc.InferenceServerClient(f"{pod.grpc_host()}:{pod.grpc()}") as client:
        assert client.is_server_live() and client.is_server_ready()
    assert pod.passes("readiness") and pod.passes("liveness")
    # These routes are restricted by default.
    if pod.made.of in (manifests.EMBEDDED, manifests.CUDA):
        assert get(pod.http(), "/v2/models/stats", POD)[0] == 403


def the_token_opens(pod):
    connection = http.client.HTTPConnection(POD, pod.http(), timeout=DEADLINE)
    connection.request("GET", "/v2/models/stats", headers={"triton-access-token": TOKEN})
    assert connection.getresponse().status == 200
    connection.close()


def slow(milliseconds):
    tensor = {"name": "milliseconds", "shape": [1, 1], "datatype": "UINT32", "data": [milliseconds]}
    return json.dumps({"inputs": [tensor]})


def metrics_are_there(pod, model):
    """Checks that the metrics of autoscalers exist after a request."""
    port = pod.made.ports().get("metrics", 8002)
    status, text = get(port, "/metrics", POD)
    assert status == 200
    samples = [line for line in text.splitlines() if not line.startswith("#")]
    for file, names in manifests.metrics():
        for name in names:
            assert any(line.startswith(name + "{") and model in line for line in samples), f"{file}: {name}\n{text}"


def load_is_there(pod):
    """Checks the metrics of endpoint pickers, which read one sample of each."""
    plugins, _ = manifests.picker()
    source, (engine,) = plugins["metrics-data-source"], plugins["core-metrics-extractor"]["engineConfigs"]

    def load():
        status, text = get(source["port"], source["path"], POD)
        assert status == 200
        values = [re.findall(rf"^{engine[spec]} (\d+)$", text, re.M) for spec in ("queuedRequestsSpec", "runningRequestsSpec")]
        assert [len(value) for value in values] == [1, 1], text
        return [int(value) for value, in values]

    assert load() == [0, 0]
    asked = [threading.Thread(target=post, args=(pod.http(), "/v2/models/Slow/infer", slow(1000))) for _ in range(3)]
    for thread in asked:
        thread.start()
    until(lambda: load() == [2, 1], "the load is not reported")
    for thread in asked:
        thread.join()
    assert load() == [0, 0]


def readiness_is_true(pod):
    """Checks that a hanging model is not ready, but that the liveness probe succeeds."""
    asked = threading.Thread(target=post, args=(pod.http(), "/v2/models/Limited/infer", slow(1500)))
    asked.start()
    until(lambda: not pod.passes("readiness"), "it stays ready")
    assert pod.passes("liveness")
    asked.join()
    until(lambda: pod.passes("readiness"), "it does not become ready again")


class Load:
    """Clients of both protocols with a new connection per request, which run while the pod receives
    traffic.
    """

    MODEL, INPUT, MILLISECONDS = "Slow", "milliseconds", 100

    def __init__(self, pod):
        self.pod = pod
        self.sent_here = True
        self.answers, self.mistakes = [], []
        self.under_way = 0
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.run, args=(ask,)) for ask in (self.over_http, self.over_grpc) * 4]
        for thread in self.threads:
            thread.start()
        until(lambda: len(self.answers) >= 4, f"no answers: {self.mistakes}")

    def run(self, ask):
        while self.sent_here and not self.mistakes:
            with self.lock:
                self.under_way += 1
            try:
                assert ask() == self.MILLISECONDS
                self.answers.append(time.monotonic())
            except Exception as error:
                self.mistakes.append(repr(error))
            with self.lock:
                self.under_way -= 1

    def over_http(self):
        status, text = post(self.pod.http(), f"/v2/models/{self.MODEL}/infer", slow(self.MILLISECONDS), POD)
        assert status == 200, text
        return json.loads(text)["outputs"][0]["data"][0]

    def over_grpc(self):
        with tritonclient.grpc.InferenceServerClient(f"{self.pod.grpc_host()}:{self.pod.grpc()}") as client:
            given = tritonclient.grpc.InferInput(self.INPUT, [1, 1], "UINT32")
            given.set_data_from_numpy(np.array([[self.MILLISECONDS]], np.uint32))
            return int(client.infer(self.MODEL, [given]).as_numpy("OUTPUT_1")[0, 0])


def deleted_under_load(pod):
    """Deletes the pod: it receives requests for a while, then none, then SIGTERM. No request is
    lost.
    """
    load = Load(pod)
    if pod.made.sleeps():
        time.sleep(STILL)
    load.sent_here = False
    time.sleep(NONE)
    if pod.made.of == manifests.NATIVE:
        # A stock tritonserver drops active requests at SIGTERM, so preStop must be longer than a
        # request.
        until(lambda: load.under_way == 0, "requests hang")
    else:
        assert load.under_way > 0
    begun = time.monotonic()
    pod.process.send_signal(signal.SIGTERM)
    until(lambda: not pod.passes("readiness"), "it stays ready")
    for thread in load.threads:
        thread.join()
    assert not load.mistakes, f"{load.mistakes}\n{pod.log()}"
    pod.process.wait(pod.made.grace - pod.made.sleeps())
    assert pod.process.returncode == 0, pod.log()
    print(f"{pod.made.name}: {len(load.answers)} answers, ended {time.monotonic() - begun:.2f} s after SIGTERM")


def kserves_agent(pod):
    """Sends the requests of KServe's puller from inside the pod."""
    for name in ("Plain", "Moody"):
        assert get(pod.http(), f"/v2/models/{name}/ready", POD)[0] == 400
        assert post(pod.http(), f"/v2/repository/models/{name}/load", "{}", LOCAL)[0] == 200
        assert get(pod.http(), f"/v2/models/{name}/ready", POD)[0] == 200
    assert post(pod.http(), "/v2/repository/models/Moody/unload", "{}", LOCAL)[0] == 200
    until(lambda: get(pod.http(), "/v2/models/Moody/ready", POD)[0] == 400, "it stays")
    until(lambda: pod.passes("readiness"), "it is not ready without it")
    # The agent does not use gRPC, and no other client may use it.
    with grpc.insecure_channel(f"{POD}:{pod.grpc()}") as channel:
        refused(service_pb2_grpc.GRPCInferenceServiceStub(channel).RepositoryIndex, pb.RepositoryIndexRequest())


def refused(method, request):
    """Checks that a call is refused without a header."""
    try:
        method(request)
    except grpc.RpcError as error:
        assert "restricted" in error.details(), error
    else:
        raise AssertionError("it is open")


def seldons_agent(pod):
    """Sends the requests of Seldon's agent at its start, and for loading and unloading a model."""
    with grpc.insecure_channel(f"{LOCAL}:{pod.grpc()}") as channel:
        stub = service_pb2_grpc.GRPCInferenceServiceStub(channel)
        assert stub.ServerLive(pb.ServerLiveRequest()).live
        for model in stub.RepositoryIndex(pb.RepositoryIndexRequest()).models:
            if model.state in ("READY", "LOADING"):
                stub.RepositoryModelUnload(pb.RepositoryModelUnloadRequest(model_name=model.name))
        stub.RepositoryModelLoad(pb.RepositoryModelLoadRequest(model_name="Plain"))
        assert stub.ModelReady(pb.ModelReadyRequest(name="Plain")).ready
        tensor = pb.ModelInferRequest.InferInputTensor(name="x", datatype="INT32", shape=[1, 1])
        tensor.contents.int_contents.append(5)
        request = pb.ModelInferRequest(model_name="Plain", inputs=[tensor])
        assert stub.ModelInfer(request).model_name == "Plain"
        stub.RepositoryModelUnload(pb.RepositoryModelUnloadRequest(model_name="Plain"))
        # With either status, the agent loads the model first.
        expected = (grpc.StatusCode.NOT_FOUND, grpc.StatusCode.UNAVAILABLE)
        try:
            stub.ModelInfer(request)
        except grpc.RpcError as error:
            assert error.code() in expected, error
        else:
            raise AssertionError("it is still there")
    # Only the agent can reach this port.
    assert not listens(POD, pod.grpc())
    # Clients that reach the pod must not load its models.
    for host in (LOCAL, POD):
        for path in ("index", "models/Plain/load", "models/Plain/unload"):
            assert post(pod.http(), f"/v2/repository/{path}", "{}", host)[0] == 403, path


def main():
    name, binary, program, *places = sys.argv[1:]
    lo_up()
    made = manifests.CONTAINERS[name]()
    subprocess.run(["mount", "-t", "tmpfs", "none", "/run"], check=True)
    token = made.option("access-token-file")
    if token is not None:
        mounts = made.container["volumeMounts"]
        assert any(token.startswith(mount["mountPath"] + "/") for mount in mounts), "nothing is mounted there"
        pathlib.Path(token).parent.mkdir()
        pathlib.Path(token).write_text(TOKEN)
    pod = Pod(made, binary, program, places)
    try:
        ports_are_open(pod)
        if token is not None:
            the_token_opens(pod)
        if name == "agent":
            kserves_agent(pod)
        elif name == "seldon":
            seldons_agent(pod)
        else:
            assert post(pod.http(), "/v2/models/Slow/infer", slow(1), POD)[0] == 200
            metrics_are_there(pod, '"Slow"')
            if name == "deployment":
                load_is_there(pod)
            # tritonserver 2.51 does not query the readiness of models in backends.
            if made.of != manifests.NATIVE:
                readiness_is_true(pod)
            deleted_under_load(pod)
            return
        pod.process.send_signal(signal.SIGTERM)
        assert pod.process.wait(DEADLINE) == 0, pod.log()
    except BaseException:
        print(pod.log()[-4000:], file=sys.stderr)
        raise
    finally:
        pod.process.kill()


main()
