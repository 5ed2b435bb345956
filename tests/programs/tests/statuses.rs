//! An error type of the program whose variants have statuses.

use std::time::Duration;

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

impl AccountError {
    /// Returns the error with a status.
    fn with_status(self) -> Error {
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
fn balance(account: ArrayView1<u32>) -> Result<Array1<f64>, Error> {
    let balance = balance_of(account[0]).map_err(AccountError::with_status)?;
    Ok(array![balance])
}

#[pytriton::test]
async fn each_variant_has_its_status(balance: Call<Balance>) {
    assert_eq!(balance.call(array![1]).await.unwrap(), array![12.5]);
    for (account, kind, text, retry) in [
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
    ] {
        let error = balance.call(array![account]).await.unwrap_err();
        assert_eq!(error.kind(), kind);
        assert_eq!(error.retry_time().map(|time| time.as_secs()), retry);
        assert!(error.to_string().contains(text), "{error}");
    }
}
