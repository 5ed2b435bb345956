//! Authentication of clients and of servers.

use std::fs;
use std::time::Duration;

use futures_util::TryStreamExt;
use pytriton::client::ndarray::{Array2, array};
use pytriton::client::{
    AsyncDecoupledModelClient, AsyncModelClient, AsyncTyped, Builder, ClientError,
    DecoupledModelClient, InferOptions, ModelClient, PipelinedModelClient, Tls, Typed,
};
use pytriton_tests::{Engine, Python, Server};
use tempfile::TempDir;
use triton_test_clients::typed::Linear;

use crate::{Result, folder, serve, urls};

const TOKEN: &str = "aToken-of_43_characters.0123456789=:,;!#%&'x";

#[tokio::test]
async fn token_grants_access_to_restricted_groups() -> Result {
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        let home = TempDir::new()?;
        let file = home.path().join("token");
        fs::write(&file, TOKEN)?;
        let closed = "--restricted-endpoints=health,metadata,inference,model-config,statistics";
        let server = serve(
            engine,
            &[closed, &format!("--access-token-file={}", file.display())],
        )?;
        for url in urls(&server) {
            let client =
                || AsyncModelClient::builder(&url, "AddSub").init_timeout(Duration::from_secs(20));
            let opened = client().access_token(TOKEN).connect().await?;
            opened.infer_sample((array![1], array![2])).await?;
            opened.statistics().await?;
            let another = AsyncModelClient::from_existing(&opened);
            another.infer_sample((array![1], array![2])).await?;
            assert!(!format!("{opened:?}{another:?}").contains(TOKEN));
            // Retrying cannot help, so the client must not wait for its timeout of twenty seconds.
            for refused in [client().build()?, client().access_token("wrong").build()?] {
                let begun = std::time::Instant::now();
                let refused = refused
                    .infer_sample((array![1], array![2]))
                    .await
                    .unwrap_err();
                assert!(matches!(refused, ClientError::Server { .. }), "{refused}");
                assert!(refused.to_string().contains("restricted"), "{refused}");
                assert!(begun.elapsed() < Duration::from_secs(10));
            }
        }
        let debug = format!(
            "{:?}",
            AsyncModelClient::builder("localhost", "m").access_token(TOKEN)
        );
        assert!(!debug.contains(TOKEN), "{debug}");
    }
    Ok(())
}

/// The credentials of a client, and the certificates that it trusts.
struct Access {
    token: &'static str,
    tls: Tls,
}

impl Access {
    /// Sets the credentials on a builder of any client.
    fn apply_to<C>(&self, builder: Builder<C>) -> Builder<C> {
        builder.access_token(self.token).tls(self.tls.clone())
    }
}

/// Makes all calls of all kinds of clients, and of clients derived from them.
async fn every_client_and_every_call(url: &str, access: &Access) -> Result {
    let patience = Duration::from_secs(20);
    let (x, scale) = (Array2::<f32>::ones((2, 20)), array![[2.0_f32], [2.0]]);
    let large = access.apply_to(AsyncModelClient::builder(url, "Large"));
    let large = large.shared_memory(4 << 20).build()?;
    large.wait_for_server(patience).await?;
    large.wait_for_model(patience).await?;
    assert!(large.is_batching_supported().await?);
    let options = InferOptions::new().parameter("any", 1);
    let row = Array2::<f32>::zeros((1, 65_536));
    large.infer_batch_with(&row, options.clone()).await?;
    assert_eq!(large.shared_memory_regions().await?.len(), 1);
    large.statistics().await?;
    large.load_model().await?;
    large.infer_batch(row.clone()).await?;
    let another = AsyncModelClient::from_existing(&large);
    another.wait_for_model(patience).await?;
    another.infer_batch(row).await?;
    another.statistics().await?;

    let blocking = access
        .apply_to(ModelClient::builder(url, "Scale"))
        .connect()?;
    for client in [ModelClient::from_existing(&blocking)?, blocking] {
        client.infer_batch((&x, &scale))?;
        client.statistics()?;
    }
    let pipelined = access.apply_to(PipelinedModelClient::builder(url, "Scale"));
    let pipelined = pipelined.build()?;
    let asked = pipelined.infer_batch_with((&x, &scale), options.clone());
    asked.send().await?.await?;
    pipelined.client().statistics()?;
    let typed = access.apply_to(AsyncTyped::<Linear>::builder(url));
    typed.connect().await?.call(&x, 2.0).await?;
    let typed = access.apply_to(Typed::<Linear>::builder(url));
    typed.connect()?.call(&x, 2.0)?;
    if url.starts_with("grpc") {
        let count = access.apply_to(AsyncDecoupledModelClient::builder(url, "Count"));
        let count = count.build()?;
        for client in [AsyncDecoupledModelClient::from_existing(&count), count] {
            let answers = client.infer_batch_with(array![[2]], options.clone());
            assert_eq!(answers.try_collect::<Vec<_>>().await?.len(), 2);
        }
        let count = access.apply_to(DecoupledModelClient::builder(url, "Count"));
        let count = count.connect()?;
        for client in [DecoupledModelClient::from_existing(&count)?, count] {
            let answers = client.infer_sample(array![2]);
            assert_eq!(
                answers.collect::<std::result::Result<Vec<_>, _>>()?.len(),
                2
            );
        }
    }
    Ok(())
}

/// Returns options that restrict all groups, with a token.
fn closed(home: &TempDir) -> Result<[String; 4]> {
    let file = home.path().join("token");
    fs::write(&file, TOKEN)?;
    let groups = "health,metadata,inference,model-config,statistics,shared-memory,model-repository";
    Ok([
        format!("--restricted-endpoints={groups}"),
        format!("--access-token-file={}", file.display()),
        "--model-control-mode=explicit".to_owned(),
        "--load-model=*".to_owned(),
    ])
}

