"""Loading and unloading models of a native backend in a stock tritonserver, and shared memory of
clients.
"""

import json
import threading
import uuid

import numpy as np
import pytest
import tritonclient.utils.shared_memory as shm
from tritonclient.utils import InferenceServerException

import wire
from wire import infer, request, wait_until

X = np.array([[1.5, 2.5, 3.5, 4.5]], dtype=np.float32)


@pytest.fixture
def pair(http):
    """A registered region for inputs and one for outputs."""
    made = [shm.create_shared_memory_region(name, f"/pytriton_{uuid.uuid4().hex}", 64) for name in ("in", "out")]
    for name, handle in zip(("in", "out"), made):
        http.register_system_shared_memory(name, handle._shm_key, 64)
    yield made
    # A region is in use until its request is released, which may be shortly after the response.
    wait_until(lambda: request("POST", "/v2/systemsharedmemory/unregister")[0] == 200)
    for handle in made:
        shm.destroy_shared_memory_region(handle)


def index(model):
    """Returns the only version of a model in the repository index."""
    lines = json.loads(request("POST", "/v2/repository/index", "{}")[2])
    (line,) = [line for line in lines if line["name"] == model]
    return line.get("state"), line.get("reason", "")


def by_memory(client, protocol, pair, values):
    """Returns the result of the model, with shared memory in both directions."""
    shm.set_shared_memory_region(pair[0], [values])
    given = protocol.InferInput("INPUT_1", list(values.shape), "FP32")
    given.set_shared_memory("in", values.nbytes)
    wanted = protocol.InferRequestedOutput("OUTPUT_1")
    wanted.set_shared_memory("out", values.nbytes)
    client.infer("I_FP32", [given], outputs=[wanted])
    return shm.get_contents_as_numpy(pair[1], np.float32, values.shape)


def test_regions_outlive_the_models_that_use_them(protocol, client, pair, then_right):
    for turn in range(3):
        np.testing.assert_array_equal(by_memory(client, protocol, pair, X + turn), X + turn)
        client.unload_model("I_FP32")
        wait_until(lambda: index("I_FP32") == ("UNAVAILABLE", "unloaded"))
        with pytest.raises(InferenceServerException, match="has no available versions"):
            by_memory(client, protocol, pair, X)
        wire.add_sub_is_right()
        client.load_model("I_FP32")
        assert client.is_model_ready("I_FP32")
    told = json.loads(request("GET", "/v2/systemsharedmemory/status")[2])
    assert sorted(region["name"] for region in told) == ["in", "out"]


def in_use():
    """Returns whether a request uses the input region; otherwise the region is unregistered."""
    return request("POST", "/v2/systemsharedmemory/region/in/unregister")[0] != 200


def begin(http, pair, document):
    """Sends a request, and returns its thread and the list for its response."""
    while True:
        # It may have arrived while the region was not registered.
        answers = []
        asking = threading.Thread(target=lambda: answers.append(wire.post_json("Slow", document)))
        asking.start()
        while asking.is_alive():
            if in_use():
                return asking, answers
            http.register_system_shared_memory("in", pair[0]._shm_key, 64)


def test_running_requests_use_their_region(http, pair, then_right):
    shm.set_shared_memory_region(pair[0], [np.array([[700]], dtype=np.uint32)])
    given = {"name": "milliseconds", "datatype": "UINT32", "shape": [1, 1]}
    place = {"shared_memory_region": "in", "shared_memory_byte_size": 4}
    asking, answers = begin(http, pair, {"inputs": [{**given, "parameters": place}]})
    http.unload_model("Slow")
    assert index("Slow")[0] in ("UNLOADING", "UNAVAILABLE")
    asking.join()
    ((status, answer),) = answers
    assert (status, answer["outputs"][0]["data"]) == (200, [700])
    wait_until(lambda: index("Slow") == ("UNAVAILABLE", "unloaded"))
    wait_until(lambda: not in_use())
    http.load_model("Slow")
    assert wire.post_json("Slow", {"inputs": [{**given, "data": [1]}]})[0] == 200


def test_only_changed_configurations_reload_the_state(http):
    config = json.loads(request("GET", "/v2/models/Counter/config")[2])
    config["instance_group"] = [{**config["instance_group"][0], "count": 1}]

    def load(**change):
        http.load_model("Counter", config=json.dumps({**config, **change}))

    def call():
        answer = infer(wire.tritonclient.http, http, "Counter", {"milliseconds": np.array([[0]], dtype=np.uint32)})
        return [array.item() for _, array in sorted(answer.items())]

    load()
    kept, calls = zip(*(call() for _ in range(3)))
    assert (len(set(kept)), calls) == (1, (1, 2, 3))
    load()
    assert call() == [kept[0], 4]
    load(parameters={"changed": {"string_value": "yes"}})
    assert [call() for _ in range(2)] == [[0, 1], [0, 2]]
    http.unload_model("Counter")
    wait_until(lambda: index("Counter") == ("UNAVAILABLE", "unloaded"))
    http.load_model("Counter")
    assert sorted(call() for _ in range(2)) in ([[0, 1], [1, 1]], [[0, 1], [0, 2]], [[1, 1], [1, 2]])
