//! Runs the example.

#[path = "../examples/batch_queue.rs"]
#[expect(dead_code, reason = "its `main` prints what the test checks")]
mod batch_queue;

#[tokio::test]
async fn the_example_batches_concurrent_requests() {
    let sizes = batch_queue::batch_sizes().await.unwrap();
    let rows: u64 = sizes.iter().map(|&(size, count)| size as u64 * count).sum();
    assert_eq!(rows, u64::from(batch_queue::REQUESTS));
    assert!(sizes.iter().all(|&(size, _)| (1..=8).contains(&size)));
    let batches: u64 = sizes.iter().map(|&(_, count)| count).sum();
    assert!(batches < rows, "{sizes:?}");
}
