"""Sends requests to both engines on the ports of Vertex AI and SageMaker, and compares the
responses.

Usage: unshare --map-root-user --net PYTHON platforms.py BINARY TRITONSERVER

tritonserver opens these ports on all addresses, so the test runs in a network namespace of its own.
"""

import http.client
import json
import os
import re
import socket
import struct
import subprocess
import sys
import tempfile
import time

from network import lo_up

DEADLINE = 30.0
ENVIRONMENT = {"AIP_HEALTH_ROUTE": "/hc", "AIP_PREDICT_ROUTE": "/pred", "SAGEMAKER_TRITON_DEFAULT_MODEL_NAME": "I_FP32"}
VERTEX = "application/vnd.vertex-ai-triton.binary+json;json-header-size="
SAGEMAKER = "application/vnd.sagemaker-triton.binary+json;json-header-size="
REDIRECT = "X-Vertex-Ai-Triton-Redirect"
BODY = {"inputs": [{"name": "INPUT_1", "shape": [1, 2], "datatype": "FP32", "data": [1.5, 2.5]}]}
TEXT = {"inputs": [{"name": "INPUT_1", "shape": [1, 1], "datatype": "BYTES", "data": ["a"]}]}
WRONG = {"inputs": [{"name": "INPUT_1", "shape": [1, 2], "datatype": "FP64", "data": [1.5, 2.5]}]}
HEAD = json.dumps({"inputs": [{"name": "INPUT_1", "shape": [1, 2], "datatype": "FP32",
                               "parameters": {"binary_data_size": 8}}],
                   "outputs": [{"name": "OUTPUT_1", "parameters": {"binary_data": True}}]}).encode()
BINARY = HEAD + struct.pack("<2f", 1, 2)
GZIP = {"Accept-Encoding": "gzip"}
HEADERS = ("Content-Type", "Inference-Header-Content-Length", "Content-Encoding")
MEASURED = re.compile(r'"(ns|last_inference)":\d+')


def requests():
    """Yields the platform, the method, the path, the headers and the body of each request."""
    for method, path in (("GET", "/hc"), ("POST", "/hc"), ("GET", "/pred"), ("GET", "/"), ("POST", "/pred2"), ("GET", "/hcx"),
                         ("GET", "/v2/health/ready"), ("POST", "/v2/models/I_FP32/infer"), ("GET", "/pred/")):
        yield "vertex", method, path, {}, None
    yield from infer("vertex", "/pred", VERTEX)
    for path in ("v2", "v2/health/live", "v2/health/ready", "v2/health/nope", "v2/models/I_FP32", "v2/models/I_FP32/ready",
                 "v2/models/Nope/ready", "v2/models/I_FP32/versions/1/ready", "v2/models/I_FP32/config",
                 "v2/models/I_FP32/versions/2/config", "v2/models/Nope", "v2/repository/index", "v2/logging", "v2/trace/setting",
                 "v2/models/I_FP32/trace/setting", "v2/models/I_FP32/generate", "v2/models/I_FP32/generate_stream", "nope",
                 "/v2", "", "v2/", "v2/models"):
        yield "vertex", "POST", "/pred", {REDIRECT: path}, None
    yield "vertex", "GET", "/pred", {REDIRECT: "v2"}, None
    for model, body in (("I_BYTES", TEXT), ("I_FP32/versions/1", BODY), ("I_FP32/versions/2", BODY), ("Nope", BODY)):
        yield "vertex", "POST", "/pred", {REDIRECT: f"v2/models/{model}/infer"}, body
    yield "vertex", "POST", "/pred", {REDIRECT: "v2/models/Fail/infer"}, {**BODY}
    for method, path in (("GET", "/ping"), ("POST", "/ping"), ("GET", "/invocations"), ("GET", "/nope"),
                         ("GET", "/v2/health/ready"), ("GET", "/models"), ("GET", "/models/"), ("GET", "/models/x"),
                         ("POST", "/models/x/invoke"), ("DELETE", "/models/x"), ("PUT", "/models"), ("GET", "/ping/")):
        yield "sagemaker", method, path, {}, None
    yield from infer("sagemaker", "/invocations", SAGEMAKER)


