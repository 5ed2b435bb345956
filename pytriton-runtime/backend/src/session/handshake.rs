use std::ffi::CString;
use std::io::{self, Read, Write};

use crate::protocol::{ProtocolError, Reader, Writer};
use crate::shm::Slots;

use super::{SessionError, Token};

/// The first message to the worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hello {
    /// The shared token.
    pub token: Token,
    /// The model.
    pub model: String,
    /// Its version.
    pub version: u64,
    /// Identifies this load of the model.
    pub load: u64,
}

/// The worker's response if it accepts a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Welcome {
    /// The tensors of the model.
    pub names: TensorNames,
    /// The number of batches that an instance of tritonserver may have in flight.
    pub batches_in_flight: u32,
    /// The lengths of the rings.
    pub slots: Slots,
    /// The error for clients if no instance can serve.
    pub unavailable: String,
}

/// The tensors of a model, in the order of their numbers in messages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TensorNames {
    /// Whether axis 0 of every tensor is the batch axis.
    pub batching: bool,
    /// Whether a request may have any number of responses.
    pub decoupled: bool,
    /// Whether the function checks for cancellation.
    pub cancellable: bool,
    /// The slots for sequences of each instance. Zero if requests do not belong to sequences.
    pub sequence_slots: u32,
    /// The inputs.
    pub inputs: Vec<CString>,
    /// The outputs and the numbers of their datatypes in Triton.
    pub outputs: Vec<(CString, i32)>,
}

/// The version of the protocol between the two sides.
const VERSION: u32 = 7;
/// The complete response of a worker that needs more time.
const WAIT: u8 = 2;
/// The maximum size of a handshake message.
const LONGEST: usize = 1 << 20;

impl TensorNames {
    /// Returns whether each request belongs to a sequence.
    pub fn has_sequences(&self) -> bool {
        self.sequence_slots > 0
    }
}

impl Hello {
    /// Sends the message.
    ///
    /// # Errors
    ///
    /// Returns [`SessionError::Io`] if the socket fails.
    pub fn send(&self, socket: &mut impl Write) -> Result<(), SessionError> {
        let mut bytes = Vec::new();
        let mut writer = Writer(&mut bytes);
        writer.u32(VERSION);
        writer.bytes(&self.token.0);
        writer.bytes(self.model.as_bytes());
        writer.u64(self.version);
        writer.u64(self.load);
        send(socket, &bytes)
    }

    /// Receives the message.
    ///
    /// # Errors
    ///
    /// Returns [`SessionError::Protocol`] if it is malformed or of another version.
    pub fn receive(socket: &mut impl Read) -> Result<Self, SessionError> {
        let bytes = receive(socket)?;
        let mut reader = Reader::new(&bytes);
        if reader.u32()? != VERSION {
            return Err(ProtocolError::Version.into());
        }
        let token = reader.bytes()?.try_into();
        Ok(Self {
            token: Token(token.map_err(|_| ProtocolError::Number)?),
            model: reader.text()?.to_owned(),
            version: reader.u64()?,
            load: reader.u64()?,
        })
    }
}

impl Welcome {
    /// Accepts the session.
    ///
    /// # Errors
    ///
    /// Returns [`SessionError::Io`] if the socket fails.
    pub fn send(&self, socket: &mut impl Write) -> Result<(), SessionError> {
        let mut bytes = Vec::new();
        let mut writer = Writer(&mut bytes);
        writer.u8(1);
        writer.u32(self.batches_in_flight);
        writer.u32(self.slots.down);
        writer.u32(self.slots.up);
        writer.bytes(self.unavailable.as_bytes());
        let TensorNames {
            batching,
            decoupled,
            cancellable,
            sequence_slots,
            inputs,
            outputs,
        } = &self.names;
        writer.u8(u8::from(*batching));
        writer.u8(u8::from(*decoupled));
        writer.u8(u8::from(*cancellable));
        writer.u32(*sequence_slots);
        writer.count(inputs.len());
        for name in inputs {
            writer.bytes(name.as_bytes());
        }
        writer.count(outputs.len());
        for (name, datatype) in outputs {
            writer.bytes(name.as_bytes());
            writer.u32(datatype.cast_unsigned());
        }
        send(socket, &bytes)
    }

    /// Refuses the session with a reason.
    ///
    /// # Errors
    ///
    /// Returns [`SessionError::Io`] if the socket fails.
    pub fn refuse(socket: &mut impl Write, reason: &str) -> Result<(), SessionError> {
        let mut bytes = vec![0];
        Writer(&mut bytes).bytes(reason.as_bytes());
        send(socket, &bytes)
    }

