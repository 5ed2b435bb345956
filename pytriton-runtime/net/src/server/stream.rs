use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

use crate::tls::ClientCertificate;

/// A connection, in plain text or with TLS.
#[derive(Debug)]
pub(crate) enum Stream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

macro_rules! either {
    ($stream:expr, $inner:ident => $done:expr) => {
        match &mut *$stream {
            Stream::Plain($inner) => $done,
            Stream::Tls($inner) => $done,
        }
    };
}

impl Stream {
    /// Returns the certificate of the client, which the handshake has verified.
    pub(crate) fn client_certificate(&self) -> Option<ClientCertificate> {
        match self {
            Self::Plain(_) => None,
            Self::Tls(stream) => {
                let (_, session) = stream.get_ref();
                let certificate = session.peer_certificates()?.first()?;
                Some(ClientCertificate::read(certificate))
            }
        }
    }

    /// Returns the pending error of the socket.
    pub(crate) fn take_error(&self) -> io::Result<Option<io::Error>> {
        match self {
            Self::Plain(stream) => stream.take_error(),
            Self::Tls(stream) => stream.get_ref().0.take_error(),
        }
    }

    /// Sends all bytes or none. Returns whether they fit.
    pub(crate) fn try_send(&mut self, context: &mut Context<'_>, bytes: &[u8]) -> io::Result<bool> {
        let sent = match self {
            Self::Plain(stream) => stream.try_write(bytes),
            Self::Tls(stream) => {
                let sent = Pin::new(&mut *stream).poll_write(context, bytes);
                // Encrypted bytes that do not fit now are sent later, at the latest with the next
                // write.
                let _ = Pin::new(stream).poll_flush(context)?;
                match sent {
                    Poll::Ready(sent) => sent,
                    Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
                }
            }
        };
        match sent {
            Ok(sent) if sent == bytes.len() => Ok(true),
            Ok(_) => Err(io::ErrorKind::WriteZero.into()),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
            Err(error) => Err(error),
        }
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        either!(self, stream => Pin::new(stream).poll_read(context, buffer))
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        either!(self, stream => Pin::new(stream).poll_write(context, bytes))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        either!(self, stream => Pin::new(stream).poll_write_vectored(context, slices))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(self, stream => Pin::new(stream).poll_flush(context))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(self, stream => Pin::new(stream).poll_shutdown(context))
    }
}
