use crate::bodies::{LARGE_BODY, SOME_BYTES, TRACED, binary, groups, infer_binary, shared, traced};
use crate::costly::{Action, Costly};
use crate::requests::{ALLOWED, http, read, unread};

/// The size of the response cache, and of responses that fill it.
pub(crate) const CACHE_BYTES: usize = 4 << 20;
const CACHED_BYTES: usize = 3 << 20;

/// Requests with large tensors. `region` is registered and has [`LARGE_BODY`] bytes.
pub(crate) fn tensors(region: &str) -> Vec<Costly> {
    let head = |json: &str| format!("Inference-Header-Content-Length: {}\r\n", json.len());
    let of = |bytes: usize, output: &str| {
        let json = binary(bytes, output);
        let body = [json.as_bytes(), &vec![7; bytes]].concat();
        (head(&json), body)
    };
    let sent = |name, (headers, body): (String, Vec<u8>)| read(name, "I_UINT8", &headers, &body);
    let announced = {
        let json = binary(ALLOWED, r#""binary_data":true"#);
        let request = http(
            "/v2/models/I_UINT8/infer",
            &head(&json),
            &[json.as_bytes(), &vec![0; ALLOWED]].concat(),
        );
        request[..4096].to_vec()
    };
    let shared = |bytes, output: &str| shared(region, bytes, output);
    let to_region =
        format!(r#""shared_memory_region":"{region}","shared_memory_byte_size":{SOME_BYTES}"#);
    let cached = |name, bytes| {
        let (headers, body) = of(bytes, r#""binary_data":true"#);
        read(name, "CachedBytes", &headers, &body)
    };
    vec![
        sent("tensor to shared memory", of(SOME_BYTES, &to_region)),
        read(
            "shared memory to shared memory",
            "I_UINT8",
            "",
            shared(SOME_BYTES, &to_region).as_bytes(),
        ),
        // The cache has space for one of them.
        cached("cached tensor", CACHED_BYTES),
        cached("another cached tensor", CACHED_BYTES + 1),
        cached("tensor larger than the cache", CACHE_BYTES + 1),
        read(
            "traced tensor",
            TRACED,
            "",
            traced(3000, SOME_BYTES).as_bytes(),
        ),
        read("traced ID", TRACED, "", traced(SOME_BYTES, 1).as_bytes()),
        sent(
            "classification",
            of(LARGE_BODY / 8, r#""classification":1000000000"#),
        ),
        sent(
            "large classification",
            of(LARGE_BODY, r#""classification":1000000000"#),
        ),
        sent("tensor as JSON", of(LARGE_BODY, r#""binary_data":false"#)),
        unread(sent(
            "unread tensor",
            of(LARGE_BODY, r#""binary_data":true"#),
        )),
        // Each response is a slice of the tensor of its batch.
        unread(read(
            "unread row of a batch",
            "Rows",
            "",
            infer_binary("UINT32", 1, &SOME_BYTES.to_string()).as_bytes(),
        )),
        Costly {
            name: "announced body",
            action: Action::Http(announced),
            reads: false,
        },
        read(
            "shared memory as JSON",
            "I_UINT8",
            "",
            shared(LARGE_BODY, "").as_bytes(),
        ),
        read(
            "classes of shared memory",
            "I_UINT8",
            "",
            shared(LARGE_BODY, r#""classification":1000000000"#).as_bytes(),
        ),
        read("groups", "Grouped", "", groups().as_bytes()),
    ]
}
