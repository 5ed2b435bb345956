pytriton::client!("../../../../ui-tests/tests/locks/models.lock", "1st" = Linear);

fn main() {}
//~ 1: pytriton::client!("../../../../ui-tests/tests/locks/models.lock", "1st" = Linear, "Linear" = OtherLinear);
