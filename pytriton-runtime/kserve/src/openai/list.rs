use crate::json::JsonWriter;

/// Encodes the list of models.
pub fn list_json<'a>(names: impl Iterator<Item = &'a str>, created: u64) -> Vec<u8> {
    let mut json = JsonWriter::default();
    json.object(|json| {
        json.name("object").text("list");
        json.name("data")
            .array(names, |json, name| write_model(json, name, created));
    });
    json.finish()
}

/// Encodes one model.
pub fn model_json(name: &str, created: u64) -> Vec<u8> {
    let mut json = JsonWriter::default();
    write_model(&mut json, name, created);
    json.finish()
}

fn write_model(json: &mut JsonWriter, name: &str, created: u64) {
    json.object(|json| {
        json.name("id").text(name);
        json.name("object").text("model");
        json.name("created").integer(created);
        json.name("owned_by").text("pytriton");
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn model_list_matches_the_openai_format() {
        let one = r#"{"id":"a","object":"model","created":5,"owned_by":"pytriton"}"#;
        assert_eq!(model_json("a", 5), one.as_bytes());
        let list = format!(r#"{{"object":"list","data":[{one}]}}"#);
        assert_eq!(list_json(["a"].into_iter(), 5), list.as_bytes());
    }
}
