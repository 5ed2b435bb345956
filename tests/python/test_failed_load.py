"""A server that continues without a model that fails to load."""

import os

import numpy as np
import pytest
import tritonclient.grpc

import wire


def test_other_models_serve_and_the_index_contains_the_reason(client, protocol):
    lenient = "LENIENT" in os.environ
    assert client.is_server_live()
    assert client.is_server_ready() is lenient
    assert client.is_model_ready("Plain") and not client.is_model_ready("Moody")
    x = np.array([[7]], np.int32)
    answer = wire.infer(protocol, client, "Plain", {"x": x})
    np.testing.assert_array_equal(next(iter(answer.values())), x)
    index = client.get_model_repository_index()
    if protocol is tritonclient.grpc:
        index = [
            {"name": m.name, "version": m.version, "state": m.state, "reason": m.reason} for m in index.models
        ]
    moody = next(model for model in index if model["name"] == "Moody")
    assert (moody["version"], moody["state"]) == ("1", "UNAVAILABLE")
    expected = "Internal: instance 0 of model 'Moody' could not be loaded: the weights are missing"
    assert moody["reason"] == expected
    with pytest.raises(Exception, match="not allowed if polling is enabled"):
        client.load_model("Moody")
