pytriton::client!("../../../../ui-tests/tests/locks/models.lock", first);

fn main() {}
//~ 1: pytriton::client!("../../../../ui-tests/tests/locks/models.lock", "1st" = First);
