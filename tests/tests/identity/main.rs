//! The identity of clients, as functions receive it.

mod certificates;
mod forged;
mod inherited;
mod models;
mod refused;
mod tokens;

use std::error::Error;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use pytriton::Triton;
use pytriton::client::{AsyncModelClient, InferOptions, Tls};
use pytriton::ndarray::{Array2, Ix2};
use pytriton::options::{EngineChoice, Options};
use tempfile::TempDir;

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// The time limit of each step.
const DEADLINE: Duration = Duration::from_secs(20);

const ALICE: &str = "the-token-of-alice";
const BOB: &str = "the-token-of-bob-1";
const NAMELESS: &str = "the-token-of-nobody";

/// A client that is not identified.
const ANONYMOUS: &str = "- - -";

/// A server of the models of `models.rs`, and the folder of its files.
struct Served {
    triton: Triton,
    _folder: TempDir,
}

impl Served {
    /// Starts a server with a token file and options.
    fn start(change: impl FnOnce(&mut Options) + Send + 'static) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let tokens = folder.path().join("tokens");
        let text = format!("alice: {ALICE}\nbob: {BOB}\n{NAMELESS}\n");
        fs::write(&tokens, text)?;
        let triton = embedded(|options| {
            options.access.access_token_file = Some(tokens);
            change(options);
        })?;
        triton.bind_registered()?;
        triton.run()?;
        Ok(Self {
            triton,
            _folder: folder,
        })
    }

    /// Returns the addresses of HTTP and gRPC for clients.
    fn urls(&self, tls: &str) -> Result<[String; 2]> {
        let addresses = self.triton.addresses().ok_or("not running")?;
        let http = addresses.http().ok_or("no HTTP")?;
        let grpc = addresses.grpc().ok_or("no gRPC")?;
        Ok([format!("http{tls}://{http}"), format!("grpc{tls}://{grpc}")])
    }
}

/// Creates a server of the embedded engine on free ports.
fn embedded(change: impl FnOnce(&mut Options) + Send + 'static) -> Result<Triton> {
    let builder = Triton::builder()
        .free_ports()
        .engine(EngineChoice::Embedded);
    Ok(builder.options(change).build()?)
}

/// Creates a client with a token, if it is not empty.
fn client(url: &str, model: &str, token: &str) -> Result<AsyncModelClient> {
    let builder = AsyncModelClient::builder(url, model).init_timeout(DEADLINE);
    let builder = match token {
        "" => builder,
        token => builder.access_token(token),
    };
    Ok(builder.build()?)
}

/// Sends some rows, and returns the first element of the first output.
async fn infer(client: &AsyncModelClient, rows: usize, options: InferOptions) -> Result<String> {
    let x = Array2::<f32>::zeros((rows, 1));
    let outputs = client.infer_batch_with(x, options).await?;
    let (name, _) = outputs.tensors().next().ok_or("no output")?;
    Ok(outputs.array::<String, Ix2>(name)?[[0, 0]].clone())
}

/// Sends an HTTP request, and returns the response.
fn post(served: &Served, path: &str, headers: &str, body: &str) -> Result<String> {
    let addresses = served.triton.addresses().ok_or("not running")?;
    let mut stream = TcpStream::connect(addresses.http().ok_or("no HTTP")?)?;
    let length = body.len();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n{headers}\r\n"
    );
    stream.write_all(format!("{head}{body}").as_bytes())?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    Ok(text)
}

/// The folder of what tests install.
fn installed() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// Trusts the authority of a folder, and presents its client certificate.
fn tls(folder: &Path) -> Result<Tls> {
    let read = |name| fs::read(folder.join(name));
    let tls = Tls::new().roots(read("ca.pem")?);
    Ok(tls.identity(read("client.pem")?, read("client.key")?))
}
