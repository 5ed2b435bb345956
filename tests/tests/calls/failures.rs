//! Errors of called models.

use pytriton::client::{AsyncModelClient, ClientError, Status};
use pytriton::ndarray::{Ix1, array};

use crate::{Result, served, url};

#[tokio::test(flavor = "multi_thread")]
async fn status_of_the_called_model_is_passed_on() -> Result {
    let triton = served()?;
    let url = url(&triton)?;
    let client = AsyncModelClient::new(&url, "FailingCaller")?;
    let table = [
        (0, Status::Grpc(3), "model 'Failing': zero"),
        (1, Status::Grpc(5), "model 'Failing': one"),
        (2, Status::Grpc(8), "model 'Failing': two"),
        (3, Status::Grpc(14), "model 'Failing': three"),
        (4, Status::Grpc(4), "model 'Failing': four"),
        (5, Status::Grpc(12), "model 'Failing': five"),
        (6, Status::Grpc(13), "model 'Failing' panicked: six"),
        (7, Status::Grpc(13), "model 'Failing' failed: seven"),
    ];
    for (kind, expected, message) in table {
        let error = client.infer_sample(array![kind]).await.unwrap_err();
        let text = error.to_string();
        let message = format!("the call of model 'Failing' failed: {message}");
        assert!(text.contains(&message), "{text}");
        let ClientError::Server { status, .. } = error else {
            panic!("{error:?}");
        };
        assert_eq!(status, expected, "{text}");
    }
    let client = AsyncModelClient::new(&url, "Handled")?;
    for (kind, expected) in [(1, 404), (2, 429)] {
        let outputs = client.infer_sample(array![kind]).await?;
        assert_eq!(outputs.array::<i32, Ix1>("OUTPUT_1")?, array![expected]);
    }
    assert!(client.infer_sample(array![3]).await.is_err());
    triton.stop()?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_arguments_are_refused_before_the_call() -> Result {
    let triton = served()?;
    let double = triton
        .call::<crate::models::Double>()
        .ok_or("not running")?;
    let many = pytriton::ndarray::Array2::<f32>::zeros((9, 1));
    let error = double.call(many).await.unwrap_err();
    assert_eq!(error.kind(), pytriton::ErrorKind::InvalidArgument);
    let expected = "the call of model 'Double' failed: [request id: <id_unknown>] inference request batch-size must be <= 8 for 'Double'";
    assert_eq!(error.to_string(), expected);
    let mixed = triton.call::<crate::models::Mixed>().ok_or("not running")?;
    let x = pytriton::ndarray::Array2::<f64>::zeros((2, 1));
    let words = array![["a".to_owned()]];
    let error = mixed.call(x, 1.0, Some(words.view())).await.unwrap_err();
    assert_eq!(error.kind(), pytriton::ErrorKind::InvalidArgument);
    triton.stop()?;
    let error = double.call(array![[1.0]]).await.unwrap_err();
    assert_eq!(error.kind(), pytriton::ErrorKind::Unavailable);
    Ok(())
}
