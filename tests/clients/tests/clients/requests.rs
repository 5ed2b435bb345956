//! Requests of clients and their responses.

use std::collections::BTreeMap;
use std::time::Duration;

use pytriton::client::ndarray::{Array1, Array2, Ix1, Ix2, array};
use pytriton::client::{
    AsyncModelClient, ClientError, DataType, InferOptions, IntoTensor, ParameterValue,
    SequenceStep, Tensor,
};
use pytriton::{bf16, f16};
use pytriton_tests::Server;

use crate::{Result, each};

each! {
    inputs_are_passed_by_position_or_by_name, single_sample_is_inferred,
    model_without_batch_axis_is_called, every_element_type_round_trips,
    request_options_are_sent, sequences_keep_their_state, version_is_selected,
    metadata_and_configuration_are_returned, concurrent_requests_complete,
    requests_can_be_compressed, clients_can_share_connections,
}

async fn inputs_are_passed_by_position_or_by_name(_: &Server, url: &str) -> Result {
    let client = AsyncModelClient::new(url, "Scale")?;
    let (x, scale) = (array![[1.0_f32, 2.0], [3.0, 4.0]], array![[2.0_f32], [2.0]]);
    let expected = array![[2.0_f32, 4.0], [6.0, 8.0]];
    for outputs in [
        client.infer_batch((&x, &scale)).await?,
        client.infer_batch((x.view(), scale.clone())).await?,
        client.infer_batch([&x, &scale]).await?,
        client.infer_batch((("scale", &scale), ("x", &x))).await?,
        client.infer_batch([("scale", &scale), ("x", &x)]).await?,
        client
            .infer_batch(BTreeMap::from([
                ("scale".to_owned(), &scale),
                ("x".to_owned(), &x),
            ]))
            .await?,
        // Not in standard memory order.
        client
            .infer_batch((x.t().to_owned().reversed_axes(), &scale))
            .await?,
    ] {
        assert_eq!(outputs.array::<f32, Ix2>("y")?, expected);
        assert_eq!(outputs.tensors().len(), 1);
        assert_eq!(
            (outputs.model_name(), outputs.model_version()),
            ("Scale", "1")
        );
    }
    Ok(())
}

async fn single_sample_is_inferred(_: &Server, url: &str) -> Result {
    let client = AsyncModelClient::new(url, "Scale")?;
    let outputs = client
        .infer_sample((array![1.0_f32, 2.0], array![2.0_f32]))
        .await?;
    assert_eq!(outputs.array::<f32, Ix1>("y")?, array![2.0, 4.0]);
    Ok(())
}

async fn model_without_batch_axis_is_called(_: &Server, url: &str) -> Result {
    let client = AsyncModelClient::new(url, "AddSub")?;
    let inputs = (array![1, 2], array![3, 5]);
    let outputs = client.infer_sample(inputs.clone()).await?;
    assert_eq!(outputs.array::<i32, Ix1>("OUTPUT_1")?, array![4, 7]);
    assert_eq!(outputs.array::<i32, Ix1>("OUTPUT_2")?, array![-2, -3]);
    let some = InferOptions::new().output("OUTPUT_2");
    let outputs = client.infer_sample_with(inputs.clone(), some).await?;
    let names: Vec<&str> = outputs.tensors().map(|(name, _)| name).collect();
    assert_eq!(names, ["OUTPUT_2"]);
    let refused = client.infer_batch(inputs).await.unwrap_err();
    assert!(
        matches!(refused, ClientError::NoBatching { .. }),
        "{refused}"
    );
    Ok(())
}