#[tokio::test]
async fn every_client_sends_the_token_with_every_call() -> Result {
    let home = TempDir::new()?;
    let arguments = closed(&home)?;
    let server = serve(Engine::Embedded, &arguments.each_ref().map(String::as_str))?;
    let access = Access {
        token: TOKEN,
        tls: Tls::new(),
    };
    for url in urls(&server) {
        every_client_and_every_call(&url, &access).await?;
    }
    Ok(())
}

/// The server accepts only clients with a certificate.
#[tokio::test]
async fn every_client_uses_tls_for_every_call() -> Result {
    let (home, made) = (TempDir::new()?, certificates()?);
    let read = |name: &str| fs::read(made.path().join(name));
    let tls = Tls::new().roots(read("ca.pem")?);
    let (_server, urls) = secure(&made, "server", true, &closed(&home)?)?;
    let access = Access {
        token: TOKEN,
        tls: tls.identity(read("client.pem")?, read("client.key")?),
    };
    for url in urls {
        every_client_and_every_call(&url, &access).await?;
    }
    Ok(())
}

fn certificates() -> Result<TempDir> {
    let made = TempDir::new()?;
    let path = made.path().to_string_lossy().into_owned();
    Python::prepare(folder())?.run("certificates.py", [path.as_str()])?;
    Ok(made)
}

/// Starts a server with TLS for HTTP and gRPC, and returns its addresses.
fn secure(
    made: &TempDir,
    certificate: &str,
    mutual: bool,
    more: &[String],
) -> Result<(Server, [String; 2])> {
    let path = |name: &str| made.path().join(name).display().to_string();
    let on = match mutual {
        true => ["--grpc-use-ssl-mutual=true", "--http-use-ssl-mutual=true"],
        false => ["--grpc-use-ssl=true", "--http-use-ssl=true"],
    };
    let mut arguments = on.map(str::to_owned).to_vec();
    arguments.extend_from_slice(more);
    arguments.push(format!(
        "--grpc-server-cert={}",
        path(&format!("{certificate}.pem"))
    ));
    arguments.push(format!(
        "--grpc-server-key={}",
        path(&format!("{certificate}.key"))
    ));
    if mutual {
        arguments.push(format!("--grpc-root-cert={}", path("ca.pem")));
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let server = serve(Engine::Embedded, &arguments)?;
    let banner = server.banner();
    let urls = [
        format!("https://{}", banner.http),
        format!("grpcs://{}", banner.grpc),
    ];
    Ok((server, urls))
}

async fn ask(url: &str, tls: Tls) -> std::result::Result<(), ClientError> {
    let client = AsyncModelClient::builder(url, "AddSub")
        .init_timeout(Duration::from_secs(20))
        .tls(tls)
        .build()?;
    client.infer_sample((array![1], array![2])).await.map(drop)
}

#[tokio::test]
async fn untrusted_servers_receive_no_request() -> Result {
    let made = certificates()?;
    let read = |name: &str| fs::read(made.path().join(name));
    let trusting = Tls::new().roots(read("ca.pem")?);
    let refused = |error: ClientError, words: &str| {
        assert!(matches!(error, ClientError::Tls { .. }), "{error:?}");
        assert!(error.to_string().to_lowercase().contains(words), "{error}");
    };
    let (_server, urls) = secure(&made, "server", false, &[])?;
    for url in &urls {
        ask(url, trusting.clone()).await?;
        refused(
            ask(url, Tls::new().roots(read("foreign_ca.pem")?))
                .await
                .unwrap_err(),
            "issuer",
        );
        refused(
            ask(url, trusting.clone().server_name("example.org"))
                .await
                .unwrap_err(),
            "name",
        );
        for (wrong, words) in [
            ("empty.pem", "certificates: there are none"),
            ("cut.pem", "certificates: one is truncated"),
            ("damaged.pem", "certificates: one is malformed"),
        ] {
            refused(
                ask(url, Tls::new().roots(read(wrong)?)).await.unwrap_err(),
                words,
            );
        }
    }
    for (certificate, words) in [
        ("expired", "expired"),
        ("elsewhere", "name"),
        ("authority", "expected basicconstraints=ca:false"),
    ] {
        let (_server, urls) = secure(&made, certificate, false, &[])?;
        for url in &urls {
            refused(ask(url, trusting.clone()).await.unwrap_err(), words);
        }
    }
    Ok(())
}

#[tokio::test]
async fn clients_present_their_certificate() -> Result {
    let made = certificates()?;
    let read = |name: &str| fs::read(made.path().join(name));
    let trusting = Tls::new().roots(read("ca.pem")?);
    let (_server, urls) = secure(&made, "server", true, &[])?;
    for url in &urls {
        let shown = trusting
            .clone()
            .identity(read("client.pem")?, read("client.key")?);
        assert!(!format!("{shown:?}").contains("PRIVATE"));
        ask(url, shown).await?;
        for tls in [
            trusting.clone(),
            trusting
                .clone()
                .identity(read("expired_client.pem")?, read("expired_client.key")?),
            trusting
                .clone()
                .identity(read("foreign_client.pem")?, read("foreign_client.key")?),
        ] {
            let refused = ask(url, tls).await.unwrap_err();
            let ClientError::Tls { message, .. } = &refused else {
                panic!("{refused:?}")
            };
            let words = "the server refused the client: received fatal alert: ";
            assert!(message.starts_with(words), "{message}");
        }
        let mismatched = trusting
            .clone()
            .identity(read("client.pem")?, read("server.key")?);
        assert!(matches!(
            ask(url, mismatched).await,
            Err(ClientError::Tls { .. })
        ));
    }
    Ok(())
}
