"""The module on Ray Serve: several replicas, calls that are gathered, and KServe's protocol over HTTP.

`serve run ray_serve:app` serves it; `curl localhost:8000/v2/models/Linear/infer -d …` asks as it asks the binary.
"""

import asyncio
import os

import numpy as np
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from ray import serve

routes = FastAPI()

DATATYPES = {
    "BOOL": "bool",
    "UINT8": "uint8",
    "UINT16": "uint16",
    "UINT32": "uint32",
    "UINT64": "uint64",
    "INT8": "int8",
    "INT16": "int16",
    "INT32": "int32",
    "INT64": "int64",
    "FP32": "float32",
    "FP64": "float64",
    "BYTES": "object",
}
NAMES = {np.dtype(dtype): datatype for datatype, dtype in DATATYPES.items()}


# What a replica calls must stand above it: it is sent as it is when the class is made.
def array(given):
    return np.array(given["data"], DATATYPES[given["datatype"]]).reshape(given["shape"])


def described(name, output):
    data = output.ravel().tolist()
    if output.dtype == object:
        data = [element.decode() for element in data]
    return {"name": name, "datatype": NAMES[output.dtype], "shape": output.shape, "data": data}


@serve.deployment(num_replicas=3, max_ongoing_requests=64)
@serve.ingress(routes)
class Models:
    def __init__(self):
        # In the replica's process, which has the models to itself.
        import linear

        self.models = linear

    @serve.batch(max_batch_size=16, batch_wait_timeout_s=0.002)
    async def answer(self, requests):
        # Side by side, so that the module makes one batch of what fits together; each has an error of its own.
        calls = (asyncio.to_thread(self.models.infer, *request) for request in requests)
        return await asyncio.gather(*calls, return_exceptions=True)

    @routes.get("/v2/health/{kind}")
    async def healthy(self, kind: str):
        return {}

    @routes.post("/v2/models/{model}/infer")
    async def infer(self, model: str, request: Request):
        headers = {"replica": str(os.getpid())}
        try:
            asked = await request.json()
            inputs = {given["name"]: array(given) for given in asked["inputs"]}
            outputs = await self.answer((model, inputs))
            if isinstance(outputs, Exception):
                raise outputs
        except Exception as error:
            mistake = isinstance(error, (KeyError, TypeError, ValueError))
            status = getattr(error, "status", 400 if mistake else 500)
            return JSONResponse({"error": str(error)}, status, headers)
        answer = {"model_name": model, "outputs": [described(*output) for output in outputs.items()]}
        return JSONResponse(answer, headers=headers)


app = Models.bind()
