//! Runs each file of Python tests with a server of its own: with either engine, and inside a stock
//! tritonserver.

/// Defines the tests of each file for all three.
macro_rules! all {
    ($($name:ident: $file:literal $(with $arguments:expr)?;)*) => {
        mod embedded {
            $(
                #[test]
                fn $name() -> pytriton_tests::Result<()> {
                    super::drive(pytriton_tests::Engine::Embedded, $file, &[$(&$arguments)?])
                }
            )*
        }

        mod native {
            $(
                #[test]
                fn $name() -> pytriton_tests::Result<()> {
                    super::drive_native($file, &[$(&$arguments)?])
                }
            )*
        }

        mod tritonserver {
            $(
                #[test]
                fn $name() -> pytriton_tests::Result<()> {
                    super::drive(pytriton_tests::Engine::Tritonserver, $file, &[$(&$arguments)?])
                }
            )*
        }
    };
}

all! {
    datatypes: "test_datatypes.py";
    bytes: "test_bytes.py";
    requests: "test_requests.py" with super::FORWARD;
    batching: "test_batching.py";
    ragged: "test_ragged.py";
    omitted_outputs: "test_omitted_outputs.py";
    structs: "test_structs.py";
    asyncio: "test_aio.py";
    streaming: "test_streaming.py";
    generate: "test_generate.py";
    compression: "test_compression.py";
    errors_over_http: "test_errors_http.py";
    errors_over_grpc: "test_errors_grpc.py";
    failures: "test_failures.py";
    call_limit: "test_call_limit.py";
    statistics: "test_statistics.py";
    shared_memory: "test_shared_memory.py";
    surface: "test_surface.py";
    overload: "test_overload.py";
    in_flight: "test_in_flight.py";
    saturated: "test_saturated.py";
    priorities: "test_priorities.py";
    sequences: "test_sequences.py";
    cache: "test_cache.py";
    cached_queue: "test_cached_queue.py";
    small_cache: "test_small_cache.py" with super::SMALL_CACHE;
}

#[test]
fn openai() -> pytriton_tests::Result<()> {
    drive(pytriton_tests::Engine::Embedded, "test_openai.py", &[])
}

#[test]
fn openai_next_to_tritonserver() -> pytriton_tests::Result<()> {
    drive(pytriton_tests::Engine::Tritonserver, "test_openai.py", &[])
}

#[test]
fn embeddings() -> pytriton_tests::Result<()> {
    drive(pytriton_tests::Engine::Embedded, "test_embeddings.py", &[])
}

#[test]
fn embeddings_next_to_tritonserver() -> pytriton_tests::Result<()> {
    drive(
        pytriton_tests::Engine::Tritonserver,
        "test_embeddings.py",
        &[],
    )
}

/// Tests the log and trace settings of a server with a file for each.
fn settings(engine: pytriton_tests::Engine) -> pytriton_tests::Result<()> {
    let folder = tempfile::tempdir()?;
    let path = |name| folder.path().join(name).display().to_string();
    let traces = format!("--trace-config=triton,file={}", path("traces"));
    let log = format!("--log-file={}", path("log"));
    let arguments: &[&str] = match engine {
        pytriton_tests::Engine::Tritonserver => &[&traces],
        _ => &[&traces, &log],
    };
    drive(engine, "test_settings.py", &[arguments])
}

#[test]
fn settings_while_it_runs() -> pytriton_tests::Result<()> {
    settings(pytriton_tests::Engine::Embedded)
}

#[test]
fn settings_while_tritonserver_runs() -> pytriton_tests::Result<()> {
    settings(pytriton_tests::Engine::Tritonserver)
}

#[test]
fn generated_streams() -> pytriton_tests::Result<()> {
    drive(
        pytriton_tests::Engine::Embedded,
        "test_generate_stream.py",
        &[],
    )
}

#[test]
fn metrics() -> pytriton_tests::Result<()> {
    drive(
        pytriton_tests::Engine::Embedded,
        "test_metrics.py",
        &[&METRICS],
    )
}

/// As `test_metrics.py` expects.
const METRICS: [&str; 4] = [
    "--metrics-config=counter_latencies=false",
    "--metrics-config=histogram_latencies=true",
    "--metrics-config=summary_latencies=true",
    "--metrics-config=summary_quantiles=0.5:0.05,0.99:0.001",
];

/// As `test_small_cache.py` expects.
const SMALL_CACHE: [&str; 2] = ["--cache-config", "local,size=16384"];

/// Options that forward headers to the functions.
const FORWARD: [&str; 4] = [
    "--http-header-forward-pattern",
    "(?i)x-forwarded-.*",
    "--grpc-header-forward-pattern",
    "(?i)x-forwarded-.*",
];

fn drive(
    engine: pytriton_tests::Engine,
    file: &str,
    arguments: &[&[&str]],
) -> pytriton_tests::Result<()> {
    let python = crate::python()?;
    python.test(file, &crate::serve(engine, &arguments.concat())?)
}

fn drive_native(file: &str, arguments: &[&[&str]]) -> pytriton_tests::Result<()> {
    let python = crate::python()?;
    let (models, folder) = (crate::MODELS.as_ref(), crate::folder());
    let server = pytriton_tests::Server::start_native(models, folder, &arguments.concat())?;
    python.test(file, &server)
}
