use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, HttpBody};
use axum::http::Response;
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use pytriton_net::ResponseContent;

use crate::access_log::PendingLine;
use crate::http::Content;

/// The body of a response.
#[derive(Debug)]
pub struct PortBody(Contents);

#[derive(Debug)]
enum Contents {
    Http(Content),
    Routed(Body),
    /// Events of a model, which a router of the program has passed on.
    RoutedEvents(Body),
    Logged(Box<LoggedBody>),
}

/// The body of a response in the access log.
#[derive(Debug)]
struct LoggedBody {
    body: PortBody,
    line: Box<PendingLine>,
}

impl PortBody {
    pub(super) fn http(content: Content) -> Self {
        Self(Contents::Http(content))
    }

    pub(super) fn routed(body: Body) -> Self {
        Self(Contents::Routed(body))
    }

    pub(super) fn routed_events(body: Body) -> Self {
        Self(Contents::RoutedEvents(body))
    }
}

/// Passes the line of a request on to the body of its response.
pub(super) fn logged(
    response: Response<PortBody>,
    mut line: Box<PendingLine>,
) -> Response<PortBody> {
    line.respond(&response, response.body().is_end_stream());
    response.map(|body| PortBody(Contents::Logged(Box::new(LoggedBody { body, line }))))
}

impl LoggedBody {
    fn poll_frame(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let Self { body, line } = self;
        let polled = line.within(|| Pin::new(&mut *body).poll_frame(context));
        match &polled {
            Poll::Ready(None) => line.hand_over::<Bytes>(None, true),
            Poll::Ready(Some(Ok(frame))) => line.hand_over(Some(frame), body.is_end_stream()),
            Poll::Ready(Some(Err(_))) | Poll::Pending => {}
        }
        polled
    }
}

impl ResponseContent for PortBody {
    fn comment(&self) -> Option<Bytes> {
        match &self.0 {
            Contents::Http(content) => content.comment(),
            Contents::Routed(_) => None,
            Contents::RoutedEvents(_) => Content::event_comment().into(),
            Contents::Logged(logged) => logged.body.comment(),
        }
    }
}

impl HttpBody for PortBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        match &mut self.0 {
            Contents::Http(content) => Pin::new(content)
                .poll_frame(context)
                .map_err(|never| match never {}),
            Contents::Routed(body) | Contents::RoutedEvents(body) => {
                Pin::new(body).poll_frame(context)
            }
            Contents::Logged(logged) => logged.poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Contents::Http(content) => content.is_end_stream(),
            Contents::Routed(body) | Contents::RoutedEvents(body) => body.is_end_stream(),
            Contents::Logged(logged) => logged.body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Contents::Http(content) => content.size_hint(),
            Contents::Routed(body) | Contents::RoutedEvents(body) => body.size_hint(),
            Contents::Logged(logged) => logged.body.size_hint(),
        }
    }
}
