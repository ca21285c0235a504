//! Written by `highwater replay FILE --rust-test`.

use highwater::scenario::AnyScenario;
use std::path::Path;

#[test]
fn acked_durability_acked_not_in_history() {
    let file = Path::new("acked_durability_acked_not_in_history");
    let scenario = AnyScenario::parse(file, SCENARIO.as_bytes()).unwrap();
    let picture = scenario.picture(scenario.applicable());
    assert_eq!(picture.verdict, "clean", "\n{}", picture.text(100));
}

const SCENARIO: &str = r#"{
  "format": "isr-scenario/1",
  "model": "isr",
  "variant": "published",
  "expect": {"verdict":"violated","invariant":"acked-durability","operation":3},
  "found": {"seed":2026,"sequence":1418},
  "config": {"nodes":["node-1","node-2","node-3"],"leader":"node-1","min_insync_replicas":2,"replica_lag_timeout":3,"log_retention":8,"replication_delay":1,"ack_timeout":32,"lease_duration":4,"seed":0},
  "ops": [
    {"op":"submit","key":"k0","value":"v1","ack":"ALL_ISR"},
    {"op":"controller_elect","node":"node-2"},
    {"op":"write","key":"k0","value":"v2","ack":"ALL_ISR"}
  ]
}
"#;
