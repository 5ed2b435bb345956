"""The identity of the benches in FastAPI with uvicorn, in the usual style."""

import socket

import uvicorn
from fastapi import FastAPI

app = FastAPI()


@app.post("/v2/models/Identity/infer")
async def infer(request: dict) -> dict:
    tensor = request["inputs"][0]
    return {
        "model_name": "Identity",
        "model_version": "1",
        "outputs": [{**tensor, "name": "OUTPUT_1"}],
    }


listener = socket.create_server(("127.0.0.1", 0))
print(f"  http     http://127.0.0.1:{listener.getsockname()[1]}\nready", flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])
