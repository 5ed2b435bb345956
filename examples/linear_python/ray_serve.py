"""Deploys the module on Ray Serve: each replica serves its own models behind Ray's port.

Run `serve run ray_serve:app`. Requests are those of the binary, such as
`curl localhost:8000/v2/models/Linear/infer -d …`, and NVIDIA's clients work as well. A replica
forwards requests unchanged to the server of the module, which batches them.
"""

import os

import aiohttp
from fastapi import FastAPI, Request, Response
from fastapi.responses import StreamingResponse
from ray import serve
from yarl import URL

# The module's own page is served at /docs.
routes = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)

# Headers that apply to a single connection.
OWN = {"connection", "content-length", "expect", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"}


# Ray pickles the class when it is defined, so everything that a replica calls must be defined above
# it.
async def pieces(answer):
    async with answer:
        async for piece in answer.content.iter_any():
            yield piece


@serve.deployment(num_replicas=3, max_ongoing_requests=64)
@serve.ingress(routes)
class Models:
    def __init__(self):
        # This runs in the process of the replica, which has its own copy of the models.
        import linear

        options = {"http_port": 0, "allow_grpc": False, "allow_metrics": False}
        self.server = linear.serve(background=True, **options)
        self.session = None

    async def check_health(self):
        async with self.asked("GET", "/v2/health/live") as answer:
            answer.raise_for_status()

    def asked(self, method, path, **rest):
        if self.session is None:
            # Bodies are forwarded unchanged and without a timeout.
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
