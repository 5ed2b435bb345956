//! Models are bound and unbound while others are used.

use std::sync::{Arc, Barrier};
use std::thread;

use pytriton::error::ServerError;
use pytriton::ndarray::Ix2;
use pytriton::runtime_models::{Function, PerBatch};
use pytriton_tests::Engine;
use serde_json::json;

use crate::http::{begin, get, infer};
use crate::{DEADLINE, Result, model, triton};

fn times(by: f32) -> Function {
    Function::new(PerBatch, move |call| Ok(&call.array::<f32, Ix2>("x")? * by))
}

#[test]
fn models_can_be_bound_before_and_after_the_start() -> Result<()> {
    let triton = triton(Engine::Embedded)?;
    assert!(triton.addresses().is_none() && !triton.is_alive());
    triton.bind(model("before"), times(2.0))?;
    let at = triton.run()?.http().ok_or("no HTTP")?;
    triton.bind(model("after"), times(3.0))?;
    triton.bind(model("after").version(2), times(4.0))?;
    assert_eq!(infer(at, "before", &[&[1.0]])?, json!([2.0]));
    assert_eq!(infer(at, "after/versions/1", &[&[1.0]])?, json!([3.0]));
    assert_eq!(infer(at, "after", &[&[1.0]])?, json!([4.0]));
    triton.unbind("after", 2)?;
    assert_eq!(infer(at, "after", &[&[1.0]])?, json!([3.0]));
    triton.unbind("after", 1)?;
    assert_eq!(begin(at, "after", &[&[1.0]])?.answer()?.status, 404);
    assert!(matches!(
        triton.unbind("after", 1),
        Err(ServerError::NotBound { .. })
    ));
    triton.bind(model("after"), times(5.0))?;
    assert_eq!(infer(at, "after", &[&[1.0]])?, json!([5.0]));
    assert!(matches!(triton.run(), Err(ServerError::Running)));
    assert_eq!(get(at, "/v2/health/ready")?.status, 200);
    Ok(())
}

#[test]
fn failed_bind_does_not_affect_other_models() -> Result<()> {
    for running in [false, true] {
        let triton = triton(Engine::Embedded)?;
        triton.bind(model("one"), times(2.0))?;
        if running {
            triton.run()?;
        }
        let twice = triton
            .bind(model("one"), times(9.0))
            .unwrap_err()
            .to_string();
        assert!(
            twice.contains("model 'one' version 1 is registered twice: at "),
            "{twice}"
        );
        assert_eq!(twice.matches("load_unload.rs:").count(), 2, "{twice}");
        let flawed = triton
            .bind(model("a b").version(0), times(9.0))
            .unwrap_err()
            .to_string();
        assert_eq!(flawed.lines().count(), 2, "{flawed}");
        assert!(
            flawed.contains("`version`: expected a number from 1 to"),
            "{flawed}"
        );
        let failing = PerBatch.stateful(|_| Err::<(), _>("no weights".into()));
        let failing = Function::new(failing, |call| {
            Ok(call.array::<f32, Ix2>("x")?.into_owned())
        });
        let failed = triton.bind(model("failing"), failing);
        assert_eq!(failed.is_err(), running);
        if let Err(error) = failed {
            let expected =
                "instance 0 of model 'failing' could not be loaded: no weights (declared at ";
            assert!(error.to_string().contains(expected), "{error}");
        } else {
            // The model is loaded at start.
            assert!(triton.run().unwrap_err().to_string().contains("no weights"));
            triton.unbind("failing", 1)?;
            triton.run()?;
        }
        let at = triton
            .addresses()
            .and_then(|addresses| addresses.http())
            .ok_or("no HTTP")?;
        assert_eq!(infer(at, "one", &[&[1.0]])?, json!([2.0]));
        assert_eq!(triton.models().len(), 1);
        assert!(triton.is_alive());
    }
    Ok(())
}

#[test]
fn removed_model_completes_accepted_requests() -> Result<()> {
    let triton = triton(Engine::Embedded)?;
    let (entered, leave) = (Arc::new(Barrier::new(2)), Arc::new(Barrier::new(2)));
    let (inside, outside) = (entered.clone(), leave.clone());
    let held = Function::new(PerBatch, move |call| {
        inside.wait();
        outside.wait();
        Ok(call.array::<f32, Ix2>("x")?.into_owned())
    });
    triton.bind(model("held"), held)?;
    triton.bind(model("other"), times(2.0))?;
    let at = triton.run()?.http().ok_or("no HTTP")?;
    let asked = begin(at, "held", &[&[1.0]])?;
    entered.wait();
    thread::scope(|scope| {
        let unbinding = scope.spawn(|| triton.unbind("held", 1));
        let begun = std::time::Instant::now();
        while get(at, "/v2/models/held/ready")?.status == 200 {
            assert!(begun.elapsed() < DEADLINE);
        }
        assert!(!unbinding.is_finished());
        assert_eq!(infer(at, "other", &[&[1.0]])?, json!([2.0]));
        leave.wait();
        assert_eq!(asked.answer()?.status, 200);
        unbinding.join().map_err(|_| "it panicked")??;
        Ok(())
    })
}
