"""TLS on all ports, with independent clients."""

import asyncio
import json
import os
import pathlib
import queue
import re
import shutil
import socket
import ssl
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import grpc
import httpx
import numpy as np
import openai
import pytest
import tritonclient.grpc
import tritonclient.grpc.aio
import tritonclient.http
import tritonclient.http.aio
from cryptography import x509
from tritonclient.utils import InferenceServerException

import wire
from wire import CA, GRPC, HTTP, METRICS, TIMEOUT, connect, infer, request, trusting

OPENAI = os.environ["PYTRITON_TEST_OPENAI"]
FOLDER = pathlib.Path(CA).parent
PORTS = {"http": HTTP, "grpc": GRPC, "metrics": METRICS, "openai": OPENAI}
# Longer than a server needs to detect changed files, in seconds.
SEEN = 8.0

all_ports = pytest.mark.parametrize("port", PORTS)


# The start of a ClientHello.
HALF = bytes.fromhex("16030102000100")


def raw(port):
    """Returns a TCP connection."""
    host, number = PORTS[port].split(":")
    return socket.create_connection((host, int(number)), timeout=TIMEOUT)


def handshake(port, context, name="localhost"):
    """Returns a TLS connection."""
    return context.wrap_socket(raw(port), server_hostname=name)


def offering(port):
    """Returns a context that offers the ALPN protocols of the port's clients."""
    context = trusting()
    context.set_alpn_protocols(["h2"] if port == "grpc" else ["h2", "http/1.1"])
    return context


def stall(port):
    """Returns the time until the server closes an incomplete handshake."""
    begun = time.monotonic()
    with raw(port) as stream:
        stream.sendall(HALF)
        try:
            assert stream.recv(1) == b""
        except ConnectionError:
            pass
    return time.monotonic() - begun


@pytest.fixture(scope="module", autouse=True)
def stalled():
    """Stalls a client on each port during the test."""
    with ThreadPoolExecutor(len(PORTS)) as pool:
        yield [pool.submit(stall, port) for port in PORTS]


@all_ports
@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_each_port_negotiates_tls_and_its_protocol(port, version):
    context = offering(port)
    context.minimum_version = context.maximum_version = version
    with handshake(port, context) as stream:
        assert stream.version() == version.name.replace("_", ".")
        assert stream.selected_alpn_protocol() == "h2"


@all_ports
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1])
def test_older_versions_are_refused(port, version):
    context = offering(port)
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = context.maximum_version = version
    with pytest.raises(ssl.SSLError, match="alert"):
        handshake(port, context)


@all_ports
def test_client_rejects_an_untrusted_authority(port):
    context = ssl.create_default_context(cafile=FOLDER / "foreign_ca.pem")
    with pytest.raises(ssl.SSLCertVerificationError, match="unable to get local issuer"):
        handshake(port, context)


@all_ports
def test_client_rejects_a_wrong_host_name(port):
    with pytest.raises(ssl.SSLCertVerificationError, match="Hostname mismatch"):
        handshake(port, offering(port), "example.org")


