//! The subjects of client certificates.

use pytriton::client::{AsyncModelClient, InferOptions};
use pytriton_tests::Python;

use crate::{DEADLINE, Result, Served, infer, installed, tls};

#[tokio::test(flavor = "multi_thread")]
async fn function_receives_the_subject_of_the_certificate() -> Result {
    let folder = tempfile::tempdir()?;
    let path = folder.path().to_string_lossy().into_owned();
    Python::prepare(installed())?.run("certificates.py", [path.as_str()])?;
    let files = |name: &str| format!("{path}/{name}");
    let arguments = [
        "--grpc-use-ssl-mutual=true".to_owned(),
        "--http-use-ssl-mutual=true".to_owned(),
        format!("--grpc-server-cert={}", files("server.pem")),
        format!("--grpc-server-key={}", files("server.key")),
        format!("--grpc-root-cert={}", files("ca.pem")),
    ];
    let parsed = pytriton::options::Options::parse(arguments)?;
    let served = Served::start(|options| {
        options.tls = parsed.tls;
        options.triton = parsed.triton;
        options.triton.engine = pytriton::options::EngineChoice::Embedded;
    })?;
    for url in served.urls("s")? {
        for model in ["Who", "Caller"] {
            let builder = AsyncModelClient::builder(&url, model).init_timeout(DEADLINE);
            let who = builder.tls(tls(folder.path())?).build()?;
            for _ in 0..2 {
                let text = infer(&who, 1, InferOptions::new()).await?;
                assert_eq!(text, "- CN=client -", "{url} {model}");
            }
        }
    }
    Ok(())
}
