use pytriton_kserve::json::JsonWriter;

use super::record::Event;

/// Formats the events of a request in Triton's JSON format.
pub(super) fn records(id: u64, events: &[Event]) -> String {
    let mut json = JsonWriter::default();
    for event in events {
        json.object(|json| {
            json.name("id").integer(id);
            match event {
                Event::Timestamp { name, ns } => json.name("timestamps").array([()], |json, ()| {
                    json.object(|json| {
                        json.name("name").text(name);
                        json.name("ns").integer(*ns);
                    });
                }),
                Event::Request { model, version, id } => {
                    json.name("model_name").text(model);
                    json.name("model_version").integer(*version);
                    if !id.is_empty() {
                        json.name("request_id").text(id);
                    }
                }
                Event::Tensor {
                    activity,
                    name,
                    data,
                    shape,
                    datatype,
                } => {
                    json.name("activity").text(activity);
                    json.name("tensor").object(|json| {
                        json.name("name").text(name);
                        json.name("data").text(data);
                        json.name("shape").text(shape.trim_matches(['[', ']']));
                        json.name("dtype").text(datatype.name());
                    });
                }
            }
        });
    }
    String::from_utf8_lossy(&json.finish()).into_owned()
}