async fn every_element_type_round_trips(_: &Server, url: &str) -> Result {
    let client = AsyncModelClient::new(url, "Types")?;
    let numbers = array![[0, 1, 100]];
    let bytes = array![[vec![0_u8, 255], vec![], b"abc".to_vec()]];
    let inputs: Vec<(&str, Tensor)> = vec![
        ("of_bool", array![[true, false, true]].into_tensor()?),
        ("of_u8", numbers.mapv(|it| it as u8).into_tensor()?),
        ("of_u16", numbers.mapv(|it| it as u16).into_tensor()?),
        ("of_u32", numbers.mapv(|it| it as u32).into_tensor()?),
        (
            "of_u64",
            numbers.mapv(|it| it as u64 + (1 << 63)).into_tensor()?,
        ),
        ("of_i8", numbers.mapv(|it| -it as i8).into_tensor()?),
        ("of_i16", numbers.mapv(|it| -it as i16).into_tensor()?),
        ("of_i32", numbers.mapv(|it| -it).into_tensor()?),
        ("of_i64", numbers.mapv(|it| -i64::from(it)).into_tensor()?),
        (
            "of_f16",
            numbers.mapv(|it| f16::from_f32(it as f32)).into_tensor()?,
        ),
        (
            "of_bf16",
            numbers.mapv(|it| bf16::from_f32(it as f32)).into_tensor()?,
        ),
        ("of_f32", numbers.mapv(|it| it as f32 / 3.0).into_tensor()?),
        (
            "of_f64",
            numbers.mapv(|it| f64::from(it) / 3.0).into_tensor()?,
        ),
        ("of_bytes", bytes.into_tensor()?),
        (
            "of_string",
            array![["", "é", "abc"]].mapv(str::to_owned).into_tensor()?,
        ),
    ];
    let outputs = client.infer_batch(inputs.clone()).await?;
    let types: Vec<DataType> = inputs.iter().map(|(_, tensor)| tensor.datatype()).collect();
    assert!(
        DataType::ALL
            .iter()
            .all(|datatype| types.contains(datatype))
    );
    for (name, tensor) in &inputs {
        assert_eq!(outputs.tensor(name), Some(tensor), "{name}");
    }
    let outputs = client
        .infer_batch(inputs.iter().map(|(_, tensor)| tensor).collect::<Vec<_>>())
        .await?;
    assert_eq!(
        outputs.array::<f16, Ix2>("of_f16")?[[0, 2]],
        f16::from_f32(100.0)
    );
    assert_eq!(outputs.array::<String, Ix2>("of_string")?[[0, 1]], "é");
    let wrong = outputs.array::<f32, Ix2>("of_f16").unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "tensor `of_f16`: expected FP32, found FP16"
    );
    Ok(())
}

async fn request_options_are_sent(_: &Server, url: &str) -> Result {
    let client = AsyncModelClient::new(url, "Said")?;
    let options = InferOptions::new()
        .parameter("truth", true)
        .parameter("number", -7)
        .parameter("large", 1_u64 << 40)
        .parameter("text", "\"é\"")
        .header("x-user", "ada")
        .id("my own");
    let outputs = client.infer_sample_with(array![1.0_f32], options).await?;
    assert_eq!(outputs.id(), "my own");
    let lines = outputs.array::<String, Ix1>("OUTPUT_1")?;
    for line in [
        "truth=true",
        "number=-7",
        "large=1099511627776",
        "text=\"é\"",
        "x-user=ada",
    ] {
        assert!(
            lines[0].lines().any(|lines| lines == line),
            "{line} is not in {}",
            lines[0]
        );
    }
    for expected in ["0", "1"] {
        // The request above had an explicit ID, which does not increase the counter.
        assert_eq!(client.infer_sample(array![1.0_f32]).await?.id(), expected);
    }
    Ok(())
}

async fn sequences_keep_their_state(_: &Server, url: &str) -> Result {
    let client = AsyncModelClient::new(url, "Sum")?;
    let steps = [
        (SequenceStep::new(7).start(), 1),
        (SequenceStep::new("eight").start(), 10),
        (SequenceStep::new(7), 3),
        (SequenceStep::new("eight").end(), 20),
        (SequenceStep::new(7).end(), 6),
    ];
    let mut sums = Vec::new();
    for (step, number) in steps {
        let options = InferOptions::new().sequence(step);
        let outputs = client
            .infer_sample_with(array![number as i64], options)
            .await?;
        sums.push(outputs.array::<i64, Ix1>("OUTPUT_1")?[0]);
    }
    assert_eq!(sums, [1, 10, 4, 30, 10]);
    Ok(())
}

async fn version_is_selected(_: &Server, url: &str) -> Result {
    for (version, expected) in [(None, 3), (Some(1), 1), (Some(3), 3)] {
        let builder = AsyncModelClient::builder(url, "Versioned");
        let client = match version {
            Some(version) => builder.version(version).connect().await?,
            None => builder.connect().await?,
        };
        let outputs = client.infer_sample(array![0]).await?;
        assert_eq!(outputs.array::<i32, Ix1>("OUTPUT_1")?, array![expected]);
    }
    Ok(())
}