    /// Reports that instances are being created and the decision is pending.
    ///
    /// # Errors
    ///
    /// Returns [`SessionError::Io`] if the socket fails.
    pub fn wait(socket: &mut impl Write) -> Result<(), SessionError> {
        send(socket, &[WAIT])
    }

    /// Receives the worker's response.
    ///
    /// # Errors
    ///
    /// Returns [`SessionError::Refused`] if the session is refused.
    pub fn receive(socket: &mut impl Read) -> Result<Self, SessionError> {
        let bytes = loop {
            let bytes = receive(socket)?;
            if bytes != [WAIT] {
                break bytes;
            }
        };
        let mut reader = Reader::new(&bytes);
        if reader.u8()? == 0 {
            return Err(SessionError::Refused(reader.text()?.to_owned()));
        }
        let batches_in_flight = reader.u32()?;
        let slots = Slots {
            down: reader.u32()?,
            up: reader.u32()?,
        };
        let unavailable = reader.text()?.to_owned();
        let batching = reader.u8()? != 0;
        let decoupled = reader.u8()? != 0;
        let cancellable = reader.u8()? != 0;
        let sequence_slots = reader.u32()?;
        let name = |reader: &mut Reader<'_>| {
            CString::new(reader.bytes()?).map_err(|_| ProtocolError::Text)
        };
        let inputs = reader.list(4, name)?;
        let outputs = reader.list(8, |reader| Ok((name(reader)?, reader.u32()?.cast_signed())))?;
        let names = TensorNames {
            batching,
            decoupled,
            cancellable,
            sequence_slots,
            inputs,
            outputs,
        };
        Ok(Self {
            names,
            batches_in_flight,
            slots,
            unavailable,
        })
    }
}

fn send(socket: &mut impl Write, bytes: &[u8]) -> Result<(), SessionError> {
    let len = u32::try_from(bytes.len()).map_err(|_| ProtocolError::Number)?;
    socket.write_all(&len.to_le_bytes())?;
    socket.write_all(bytes)?;
    Ok(())
}

/// Receives the bytes of a message. Allocates memory only as they arrive.
fn receive(socket: &mut impl Read) -> Result<Vec<u8>, SessionError> {
    let mut len = [0; 4];
    socket.read_exact(&mut len)?;
    let len = u32::from_le_bytes(len);
    if len as usize > LONGEST {
        return Err(ProtocolError::Number.into());
    }
    let mut bytes = Vec::new();
    socket.take(u64::from(len)).read_to_end(&mut bytes)?;
    match bytes.len() == len as usize {
        true => Ok(bytes),
        false => Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn handshake_messages_round_trip() {
        let (mut one, mut two) = UnixStream::pair().unwrap();
        let hello = Hello {
            token: Token([7; 16]),
            model: "Linear".to_owned(),
            version: 3,
            load: 7,
        };
        hello.send(&mut one).unwrap();
        assert_eq!(Hello::receive(&mut two).unwrap(), hello);
        let welcome = Welcome {
            names: TensorNames {
                batching: true,
                decoupled: true,
                cancellable: true,
                sequence_slots: 7,
                inputs: vec![c"a".into(), c"b".into()],
                outputs: vec![(c"o".into(), 11)],
            },
            batches_in_flight: 4,
            slots: Slots { down: 32, up: 64 },
            unavailable: "not now".to_owned(),
        };
        Welcome::wait(&mut two).unwrap();
        welcome.send(&mut two).unwrap();
        assert_eq!(Welcome::receive(&mut one).unwrap(), welcome);
        Welcome::refuse(&mut two, "no").unwrap();
        let refused = Welcome::receive(&mut one).unwrap_err();
        assert_eq!(refused.to_string(), "no");
    }

    #[test]
    fn malformed_handshake_is_rejected() {
        let table: [&[u8]; 4] = [
            // A message of two bytes that ends after one.
            b"\x02\0\0\0\x07",
            b"\xff\xff\xff\xff",
            b"\x04\0\0\0\x09\0\0\0",
            b"\x01\0\0\0\x01",
        ];
        for bytes in table {
            let (mut one, mut two) = UnixStream::pair().unwrap();
            one.write_all(bytes).unwrap();
            drop(one);
            assert!(Hello::receive(&mut two).is_err(), "{bytes:?}");
        }
    }
}
