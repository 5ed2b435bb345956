//! The table as a whole: every path has one route, and everything that is derived from the table
//! agrees with it.

use std::collections::BTreeSet;

use axum::http::Method;
use prost::Message;
use prost_types::FileDescriptorSet;
use pytriton_core::model::Surface;
use pytriton_engine::access::{Group, default_routes};
use pytriton_engine::port::Port;
use pytriton_kserve::InfoRoute;
use pytriton_kserve::openapi::document;
use pytriton_protocol::proto::FILE_DESCRIPTOR_SET;
use serde_json::Value;
use tonic_reflection::pb::{v1, v1alpha};

use crate::testing::{IDENTITY, check_table};

use super::*;

/// Returns a path that the pattern matches.
fn example(pattern: &str) -> String {
    let path = pattern.replace("{version}", "1").replace("{model}", "m");
    path.replace("{repository}", "r").replace("{region}", "r")
}

fn groups(route: &Route) -> BTreeSet<&'static str> {
    let operations = route.operations.iter();
    operations
        .map(|operation| operation.group().name())
        .collect()
}

#[test]
fn each_path_of_a_port_has_one_route() {
    for route in all() {
        assert!(!route.methods.is_empty(), "{route:?}");
        for port in Port::ALL.into_iter().filter(|port| route.is_on(*port)) {
            for pattern in route.patterns() {
                let path = example(pattern.text());
                for method in route.methods {
                    let found = find_method(port, &path, method).unwrap().route;
                    assert_eq!(found, route, "{method} {path} on {port:?}");
                }
            }
        }
    }
}

#[test]
fn every_route_but_static_content_and_the_metrics_port_has_a_group() {
    let without = all().filter(|route| route.operations.is_empty());
    let paths: Vec<_> = without.map(|route| route.patterns()[0].text()).collect();
    assert_eq!(paths, ["/docs", "/metrics"]);
    let served: BTreeSet<_> = all().flat_map(groups).collect();
    assert_eq!(served, Group::ALL.map(Group::name).into());
}

