pytriton::client!("../../../../ui-tests/tests/locks/models.lock", "1st" = First, "2nd" = Second);

fn main() {}
//~ 1: pytriton::client!("../../../../ui-tests/tests/locks/models.lock", "1st" = First);