def infer(platform, path, content_type):
    yield platform, "POST", path, {}, BODY
    yield platform, "POST", path, GZIP, BODY
    yield platform, "POST", path, {}, WRONG
    yield platform, "POST", path, {"Content-Type": f"{content_type}{len(HEAD)}"}, BINARY
    yield platform, "POST", path, {"Content-Type": f"{content_type}99999"}, BINARY
    yield platform, "POST", path, {"Content-Type": f"{content_type}-1"}, BINARY
    yield platform, "POST", path, {"Content-Type": f"x {content_type}1"}, BINARY


class Server:
    """One engine."""

    def __init__(self, binary, engine, tritonserver, ports):
        http_port, grpc_port, metrics_port, self.vertex, self.sagemaker = ports
        environment = {**os.environ, **ENVIRONMENT, "PYTRITON_ENGINE": engine, "PYTRITON_TRITONSERVER": tritonserver,
                       # Restrictions apply to these ports only with the embedded engine, so they
                       # are disabled.
                       "PYTRITON_TRITON_CONFIG_RESTRICTED_ENDPOINTS": ""}
        self.output = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [binary, f"--http-port={http_port}", f"--grpc-port={grpc_port}", f"--metrics-port={metrics_port}",
             f"--openai-port={metrics_port + 1}", "--allow-docs=false", "--allow-vertex-ai=true", f"--vertex-ai-port={self.vertex}",
             "--vertex-ai-default-model=I_FP32", "--allow-sagemaker=true", f"--sagemaker-port={self.sagemaker}"],
            env=environment, stdout=self.output, stderr=subprocess.STDOUT)
        end = time.monotonic() + DEADLINE
        for port in (self.vertex, self.sagemaker):
            while socket.socket().connect_ex(("127.0.0.1", port)):
                if time.monotonic() > end or self.process.poll() is not None:
                    self.output.seek(0)
                    sys.exit(f"{engine} does not serve\n{self.output.read()}")
                time.sleep(0.02)

    def ask(self, platform, method, path, headers, body):
        connection = http.client.HTTPConnection("127.0.0.1", getattr(self, platform), timeout=DEADLINE)
        body = json.dumps(body) if isinstance(body, dict) else body
        connection.request(method, path, body, {"Accept-Encoding": "identity", **headers})
        response = connection.getresponse()
        content = response.read()
        connection.close()
        parts = [response.status, *(response.headers[name] for name in HEADERS)]
        length = response.headers["Inference-Header-Content-Length"]
        text = content.decode("latin-1")
        try:
            parsed = json.loads(MEASURED.sub(r'"\1":0', text))
        except ValueError:
            parsed = text
        # The length of the JSON before binary tensors depends on its formatting.
        return [*parts, parsed] if length is None and "json-header-size" not in str(parts[1]) else [parts[0], content[-8:]]


def main():
    binary, tritonserver = sys.argv[1:]
    lo_up()
    ours = Server(binary, "embedded", tritonserver, (8100, 8101, 8102, 8110, 8111))
    theirs = Server(binary, "tritonserver", tritonserver, (8200, 8201, 8202, 8210, 8211))
    unlike, count = [], 0
    try:
        for request in requests():
            count += 1
            one, other = theirs.ask(*request), ours.ask(*request)
            # 2.51 lists its models in random order, and has its own list of extensions.
            if request[3].get(REDIRECT) in ("v2", "v2/repository/index", "v2/models/I_FP32/config"):
                one, other = one[:2], other[:2]
            if one != other:
                unlike.append(f"{request}\n  tritonserver {one}\n  embedded     {other}")
    finally:
        for server in (ours, theirs):
            server.process.terminate()
            server.process.wait(DEADLINE)
    print(f"{count} requests")
    if unlike:
        sys.exit("\n".join(unlike))


main()