#[test]
fn paths_are_parsed_like_triton() {
    use InfoRoute::*;
    use KserveEndpoint::*;
    use pytriton_core::shared_memory::Kind;
    let none = Params::default();
    let of = |model| Params {
        model: Some(model),
        ..none
    };
    let version = Params {
        version: Some("1"),
        ..of("m")
    };
    let region = Params {
        region: Some("a%2Fb"),
        ..none
    };
    let repository = Params {
        repository: Some("r"),
        ..of("m")
    };
    let index = Params {
        repository: Some("a"),
        ..none
    };
    let status = SharedMemory(Kind::System, RegionAction::Status);
    let unregister = SharedMemory(Kind::Cuda, RegionAction::Unregister);
    let table = [
        ("/v2", Some((Info(ServerMetadata), none))),
        ("/v2/", None),
        ("", None),
        ("/", None),
        ("*", None),
        ("/nope", None),
        ("/v2x", None),
        ("/v2/health", None),
        ("/v2/health/live", Some((Info(ServerLive), none))),
        ("/v2/health/live/", None),
        ("/v2/health/ready", Some((Info(ServerReady), none))),
        ("/v2/models/stats", Some((Info(ServerStatistics), none))),
        (
            "/v2/models/stats/stats",
            Some((Info(ModelStatistics), of("stats"))),
        ),
        ("/v2/models/m", Some((Info(ModelMetadata), of("m")))),
        ("/v2/models/m/", None),
        ("/v2/models//ready", None),
        ("/v2/models/m/nope", None),
        ("/v2/models/m/versions", None),
        (
            "/v2/models/m/versions/1",
            Some((Info(ModelMetadata), version)),
        ),
        ("/v2/models/m/versions/x", None),
        ("/v2/models/m/versions/-1", None),
        ("/v2/models/m/versions//ready", None),
        (
            "/v2/models/m/versions/1/ready",
            Some((Info(ModelReady), version)),
        ),
        ("/v2/models/m/versions/1/trace/setting", None),
        ("/v2/models/m/trace/setting", Some((TraceSetting, of("m")))),
        ("/v2/models/m/config", Some((Info(ModelConfig), of("m")))),
        ("/v2/models/m/stats", Some((Info(ModelStatistics), of("m")))),
        ("/v2/models/m/infer", Some((Infer, of("m")))),
        ("/v2/models/m/generate", Some((Generate, of("m")))),
        ("/v2/models/m/generate/", None),
        (
            "/v2/models/m/versions/1/generate_stream",
            Some((GenerateStream, version)),
        ),
        ("/v2/models/m/infer/a/b/c/d", None),
        ("/v2/repository/index", Some((RepositoryIndex, none))),
        ("/v2/repository/a/index", Some((RepositoryIndex, index))),
        ("/v2/repository/models/m/load", Some((Load, of("m")))),
        (
            "/v2/repository/r/models/m/unload",
            Some((Unload, repository)),
        ),
        ("/v2/repository/models/m/reload", None),
        ("/v2/repository/models//load", None),
        ("/v2/systemsharedmemory/region/r/nope", None),
        ("/v2/systemsharedmemory/region/status", None),
        ("/v2/systemsharedmemory/region//status", None),
        ("/v2/systemsharedmemory/status", Some((status, none))),
        (
            "/v2/cudasharedmemory/region/a%2Fb/unregister",
            Some((unregister, region)),
        ),
        ("/metrics", None),
        ("/inference.GRPCInferenceService/ServerLive", None),
    ];
    for (path, expected) in table {
        let found = find(Port::Http, path).map(|found| (found.route.endpoint, found.params));
        let expected = expected.map(|(endpoint, params)| (Endpoint::Kserve(endpoint), params));
        assert_eq!(found, expected, "{path}");
    }
}

#[test]
fn every_method_of_every_service_is_served_over_grpc() {
    let sets = [
        FILE_DESCRIPTOR_SET,
        tonic_health::pb::FILE_DESCRIPTOR_SET,
        v1::FILE_DESCRIPTOR_SET,
        v1alpha::FILE_DESCRIPTOR_SET,
    ];
    let mut paths = BTreeSet::new();
    for file in sets.map(|set| FileDescriptorSet::decode(set).unwrap().file) {
        for file in file {
            for service in &file.service {
                for method in &service.method {
                    let (package, service) = (file.package(), service.name());
                    let path = format!("/{package}.{service}/{}", method.name());
                    let route = find(Port::Grpc, &path).map(|found| found.route);
                    let route = route.unwrap_or_else(|| panic!("{path} has no route"));
                    assert_eq!(route.name(), method.name());
                    assert_eq!(route.is_streaming, method.client_streaming(), "{path}");
                    paths.insert(path);
                }
            }
        }
    }
    let served = all().filter(|route| route.is_on(Port::Grpc));
    let served = served.map(|route| route.patterns()[0].text().to_owned());
    assert_eq!(served.collect::<BTreeSet<_>>(), paths);
    for path in [
        "",
        "/",
        "/inference.GRPCInferenceService",
        "/inference.GRPCInferenceService/",
        "/inference.GRPCInferenceService/Nope",
        "/inference.GRPCInferenceService/modelInfer",
        "/inference.GRPCInferenceService/ModelInfer/",
        "/inference.GRPCInferenceService//ModelInfer",
        "/inference.GRPCInferenceService/Model%49nfer",
        "/grpc.health.v1.Health/List",
        "/grpc.reflection.v1.ServerReflection/Nope",
        "/v2/health/live",
    ] {
        assert!(find(Port::Grpc, path).is_none(), "{path}");
    }
}

