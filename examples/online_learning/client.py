"""Trains the server on the line 3 x - 2, and prints what it has learned: python client.py
[localhost:8000]
"""

import sys

import numpy as np
import tritonclient.http as http


def given(name, values):
    return http.InferInput(name, list(values.shape), "FP32").set_data_from_numpy(values)


def fit(client, x, y):
    """Trains the model with points, and returns the squared error of each."""
    return client.infer("fit", [given("x", x), given("y", y)]).as_numpy("loss")


def predict(client, x):
    """Returns the current predictions."""
    return client.infer("predict", [given("x", x)]).as_numpy("y")


if __name__ == "__main__":
    url = sys.argv[1] if len(sys.argv) > 1 else "localhost:8000"
    x = np.linspace(-1, 1, 16, dtype=np.float32).reshape(-1, 1)
    with http.InferenceServerClient(url) as client:
        for epoch in range(40):
            loss = fit(client, x, 3 * x - 2)
            if epoch % 10 == 0:
                print(f"loss {loss.mean():.4f}")
        for y in predict(client, np.array([[-1], [1]], dtype=np.float32)).ravel():
            print(f"{y:.1f}")
