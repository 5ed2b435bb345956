"""One request that ends a tritonserver 2.51: `killers.py refused|ended NAME ADDRESS`."""

import http.client
import json
import sys

INPUT = {"name": "INPUT_1", "datatype": "FP32", "shape": [1, 2**63 - 1], "data": [1.0]}
CLASSES = {"name": "OUTPUT_1", "parameters": {"classification": 1}}
KILLERS = {
    # The number of bytes overflows unnoticed.
    "dimension": ("I_FP32", {"inputs": [INPUT]}),
    "product": ("I_FP32", {"inputs": [{**INPUT, "shape": [1, 2**62]}]}),
    # The parser recurses.
    "nesting": ("I_FP32", json.dumps({"inputs": [{**INPUT, "shape": [1, 1], "data": []}]}).replace("[]", "[" * 100_000 + "]" * 100_000)),
    # There is no class to a text.
    "classification": (
        "I_BYTES",
        {"inputs": [{**INPUT, "datatype": "BYTES", "shape": [1, 1], "data": ["a"]}], "outputs": [CLASSES]},
    ),
}


def main():
    expected, name, address = sys.argv[1:]
    model, document = KILLERS[name]
    body = document if isinstance(document, str) else json.dumps(document)
    connection = http.client.HTTPConnection(address, timeout=10)
    connection.request("POST", f"/v2/models/{model}/infer", body)
    try:
        response = connection.getresponse()
        answer = f"{response.status} {response.read().decode()}"
    except (http.client.HTTPException, OSError) as error:
        answer = f"ended: {error!r}"
    print(answer)
    if not answer.startswith({"refused": "400 ", "ended": "ended"}[expected]):
        sys.exit(f"{name} must be {expected}")


if __name__ == "__main__":
    main()
