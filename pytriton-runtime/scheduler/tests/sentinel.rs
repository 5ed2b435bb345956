//! The thread that inline models need. This is a separate binary, because the test counts the
//! threads of its process.

#![cfg(target_os = "linux")]

use std::sync::Arc;
use std::time::Duration;
use std::{fs, io};

use pytriton_core::call::LoadedInstance;
use pytriton_core::model::CallOptions;
use pytriton_core::registry::{ModelDeclaration, ModelOptions};
use pytriton_core::testing::{IDENTITY, Identity};
use pytriton_scheduler::{Policy, Resources, Scheduler};
use tokio::runtime::Handle;
use tokio::time::{sleep, timeout};

/// Returns how many threads of this process have the name of the sentinel.
fn sentinels() -> io::Result<usize> {
    let threads = fs::read_dir("/proc/self/task")?.flatten();
    let names = threads.map(|thread| fs::read_to_string(thread.path().join("comm")));
    let is_sentinel = |name: &io::Result<String>| matches!(name, Ok(name) if name == "sentinel\n");
    Ok(names.filter(is_sentinel).count())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sentinel_starts_with_the_first_inline_model() {
    let resources = Resources::new(&Handle::current(), usize::MAX);
    for (inline, expected) in [(false, 0), (true, 1), (true, 1)] {
        let model = ModelDeclaration {
            options: ModelOptions {
                call_options: CallOptions::DEFAULT.inline(inline),
                ..IDENTITY.options
            },
            ..IDENTITY
        };
        let mut model = model.registration().unwrap();
        model.load = Arc::new(|_| Ok(LoadedInstance::Movable(Box::new(Identity))));
        let policy = Policy::new(&model.spec, 4);
        let _scheduler = Scheduler::start(&model, policy, &resources).await.unwrap();
        // A new thread sets its name itself.
        sleep(Duration::from_millis(50)).await;
        let started = async {
            while sentinels().unwrap() < expected {
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(Duration::from_secs(10), started).await.unwrap();
        assert_eq!(sentinels().unwrap(), expected, "inline = {inline}");
    }
}
