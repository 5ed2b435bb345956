use super::{decode, input};

#[test]
fn errors_do_not_contain_whole_inputs() {
    let long = "x".repeat(100_000);
    let named = |rest: &str| format!(r#"{{"inputs":[{{"name":"{long}",{rest}}}]}}"#);
    let shape = "1,".repeat(100_000);
    for text in [
        format!(r#""{long}""#),
        format!(r#"{{"inputs":"{long}"}}"#),
        format!(r#"{{"inputs":[],"parameters":{{"{long}":[]}}}}"#),
        format!(r#"{{"inputs":[],"outputs":[{{"name":"{long}","parameters":1}}]}}"#),
        named(r#""datatype":"FP3","shape":[1],"data":[1]"#),
        named(r#""datatype":"FP32","shape":1,"data":[1]"#),
        named(r#""datatype":"FP32","shape":[1],"data":["a"]"#),
        named(r#""datatype":"FP32","shape":[2],"data":[1]"#),
        named(r#""datatype":"FP32","shape":[1],"data":[NaN]"#),
        named(r#""datatype":"FP32","shape":[1],"parameters":{"binary_data_size":9}"#),
        named(&format!(
            r#""datatype":"FP32","shape":[1],"parameters":{{"shared_memory_region":"{long}"}}"#
        )),
        input(&format!(r#""shape":[{shape}2],"data":[1]"#)).replacen(r#""shape":[1,2],"#, "", 1),
        input(&format!(r#""shape":[-{long}],"data":[1]"#))
            .replacen(r#""shape":[1,2],"#, "", 1)
            .replace('x', "1"),
    ] {
        let error = decode(&text).unwrap_err();
        let held = format!("{error:?}").len();
        assert!(held < 3000, "{held} of {}", &text[..100]);
    }
}
