//! The graph in the metrics.

use pytriton::client::AsyncModelClient;
use pytriton::ndarray::array;

use crate::models::{Count, Failing};
use crate::{Result, metrics, served, url};

#[tokio::test(flavor = "multi_thread")]
async fn metrics_show_which_model_called_which() -> Result {
    let triton = served()?;
    let client = AsyncModelClient::new(&url(&triton)?, "Caller")?;
    for _ in 0..2 {
        client.infer_batch(array![[1.0_f32]]).await?;
    }
    let failing = triton.call::<Failing>().ok_or("not running")?;
    failing.call(array![1]).await.unwrap_err();
    drop(failing.call(array![1]));
    let count = triton.call::<Count>().ok_or("not running")?;
    // The caller reads all responses, some of them, none of them, and some before an error.
    for (to, read) in [(0, 1), (3, 4), (3, 3), (3, 1), (3, 0), (9, 7), (9, 9)] {
        let mut responses = count.call(array![to]);
        for _ in 0..read {
            let _ = responses.next().await;
        }
    }
    let text = metrics(&triton)?;
    for expected in [
        r#"pytriton_model_calls_total{caller="Caller",model="Double",result="success"} 2"#,
        r#"pytriton_model_calls_total{caller="Caller",model="Mixed",result="success"} 2"#,
        r#"pytriton_model_calls_total{caller="",model="Failing",result="failure"} 1"#,
        r#"pytriton_model_calls_total{caller="",model="Count",result="success"} 5"#,
        r#"pytriton_model_calls_total{caller="",model="Count",result="failure"} 1"#,
        r#"pytriton_model_call_seconds_total{caller="Caller",model="Double"} 0."#,
        r#"nv_inference_request_success{model="Mixed",version="1"} 2"#,
    ] {
        assert!(text.contains(expected), "{expected}:\n{text}");
    }
    triton.stop()?;
    Ok(())
}
