"""The identity of the benches in MLServer: mlserver_server.py HTTP_PORT GRPC_PORT METRICS_PORT"""

import asyncio
import sys

from mlserver import MLModel, MLServer, ModelSettings, Settings
from mlserver.types import InferenceResponse, ResponseOutput


class Identity(MLModel):
    async def load(self):
        return True

    async def predict(self, payload):
        tensor = payload.inputs[0]
        output = ResponseOutput(
            name="OUTPUT_1", datatype=tensor.datatype, shape=tensor.shape, data=tensor.data
        )
        return InferenceResponse(model_name=self.name, outputs=[output])


async def say_ready(port):
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.05)
        else:
            writer.close()
            break
    print(f"  http     http://127.0.0.1:{port}\nready", flush=True)


async def main(http, grpc, metrics):
    settings = Settings(
        host="127.0.0.1",
        http_port=http,
        grpc_port=grpc,
        metrics_port=metrics,
        # Runs in this process, which saves a hop to another one.
        parallel_workers=0,
        debug=False,
    )
    ready = asyncio.create_task(say_ready(http))
    await MLServer(settings).start([ModelSettings(name="Identity", implementation=Identity)])
    await ready


asyncio.run(main(*map(int, sys.argv[1:])))
