"""Checks the manifests of `deploy/` offline: against Kubernetes' schemas, KServe's classes, and
each other.
"""

import re

import kserve
import kubernetes.client
import kubernetes_validate

from manifests import CONTAINERS, document, documents, patched, picker

# From the first version in which `sleep` in preStop is enabled by default.
VERSIONS = ["1.30", "1.37"]
PLAIN = {"str": str, "int": int, "bool": bool, "float": (int, float), "object": object, "datetime": str}
# Kinds that neither package contains, with the permitted members of `spec`.
OTHERS = {
    "PodMonitor": {"selector", "podMetricsEndpoints"},
    "ScaledObject": {
        "scaleTargetRef", "minReplicaCount", "maxReplicaCount", "pollingInterval", "fallback", "advanced", "triggers"
    },
    "InferencePool": {"selector", "targetPorts", "appProtocol", "endpointPickerRef"},
    "HTTPRoute": {"parentRefs", "hostnames", "rules"},
    "RayService": {"serveConfigV2", "rayClusterConfig"},
    "Server": {"serverConfig", "extraCapabilities", "replicas", "podSpec"},
    "Model": {"requirements", "storageUri"},
}


def built_in(manifest):
    for version in VERSIONS:
        kubernetes_validate.validate(manifest, version, strict=True)


def pod(name, spec):
    """Checks a pod spec as a built-in kind."""
    spec = {key: value for key, value in spec.items() if key not in ("timeoutSeconds",)}
    for container in spec["containers"]:
        container.setdefault("name", "user-container")
        for kind in ("startup", "readiness", "liveness"):
            get = container.get(f"{kind}Probe", {}).get("httpGet")
            if get is not None:
                get.setdefault("port", 8080)
    built_in({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec})


def conform(kind, value, path):
    """Creates an object of a class, which checks required members; unknown members are checked
    here.
    """
    if listed := re.fullmatch(r"[Ll]ist\[(.+)\]", kind):
        assert isinstance(value, list), f"{path}: a list"
        return [conform(listed[1], item, f"{path}[{number}]") for number, item in enumerate(value)]
    if mapped := re.fullmatch(r"[Dd]ict[(\[](\w+), (.+)[)\]]", kind):
        assert isinstance(value, dict), f"{path}: an object"
        return {key: conform(mapped[2], item, f"{path}.{key}") for key, item in value.items()}
    if kind in PLAIN:
        assert isinstance(value, PLAIN[kind]) and (kind != "int" or value is not True), f"{path}: {kind}, not {value!r}"
        return value
    known = getattr(kserve.models, kind, None) or getattr(kubernetes.client, kind, None)
    if known is None:
        assert re.search("Quantity|IntOrString", kind), f"{path}: no class {kind}"
        return value
    assert isinstance(value, dict), f"{path}: {kind}, not {value!r}"
    attributes = {json: name for name, json in known.attribute_map.items()}
    unknown = set(value) - set(attributes)
    assert not unknown, f"{path}: {kind} has no {unknown}"
    given = {attributes[key]: conform(known.openapi_types[attributes[key]], item, f"{path}.{key}") for key, item in value.items()}
    return known(**given)


def kserve_class(manifest):
    version = manifest["apiVersion"].split("/")[1]
    return f"V{version[1:]}{manifest['kind']}"


def check(file, manifest):
    group, kind, spec = manifest["apiVersion"].split("/")[0], manifest["kind"], manifest.get("spec")
    if group == "serving.kserve.io":
        conform(kserve_class(manifest), manifest, file)
        if kind == "ServingRuntime":
            pod("runtime", {"containers": spec["containers"], "volumes": spec.get("volumes", [])})
        elif kind == "InferenceService":
            lifecycle = spec["predictor"]["model"].get("lifecycle", {})
            pod("predictor", {"containers": [{"name": "model", "lifecycle": lifecycle}]})
            for canary in spec.get("canary", []):
                # KServe's webhook refuses other canaries: their number of replicas is fixed.
                assert manifest["metadata"]["annotations"]["serving.kserve.io/deploymentMode"] == "Standard"
                fixed = canary["predictor"].keys() & {"maxReplicas", "autoScaling", "scaleTarget", "scaleMetric"}
                assert "name" in canary["predictor"] and not fixed, f"{file}: {fixed}"
                assert canary["predictor"]["minReplicas"] <= spec["predictor"]["minReplicas"]
    elif group == "serving.knative.dev":
        assert set(spec) == {"template"}
        pod("revision", spec["template"]["spec"])
    elif kind in OTHERS:
        assert set(spec) <= OTHERS[kind], f"{file}: {set(spec) - OTHERS[kind]}"
        if kind == "Server":
            pod("server", spec["podSpec"])
        elif kind == "RayService":
            for group in (spec["rayClusterConfig"]["headGroupSpec"], *spec["rayClusterConfig"]["workerGroupSpecs"]):
                pod("group", group["template"]["spec"])
    else:
        built_in(manifest)


