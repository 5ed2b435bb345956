pytriton::client!("../../../../ui-tests/tests/locks/empty.lock");

fn main() {}
//~ 1: pytriton::client!("../../../../ui-tests/tests/locks/models.lock", "1st" = First);
