//! A simulated worker, whose instances add up the values of each sequence.

use std::collections::HashMap;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::failure::Code;
use crate::instance::Instance;
use crate::protocol::{BatchReader, Correlation, OutputPart, ResponseWriter, Span};
use crate::session::{Hello, ReceivedBatch, Server, Slots, State, TensorNames, Token, Welcome};

use super::Proxy;

/// Far longer than any awaited event takes.
pub(super) const TIMEOUT: Duration = Duration::from_secs(10);

/// A value with which a call stalls until the test resumes it.
pub(super) const STALL: f32 = -1.0;

/// A value with which a call runs until its client cancels it.
pub(super) const CANCELLED: f32 = -2.0;

/// The error of a stalled call.
pub(super) const TOO_LONG: &str = "the call took too long";
/// The error of a request with an unknown sequence.
const UNKNOWN: &str = "there is no such sequence";
/// The error if no instance serves.
pub(super) const UNAVAILABLE: &str = "every instance is stalled";

const TOKEN: Token = Token([7; 16]);

/// The worker's side of an instance.
pub(super) struct SimulatedInstance {
    /// Resumes a stalled call.
    pub(super) resume: Sender<()>,
    /// Signals that the call was resumed.
    pub(super) resumed: Receiver<()>,
    /// The values received, in order.
    pub(super) values: Receiver<f32>,
}

/// Starts instances of a model, and returns each with its worker's side.
pub(super) fn start(
    name: &str,
    (count, loaded_model): (usize, usize),
    (sequential, batches_in_flight): (bool, u32),
) -> Vec<(Proxy, Instance, SimulatedInstance)> {
    let path = socket(name);
    let listener = UnixListener::bind(&path).unwrap();
    let (instances, started) = channel();
    thread::spawn(move || {
        for socket in listener.incoming() {
            let mut socket = socket.unwrap();
            Hello::receive(&mut socket).unwrap();
            let names = TensorNames {
                sequence_slots: u32::from(sequential) * 4,
                inputs: vec![c"x".into()],
                outputs: vec![(c"y".into(), 11)],
                ..TensorNames::default()
            };
            let welcome = Welcome {
                names,
                batches_in_flight,
                slots: Slots { down: 16, up: 16 },
                unavailable: UNAVAILABLE.to_owned(),
            };
            let server = Server::open(socket, &welcome, || {}).unwrap();
            let _ = instances.send(serve(server));
        }
    });
    let instances = (0..count).map(|_| {
        let instance = Instance {
            model: "Sum".to_owned(),
            version: 1,
            loaded_model,
            name: String::new(),
            gpu: None,
        };
        let proxy = Proxy::connect(&instance, (path.clone(), TOKEN)).unwrap();
        let worker = started.recv_timeout(TIMEOUT).unwrap();
        (proxy, instance, worker)
    });
    instances.collect()
}

fn socket(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("pytriton-{}-{name}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

fn serve(server: Server) -> SimulatedInstance {
    let (resume, go_on) = channel::<()>();
    let (has_resumed, resumed) = channel();
    let (values_sender, values) = channel();
    thread::spawn(move || {
        // As a function's own: nothing is dropped when the instance stalls.
        let mut states = HashMap::new();
        let mut reader = BatchReader::default();
        while let Ok(received) = server.take() {
            let ReceivedBatch {
                batch,
                description,
                data,
            } = received;
            let read = reader.read(&description, data.as_ref().len(), 1, 1);
            let mut stalled = false;
            let mut responses = server.responses();
            let mut sums = Vec::new();
            for (index, request) in (0..).zip(read.unwrap().requests()) {
                let span = request.inputs().next().unwrap().span;
                let bytes = &data.as_ref()[span.offset..span.offset + span.len];
                let value = f32::from_le_bytes(bytes.try_into().unwrap());
                values_sender.send(value).unwrap();
                let sum = match request.sequence {
                    None => Ok(value),
                    Some(sequence) => {
                        let Correlation::Number(id) = sequence.id else {
                            panic!("numbers are sent");
                        };
                        let before = match sequence.start {
                            true => Some(0.0),
                            false => states.remove(&id),
                        };
                        let sum = before.map(|before: f32| before + value);
                        if let (Some(sum), false) = (sum, sequence.end) {
                            states.insert(id, sum);
                        }
                        sum.ok_or(UNKNOWN)
                    }
                };
                stalled |= value == STALL;
                let begun = Instant::now();
                while value == CANCELLED && !server.is_cancelled(batch, index) {
                    assert!(begun.elapsed() < TIMEOUT, "the cancellation has not come");
                    thread::sleep(Duration::from_millis(1));
                }
                let sum = if value == STALL { Err(TOO_LONG) } else { sum };
                let mut writer = ResponseWriter::new(&mut responses.descriptions);
                match sum {
                    Err(error) => writer.failed(Code::Internal, error),
                    Ok(sum) => {
                        writer.parameters(0);
                        writer.outputs(1);
                        let span = Span {
                            offset: 4 * sums.len(),
                            len: 4,
                        };
                        writer.output(OutputPart { output: 0, span }, [1_i64, 1].into_iter());
                        sums.push(sum.to_le_bytes());
                    }
                }
                responses.end_only(index);
            }
            responses.data = 4 * sums.len();
            drop(data);
            if stalled {
                server.set_state(State::Unavailable);
            }
            let bytes = sums.concat();
            let answered = server.respond((batch, 0), &responses, |allocated| {
                allocated.write(0, &bytes)
            });
            answered.and_then(|()| server.finish(batch)).unwrap();
            if stalled {
                // The test may have ended.
                let _ = go_on.recv();
                server.set_state(State::Serving);
                let _ = has_resumed.send(());
            }
        }
    });
    SimulatedInstance {
        resume,
        resumed,
        values,
    }
}
