"""What all tests share."""

import pytest
import tritonclient.grpc
import tritonclient.http

import wire


@pytest.fixture(params=[tritonclient.http, tritonclient.grpc], ids=["http", "grpc"])
def protocol(request):
    """Both flavours of NVIDIA's client, one after the other."""
    return request.param


@pytest.fixture
def client(protocol):
    """A client of the protocol."""
    client = wire.connect(protocol)
    yield client
    client.close()


@pytest.fixture
def http():
    """A client over HTTP."""
    client = wire.connect(tritonclient.http)
    yield client
    client.close()


@pytest.fixture
def grpc():
    """A client over gRPC."""
    client = wire.connect(tritonclient.grpc)
    yield client
    client.close()


@pytest.fixture
def then_right():
    """After the test, whatever it did, a good request is answered rightly."""
    yield
    wire.add_sub_is_right()
