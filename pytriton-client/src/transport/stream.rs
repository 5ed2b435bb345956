use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper_util::client::legacy::connect::{Connected, Connection};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

use crate::Scheme;

use super::preface;

/// A connection to a server.
#[derive(Debug)]
pub(super) struct Stream {
    pub(super) socket: Socket,
    /// The scheme of the request, until the server has responded.
    expected_scheme: Option<Scheme>,
}

/// With or without TLS.
#[derive(Debug)]
pub(super) enum Socket {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Stream {
    pub(super) fn new(socket: Socket, scheme: Scheme) -> Self {
        let expected_scheme = Some(scheme);
        Self {
            socket,
            expected_scheme,
        }
    }
}

/// Dispatches to the inner stream.
macro_rules! either {
    ($this:expr, $stream:ident => $do:expr) => {
        match &mut $this.get_mut().socket {
            Socket::Plain($stream) => {
                let $stream = Pin::new($stream);
                $do
            }
            Socket::Tls($stream) => {
                let $stream = Pin::new($stream.as_mut());
                $do
            }
        }
    };
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = either!(self.as_mut(), stream => stream.poll_read(context, buffer));
        let begins = buffer.filled().get(before..).unwrap_or_default();
        match self.expected_scheme.take_if(|_| !begins.is_empty()) {
            Some(scheme) => Poll::Ready(preface::check(scheme, begins)),
            None => read,
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        either!(self, stream => stream.poll_write(context, bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        either!(self, stream => stream.poll_write_vectored(context, pieces))
    }

    fn is_write_vectored(&self) -> bool {
        match &self.socket {
            Socket::Plain(stream) => stream.is_write_vectored(),
            Socket::Tls(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(self, stream => stream.poll_flush(context))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(self, stream => stream.poll_shutdown(context))
    }
}

impl Connection for Stream {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}
