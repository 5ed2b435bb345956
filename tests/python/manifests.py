"""Reads the manifests of `deploy/`, merged as the platforms do."""

import copy
import pathlib
import re
import shlex

import yaml

DEPLOY = pathlib.Path(__file__).resolve().parents[2] / "deploy"
# The names of the Dockerfiles.
EMBEDDED, TRITONSERVER, NATIVE, CUDA = "embedded", "tritonserver", "native", "cuda"


# Directories whose files are not manifests.
OTHERS = {"envoy", "gpu", "observability"}


def documents():
    """Yields each manifest with the name of its file."""
    for file in sorted(DEPLOY.rglob("*.yaml")):
        if file.parent.name not in OTHERS:
            for document in yaml.safe_load_all(file.read_text()):
                yield str(file.relative_to(DEPLOY)), document


def document(file, kind=None):
    """Returns the manifest of a file, or the one of a kind in it."""
    return next(found for name, found in documents() if name == file and kind in (None, found["kind"]))


def image(name):
    """Returns the variables and the entry point of an image, from its Dockerfile."""
    lines = (DEPLOY / "images" / f"{name}.Dockerfile").read_text().replace("\\\n", " ").splitlines()
    # Only the last stage counts.
    last = max(number for number, line in enumerate(lines) if line.startswith("FROM "))
    pairs = [pair.split("=", 1) for line in lines[last:] if line.startswith("ENV ") for pair in shlex.split(line[4:])]
    entry = next((yaml.safe_load(line[11:]) for line in lines[last:] if line.startswith("ENTRYPOINT ")), [])
    return dict(pairs), entry


class Container:
    """The container of a pod that serves."""

    def __init__(self, name, pod, container, of, environment=()):
        self.name, self.of = name, of
        self.container = container
        self.grace = pod["terminationGracePeriodSeconds"]
        self.memory = [volume["name"] for volume in pod.get("volumes", []) if "emptyDir" in volume]
        self.environment, self.entry = image(of)
        given = dict(environment)
        self.environment |= given
        for variable in container.get("env", []):
            # The name of a pod is only known in a cluster.
            value = variable["value"] if "value" in variable else variable["valueFrom"]["fieldRef"]["fieldPath"]
            self.environment |= {variable["name"]: self.expanded(value)} | given

    def arguments(self):
        """Returns the arguments of the server."""
        return [self.expanded(argument) for argument in self.container.get("args", [])]

    def expanded(self, text):
        """Returns a text with its variables expanded."""
        return re.sub(r"\$\((\w+)\)", lambda found: self.environment[found[1]], text)

    def command(self):
        """Returns the command, or by default the entry point of the image."""
        return self.container.get("command", self.entry)

    def option(self, name):
        """Returns the value of an option."""
        found = [argument.split("=", 1)[1] for argument in self.arguments() if argument.startswith(f"--{name}=")]
        return found[0] if found else None

    def ports(self):
        """Returns the ports by name."""
        return {port["name"]: port["containerPort"] for port in self.container["ports"]}

    def probe(self, kind):
        """Returns the port and the path of a probe, or None."""
        get = self.container.get(f"{kind}Probe", {}).get("httpGet")
        if get is None:
            return None
        # Knative has only one port.
        port = get.get("port", next(iter(self.ports().values())))
        return self.ports().get(port, port), get["path"]

    def sleeps(self):
        """Returns the duration of preStop, in seconds."""
        return self.container.get("lifecycle", {}).get("preStop", {}).get("sleep", {}).get("seconds", 0)

    def writable(self):
        """Returns the writable directories."""
        return [mount["mountPath"] for mount in self.container.get("volumeMounts", []) if mount["name"] in self.memory]


def merged(runtime, service):
    """Returns the pod that KServe creates: the service's settings override those of the container,
    and its arguments are appended.
    """
    predictor = copy.deepcopy(service["spec"]["predictor"])
    model = predictor.pop("model")
    container = copy.deepcopy(runtime["spec"]["containers"][0])
    arguments = container.get("args", []) + model.get("args", [])
    container |= {key: value for key, value in model.items() if key in ("image", "lifecycle", "resources", "env")}
    container["args"] = arguments
    knative = service["metadata"]["annotations"]["serving.kserve.io/deploymentMode"] == "Knative"
    grace = predictor["timeout"] if knative else predictor["terminationGracePeriodSeconds"]
    return {"terminationGracePeriodSeconds": grace, "volumes": runtime["spec"].get("volumes", [])}, container


