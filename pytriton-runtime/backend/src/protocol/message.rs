use crate::arena::Region;
use crate::ring::Message;

use super::ProtocolError;

/// A message from tritonserver to the worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToWorker {
    /// A batch: its description, followed by its tensors with alignment.
    Batch {
        /// Its number.
        batch: u64,
        /// The location of both.
        region: Region,
        /// The size of its description.
        description: usize,
        /// The size of its tensors.
        data: usize,
    },
    /// A client has cancelled a request of a batch.
    Cancel {
        /// The batch.
        batch: u64,
        /// The request's position in the batch.
        request: u32,
    },
    /// The next descriptor on the socket is the segment of that number.
    Segment(u32),
    /// A segment is no longer used.
    Retired(u32),
}

/// A message from the worker to tritonserver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToServer {
    /// A response to a request.
    Response(ResponseMessage),
    /// The region of a batch is no longer read.
    Returned {
        /// The batch.
        batch: u64,
    },
    /// A batch cannot be read: its requests get no responses. Its region is returned.
    Refused {
        /// The batch.
        batch: u64,
    },
    /// The next descriptor on the socket is the segment of that number.
    Segment(u32),
    /// A segment is no longer used.
    Retired(u32),
}

/// One of the responses to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResponseMessage {
    /// The batch.
    pub batch: u64,
    /// The request's position in the batch.
    pub request: u32,
    /// The number of responses to the request before this one.
    pub sequence: u32,
    /// Whether it is the last response to the request.
    pub last: bool,
    /// The location of its description. An empty one only counts a response of the side channel or,
    /// if it is the last, ends the responses.
    pub description: Region,
    /// The location of its tensors in the same segment: offset and length.
    pub data: (usize, usize),
    /// When the function was called with the batch, on the clock of [`now`](crate::now).
    pub begun: u64,
}

const BATCH: u64 = 1;
const CANCEL: u64 = 2;
const RESPONSE: u64 = 3;
const RETURNED: u64 = 4;
const SEGMENT: u64 = 5;
const RETIRED: u64 = 6;
const REFUSED: u64 = 7;
const KIND: u64 = 0xff;
const LAST: u64 = 1 << 8;

impl ToWorker {
    /// Converts to a message as stored in a slot.
    pub fn to_message(self) -> Message {
        match self {
            Self::Batch {
                batch,
                region:
                    Region {
                        segment,
                        offset,
                        len,
                    },
                description,
                data,
            } => [
                BATCH,
                batch,
                segment.into(),
                offset as u64,
                len as u64,
                description as u64,
                data as u64,
                0,
            ],
            Self::Cancel { batch, request } => [CANCEL, batch, request.into(), 0, 0, 0, 0, 0],
            Self::Segment(number) => [SEGMENT, number.into(), 0, 0, 0, 0, 0, 0],
            Self::Retired(number) => [RETIRED, number.into(), 0, 0, 0, 0, 0, 0],
        }
    }

    /// Reads a message.
    ///
    /// # Errors
    ///
    /// Returns [`ProtocolError::Number`] if it is invalid.
    pub fn read(message: &Message) -> Result<Self, ProtocolError> {
        let &[kind, first, second, third, fourth, fifth, sixth, _] = message;
        match kind {
            BATCH => Ok(Self::Batch {
                batch: first,
                region: Region {
                    segment: number(second)?,
                    offset: size(third)?,
                    len: size(fourth)?,
                },
                description: size(fifth)?,
                data: size(sixth)?,
            }),
            CANCEL => Ok(Self::Cancel {
                batch: first,
                request: number(second)?,
            }),
            SEGMENT => number(first).map(Self::Segment),
            RETIRED => number(first).map(Self::Retired),
            _ => Err(ProtocolError::Number),
        }
    }
}

impl ToServer {
    /// Converts to a message as stored in a slot.
    pub fn to_message(self) -> Message {
        match self {
            Self::Response(response) => {
                let Region {
                    segment,
                    offset,
                    len,
                } = response.description;
                let last = if response.last { LAST } else { 0 };
                let (data, data_len) = response.data;
                [
                    RESPONSE | last | u64::from(segment) << 32,
                    response.batch,
                    u64::from(response.request) << 32 | u64::from(response.sequence),
                    offset as u64,
                    len as u64,
                    data as u64,
                    data_len as u64,
                    response.begun,
                ]
            }
            Self::Returned { batch } => [RETURNED, batch, 0, 0, 0, 0, 0, 0],
            Self::Refused { batch } => [REFUSED, batch, 0, 0, 0, 0, 0, 0],
            Self::Segment(number) => [SEGMENT, number.into(), 0, 0, 0, 0, 0, 0],
            Self::Retired(number) => [RETIRED, number.into(), 0, 0, 0, 0, 0, 0],
        }
    }

    /// Reads a message.
    ///
    /// # Errors
    ///
    /// Returns [`ProtocolError::Number`] if it is invalid.
    pub fn read(message: &Message) -> Result<Self, ProtocolError> {
        let &[kind, first, second, third, fourth, fifth, sixth, seventh] = message;
        match kind & KIND {
            RESPONSE => Ok(Self::Response(ResponseMessage {
                batch: first,
                request: number(second >> 32)?,
                sequence: number(second & u64::from(u32::MAX))?,
                last: kind & LAST != 0,
                description: Region {
                    segment: number(kind >> 32)?,
                    offset: size(third)?,
                    len: size(fourth)?,
                },
                data: (size(fifth)?, size(sixth)?),
                begun: seventh,
            })),
            RETURNED => Ok(Self::Returned { batch: first }),
            REFUSED => Ok(Self::Refused { batch: first }),
            SEGMENT => number(first).map(Self::Segment),
            RETIRED => number(first).map(Self::Retired),
            _ => Err(ProtocolError::Number),
        }
    }
}

fn number(word: u64) -> Result<u32, ProtocolError> {
    u32::try_from(word).map_err(|_| ProtocolError::Number)
}

fn size(word: u64) -> Result<usize, ProtocolError> {
    usize::try_from(word).map_err(|_| ProtocolError::Number)
}