#[test]
fn both_protocols_have_the_same_group_for_the_same_operation() {
    let table = [
        ("/v2/models/m/infer", "ModelInfer", "inference"),
        ("/v2/models/m/generate", "ModelStreamInfer", "inference"),
        ("/v2/health/live", "ServerLive", "health"),
        ("/v2/health/ready", "ServerReady", "health"),
        ("/v2/models/m/ready", "ModelReady", "health"),
        ("/v2", "ServerMetadata", "metadata"),
        ("/v2/models/m", "ModelMetadata", "metadata"),
        ("/v2/models/m/config", "ModelConfig", "model-config"),
        ("/v2/models/m/stats", "ModelStatistics", "statistics"),
        (
            "/v2/repository/index",
            "RepositoryIndex",
            "model-repository",
        ),
        (
            "/v2/repository/models/m/load",
            "RepositoryModelLoad",
            "model-repository",
        ),
        (
            "/v2/repository/models/m/unload",
            "RepositoryModelUnload",
            "model-repository",
        ),
        (
            "/v2/systemsharedmemory/status",
            "SystemSharedMemoryStatus",
            "shared-memory",
        ),
        (
            "/v2/cudasharedmemory/status",
            "CudaSharedMemoryStatus",
            "shared-memory",
        ),
        ("/v2/models/m/trace/setting", "TraceSetting", "trace"),
        ("/v2/logging", "LogSettings", "logging"),
    ];
    for (path, method, group) in table {
        let call = format!("/inference.GRPCInferenceService/{method}");
        for (port, path) in [(Port::Http, path), (Port::Grpc, &call)] {
            let route = find(port, path).unwrap().route;
            assert_eq!(groups(route), [group].into(), "{path}");
        }
    }
}

#[test]
fn probes_are_served_beyond_the_connection_limit() {
    let probes = [
        (Port::Http, "/v2"),
        (Port::Http, "/v2/health/live"),
        (Port::Http, "/v2/health/ready"),
        (Port::Http, "/v2/models/m/ready"),
        (Port::Http, "/v2/models/m/versions/1/ready"),
        (Port::Docs, "/v2/health/ready"),
        (Port::Metrics, "/metrics"),
        (Port::SageMaker, "/ping"),
        (Port::VertexAi, AIP_HEALTH_ROUTE),
        (Port::Grpc, "/grpc.health.v1.Health/Check"),
        (Port::Grpc, "/inference.GRPCInferenceService/ServerLive"),
        (Port::Grpc, "/inference.GRPCInferenceService/ServerReady"),
        (Port::Grpc, "/inference.GRPCInferenceService/ServerMetadata"),
        (Port::Grpc, "/inference.GRPCInferenceService/ModelReady"),
    ];
    let mut expected: Vec<_> = probes
        .map(|(port, path)| (port as usize, path.to_owned()))
        .into();
    let mut found = Vec::new();
    for route in all().filter(|route| route.is_probe) {
        for port in Port::ALL.into_iter().filter(|port| route.is_on(*port)) {
            for path in route
                .patterns()
                .iter()
                .map(|pattern| example(pattern.text()))
            {
                assert!(is_probe(port, &path, &route.methods[0]), "{path}");
                assert!(!is_probe(port, &path, &Method::DELETE), "{path}");
                found.push((port as usize, path));
            }
        }
    }
    // On the port of Vertex AI, these are reached only by redirects.
    found.retain(|(port, path)| *port != Port::VertexAi as usize || path == AIP_HEALTH_ROUTE);
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
}

#[test]
fn openai_routes_are_in_their_namespace() {
    for route in all().filter(|route| route.errors == ErrorFormat::OpenAi) {
        let path = route.patterns()[0].text();
        assert!(
            path.starts_with("/v1/") && route.is_on(Port::OpenAi),
            "{path}"
        );
        if let Endpoint::OpenAi(OpenAiEndpoint::Complete(surface)) = route.endpoint {
            assert_eq!(path, surface.path());
        }
    }
    let outside = all().filter(|route| route.errors != ErrorFormat::OpenAi);
    let mut outside = outside
        .flat_map(Route::patterns)
        .map(|pattern| pattern.text());
    assert!(outside.all(|path| !path.starts_with("/v1/")));
    let found = find(Port::OpenAi, Surface::Chat.path());
    assert!(found.is_some());
}