async fn metadata_and_configuration_are_returned(_: &Server, url: &str) -> Result {
    let client = AsyncModelClient::new(url, "Scale")?;
    client.wait_for_server(Duration::from_secs(10)).await?;
    client.wait_for_model(Duration::from_secs(10)).await?;
    assert!(client.is_batching_supported().await?);
    let config = client.model_config().await?;
    assert_eq!(
        (
            config.name.as_str(),
            config.max_batch_size,
            config.decoupled
        ),
        ("Scale", 16, false)
    );
    let names: Vec<&str> = config
        .inputs
        .iter()
        .map(|input| input.name.as_str())
        .collect();
    assert_eq!(names, ["x", "scale"]);
    assert_eq!(
        (config.inputs[0].datatype, config.inputs[0].dims.as_slice()),
        (DataType::Fp32, &[-1_i64][..])
    );
    let [before] = client.statistics().await?.try_into().unwrap();
    client
        .infer_batch((Array2::<f32>::ones((3, 1)), Array2::<f32>::ones((3, 1))))
        .await?;
    let [after] = client.statistics().await?.try_into().unwrap();
    assert_eq!(after.inference_count - before.inference_count, 3);
    assert_eq!(
        after.inference.success.count - before.inference.success.count,
        1
    );
    assert!(after.inference.success.total > before.inference.success.total);
    let rows = |batch: &&_| {
        let batch: &pytriton::client::BatchStatistics = batch;
        batch.batch_size == 3
    };
    assert!(after.batches.iter().any(|batch| rows(&batch)));
    let count = AsyncModelClient::new(url, "Count")?;
    assert!(count.model_config().await?.decoupled);
    assert!(count.model_config().await?.inputs[1].optional);
    Ok(())
}

async fn concurrent_requests_complete(_: &Server, url: &str) -> Result {
    let client = AsyncModelClient::new(url, "Scale")?;
    let asked = (0..64_u16).map(|number| {
        let x = Array2::from_elem((1, 1000), f32::from(number));
        client.infer_batch((x, array![[2.0_f32]]))
    });
    for (number, answered) in (0..64_u16).zip(futures_util::future::join_all(asked).await) {
        let y = answered?.array::<f32, Ix2>("y")?;
        assert_eq!(y, Array2::from_elem((1, 1000), 2.0 * f32::from(number)));
    }
    // Larger than an HTTP/2 window and than tonic's message limit.
    let x = Array2::from_shape_fn((4, 1 << 20), |(row, column)| (row + column) as f32);
    let outputs = client
        .infer_batch((&x, Array2::<f32>::ones((4, 1))))
        .await?;
    assert_eq!(outputs.array::<f32, Ix2>("y")?, x);
    Ok(())
}

async fn clients_can_share_connections(_: &Server, url: &str) -> Result {
    let client = AsyncModelClient::builder(url, "AddSub").connect().await?;
    let another = AsyncModelClient::from_existing(&client);
    client.close();
    let inputs = (Array1::<i32>::ones(1), Array1::<i32>::ones(1));
    assert_eq!(
        client.infer_sample(inputs.clone()).await,
        Err(ClientError::Closed)
    );
    assert_eq!(client.model_config().await, Err(ClientError::Closed));
    let outputs = another.infer_sample(inputs).await?;
    assert_eq!(outputs.parameter("nothing"), None::<&ParameterValue>);
    Ok(())
}

async fn requests_can_be_compressed(_: &Server, url: &str) -> Result {
    let client = AsyncModelClient::builder(url, "Scale")
        .gzip()
        .connect()
        .await?;
    let x = Array2::<f32>::from_elem((4, 100_000), 0.5);
    let outputs = client
        .infer_batch((&x, Array2::<f32>::ones((4, 1))))
        .await?;
    assert_eq!(outputs.array::<f32, Ix2>("y")?, x);
    let refused = client.infer_batch([("x", &x)]).await.unwrap_err();
    assert!(refused.to_string().contains("scale"), "{refused}");
    AsyncModelClient::from_existing(&client)
        .infer_batch((&x, Array2::<f32>::ones((4, 1))))
        .await?;
    Ok(())
}
