use pytriton_protocol::proto::*;
use tonic::Code;

use super::client;

#[tokio::test]
async fn server_and_model_metadata_are_reported() {
    let (_models, mut client) = client().await;
    let live = client.server_live(ServerLiveRequest {}).await.unwrap();
    assert!(live.into_inner().live);
    let ready = client.server_ready(ServerReadyRequest {}).await.unwrap();
    assert!(ready.into_inner().ready);
    let server = client
        .server_metadata(ServerMetadataRequest {})
        .await
        .unwrap()
        .into_inner();
    assert_eq!(
        (server.name.as_str(), server.version.as_str()),
        ("triton", "2.51.0")
    );

    let metadata = ModelMetadataRequest {
        name: "Identity".to_owned(),
        ..ModelMetadataRequest::default()
    };
    let metadata = client.model_metadata(metadata).await.unwrap().into_inner();
    assert_eq!(metadata.versions, ["1", "3"]);
    assert_eq!(metadata.inputs[0].shape, [-1, -1]);
    let metadata = ModelMetadataRequest {
        name: "Identity".to_owned(),
        version: "3".to_owned(),
    };
    let metadata = client.model_metadata(metadata).await.unwrap().into_inner();
    assert_eq!(metadata.versions, ["3"]);

    let config = ModelConfigRequest {
        name: "Identity".to_owned(),
        version: "1".to_owned(),
    };
    let config = client
        .model_config(config)
        .await
        .unwrap()
        .into_inner()
        .config
        .unwrap();
    assert_eq!(config.max_batch_size, 8);
    assert_eq!(config.input[0].data_type(), DataType::TypeFp32);
    assert!(config.scheduling_choice.is_some());

    let index = client
        .repository_index(RepositoryIndexRequest::default())
        .await
        .unwrap();
    let models = index.into_inner().models;
    let models: Vec<_> = models
        .iter()
        .map(|model| (model.version.as_str(), model.state.as_str()))
        .collect();
    assert_eq!(models, [("1", "READY"), ("3", "READY")]);
}

#[tokio::test]
async fn unknown_models_are_not_ready_and_have_no_metadata() {
    let (_models, mut client) = client().await;
    let table = [
        ("Identity", "1", Ok(true), Code::Ok, Code::Ok),
        (
            "Identity",
            "2",
            Ok(false),
            Code::NotFound,
            Code::InvalidArgument,
        ),
        (
            "Identity",
            "99999999999",
            Ok(false),
            Code::NotFound,
            Code::InvalidArgument,
        ),
        (
            "Identity",
            "x",
            Err(Code::InvalidArgument),
            Code::InvalidArgument,
            Code::InvalidArgument,
        ),
        ("Nope", "", Ok(false), Code::NotFound, Code::InvalidArgument),
        ("", "", Ok(false), Code::NotFound, Code::Ok),
    ];
    for (name, version, ready, metadata, statistics) in table {
        let (name, version) = (name.to_owned(), version.to_owned());
        let got = client
            .model_ready(ModelReadyRequest {
                name: name.clone(),
                version: version.clone(),
            })
            .await;
        assert_eq!(
            got.map(|got| got.into_inner().ready).map_err(|s| s.code()),
            ready,
            "{name} {version}"
        );
        let got = client
            .model_metadata(ModelMetadataRequest {
                name: name.clone(),
                version: version.clone(),
            })
            .await;
        assert_eq!(
            got.map_or_else(|s| s.code(), |_| Code::Ok),
            metadata,
            "{name} {version}"
        );
        let got = client
            .model_statistics(ModelStatisticsRequest {
                name: name.clone(),
                version: version.clone(),
            })
            .await;
        assert_eq!(
            got.map_or_else(|s| s.code(), |_| Code::Ok),
            statistics,
            "{name} {version}"
        );
    }
}