def deployment():
    """The plain Deployment."""
    pod = document("kubernetes/deployment.yaml")["spec"]["template"]["spec"]
    return Container("deployment", pod, pod["containers"][0], EMBEDDED)


def patched():
    """Returns the Deployment with the changes for GPUs, as kubectl merges them."""
    deployment = document("kubernetes/deployment.yaml")
    patch = yaml.safe_load((DEPLOY / "gpu" / "patch.yaml").read_text())
    # Lists of containers are merged by name, and other lists are replaced.
    (container,), (other,) = (found["spec"]["template"]["spec"]["containers"] for found in (deployment, patch))
    assert container["name"] == other["name"]
    result = overridden(deployment, patch)
    result["spec"]["template"]["spec"]["containers"] = [overridden(container, other)]
    return result


def gpu():
    """The Deployment with GPUs."""
    pod = patched()["spec"]["template"]["spec"]
    return Container("gpu", pod, pod["containers"][0], CUDA)


def knative():
    """The Knative service, which sets the variable PORT."""
    pod = document("knative/service.yaml")["spec"]["template"]["spec"]
    pod["terminationGracePeriodSeconds"] = pod["timeoutSeconds"]
    container = pod["containers"][0]
    return Container("knative", pod, container, EMBEDDED, {"PORT": str(container["ports"][0]["containerPort"])})


def kserve(name, of, file="inference-service.yaml", environment=()):
    """A KServe service with one of the runtimes."""
    pod, container = merged(document(f"kserve/{of}.yaml"), document(f"kserve/{file}"))
    return Container(name, pod, container, of, environment)


def overridden(settings, others):
    """Returns settings that others override, as KServe and kubectl do."""
    if not isinstance(settings, dict) or not isinstance(others, dict):
        return others
    return settings | {key: overridden(settings.get(key), other) for key, other in others.items()}


def canary():
    """The canary of a KServe service."""
    service = document("kserve/inference-service-canary.yaml")
    (other,) = service["spec"].pop("canary")
    service["spec"]["predictor"] = overridden(service["spec"]["predictor"], other["predictor"])
    pod, container = merged(document("kserve/embedded.yaml"), service)
    return Container("kserve-canary", pod, container, EMBEDDED)


def agent():
    """A KServe service for models that are loaded and unloaded."""
    pod, container = merged(document("kserve/agent.yaml"), document("kserve/inference-service.yaml"))
    return Container("agent", pod, container, EMBEDDED)


def seldon():
    """A Seldon server, with the additions of Seldon's configuration for Triton."""
    pod = document("seldon/server.yaml")["spec"]["podSpec"]
    container = pod["containers"][0]
    container["ports"] = [{"name": "server-http", "containerPort": 9000}, {"name": "server-grpc", "containerPort": 9500}]
    for kind, path in (("startup", "ready"), ("readiness", "ready"), ("liveness", "live")):
        container[f"{kind}Probe"] = {"httpGet": {"path": f"/v2/health/{path}", "port": "server-http"}}
    return Container("seldon", pod, container, EMBEDDED, {"SERVER_HTTP_PORT": "9000", "SERVER_GRPC_PORT": "9500"})


CONTAINERS = {
    "deployment": deployment,
    "gpu": gpu,
    "knative": knative,
    "kserve": lambda: kserve("kserve", EMBEDDED),
    "kserve-knative": lambda: kserve("kserve-knative", EMBEDDED, "inference-service-knative.yaml", {"PORT": "8080"}),
    "kserve-canary": canary,
    "kserve-tritonserver": lambda: kserve("kserve-tritonserver", TRITONSERVER),
    "kserve-native": lambda: kserve("kserve-native", NATIVE),
    "agent": agent,
    "seldon": seldon,
}


def picker():
    """Returns the plugins of the endpoint picker by type, and its configuration."""
    settings = yaml.safe_load(document("gateway/endpoint-picker.yaml", "ConfigMap")["data"]["picker.yaml"])
    return {plugin["type"]: plugin.get("parameters", {}) for plugin in settings["plugins"]}, settings


def metrics():
    """Yields the metrics of the autoscalers, by file."""
    for file, found in documents():
        # The metrics of endpoint pickers have no labels.
        if file.startswith("gateway/"):
            continue
        names = set(re.findall(r"\b(?:nv|pytriton|process)_\w+", yaml.safe_dump(found)))
        if names:
            yield file, names
