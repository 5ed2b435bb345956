use super::family::Family;

/// The expiry of each port's certificate, in seconds since 1970; empty if no port has one.
pub fn certificate_exposition(expiries: &[(&'static str, i64)]) -> String {
    let mut text = String::new();
    if !expiries.is_empty() {
        let (name, help) = (
            "pytriton_certificate_expiry_timestamp_seconds",
            "Expiry time of the certificate of a port since unix epoch in seconds",
        );
        let mut family = Family::gauge(&mut text, name, help);
        for (port, seconds) in expiries {
            family.sample(&[("port", port)], seconds);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_port_has_an_expiry_sample() {
        assert_eq!(certificate_exposition(&[]), "");
        let text = certificate_exposition(&[("http", 1), ("grpc", -2)]);
        let samples: Vec<_> = text.lines().skip(2).collect();
        assert_eq!(
            samples,
            [
                "pytriton_certificate_expiry_timestamp_seconds{port=\"http\"} 1",
                "pytriton_certificate_expiry_timestamp_seconds{port=\"grpc\"} -2",
            ]
        );
    }
}
