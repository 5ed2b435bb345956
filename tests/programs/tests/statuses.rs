//! An error type of the program whose variants have statuses.

use std::time::Duration;

use pytriton::error::IntoError;
use pytriton::prelude::*;
use pytriton::{Error, ErrorKind};

#[derive(Debug, thiserror::Error)]
enum AccountError {
    #[error("there is no account {0}")]
    Unknown(u32),
    #[error("the account {0} is locked")]
    Locked(u32),
    #[error("the database does not respond")]
    Database(#[source] std::io::Error),
}

impl IntoError for AccountError {
    fn into_error(self) -> Error {
        match self {
            Self::Unknown(_) => Error::not_found(self),
            Self::Locked(_) => Error::resource_exhausted(self).retry_after(Duration::from_secs(30)),
            Self::Database(_) => Error::unavailable(self),
        }
    }
}

fn balance_of(account: u32) -> Result<f64, AccountError> {
    match account {
        1 => Ok(12.5),
        2 => Err(AccountError::Locked(account)),
        3 => Err(AccountError::Database(std::io::ErrorKind::TimedOut.into())),
        _ => Err(AccountError::Unknown(account)),
    }
}

#[pytriton::model(name = "Balance", client = Balance, batching = false)]
fn balance(account: ArrayView1<u32>) -> Result<Array1<f64>, AccountError> {
    Ok(array![balance_of(account[0])?])
}

/// Returns `Error`, so it converts the errors itself.
#[pytriton::model(name = "Total", client = Total, batching = false)]
fn total(accounts: ArrayView1<u32>) -> Result<Array1<f64>, Error> {
    let balances = accounts.iter().map(|account| balance_of(*account));
    let total: f64 = balances
        .sum::<Result<f64, _>>()
        .map_err(IntoError::into_error)?;
    Ok(array![total])
}

/// Sends the balance of each account.
#[pytriton::model(name = "Balances", client = Balances, batching = false)]
fn balances(accounts: Array1<u32>) -> impl Iterator<Item = Result<Array1<f64>, AccountError>> {
    let balances = accounts.into_iter().map(balance_of);
    balances.map(|balance| Ok(array![balance?]))
}

/// Like `Balances`, through `responses`.
#[pytriton::model(name = "Sent", client = Sent, batching = false)]
async fn sent(
    accounts: ArrayView1<'_, u32>,
    responses: &Responses<Array1<f64>>,
) -> Result<(), AccountError> {
    for account in accounts {
        let balance = balance_of(*account)?;
        if responses.send(array![balance]).await.is_err() {
            break;
        }
    }
    Ok(())
}

/// The kind, the text and the seconds to wait of the error for each account.
const ERRORS: [(u32, ErrorKind, &str, Option<u64>); 3] = [
    (
        2,
        ErrorKind::ResourceExhausted,
        "the account 2 is locked",
        Some(30),
    ),
    (
        3,
        ErrorKind::Unavailable,
        "the database does not respond: timed out",
        None,
    ),
    (4, ErrorKind::NotFound, "there is no account 4", None),
];

#[pytriton::test]
async fn each_variant_has_its_status(
    balance: Call<Balance>,
    total: Call<Total>,
    balances: Call<Balances>,
    sent: Call<Sent>,
) {
    let one = array![1];
    assert_eq!(balance.call(&one).await.unwrap(), array![12.5]);
    assert_eq!(total.call(array![1, 1]).await.unwrap(), array![25.0]);
    for (account, kind, text, retry) in ERRORS {
        let accounts = array![1, account];
        let mut returned = balances.call(&accounts);
        assert_eq!(returned.next().await.unwrap().unwrap(), array![12.5]);
        let mut sent = sent.call(&accounts);
        assert_eq!(sent.next().await.unwrap().unwrap(), array![12.5]);
        for error in [
            balance.call(array![account]).await.unwrap_err(),
            total.call(&accounts).await.unwrap_err(),
            returned.next().await.unwrap().unwrap_err(),
            sent.next().await.unwrap().unwrap_err(),
        ] {
            assert_eq!(error.kind(), kind);
            assert_eq!(error.retry_time().map(|time| time.as_secs()), retry);
            assert!(error.to_string().contains(text), "{error}");
        }
    }
}
