use std::error::Error;

use crate::transport::TransportError;
use crate::{ClientError, Status};

/// Returns the error of a failed call: a connection error, or the server's message.
pub(super) fn failed(model: &str, status: &tonic::Status) -> ClientError {
    match status.source().and_then(TransportError::within) {
        Some(error) => error.0.clone(),
        None => ClientError::server(
            model,
            Status::Grpc(status.code().into()),
            status.message().to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use crate::Tls;
    use crate::transport::Link;

    use super::super::transport::GrpcTransport;
    use super::*;

    /// The HTTP/2 frame types HEADERS and SETTINGS.
    const HEADERS: u8 = 1;
    const SETTINGS: u8 = 4;
    /// The flags END_STREAM and END_HEADERS.
    const LAST: u8 = 0b101;

    fn frame(kind: u8, flags: u8, stream: u8, body: &[u8]) -> Vec<u8> {
        let length = u8::try_from(body.len()).unwrap();
        [&[0, 0, length, kind, flags, 0, 0, 0, stream], body].concat()
    }

    /// Responds to one call with the given headers.
    async fn respond(listener: TcpListener, pairs: &[(&str, &str)]) {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut preface = [0; 24];
        stream.read_exact(&mut preface).await.unwrap();
        let settings = frame(SETTINGS, 0, 0, &[]);
        stream.write_all(&settings).await.unwrap();
        loop {
            let mut head = [0; 9];
            stream.read_exact(&mut head).await.unwrap();
            let [one, two, three, kind, ..] = head;
            let length = u32::from_be_bytes([0, one, two, three]);
            let mut body = vec![0; length as usize];
            stream.read_exact(&mut body).await.unwrap();
            if kind == HEADERS {
                break;
            }
        }
        // The status 200, and literals without indexing.
        let mut block = vec![0x88];
        for (name, value) in pairs {
            block.push(0);
            for text in [name, value] {
                block.push(u8::try_from(text.len()).unwrap());
                block.extend_from_slice(text.as_bytes());
            }
        }
        let respond = frame(HEADERS, LAST, 1, &block);
        stream.write_all(&respond).await.unwrap();
        // Waits until the client disconnects.
        let _ = stream.read_to_end(&mut Vec::new()).await;
    }

    #[tokio::test]
    async fn malformed_details_are_ignored() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("grpc://{}", listener.local_addr().unwrap());
        let link = Link {
            tls: Tls::new(),
            access_token: None,
            connect_timeout: Duration::from_secs(5),
            gzip: false,
        };
        let pairs = [
            ("content-type", "application/grpc"),
            ("grpc-status", "8"),
            ("grpc-message", "too%20much"),
            ("grpc-status-details-bin", "%"),
        ];
        let call = async {
            let transport = GrpcTransport::new(&url.parse().unwrap(), &link).unwrap();
            transport.is_live().await
        };
        let call = tokio::select! {
            call = call => call,
            () = respond(listener, &pairs) => panic!("the client has gone"),
        };
        let expected = ClientError::Server {
            status: Status::Grpc(8),
            message: "too much".to_owned(),
        };
        assert_eq!(call, Err(expected));
    }
}
