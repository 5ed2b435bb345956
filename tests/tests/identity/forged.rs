//! Clients that claim to be somebody else.

use pytriton::client::InferOptions;
use pytriton::options::IdentityHeader;

use crate::tokens::restricted;
use crate::{ALICE, ANONYMOUS, Result, Served, client, infer, post};

/// Headers and parameters by which a client could try to name itself.
fn forged() -> InferOptions {
    [
        "x-user",
        "identity",
        "token",
        "certificate_subject",
        "header",
    ]
    .into_iter()
    .fold(InferOptions::new(), |options, name| {
        options.parameter(name, "mallory").header(name, "mallory")
    })
    .header("x-forwarded-user", "mallory")
    .header("x-ssl-client-s-dn", "CN=mallory")
    .header("x-client-cert", "CN=mallory")
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_and_parameters_do_not_change_the_client() -> Result {
    let open = Served::start(|_| {})?;
    let closed = Served::start(restricted)?;
    for (served, token, expected) in [(&open, "", ANONYMOUS), (&closed, ALICE, "alice - -")] {
        for url in served.urls("")? {
            for model in ["Who", "Caller"] {
                let who = client(&url, model, token)?;
                let text = infer(&who, 1, forged()).await?;
                assert_eq!(text, expected, "{url} {model}");
            }
        }
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_trusted_header_names_the_client() -> Result {
    let served = Served::start(|options| {
        options.access.identity_header = IdentityHeader::parse("X-Forwarded-User").ok();
    })?;
    let named = |value: &str| InferOptions::new().header("X-FORWARDED-user", value);
    for url in served.urls("")? {
        let who = client(&url, "Who", "")?;
        for (options, expected) in [
            (named("bob"), "- - bob"),
            (
                InferOptions::new().header("x-forwarded-users", "bob"),
                ANONYMOUS,
            ),
            (
                InferOptions::new().parameter("x-forwarded-user", "mallory"),
                ANONYMOUS,
            ),
            (
                named("bob").parameter("x-forwarded-user", "mallory"),
                "- - bob",
            ),
        ] {
            assert_eq!(infer(&who, 1, options).await?, expected, "{url}");
        }
    }
    // A proxy that adds its header to that of the client.
    let twice = "x-forwarded-user: mallory\r\nx-forwarded-user: bob\r\n";
    let response = post(&served, "/v2/models/Who/generate", twice, r#"{"x":1.0}"#)?;
    assert!(response.contains(ANONYMOUS), "{response}");
    Ok(())
}
