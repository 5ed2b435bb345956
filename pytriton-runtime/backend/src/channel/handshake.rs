use std::ffi::CString;
use std::fmt;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

use crate::wire::{Reader, WireError, Writer};

use super::ChannelError;

/// What both sides know, so that nobody else's socket is taken for one of theirs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Token(pub [u8; 16]);

/// Who knocks at the worker's socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guest {
    /// The shared token.
    pub token: Token,
    /// The model.
    pub model: String,
    /// Its version.
    pub version: u64,
}

/// The tensors of a model, in the order in which the wire numbers them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TensorNames {
    /// The inputs.
    pub inputs: Vec<CString>,
    /// The outputs and Triton's numbers of their types.
    pub outputs: Vec<(CString, i32)>,
}

/// Changes with every change of what the two sides say to each other.
const VERSION: u32 = 1;
/// No greeting is longer.
const LONGEST: usize = 1 << 20;

impl Guest {
    /// Writes the greeting.
    ///
    /// # Errors
    ///
    /// [`ChannelError::Io`] when the socket does not take it.
    pub fn send(&self, socket: &mut UnixStream) -> Result<(), ChannelError> {
        let mut bytes = Vec::new();
        let mut writer = Writer(&mut bytes);
        writer.u32(VERSION);
        writer.bytes(&self.token.0);
        writer.bytes(self.model.as_bytes());
        writer.u64(self.version);
        send(socket, &bytes)
    }

    /// Reads a greeting.
    ///
    /// # Errors
    ///
    /// [`ChannelError::Protocol`] when it is none, or one of another version.
    pub fn receive(socket: &mut UnixStream) -> Result<Self, ChannelError> {
        let bytes = receive(socket)?;
        let mut reader = Reader::new(&bytes);
        if reader.u32()? != VERSION {
            return Err(WireError::Version.into());
        }
        let token = reader.bytes()?.try_into();
        Ok(Self {
            token: Token(token.map_err(|_| WireError::Number)?),
            model: reader.text()?.to_owned(),
            version: reader.u64()?,
        })
    }
}

impl TensorNames {
    /// Writes that the guest is taken.
    ///
    /// # Errors
    ///
    /// [`ChannelError::Io`] when the socket does not take it.
    pub fn send(&self, socket: &mut UnixStream) -> Result<(), ChannelError> {
        let mut bytes = Vec::new();
        let mut writer = Writer(&mut bytes);
        writer.u8(1);
        writer.count(self.inputs.len());
        for name in &self.inputs {
            writer.bytes(name.as_bytes());
        }
        writer.count(self.outputs.len());
        for (name, datatype) in &self.outputs {
            writer.bytes(name.as_bytes());
            writer.u32(datatype.cast_unsigned());
        }
        send(socket, &bytes)
    }

    /// Writes that the guest is not taken, and why.
    ///
    /// # Errors
    ///
    /// [`ChannelError::Io`] when the socket does not take it.
    pub fn refuse(socket: &mut UnixStream, reason: &str) -> Result<(), ChannelError> {
        let mut bytes = vec![0];
        Writer(&mut bytes).bytes(reason.as_bytes());
        send(socket, &bytes)
    }

    /// Reads the worker's answer to a greeting.
    ///
    /// # Errors
    ///
    /// [`ChannelError::Refused`] when the guest is not taken.
    pub fn receive(socket: &mut UnixStream) -> Result<Self, ChannelError> {
        let bytes = receive(socket)?;
        let mut reader = Reader::new(&bytes);
        if reader.u8()? == 0 {
            return Err(ChannelError::Refused(reader.text()?.to_owned()));
        }
        let name =
            |reader: &mut Reader<'_>| CString::new(reader.bytes()?).map_err(|_| WireError::Text);
        let inputs = reader.list(4, name)?;
        let outputs = reader.list(8, |reader| Ok((name(reader)?, reader.u32()?.cast_signed())))?;
        Ok(Self { inputs, outputs })
    }
}

impl Token {
    /// The token as text, for an environment variable.
    pub fn to_text(self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The token of a text; `None` when it is none.
    pub fn from_text(text: &str) -> Option<Self> {
        let digits = text.as_bytes().as_chunks::<2>().0;
        let bytes = digits.iter().map(|digits| {
            let digits = std::str::from_utf8(digits).ok()?;
            u8::from_str_radix(digits, 16).ok()
        });
        let bytes: Vec<u8> = bytes.collect::<Option<_>>()?;
        bytes.try_into().ok().map(Self)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

fn send(socket: &mut UnixStream, bytes: &[u8]) -> Result<(), ChannelError> {
    let len = u32::try_from(bytes.len()).map_err(|_| WireError::Number)?;
    socket.write_all(&len.to_le_bytes())?;
    socket.write_all(bytes)?;
    Ok(())
}

fn receive(socket: &mut UnixStream) -> Result<Vec<u8>, ChannelError> {
    let mut len = [0; 4];
    socket.read_exact(&mut len)?;
    let len = u32::from_le_bytes(len) as usize;
    if len > LONGEST {
        return Err(WireError::Number.into());
    }
    let mut bytes = vec![0; len];
    socket.read_exact(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greetings_come_as_they_were_sent() {
        let (mut one, mut two) = UnixStream::pair().unwrap();
        let token = Token::from_text("000102030405060708090a0b0c0d0eff").unwrap();
        assert_eq!(Token::from_text(&token.to_text()), Some(token));
        let guest = Guest {
            token,
            model: "Linear".to_owned(),
            version: 3,
        };
        guest.send(&mut one).unwrap();
        assert_eq!(Guest::receive(&mut two).unwrap(), guest);
        let names = TensorNames {
            inputs: vec![c"a".into(), c"b".into()],
            outputs: vec![(c"o".into(), 11)],
        };
        names.send(&mut two).unwrap();
        assert_eq!(TensorNames::receive(&mut one).unwrap(), names);
        TensorNames::refuse(&mut two, "no").unwrap();
        let refused = TensorNames::receive(&mut one).unwrap_err();
        assert_eq!(refused.to_string(), "no");
    }

    #[test]
    fn refuses_what_is_no_token_and_no_greeting() {
        for text in [
            "",
            "00",
            "zz0102030405060708090a0b0c0d0eff",
            &"0".repeat(34),
        ] {
            assert_eq!(Token::from_text(text), None, "{text}");
        }
        let table: [&[u8]; 3] = [
            b"\xff\xff\xff\xff",
            b"\x04\0\0\0\x09\0\0\0",
            b"\x01\0\0\0\x01",
        ];
        for bytes in table {
            let (mut one, mut two) = UnixStream::pair().unwrap();
            one.write_all(bytes).unwrap();
            assert!(Guest::receive(&mut two).is_err(), "{bytes:?}");
        }
    }
}
