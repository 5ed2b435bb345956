//! Capabilities and limits of a tritonserver that this process starts.

use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

use pytriton::error::ServerError;
use pytriton::ndarray::Ix2;
use pytriton::runtime_models::{Function, PerBatch};
use pytriton_tests::Engine;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::http::{get, infer};
use crate::{DEADLINE, Result, builder, model, triton};

fn times(by: f32) -> Function {
    Function::new(PerBatch, move |call| Ok(&call.array::<f32, Ix2>("x")? * by))
}

#[test]
fn models_of_tritonserver_are_fixed_while_it_runs() -> Result<()> {
    let triton = triton(Engine::Tritonserver)?;
    let nothing = triton.run().unwrap_err().to_string();
    assert!(nothing.starts_with("no model is bound"), "{nothing}");
    triton.bind(model("one"), times(2.0))?;
    let at = triton.run()?.http().ok_or("no HTTP")?;
    assert!(triton.is_alive());
    let late = triton.bind(model("late"), times(3.0)).unwrap_err();
    let text = late.to_string();
    assert!(matches!(late, ServerError::Fixed { verb: "added", .. }));
    assert!(
        text.starts_with("model 'late' cannot be added while tritonserver serves: "),
        "{text}"
    );
    assert!(matches!(
        triton.unbind("one", 1),
        Err(ServerError::Fixed {
            verb: "removed",
            ..
        })
    ));
    assert_eq!(infer(at, "one", &[&[1.0]])?, json!([2.0]));
    triton.stop()?;
    triton.unbind("one", 1)?;
    triton.bind(model("late"), times(3.0))?;
    let at = triton.run()?.http().ok_or("no HTTP")?;
    assert_eq!(infer(at, "late", &[&[1.0]])?, json!([3.0]));
    assert_eq!(get(at, "/v2/models/one/ready")?.status, 400);
    Ok(())
}

#[test]
fn killed_tritonserver_is_detected_and_can_be_run_again() -> Result<()> {
    let triton = triton(Engine::Tritonserver)?;
    triton.bind(model("one"), times(2.0))?;
    let at = triton.run()?.http().ok_or("no HTTP")?;
    kill_process(child_on(at.port())?, Signal::KILL)?;
    let begun = Instant::now();
    while triton.is_alive() || triton.addresses().is_some() {
        assert!(begun.elapsed() < DEADLINE);
        sleep(Duration::from_millis(5));
    }
    let why = triton.stop().unwrap_err().to_string();
    assert!(why.starts_with("tritonserver was killed"), "{why}");
    let at = triton.run()?.http().ok_or("no HTTP")?;
    assert_eq!(infer(at, "one", &[&[1.0]])?, json!([2.0]));
    triton.stop()?;
    Ok(())
}

#[test]
fn server_is_not_alive_during_a_restart() -> Result<()> {
    let triton = builder(Engine::Tritonserver)?
        .arguments(["--restart"])
        .build()?;
    triton.bind(model("one"), times(2.0))?;
    let at = triton.run()?.http().ok_or("no HTTP")?;
    for alive in [false, true] {
        if !alive {
            kill_process(child_on(at.port())?, Signal::KILL)?;
        }
        let begun = Instant::now();
        while triton.is_alive() != alive {
            assert!(begun.elapsed() < DEADLINE, "{alive}");
            sleep(Duration::from_millis(1));
        }
        assert!(triton.addresses().is_some());
    }
    assert_eq!(infer(at, "one", &[&[1.0]])?, json!([2.0]));
    triton.stop()?;
    Ok(())
}

/// Returns the child of this process that serves on a port.
fn child_on(port: u16) -> Result<Pid> {
    let (own, port) = (std::process::id().to_string(), port.to_string());
    for entry in fs::read_dir("/proc")?.flatten() {
        let read = |file| fs::read_to_string(entry.path().join(file)).unwrap_or_default();
        let parent = read("status").lines().any(|line| {
            line.strip_prefix("PPid:")
                .is_some_and(|parent| parent.trim() == own)
        });
        if parent && read("cmdline").contains(&port) {
            let id = entry.file_name().to_string_lossy().parse()?;
            return Pid::from_raw(id).ok_or_else(|| "no process".into());
        }
    }
    Err("there is no such child".into())
}

#[test]
fn a_failed_load_is_reported() -> Result<()> {
    let triton = triton(Engine::Tritonserver)?;
    let failing = PerBatch.stateful(|_| Err::<(), _>("no weights".into()));
    let failing = Function::new(failing, |call| {
        Ok(call.array::<f32, Ix2>("x")?.into_owned())
    });
    triton.bind(model("failing"), failing)?;
    let error = triton.run().unwrap_err().to_string();
    assert!(
        error.contains("could not be loaded: no weights (declared at "),
        "{error}"
    );
    assert!(!triton.is_alive());
    Ok(())
}

#[test]
fn tritonserver_engine_has_no_router() -> Result<()> {
    let triton = triton(Engine::Tritonserver)?;
    triton.bind(model("one"), times(2.0))?;
    let error = triton.router().map(drop).unwrap_err().to_string();
    assert!(
        error.starts_with("tritonserver serves its own ports"),
        "{error}"
    );
    triton.run()?;
    assert!(triton.router().is_err());
    Ok(())
}
