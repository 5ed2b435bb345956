use std::fmt::Display;

use pytriton_scheduler::cache::CacheUsage;

use super::family::Family;

/// The gauges of the response cache, in the order of Triton's `local` cache.
///
/// Source: the `/metrics` of Triton 2.51.
pub fn cache_exposition(usage: &CacheUsage) -> String {
    let utilization = usage.used as f64 / usage.capacity.max(1) as f64;
    let lookups = usage.hits + usage.misses;
    let (lookup, insertion) = (usage.lookup_ns / 1000, usage.insertion_ns / 1000);
    let gauges: [(&str, &str, &dyn Display); 8] = [
        (
            "nv_cache_util",
            "Cache utilization [0.0 - 1.0]",
            &utilization,
        ),
        (
            "nv_cache_num_entries",
            "Number of responses stored in response cache",
            &usage.entries,
        ),
        (
            "nv_cache_num_hits",
            "Number of cache hits in response cache",
            &usage.hits,
        ),
        (
            "nv_cache_num_misses",
            "Number of cache misses in response cache",
            &usage.misses,
        ),
        (
            "nv_cache_num_lookups",
            "Number of cache lookups in response cache",
            &lookups,
        ),
        (
            "nv_cache_num_evictions",
            "Number of cache evictions in response cache",
            &usage.evictions,
        ),
        (
            "nv_cache_lookup_duration",
            "Total cache lookup duration (hit and miss), in microseconds",
            &lookup,
        ),
        (
            "nv_cache_insertion_duration",
            "Total cache insertion duration, in microseconds",
            &insertion,
        ),
    ];
    let mut text = String::new();
    for (name, help, value) in gauges {
        Family::gauge(&mut text, name, help).sample(&[], value);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cache_metrics_match_triton() {
        let text = cache_exposition(&CacheUsage {
            capacity: 1 << 20,
            used: 736,
            entries: 6,
            hits: 14,
            misses: 10,
            evictions: 1,
            lookup_ns: 95_999,
            insertion_ns: 61_000,
        });
        let samples: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
        let expected = [
            "nv_cache_util 0.000701904296875",
            "nv_cache_num_entries 6",
            "nv_cache_num_hits 14",
            "nv_cache_num_misses 10",
            "nv_cache_num_lookups 24",
            "nv_cache_num_evictions 1",
            "nv_cache_lookup_duration 95",
            "nv_cache_insertion_duration 61",
        ];
        assert_eq!(samples, expected);
        assert_eq!(text.matches("# TYPE nv_cache_").count(), 8);
    }
}
