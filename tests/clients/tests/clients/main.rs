//! The Rust clients with real servers over HTTP and gRPC: both engines, a native backend, and
//! servers of other projects.

mod alone;
mod authentication;
mod blocking;
mod connections;
mod decoupled;
mod documented;
mod failing;
mod foreign;
mod loading;
mod nonsense;
mod pipelined;
mod requests;
mod several;
mod shared;
mod signature_file;
mod testing;
mod typed;
mod waited;

use std::path::Path;

use pytriton_tests::{Engine, HarnessError, Server};

/// The binary with the models.
const SERVED: &str = env!("CARGO_BIN_EXE_served");

type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Options that forward headers to the functions.
const FORWARDED: [&str; 2] = [
    "--http-header-forward-pattern=x-.*",
    "--grpc-header-forward-pattern=x-.*",
];

/// The directory that contains tritonserver and Python.
fn folder() -> &'static Path {
    // The directory of the other tests, which have installed both there.
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

fn serve(engine: Engine, arguments: &[&str]) -> std::result::Result<Server, HarnessError> {
    let arguments: Vec<&str> = FORWARDED.iter().chain(arguments).copied().collect();
    Server::start_with(engine, folder(), SERVED, &arguments)
}

/// Starts the models as a backend of a stock tritonserver.
fn serve_native() -> std::result::Result<Server, HarnessError> {
    Server::start_native(SERVED.as_ref(), folder(), &FORWARDED)
}

/// Returns the addresses of a server for HTTP and gRPC.
fn urls(server: &Server) -> [String; 2] {
    let banner = server.banner();
    [
        format!("http://{}", banner.http),
        format!("grpc://{}", banner.grpc),
    ]
}

/// Runs tests with both engines and with a native backend, over both protocols.
macro_rules! each {
    ($($test:ident),* $(,)?) => {
        mod embedded {
            $(#[tokio::test]
            async fn $test() -> crate::Result {
                let server = crate::serve(pytriton_tests::Engine::Embedded, &[])?;
                for url in crate::urls(&server) {
                    super::$test(&server, &url).await?;
                }
                Ok(())
            })*
        }

        mod native {
            $(#[tokio::test]
            async fn $test() -> crate::Result {
                let server = crate::serve_native()?;
                for url in crate::urls(&server) {
                    super::$test(&server, &url).await?;
                }
                Ok(())
            })*
        }

        mod tritonserver {
            $(#[tokio::test]
            async fn $test() -> crate::Result {
                let server = crate::serve(pytriton_tests::Engine::Tritonserver, &[])?;
                for url in crate::urls(&server) {
                    super::$test(&server, &url).await?;
                }
                Ok(())
            })*
        }
    };
}

pub(crate) use each;
