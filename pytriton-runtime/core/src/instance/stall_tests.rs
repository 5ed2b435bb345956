//! Tests of instances in a call that exceeds its time limit, some with sequences whose ids the
//! server has forwarded.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use ndarray::Ix2;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::call::{
    Call, Context, Executed, Execution, Instance, ModelError, SequenceParameter, Sequenced, Start,
    Started, Starts,
};
use crate::model::{CallMode, CallOptions};
use crate::registry::{ModelDeclaration, ModelOptions};
use crate::request::{Request, Sequence};
use crate::testing::{IDENTITY, infer_request};

use super::{Instances, LoadedRunner};

/// Adds up its inputs; -1 exceeds the time limit.
struct Adding;

impl Instance for Adding {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            let mut sum = <&mut f32>::read(call)?;
            let x = call.array::<f32, Ix2>(0)?;
            if x[[0, 0]] == -1.0 {
                thread::sleep(Duration::from_secs(1));
            }
            *sum.reborrow().argument() += x[[0, 0]];
            call.outputs(x.mapv(|_| *sum.reborrow().argument()))
        })
    }
}

impl Starts for Adding {
    fn start(&self, _: &Start<'_>) -> Started {
        Ok(Box::new(0.0_f32))
    }
}

const DECLARATION: ModelDeclaration = ModelDeclaration {
    call: CallMode::Request,
    options: ModelOptions {
        dynamic_batching: false,
        call_options: CallOptions {
            max_call_microseconds: 200_000,
            ..CallOptions::DEFAULT
        },
        ..IDENTITY.options
    },
    load: |context| Ok(Box::new(Sequenced::new(context, Adding))),
    ..IDENTITY
};

/// Runs a call that exceeds its time limit on its own instance, and passes the result to `finish`.
fn stall(finish: impl FnOnce(Executed) + Send + 'static) -> thread::JoinHandle<()> {
    thread::spawn(|| {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let model = DECLARATION.registration().unwrap();
            let context = Context::new(Arc::clone(&model.spec), 0);
            let instances = Instances::new(Arc::clone(&model.spec.name), |_| {});
            let _guard = instances.enter(0);
            let runner = LoadedRunner::load(&model, context, Handle::current()).unwrap();
            let runner = runner.into_local();
            let runner = runner.supervised(&instances).unwrap();
            let mut request = infer_request(1, -1.0);
            request.sequence = Sequence::new(1).map(|sequence| sequence.start(true));
            let request = Request::check(&model.spec, request).unwrap();
            runner.serve(&[request], &[], None, finish).await;
        });
    })
}

#[test]
fn a_response_that_blocks_does_not_delay_the_limit_of_another_model() {
    let (release, blocks) = channel::<()>();
    let (begin, begun): (_, Receiver<()>) = channel();
    let first = stall(move |_| {
        begin.send(()).unwrap();
        let _ = blocks.recv();
    });
    begun.recv_timeout(Duration::from_secs(10)).unwrap();
    let (answer, answers) = channel();
    let second = stall(move |executed| answer.send(executed.results).unwrap());
    let results = answers.recv_timeout(Duration::from_secs(10)).unwrap();
    assert!(
        matches!(&results[..], [Err(ModelError::CallTooLong { .. })]),
        "{results:?}"
    );
    drop(release);
    first.join().unwrap();
    second.join().unwrap();
}

#[test]
fn a_restarted_sequence_on_a_stalled_instance_does_not_use_its_old_state() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(serve());
}

async fn serve() {
    let model = DECLARATION.registration().unwrap();
    let context = Context::new(Arc::clone(&model.spec), 0);
    let instances = Instances::new(Arc::clone(&model.spec.name), |_| {});
    let _guard = instances.enter(0);
    let runner = LoadedRunner::load(&model, context, Handle::current()).unwrap();
    let runner = runner.into_local();
    let runner = runner.supervised(&instances).unwrap();
    let run = async |batch: &[(u64, bool, f32)]| {
        let requests = batch.iter().map(|&(id, start, x)| {
            let mut request = infer_request(1, x);
            request.sequence = Sequence::new(id).map(|sequence| sequence.start(start));
            Request::check(&model.spec, request).unwrap()
        });
        let requests: Vec<Request> = requests.collect();
        let (send, executed) = oneshot::channel();
        let finish = |executed| drop(send.send(executed));
        runner.serve(&requests, &[], None, finish).await;
        let results = executed.await.unwrap().results.into_iter();
        let results = results.map(|result| match result {
            Ok(response) => Ok(response.outputs[0].1.elements::<f32>().unwrap()[0]),
            Err(error) => Err(error.to_string()),
        });
        results.collect::<Vec<_>>()
    };
    let started = run(&[(1, true, 1.0), (2, true, 2.0), (3, true, 3.0)]).await;
    assert_eq!(started, [Ok(1.0), Ok(2.0), Ok(3.0)]);
    let refused = run(&[(1, false, -1.0), (2, true, 5.0)]).await;
    assert!(refused.iter().all(Result::is_err), "{refused:?}");
    // The third may have been restarted while none of its requests were forwarded.
    let lost = |id| {
        Err(format!(
            "the state of sequence {id} of model 'Identity' is lost: a call took too long; start the sequence again"
        ))
    };
    let follow = run(&[(1, false, 1.0), (2, false, 1.0), (3, false, 1.0)]).await;
    assert_eq!(follow, [lost(1), lost(2), lost(3)]);
    assert_eq!(run(&[(2, true, 7.0)]).await, [Ok(7.0)]);
}
