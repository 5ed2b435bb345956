"""Models in MLServer: mlserver_server.py HTTP_PORT GRPC_PORT METRICS_PORT"""

import asyncio
import sys

from mlserver import MLModel, MLServer, ModelSettings, Settings
from mlserver.types import InferenceResponse, MetadataTensor, ResponseOutput


class Echo(MLModel):
    """Returns its inputs and the other members of the request."""

    async def load(self):
        return True

    async def predict(self, payload):
        outputs = [
            ResponseOutput(name=f"{it.name}_again", datatype=it.datatype, shape=it.shape, data=it.data) for it in payload.inputs
        ]
        return InferenceResponse(model_name=self.name, id=payload.id, outputs=outputs)


class Slow(Echo):
    async def predict(self, payload):
        await asyncio.sleep(20)


async def main(http, grpc, metrics):
    settings = Settings(
        host="127.0.0.1", http_port=http, grpc_port=grpc, metrics_port=metrics, parallel_workers=0, debug=False
    )
    rows = [MetadataTensor(name="x", datatype="FP32", shape=[-1, 2])]
    await MLServer(settings).start([
        ModelSettings(name="Echo", implementation=Echo),
        ModelSettings(name="Rows", implementation=Echo, inputs=rows),
        ModelSettings(name="Slow", implementation=Slow, inputs=rows),
    ])


asyncio.run(main(*map(int, sys.argv[1:])))
