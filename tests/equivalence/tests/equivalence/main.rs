//! Each job, unsplit and split: the plan is as expected, and the outputs are equal.

use sluice_check::{Finding, Report};
use sluice_equivalence::cases::{
    CASES, CHANCE, CHANCE_LATER, Case, DOES_NOT_FAIL, FAILS, HALF_CHARACTERS,
};
use sluice_equivalence::workshop::workshop;
use sluice_equivalence::{plans, seed};

mod meddling;

fn report(case: &Case) -> Report {
    let prepared = workshop().prepare(case).unwrap_or_else(|error| panic!("{error:#}"));
    assert_eq!(plans::problems(case, &prepared), Vec::<String>::new());
    let report =
        workshop().check(case, &prepared, seed()).unwrap_or_else(|error| panic!("{error:#}"));
    println!("{report}");
    report
}

/// The jobs of this name, which differ in their arguments.
fn equal(main: &str) {
    let cases: Vec<&Case> = CASES.iter().filter(|case| case.main == main).collect();
    assert!(!cases.is_empty(), "{main} is in no case");
    for case in cases {
        let report = report(case);
        assert!(report.is_equal(), "{report}");
        let records: usize = report.sinks.iter().map(|sink| sink.records).sum();
        assert!(records > 0, "{main} gave no record: nothing was compared");
    }
}

macro_rules! equal {
    ($($name:ident $main:ident)*) => {
        $(#[test]
        fn $name() {
            equal(stringify!($main));
        })*

        #[test]
        fn every_case_has_its_test() {
            let tested = [$(stringify!($main)),*];
            let missing = CASES.iter().find(|case| !tested.contains(&case.main));
            assert!(missing.is_none(), "{missing:?}");
        }
    };
}

equal! {
    a_plain_prefix ParseAndCount
    a_fan_out FanOut
    a_fan_out_at_the_source FanOutAtSource
    a_union_of_two_sources UnionOfTwo
    a_side_output SideOutput
    a_watermark_at_the_source WatermarkAtSource
    a_watermark_between_operators WatermarkBetween
    a_watermark_after_the_operators WatermarkAfter
    a_dangling_watermark WatermarkDangling
    monotonous_times_with_idleness MonotonousIdle
    times_that_ascend_as_of_old LegacyAscending
    a_custom_generator_at_the_source CustomGeneratorAtSource
    a_custom_generator_behind_an_operator CustomGeneratorLater
    late_data LateSideOutput
    a_timestamp_in_a_process_function TimestampInProcess
    the_current_watermark CurrentWatermark
    a_schema_that_parses PojoSchema
    a_schema_that_explodes CollectorSchema
    raw_bytes RawBytes
    null_records NullRecords
    null_fields NullFields
    null_tuples NullTuples
    hidden_state_in_a_field HiddenField
    hidden_state_in_a_static HiddenStatic
    hidden_state_in_a_collection HiddenList
    branches_on_arguments ArgumentBranch
    a_base_class BaseClass
    captured_locals CapturedLocals
    a_class_token ClassToken
    reflection Reflection
    a_window_join WindowJoin
    connected_streams Connect
    a_broadcast_stream BroadcastRules
    asynchronous_io AsyncLookup
    rich_types RichTypes
    java_records Records
    rows Rows
    nested_tuples_and_a_projection NestedTuples
    a_type_for_kryo KryoBetween
    many_outputs_of_one_event Explode
    method_references MethodReferences
    anonymous_classes AnonymousOuter
    metrics_accumulators_parameters Instrumented
    a_function_that_reads_files ReadsFile
    elements Elements
    the_lines_of_files FileLines
    an_input_format ReadFile
    a_socket Socket
    a_legacy_source LegacySource
}

#[test]
fn a_job_that_fails_is_said_to_fail_and_its_split_buries_the_event() {
    let report = report(&FAILS);
    let [Finding::UnsplitFails { dead, .. }] = &report.findings[..] else { panic!("{report}") };
    let of = |operator: &str| {
        let found = dead.iter().find(|(_, death)| death.operator == operator);
        found.map(|(_, death)| death.reason.clone()).unwrap_or_default()
    };
    assert!(of("map").contains("ArrayIndexOutOfBounds"), "{report}");
    assert!(of("map-2").contains("NumberFormat"), "{report}");
}

#[test]
fn a_job_is_equal_over_lines_that_it_does_not_fail_on() {
    let report = report(&DOES_NOT_FAIL);
    assert!(report.is_equal(), "{report}");
}

#[test]
fn a_job_that_differs_by_chance_is_said_to() {
    let report = report(&CHANCE);
    let Some(Finding::NotDeterministic { sink, .. }) = report.findings.first() else {
        panic!("{report}")
    };
    assert!(sink.starts_with("Print to Std. Out"), "{sink}");
    assert_eq!(report.inputs[0].records, None, "a prefix of chance can't be compared");
}

#[test]
fn of_a_job_that_differs_by_chance_later_the_prefix_is_compared() {
    let report = report(&CHANCE_LATER);
    let only = matches!(&report.findings[..], [Finding::NotDeterministic { .. }]);
    assert!(only && report.inputs[0].records > Some(0), "{report}");
    assert!(report.to_string().ends_with("but what comes out of the prefixes is"), "{report}");
}

#[test]
fn events_that_only_the_split_buries_are_found() {
    let report = report(&HALF_CHARACTERS);
    let Some(Finding::Dead { first, .. }) = report.findings.first() else { panic!("{report}") };
    assert_eq!(first.operator, "initial");
    assert!(first.reason.contains("surrogate"), "{}", first.reason);
}
