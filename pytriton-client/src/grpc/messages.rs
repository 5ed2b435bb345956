use std::mem::take;

use bytes::{Buf, Bytes};
use http_body_util::BodyExt;
use hyper::Response;
use hyper::http::{HeaderMap, StatusCode};

use crate::request::Model;
use crate::transport::ResponseBody;
use crate::{ClientError, gzip};

use super::framing::Arriving;
use super::response::{begun, ended};

/// The messages of a streaming response.
#[derive(Debug)]
pub(super) struct Messages {
    status: StatusCode,
    body: ResponseBody,
    arriving: Arriving,
    /// The bytes after the last message.
    rest: Bytes,
    trailers: HeaderMap,
}

impl Messages {
    /// Starts to read a response, unless its head already contains an error.
    pub(super) fn new(
        response: Response<ResponseBody>,
        model: &Model,
    ) -> Result<Self, ClientError> {
        let (head, body) = response.into_parts();
        begun(&head, model)?;
        Ok(Self {
            status: head.status,
            body,
            arriving: Arriving::default(),
            rest: Bytes::new(),
            trailers: head.headers,
        })
    }

    /// Returns the next message, or `None` after the last one of a successful call.
    pub(super) async fn next(&mut self, model: &Model) -> Result<Option<Bytes>, ClientError> {
        loop {
            let behind = self.arriving.take(&self.rest).len();
            self.rest.advance(self.rest.len() - behind);
            if self.arriving.is_whole() {
                return match take(&mut self.arriving).finish()? {
                    (true, message) => gzip::decompress(message, 0).await.map(Some),
                    (false, message) => Ok(Some(message)),
                };
            }
            match self
                .body
                .frame()
                .await
                .transpose()
                .map_err(|error| error.0)?
            {
                Some(frame) => match frame.into_data() {
                    Ok(data) => self.rest = data,
                    Err(frame) => self.trailers = frame.into_trailers().unwrap_or_default(),
                },
                None => {
                    ended(self.status, &self.trailers, model)?;
                    let cut = take(&mut self.arriving);
                    return match cut.has_begun() {
                        true => cut.finish().map(|_| None),
                        false => Ok(None),
                    };
                }
            }
        }
    }
}
