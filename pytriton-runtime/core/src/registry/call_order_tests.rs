use pytriton_protocol::signature::ModelSignature;

use super::*;
use crate::testing::IDENTITY;

/// A model and those that it calls.
type Calls<'a> = (&'a str, &'a [&'a str]);

/// A model that calls others, with the signature of the test model.
fn model(name: &str, callees: &[&str]) -> Registration {
    let mut model = IDENTITY.registration().unwrap();
    let spec = Arc::make_mut(&mut model.spec);
    let callee = |callee: &&str| ModelSignature {
        name: (*callee).to_owned(),
        ..spec.signature()
    };
    spec.callees = callees.iter().map(callee).collect();
    spec.name = name.into();
    model
}

fn registry(models: &[Calls<'_>]) -> Registry {
    let mut registry = Registry::default();
    for (name, callees) in models {
        registry.insert(model(name, callees)).unwrap();
    }
    registry
}

#[test]
fn missing_models_and_cycles_are_reported() {
    let cycle = |models: &str| {
        format!("models call each other in a cycle: {models}: remove one of the calls")
    };
    let table: [(&[Calls<'_>], Vec<String>); 8] = [
        (&[], vec![]),
        (&[("a", &["b", "c"]), ("b", &["c"]), ("c", &[])], vec![]),
        (&[("a", &["a"])], vec![cycle("a → a")]),
        (&[("a", &["b"]), ("b", &["a"])], vec![cycle("a → b → a")]),
        (
            &[("a", &["b"]), ("b", &["c"]), ("c", &["d"]), ("d", &["b"])],
            vec![cycle("b → c → d → b")],
        ),
        (
            &[("a", &["b"]), ("b", &["a"]), ("c", &["d"]), ("d", &["c"])],
            vec![cycle("a → b → a"), cycle("c → d → c")],
        ),
        (
            &[("a", &["x", "b"]), ("b", &[])],
            vec!["model 'a' at x.rs:1 calls model 'x', which does not exist: add it, or correct the name".to_owned()],
        ),
        (&[("a", &[]), ("b", &[])], vec![]),
    ];
    for (models, expected) in table {
        let errors = registry(models).check_calls();
        let errors: Vec<_> = errors.iter().map(ToString::to_string).collect();
        let location = IDENTITY.location.to_string();
        let errors: Vec<_> = errors
            .iter()
            .map(|error| error.replace(&location, "x.rs:1"))
            .collect();
        assert_eq!(errors, expected, "{models:?}");
    }
}

#[test]
fn another_signature_is_reported_except_for_the_batch_size() {
    let mut registry = Registry::default();
    registry.insert(model("b", &[])).unwrap();
    let mut caller = model("a", &["b"]);
    Arc::make_mut(&mut caller.spec).callees[0].max_batch_size += 1;
    registry.insert(caller).unwrap();
    assert_eq!(registry.check_calls(), []);
    registry.remove("a", 1);
    let mut caller = model("a", &["b"]);
    Arc::make_mut(&mut caller.spec).callees[0].outputs.clear();
    Arc::make_mut(&mut caller.spec).callees[0].decoupled = true;
    registry.insert(caller).unwrap();
    let [RegistryError::OtherCallee { changes, .. }] = &registry.check_calls()[..] else {
        panic!("expected one error");
    };
    assert_eq!(changes.len(), 1, "{changes:?}");
}

#[test]
fn added_models_must_not_close_a_cycle_or_break_a_caller() {
    let mut registry = registry(&[("a", &["b"]), ("b", &[])]);
    assert_eq!(registry.check_addition(&model("c", &["a"])), Ok(()));
    let missing = registry.check_addition(&model("c", &["x"])).unwrap_err();
    assert!(matches!(missing, RegistryError::UnknownCallee { .. }));
    // The called model is replaced by one that calls its caller.
    registry.remove("b", 1);
    let cycle = registry.check_addition(&model("b", &["a"])).unwrap_err();
    assert!(matches!(cycle, RegistryError::CallCycle { .. }));
    let mut other = model("b", &[]);
    Arc::make_mut(&mut other.spec).outputs.clear();
    let other = registry.check_addition(&other).unwrap_err();
    assert!(matches!(other, RegistryError::OtherCallee { .. }));
    // While it is missing, unrelated models can be added.
    assert_eq!(registry.check_addition(&model("d", &[])), Ok(()));
}

#[test]
fn called_models_are_included() {
    let registry = registry(&[("a", &["b"]), ("b", &["c"]), ("c", &[]), ("d", &[])]);
    let table = [
        ("a", "a b c"),
        ("b", "b c"),
        ("c", "c"),
        ("d", "d"),
        ("x", ""),
    ];
    for (name, expected) in table {
        let included = registry.with_callees(|other| other == name);
        let included: Vec<&str> = included.iter().map(|name| &**name).collect();
        assert_eq!(included.join(" "), expected);
    }
    let called = registry.called_models();
    let called: Vec<&str> = called.iter().map(|spec| &*spec.name).collect();
    assert_eq!(called, ["b", "c"]);
}

#[test]
fn models_are_ordered_by_their_calls() {
    let models = [
        ("a", &["b", "c"][..]),
        ("b", &["c"]),
        ("c", &[]),
        ("d", &[]),
    ];
    let models: Vec<_> = models
        .iter()
        .map(|(name, callees)| model(name, callees))
        .collect();
    let names = |groups: Vec<Vec<&Registration>>| {
        let groups = groups.into_iter();
        let groups = groups.map(|group| {
            group
                .iter()
                .map(|model| &*model.spec.name)
                .collect::<Vec<_>>()
                .join(" ")
        });
        groups.collect::<Vec<_>>()
    };
    let groups = callees_first(models.iter().collect(), |model| &model.spec);
    assert_eq!(names(groups), ["c d", "b", "a"]);
    let groups = callers_first(models.iter().collect(), |model| &model.spec);
    assert_eq!(names(groups), ["a d", "b", "c"]);
    let cycle = [model("a", &["b"]), model("b", &["a"])];
    let groups = callees_first(cycle.iter().collect(), |model| &model.spec);
    assert_eq!(names(groups), ["a b"]);
}
