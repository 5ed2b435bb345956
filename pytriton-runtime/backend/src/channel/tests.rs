#![cfg(not(loom))]

use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::*;
use crate::shm::Window;

/// A socket in a folder of its own, which goes with it.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let name = format!("pytriton-channel-{}-{name}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir(&folder).unwrap();
        Self(folder)
    }

    fn socket(&self) -> PathBuf {
        self.0.join("socket")
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

/// A door and a desk; the desk's thread does what it is told to.
fn pair<T: Send + 'static>(
    name: &str,
    desk: impl FnOnce(Desk) -> T + Send + 'static,
) -> (Door, JoinHandle<T>) {
    let place = Place::new(name);
    let listener = UnixListener::bind(place.socket()).unwrap();
    let desk = thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        Guest::receive(&mut socket).unwrap();
        let welcome = Welcome {
            names: TensorNames::default(),
            batches_in_flight: 1,
        };
        desk(Desk::open(socket, &welcome).unwrap())
    });
    let guest = Guest {
        token: Token([7; 16]),
        model: "Linear".to_owned(),
        version: 1,
    };
    let (door, _) = Door::knock(&place.socket(), &guest).unwrap();
    (door, desk)
}

/// Asks a batch of that description and those tensors.
fn ask(
    door: &mut Door,
    description: &[u8],
    data: &[u8],
) -> Result<(Vec<u8>, Vec<u8>), ChannelError> {
    let start = data_start(description.len()).unwrap();
    let input = door.input(start + data.len())?;
    input.write(0, description)?;
    input.write(start, data)?;
    let answered = door.ask(description.len(), data.len())?;
    Ok((answered.description.to_vec(), answered.data.to_vec()))
}

/// Answers a batch with itself, and keeps its tensors if told to.
fn echo(desk: &mut Desk, keep: bool) -> Result<Option<Window>, ChannelError> {
    let Asked { description, data } = desk.wait()?;
    let window = data.window();
    let bytes = window.as_ref();
    let start = data_start(description.len()).unwrap();
    let output = desk.output(start + bytes.len())?;
    output.write(0, &description)?;
    output.write(start, bytes)?;
    let len = bytes.len();
    let kept = keep.then(|| window.clone());
    drop(window);
    desk.answer(data, description.len(), len);
    Ok(kept)
}

#[test]
fn batches_of_all_sizes_come_back() {
    let (mut door, desk) = pair("sizes", |mut desk| while echo(&mut desk, false).is_ok() {});
    for size in [0, 1, 63, 64, 65, 1 << 16, (5 << 20) + 3, 80 << 20, 2] {
        let data: Vec<u8> = (0..size).map(|index| (index % 251) as u8).collect();
        let description = size.to_string().into_bytes();
        let answered = ask(&mut door, &description, &data).unwrap();
        assert!(answered == (description, data), "{size}");
    }
    drop(door);
    desk.join().unwrap();
}

#[test]
fn tensors_that_are_kept_stay_what_they_were() {
    let (mut door, desk) = pair("kept", |mut desk| {
        let kept = (0..5).map(|index| echo(&mut desk, index % 2 == 0).unwrap());
        kept.collect::<Vec<_>>()
    });
    for value in 0..5 {
        ask(&mut door, b"", &vec![value; 100_000]).unwrap();
    }
    let kept = desk.join().unwrap();
    drop(door);
    for (value, kept) in (0_u8..).zip(kept) {
        if let Some(kept) = kept {
            assert_eq!(kept.as_ref(), vec![value; 100_000]);
        }
    }
}

#[test]
fn a_death_under_way_is_an_error_within_a_second() {
    let (mut door, desk) = pair("death", |mut desk| desk.wait().map(|_| ()));
    let begun = Instant::now();
    let error = ask(&mut door, b"x", b"y").unwrap_err();
    assert!(matches!(error, ChannelError::HungUp), "{error}");
    assert!(begun.elapsed() < Duration::from_secs(1));
    desk.join().unwrap().unwrap();
}

#[test]
fn a_door_that_goes_ends_the_desk_at_once() {
    let (door, desk) = pair("goes", |mut desk| desk.wait().map(|_| ()));
    drop(door);
    let ended = desk.join().unwrap();
    assert!(matches!(ended, Err(ChannelError::HungUp)));
}

#[test]
fn closing_answers_what_is_under_way_and_refuses_the_rest() {
    let (mut door, desk) = pair("closing", |mut desk| {
        let closer = desk.closer().unwrap();
        let asked = desk.wait().unwrap();
        closer.close();
        desk.answer(asked.data, 0, 0);
        desk.wait().map(|_| ())
    });
    ask(&mut door, b"", b"one").unwrap();
    assert!(matches!(desk.join().unwrap(), Err(ChannelError::HungUp)));
    assert!(matches!(
        ask(&mut door, b"", b"two"),
        Err(ChannelError::HungUp)
    ));
}

#[test]
fn lengths_that_cannot_be_are_refused_on_both_sides() {
    for (description, data) in [(1 << 40, 0), (0, 1 << 40), (usize::MAX, 1), (1, usize::MAX)] {
        let (mut door, desk) = pair("lengths", |mut desk| desk.wait().map(|_| ()));
        assert!(door.ask(description, data).is_err());
        let refused = desk.join().unwrap().unwrap_err();
        assert!(matches!(refused, ChannelError::Protocol(_)), "{refused}");

        let (mut door, desk) = pair("answers", move |mut desk| {
            let asked = desk.wait().unwrap();
            desk.answer(asked.data, description, data);
        });
        let refused = door.ask(0, 0).unwrap_err();
        assert!(matches!(refused, ChannelError::Protocol(_)), "{refused}");
        desk.join().unwrap();
    }
}

#[test]
fn a_batch_without_memory_is_an_error_and_the_next_one_is_served() {
    let (mut door, desk) = pair("memory", |mut desk| while echo(&mut desk, false).is_ok() {});
    let bytes = crate::shm::Segment::CAPACITY + 1;
    let error = door.input(bytes).unwrap_err().to_string();
    let expected = format!("no shared memory for {bytes} bytes");
    assert!(error.starts_with(&expected), "{error}");
    assert_eq!(ask(&mut door, b"x", b"y").unwrap().1, b"y");
    drop(door);
    desk.join().unwrap();
}