def refused(change, text):
    """Checks that an error in a manifest is detected."""
    manifest = document("kserve/embedded.yaml") if "kserve" in text else document("kubernetes/deployment.yaml")
    change(manifest)
    try:
        check(text, manifest)
    except Exception:
        return
    raise AssertionError(f"a mistake is not found: {text}")


def container(manifest):
    spec = manifest["spec"]
    return spec.get("template", {}).get("spec", spec)["containers"][0]


def together():
    """Checks references between manifests."""
    kubernetes = {found["kind"]: found for file, found in documents() if file.startswith("kubernetes/")}
    deployment = kubernetes["Deployment"]
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    ports = CONTAINERS["deployment"]().ports()
    for file, found in documents():
        if not file.startswith("kubernetes/"):
            continue
        spec = found["spec"]
        selector = spec.get("selector", {})
        selector = selector.get("matchLabels", selector)
        assert not selector or selector.items() <= labels.items(), file
        for port in spec.get("ports", []):
            assert ports[port["targetPort"]] == port["port"], (file, port)
        target = spec.get("scaleTargetRef")
        assert target is None or target["name"] == deployment["metadata"]["name"], file
    for endpoint in kubernetes["PodMonitor"]["spec"]["podMetricsEndpoints"]:
        assert endpoint["port"] in ports
    # An autoscaler and `replicas` would override each other.
    assert "replicas" not in deployment["spec"]
    runtimes = {found["metadata"]["name"] for _, found in documents() if found["kind"] == "ServingRuntime"}
    for _, found in documents():
        if found["kind"] == "InferenceService":
            assert found["spec"]["predictor"]["model"]["runtime"] in runtimes
    for name, made in CONTAINERS.items():
        made = made()
        knative = "knative" in name
        # Knative supports one port, no preStop, and no startup probe on another port.
        assert not knative or (len(made.ports()) == 1 and made.sleeps() == 0), name
        assert knative or made.sleeps() >= 5 or name == "seldon", name
        timeout = int(made.option("exit-timeout-secs"))
        assert made.sleeps() + timeout + 5 <= made.grace, f"{name}: {made.grace} s are not enough"


def gateway():
    """Checks references between the manifests of the inference gateway, and to the Deployment."""
    (pool,) = [found["spec"] for _, found in documents() if found["kind"] == "InferencePool"]
    (route,) = [found["spec"] for _, found in documents() if found["kind"] == "HTTPRoute"]
    deployment = document("kubernetes/deployment.yaml")
    ports = CONTAINERS["deployment"]().ports()
    assert pool["selector"]["matchLabels"].items() <= deployment["spec"]["template"]["metadata"]["labels"].items()
    assert pool["targetPorts"] == [{"number": ports["http"]}]
    of_picker = {found["kind"]: found for file, found in documents() if file == "gateway/endpoint-picker.yaml"}
    assert len({found["metadata"]["name"] for found in of_picker.values()}) == 1
    service, template = of_picker["Service"], of_picker["Deployment"]["spec"]["template"]
    assert service["spec"]["selector"].items() <= template["metadata"]["labels"].items()
    reference = pool["endpointPickerRef"]
    assert (reference["name"], reference["port"]["number"]) == (service["metadata"]["name"], service["spec"]["ports"][0]["port"])
    (serving,) = template["spec"]["containers"]
    assert service["spec"]["ports"][0]["targetPort"] in {port["name"] for port in serving["ports"]}
    for rule in route["rules"]:
        assert {(backend["kind"], backend["name"]) for backend in rule["backendRefs"]} == {("InferencePool", "linear")}
    arguments = dict(argument.split("=", 1) for argument in serving["args"])
    assert arguments["--pool-name"] == "linear"
    mount, name = arguments["--config-file"].rsplit("/", 1)
    assert name in of_picker["ConfigMap"]["data"] and mount == serving["volumeMounts"][0]["mountPath"]
    plugins, settings = picker()
    assert plugins["metrics-data-source"]["port"] == ports["metrics"]
    extractor = plugins["core-metrics-extractor"]
    assert extractor["defaultEngine"] in {engine["name"] for engine in extractor["engineConfigs"]}
    used = settings["requestHandler"]["parsers"] + [plugin for profile in settings["schedulingProfiles"] for plugin in profile["plugins"]]
    assert {plugin["pluginRef"] for plugin in used} <= set(plugins)


def main():
    count = 0
    for file, manifest in documents():
        try:
            check(file, manifest)
        except Exception as error:
            raise AssertionError(f"{file}: {error}") from error
        count += 1
    built_in(patched())
    together()
    gateway()
    refused(lambda found: container(found).update(readinesProbe={}), "a name of Kubernetes'")
    refused(lambda found: found["spec"].update(replicas="two"), "a type of Kubernetes'")
    refused(lambda found: container(found).pop("name"), "what Kubernetes needs")
    refused(lambda found: container(found).update(readinesProbe={}), "a name of kserve's container")
    refused(lambda found: found["spec"].update(supportedModelFormat=[]), "a name of kserve's")
    refused(lambda found: found["spec"].update(multiModel="yes"), "a type of kserve's")
    refused(lambda found: found["spec"].pop("containers"), "what kserve needs")
    print(f"{count} manifests")


main()
