"""Starts PyTriton's tritonserver with its Python backend and the models next to this file:
tritonserver.py HTTP_PORT GRPC_PORT METRICS_PORT FOLDER. FOLDER is an empty working directory.
"""

import importlib.util
import os
import pathlib
import shutil
import sys

http, grpc, metrics, folder = sys.argv[1:]
package = pathlib.Path(importlib.util.find_spec("pytriton").origin).parent
backend = pathlib.Path(folder) / "backends" / "python"
shutil.copytree(package / "tritonserver" / "backends" / "python", backend)
version = f"{sys.version_info.major}.{sys.version_info.minor}"
shutil.copy(package / "tritonserver" / "python_backend_stubs" / version / "triton_python_backend_stub", backend)
libraries = package.parent / "nvidia_pytriton.libs"
# The Python backend uses the first interpreter on the path.
path = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
environment = os.environ | {"LD_LIBRARY_PATH": str(libraries), "PATH": path}
program = package / "tritonserver" / "bin" / "tritonserver"
arguments = [
    f"--backend-directory={backend.parent}",
    f"--model-repository={pathlib.Path(__file__).parent / 'repository'}",
    "--model-control-mode=explicit",
    "--load-model=*",
]
for protocol, port in (("http", http), ("grpc", grpc), ("metrics", metrics)):
    arguments += [f"--{protocol}-address=127.0.0.1", f"--{protocol}-port={port}"]
os.execve(program, [str(program), *arguments], environment)
