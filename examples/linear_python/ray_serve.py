"""The module on Ray Serve: several replicas, each of which serves its models itself, behind Ray's own port.

`serve run ray_serve:app` serves it; `curl localhost:8000/v2/models/Linear/infer -d …` asks as it asks the binary, and so do
NVIDIA's clients: a replica hands on what comes as it is, and the module's server answers, with batches of what comes together.
"""

import os

import aiohttp
from fastapi import FastAPI, Request, Response
from fastapi.responses import StreamingResponse
from ray import serve
from yarl import URL

# What is at /docs is the module's.
routes = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)

# Headers that are between two ends of a connection.
OWN = {"connection", "content-length", "expect", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"}


# What a replica calls must stand above it: it is sent as it is when the class is made.
async def pieces(answer):
    async with answer:
        async for piece in answer.content.iter_any():
            yield piece


@serve.deployment(num_replicas=3, max_ongoing_requests=64)
@serve.ingress(routes)
class Models:
    def __init__(self):
        # In the replica's process, which has the models to itself.
        import linear

        options = {"http_port": 0, "allow_grpc": False, "allow_metrics": False}
        self.server = linear.serve(background=True, **options)
        self.session = None

    async def check_health(self):
        async with self.asked("GET", "/v2/health/live") as answer:
            answer.raise_for_status()

    def asked(self, method, path, **rest):
        if self.session is None:
            # Bodies are handed on as they are, however long they take.
            waits = aiohttp.ClientTimeout(total=None)
            self.session = aiohttp.ClientSession(auto_decompress=False, timeout=waits)
        url = URL(f"http://{self.server.http}{path}", encoded=True)
        return self.session.request(method, url, allow_redirects=False, **rest)

    @routes.api_route("/{path:path}", methods=["GET", "POST"])
    async def hand_on(self, request: Request):
        headers = [(name, value) for name, value in request.headers.items() if name not in OWN]
        path = (request.scope.get("raw_path") or request.url.path.encode()).decode()
        replica = {"replica": str(os.getpid())}
        try:
            answer = await self.asked(request.method, path, headers=headers, data=await request.body())
        except aiohttp.ClientError as error:
            return Response(str(error), 503, replica)
        told = {name: value for name, value in answer.headers.items() if name.lower() not in OWN}
        return StreamingResponse(pieces(answer), answer.status, told | replica)


app = Models.bind()