@all_ports
def test_client_without_tls_is_disconnected_at_once(port):
    begun = time.monotonic()
    with raw(port) as stream:
        stream.sendall(b"GET /v2/health/ready HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try:
            assert b"HTTP" not in stream.recv(1000)
        except ConnectionError:
            pass
    assert time.monotonic() - begun < 2


def test_thousands_of_handshakes_leak_nothing():
    """Most clients stall; the others must be served."""
    stalled = []
    try:
        for _ in range(1500):
            stream = raw("http")
            stream.sendall(HALF)
            stalled.append(stream)
        assert request("GET", "/v2/health/live")[0] == 200
    finally:
        for stream in stalled:
            stream.close()
    context = offering("http")
    # All at once, before the server has responded to any.
    streams = [context.wrap_socket(raw("http"), server_hostname="localhost", do_handshake_on_connect=False)
               for _ in range(300)]
    with ThreadPoolExecutor(32) as pool:
        assert len(list(pool.map(ssl.SSLSocket.do_handshake, streams))) == 300
    for stream in streams:
        stream.close()
    resident = pathlib.Path(f"/proc/{wire.PID}/status").read_text()
    assert int(re.search(r"VmRSS:\s+(\d+)", resident)[1]) < 500_000
    wire.add_sub_is_right()


def test_health_responds_during_a_handshake_flood():
    """Each handshake needs a signature of the server; existing connections must not wait for them.
    """
    over, made = threading.Event(), []

    def flood(_):
        context, count = offering("http"), 0
        while not over.is_set():
            handshake("http", context).close()
            count += 1
        made.append(count)

    with handshake("http", trusting()) as client, ThreadPoolExecutor(8) as pool:
        flooding = pool.map(flood, range(8))
        try:
            for _ in range(50):
                begun = time.monotonic()
                client.sendall(b"GET /v2/health/ready HTTP/1.1\r\nHost: localhost\r\n\r\n")
                assert client.recv(1000).startswith(b"HTTP/1.1 200")
                assert time.monotonic() - begun < 5
                time.sleep(0.02)
        finally:
            over.set()
        assert list(flooding) == [None] * 8
    assert sum(made) > 50


def test_tensors_of_all_sizes_round_trip(protocol, client):
    for rows, columns in [(1, 1), (1, 10_000), (8, 100_000)]:
        value = np.random.default_rng(0).random((rows, columns), dtype=np.float32)
        outputs = infer(protocol, client, "AddSub", {"a": value, "b": value})
        np.testing.assert_array_equal(outputs["add"], value + value)


def test_responses_are_streamed_one_by_one():
    client, answers = connect(tritonclient.grpc), queue.Queue()
    client.start_stream(callback=lambda result, error: answers.put((result, error)))
    count = wire.tensor(tritonclient.grpc, "count", np.array([[100]], dtype=np.int32))
    try:
        client.async_stream_infer("Count", [count])
        for number in range(100):
            result, error = answers.get(timeout=TIMEOUT)
            assert error is None and result.as_numpy("OUTPUT_1").item() == number
    finally:
        client.stop_stream()
        client.close()
    status, _, body = request("POST", "/v2/models/Count/generate_stream", '{"count": 100}')
    assert (status, body.count(b"data: ")) == (200, 100)


def test_openai_client_connects():
    for address in {OPENAI, HTTP}:
        with httpx.Client(verify=trusting()) as transport:
            url = f"https://{address}/v1"
            client = openai.OpenAI(base_url=url, api_key="any", http_client=transport, max_retries=0)
            assert "Letters" in [model.id for model in client.models.list()]
            chunks = client.completions.create(model="Letters", prompt="abc", stream=True)
            assert list(chunks)


def test_curl_connects():
    run = ["curl", "-sS", "--cacert", CA, "--max-time", "20"]
    for option, version in [("--http1.1", "1.1"), ("--http2", "2")]:
        answer = subprocess.run(
            [*run, option, "-w", "%{http_version} %{http_code}", f"https://{HTTP}/v2/health/live"],
            capture_output=True, text=True, check=True,
        )
        assert answer.stdout == f'{{"live":true}}{version} 200'
    refused = subprocess.run(
        ["curl", "-sS", f"https://{HTTP}/v2/health/live"], capture_output=True, text=True, check=False
    )
    assert refused.returncode == 60


def test_half_closed_client_receives_its_response():
    context = offering("http")
    body = json.dumps({"inputs": [
        {"name": "milliseconds", "datatype": "UINT32", "shape": [1, 1], "data": [500]},
    ]})
    head = f"POST /v2/models/Slow/infer HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = context.wrap_bio(incoming, outgoing, server_hostname="localhost")
    with raw("http") as stream:

        def move(step):
            while True:
                try:
                    return step()
                except ssl.SSLWantReadError:
                    stream.sendall(outgoing.read())
                    incoming.write(stream.recv(65536))
                finally:
                    stream.sendall(outgoing.read())

        move(client.do_handshake)
        move(lambda: client.write((head + body).encode()))
        # Sends `close_notify` before the response, without waiting for the server's.
        try:
            client.unwrap()
        except ssl.SSLWantReadError:
            pass
        stream.sendall(outgoing.read())
        received = b""
        begun = time.monotonic()
        while chunk := stream.recv(65536):
            received += chunk
        # A response of that size has arrived, and not before it was computed.
        assert time.monotonic() - begun > 0.4 and len(received) > 150


def test_disconnect_cancels_the_request():
    def under_way():
        return wire.metrics()["nv_inference_pending_request_count"]

    body = json.dumps({"inputs": [
        {"name": "milliseconds", "datatype": "UINT32", "shape": [1, 1], "data": [1500]},
    ]})
    head = f"POST /v2/models/Slow/infer HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
    streams = [handshake("http", offering("http")) for _ in range(4)]
    for stream in streams:
        stream.sendall((head + body).encode())
    labels = frozenset({"model": "Slow", "version": "1"}.items())
    wire.wait_until(lambda: under_way()[labels] == 3)
    for stream in streams:
        stream.close()
    begun = time.monotonic()
    wire.wait_until(lambda: under_way()[labels] == 0)
    assert time.monotonic() - begun < 3


def served(port):
    """Returns the certificate of a port."""
    with handshake(port, offering(port)) as stream:
        return x509.load_der_x509_certificate(stream.getpeercert(binary_form=True))


def expiry(port):
    families = wire.metrics()
    return families["pytriton_certificate_expiry_timestamp_seconds"][frozenset({("port", port)})]


@all_ports
def test_metrics_contain_the_certificate_expiry(port):
    assert expiry(port) == served(port).not_valid_after_utc.timestamp()


def swap(name):
    """Installs a certificate in the layout of Kubernetes: a directory behind two links."""
    folder = FOLDER / "mounted"
    version = folder / f"..{name}{time.monotonic_ns()}"
    version.mkdir()
    shutil.copy(FOLDER / f"{name}.pem", version / "tls.crt")
    shutil.copy(FOLDER / f"{name}.key", version / "tls.key")
    (folder / "..new").symlink_to(version.name)
    (folder / "..new").rename(folder / "..data")


def subject(port):
    (name,) = served(port).subject
    return name.value


def becomes(name):
    begun = time.monotonic()
    while {subject(port) for port in PORTS} != {name}:
        assert time.monotonic() - begun < SEEN, "the new certificate is not in use"
        time.sleep(0.1)


def test_rotation_under_load_loses_no_request():
    done, problems = threading.Event(), []
    asked = [0] * 6

    def load(slot):
        protocol = [tritonclient.http, tritonclient.grpc][slot % 2]
        client = connect(protocol)
        value = np.full((1, 2), slot, dtype=np.float32)
        while not done.is_set():
            # Some clients reconnect for each request, others keep their connection.
            if slot >= 4:
                client.close()
                client = connect(protocol)
            try:
                np.testing.assert_array_equal(infer(protocol, client, "Gather", {"x": value})["OUTPUT_1"], value)
                asked[slot] += 1
            except Exception as error:
                problems.append(repr(error))
                return
        client.close()

    threads = [threading.Thread(target=load, args=(slot,)) for slot in range(6)]
    for thread in threads:
        thread.start()
    try:
        assert subject("http") == "server"
        swap("next")
        becomes("next")
        # The key does not match: the previous certificate stays, and the log contains an error
        # after two checks.
        version = FOLDER / "mounted" / "..data"
        shutil.copy(FOLDER / "client.key", version / "tls.key")
        time.sleep(4.5)
        assert {subject(port) for port in PORTS} == {"next"}
        swap("third")
        becomes("third")
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert not problems, problems
    assert min(asked) > 0, asked


def test_asyncio_clients_connect():
    async def ask():
        credentials = {"ssl": True, "root_certificates": CA}
        async with tritonclient.grpc.aio.InferenceServerClient(GRPC, **credentials) as client:
            assert await client.is_server_ready()
        async with tritonclient.http.aio.InferenceServerClient(
            HTTP, ssl=True, ssl_context=trusting()
        ) as client:
            assert await client.is_server_ready()

    asyncio.run(ask())


def test_grpc_client_without_tls_receives_an_error():
    client = tritonclient.grpc.InferenceServerClient(GRPC)
    with pytest.raises(InferenceServerException) as raised:
        client.is_server_live(client_timeout=5)
    assert raised.value.status() in ("StatusCode.UNAVAILABLE", "StatusCode.DEADLINE_EXCEEDED")


def test_grpc_health_works_over_tls():
    from grpc_health.v1 import health_pb2, health_pb2_grpc

    credentials = grpc.ssl_channel_credentials(pathlib.Path(CA).read_bytes())
    with grpc.secure_channel(GRPC, credentials) as channel:
        answer = health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest())
        assert answer.status == health_pb2.HealthCheckResponse.SERVING


def test_stalled_handshake_times_out(stalled):
    for waited in stalled:
        assert 9 < waited.result(timeout=TIMEOUT) < 15