/// Settings are not documented, and the document does not describe itself.
const UNDOCUMENTED: [&str; 3] = ["trace", "logging", "shared-memory"];

#[test]
fn openapi_documents_the_routes_of_the_table() {
    let model = IDENTITY.spec().unwrap();
    let document = document([&model], &default_routes());
    let mut documented = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
            let route = find(Port::Http, path).map(|found| found.route);
            let route = route.unwrap_or_else(|| panic!("{path} has no route"));
            assert!(route.methods.contains(&method), "{method} {path}");
            let restricted = default_routes_restrict(route);
            let security = operation.get("security");
            assert_eq!(security.is_some_and(Value::is_array), restricted, "{path}");
            documented.insert(route.patterns()[0].text());
        }
    }
    for route in all().filter(|route| matches!(route.endpoint, Endpoint::Kserve(_))) {
        let path = route.patterns()[0].text();
        let group = *groups(route).first().unwrap();
        let explicit = path.ends_with("load");
        let generates = path.contains("generate");
        if !UNDOCUMENTED.contains(&group) && !explicit && !generates {
            assert!(documented.contains(path), "{path} is not documented");
        }
    }
}

/// Returns whether a group of the route is restricted by default.
fn default_routes_restrict(route: &Route) -> bool {
    let restricted = [
        Group::ModelRepository,
        Group::SharedMemory,
        Group::Statistics,
        Group::Trace,
        Group::Logging,
    ];
    let mut operations = route.operations.iter();
    operations.any(|operation| restricted.contains(&operation.group()))
}

/// Returns whether a name in the documentation denotes this path. `…` matches any text.
fn stands_for(name: &str, path: &str) -> bool {
    let (start, end) = match name.split_once('…') {
        Some((start, end)) => (start, end),
        None if name.starts_with('/') => return path == name,
        // A method or a service.
        None => return path.contains(name),
    };
    let path = match start.starts_with('/') || start.is_empty() {
        true => path,
        false => path.rsplit_once('/').unwrap().1,
    };
    path.starts_with(start) && path.ends_with(end)
}

#[test]
fn the_documentation_of_access_control_names_every_route() {
    check_table("| Group | Restricted by default |", |rows| {
        let documented: BTreeSet<_> = rows.iter().map(|row| row[0].trim_matches('`')).collect();
        let known = Group::ALL.iter().map(|group| group.name());
        assert_eq!(documented, known.collect());
        for port in [Port::Http, Port::Grpc] {
            let column = if port == Port::Http { 2 } else { 3 };
            for route in all().filter(|route| route.is_on(port)) {
                let groups = groups(route);
                let path = route.patterns()[0].text().replace("{model}", "M");
                for row in &mut *rows {
                    let names = row[column].split('`').skip(1).step_by(2);
                    let named = names.into_iter().any(|name| stands_for(name, &path));
                    match groups.contains(row[0].trim_matches('`')) {
                        true if !named => add_name(&mut row[column], &documented_name(&path)),
                        true => {}
                        false => assert!(!named, "{path} is not in {}", row[0]),
                    }
                }
            }
        }
    });
}

/// Returns the name of a path in the documentation.
fn documented_name(path: &str) -> String {
    match path.strip_prefix("/v2/models/M/") {
        Some(end) => format!("…/{end}"),
        None if path.starts_with("/inference.") => path.rsplit_once('/').unwrap().1.to_owned(),
        None => path.to_owned(),
    }
}

fn add_name(cell: &mut String, name: &str) {
    if !cell.is_empty() {
        cell.push_str(", ");
    }
    cell.push_str(&format!("`{name}`"));
}
