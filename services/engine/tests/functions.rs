//! What functions do: every kind, every instruction, nulls, exceptions, budgets.
mod support;

use proptest::prelude::*;
use sluice_engine::{Assigner, Budget, Chain, Operator};
use sluice_wire::Type;
use support::{Made, avro_string, lines, run, single};

fn long(value: i64) -> Vec<u8> {
    let mut bytes = Vec::new();
    sluice_wire::varint::put_long(&mut bytes, value);
    bytes
}

/// Runs one function from long to long on one value.
fn of_long(text: &str, value: i64) -> Made {
    let mut chain = single(&Type::Long, &Type::Long, text).expect("a function");
    run(&mut chain, &Type::Long, &vec![(0, None, Some(long(value)))])
}

/// Runs one function from string to string on one value.
fn of_string(text: &str, value: &str) -> Made {
    let mut chain = single(&Type::String, &Type::String, text).expect("a function");
    run(&mut chain, &Type::String, &lines([value]))
}

/// The outputs of a function from long to long.
fn outputs(made: &Made) -> Vec<Option<i64>> {
    let value = |value: &Option<Vec<u8>>| {
        Some(sluice_wire::Reader::new(value.as_ref()?).long().expect("a long"))
    };
    made.events.iter().map(|(_, _, bytes)| value(bytes)).collect()
}

/// A map from long %x to long, its body in one line or many.
fn map(body: &str) -> String {
    format!("map f(%x: long) -> long {{\nstart:\n{body}\n}}")
}

#[test]
fn a_filter_passes_its_input_on() {
    let text = "filter f(%x: long) -> bool {\nstart:\n  %y = gt %x, 2L\n  return %y\n}";
    assert_eq!(outputs(&of_long(text, 3)), [Some(3)]);
    assert_eq!(outputs(&of_long(text, 2)), []);
}

#[test]
fn a_flatmap_emits_any_number() {
    let text = "flatmap f(%x: long) -> long {
start:
  jump round(0L)
round(%i: long):
  %more = lt %i, %x
  branch %more, one, done
one:
  emit %i
  %next = add %i, 1L
  jump round(%next)
done:
  return
}";
    assert_eq!(outputs(&of_long(text, 3)), [Some(0), Some(1), Some(2)]);
    assert_eq!(outputs(&of_long(text, 0)), []);
}

#[test]
fn parameters_change_all_at_once() {
    let text = map("  jump round(%x, 0L, 1L)
round(%n: long, %a: long, %b: long):
  %more = gt %n, 0L
  branch %more, one, done
one:
  %next = sub %n, 1L
  %sum = add %a, %b
  jump round(%next, %b, %sum)
done:
  return %a");
    assert_eq!(outputs(&of_long(&text, 10)), [Some(55)]);
    let swap = map("  jump round(%x, 3L, 4L)
round(%n: long, %a: long, %b: long):
  %more = gt %n, 0L
  %next = sub %n, 1L
  branch %more, round(%next, %b, %a), done
done:
  return %a");
    assert_eq!(outputs(&of_long(&swap, 2)), [Some(3)]);
    assert_eq!(outputs(&of_long(&swap, 5)), [Some(4)]);
}

#[test]
fn an_exception_is_caught_or_the_event_is_dead() {
    let caught = map("  %y = div 10L, %x catch zero\n  return %y\nzero:\n  return -1L");
    assert_eq!(outputs(&of_long(&caught, 3)), [Some(3)]);
    assert_eq!(outputs(&of_long(&caught, 0)), [Some(-1)]);
    let thrown = map("  %y = div 10L, %x\n  return %y");
    assert_eq!(
        of_long(&thrown, 0).dead,
        [(0, "it: java.lang.ArithmeticException: / by zero".to_owned())]
    );
    let own = map("  throw \"no good\"");
    assert_eq!(of_long(&own, 0).dead, [(0, "it: no good".to_owned())]);
    // Nobody reads the quotient, but it throws all the same.
    let unread = map("  %y = div 10L, %x\n  return 1L");
    assert_eq!(of_long(&unread, 0).dead.len(), 1);
}

#[test]
fn nulls() {
    let null_in = map("  return %x");
    let mut chain = single(&Type::Long, &Type::Long, &null_in).unwrap();
    let made = run(&mut chain, &Type::Long, &vec![(0, None, None)]);
    assert_eq!(made.dead, [(0, "it: java.lang.NullPointerException".to_owned())]);
    let kept = "map f(%x: long?) -> long? {
start:
  %none = is_null %x
  branch %none, zero, some
zero:
  %z = some 0L
  return %z
some:
  %v = unwrap %x
  %five = eq %v, 5L
  %n = null long
  %y = some %v
  branch %five, out(%n), out(%y)
out(%r: long?):
  return %r
}";
    let mut chain = single(&Type::Long, &Type::Long, kept).unwrap();
    let events = vec![(0, None, None), (1, None, Some(long(5))), (2, None, Some(long(6)))];
    assert_eq!(outputs(&run(&mut chain, &Type::Long, &events)), [Some(0), None, Some(6)]);
    let caught = "map f(%x: long?) -> long {
start:
  %v = unwrap %x catch none
  return %v
none:
  return -1L
}";
    let mut chain = single(&Type::Long, &Type::Long, caught).unwrap();
    assert_eq!(outputs(&run(&mut chain, &Type::Long, &events)), [Some(-1), Some(5), Some(6)]);
    // What a nullable function passes to one that is not.
    let operators = [
        Operator { name: "kept", ir: kept, constants: "" },
        Operator { name: "next", ir: &null_in, constants: "" },
    ];
    let types = [Type::Long, Type::Long, Type::Long];
    let mut both = Chain::compile(&types, &operators, None, 0, 2).unwrap();
    let made = run(&mut both, &Type::Long, &events);
    assert_eq!(outputs(&made), [Some(0), Some(6)]);
    assert_eq!(made.dead, [(1, "next: java.lang.NullPointerException".to_owned())]);
}

#[test]
fn a_loop_without_end_is_dead() {
    let text = map("  jump round\nround:\n  jump round");
    assert_eq!(of_long(&text, 1).dead, [(0, "it: step budget".to_owned())]);
    let through_catch = map("  jump round\nround:\n  %y = div 1L, 0L catch round\n  return %y");
    assert_eq!(of_long(&through_catch, 1).dead, [(0, "it: step budget".to_owned())]);
}

#[test]
fn bombs_are_dead() {
    let doubling = "map f(%s: string) -> string {
start:
  jump round(%s)
round(%t: string):
  %u = call string.concat(%t, %t)
  %end = call string.is_empty(%u)
  branch %end, done, round(%u)
done:
  return %t
}";
    assert_eq!(of_string(doubling, "x").dead, [(0, "it: memory budget".to_owned())]);
    let emits = "flatmap f(%s: string) -> string {\nstart:\n  jump round\nround:\n  emit %s\n  jump round\n}";
    let made = of_string(emits, &"x".repeat(1000));
    assert_eq!((made.events, made.dead), (vec![], vec![(0, "it: memory budget".to_owned())]));
    let scans = "map f(%s: string) -> string {
start:
  jump round
round:
  %i = call string.index_of(%s, \"y\")
  %none = lt %i, 0
  branch %none, round, done
done:
  return %s
}";
    assert_eq!(of_string(scans, &"x".repeat(100_000)).dead, [(0, "it: step budget".to_owned())]);
}

#[test]
fn a_budget_can_be_set() {
    let text = map("  jump round(%x)
round(%i: long):
  %next = sub %i, 1L
  %more = gt %next, 0L
  branch %more, round(%next), done
done:
  return %x");
    let chain = single(&Type::Long, &Type::Long, &text).unwrap();
    let mut chain = chain.with_budget(Budget { steps: 10, ..Budget::default() });
    let mut of =
        |value| run(&mut chain, &Type::Long, &vec![(0, None, Some(long(value)))]).dead.len();
    assert_eq!((of(10), of(20), of(1)), (0, 1, 0));
}

#[test]
fn a_dead_event_leaves_nothing() {
    let text = "flatmap f(%x: long) -> long {
start:
  emit %x
  %y = div 1L, %x
  emit %y
  return
}";
    let mut chain = single(&Type::Long, &Type::Long, text).unwrap();
    let events = vec![(0, None, Some(long(1))), (1, None, Some(long(0))), (2, None, Some(long(2)))];
    let made = run(&mut chain, &Type::Long, &events);
    assert_eq!(made.events.iter().map(|event| event.0).collect::<Vec<_>>(), [0, 0, 2, 2]);
    assert_eq!(made.dead.len(), 1);
    // All outputs of one event die together.
    let events = vec![
        (0, None, Some(long(1))),
        (0, None, Some(long(0))),
        (0, None, Some(long(2))),
        (1, None, Some(long(2))),
    ];
    let made = run(&mut chain, &Type::Long, &events);
    assert_eq!(made.events.iter().map(|event| event.0).collect::<Vec<_>>(), [1, 1]);
    assert_eq!(made.dead.len(), 1);
}

/// Every type, some of them nullable, one of them nested.
const EVERYTHING: &str = r#"{"type": "record", "name": "a.Everything", "fields": [
  {"name": "flag", "type": "boolean"},
  {"name": "int", "type": "int"},
  {"name": "long", "type": ["null", "long"]},
  {"name": "float", "type": "float"},
  {"name": "double", "type": ["double", "null"]},
  {"name": "bytes", "type": "bytes"},
  {"name": "text", "type": ["null", "string"]},
  {"name": "fixed", "type": {"type": "fixed", "name": "a.F", "size": 3}},
  {"name": "kind", "type": {"type": "enum", "name": "a.K", "symbols": ["A", "B"]}},
  {"name": "list", "type": {"type": "array", "items": "int"}},
  {"name": "map", "type": {"type": "map", "values": "string"}},
  {"name": "inner", "type": ["null", {"type": "record", "name": "a.Inner", "fields": [
    {"name": "x", "type": "int"}, {"name": "name", "type": ["null", "string"]}]}]}
]}"#;

fn everything() -> impl Strategy<Value = Vec<u8>> {
    use sluice_wire::writer::{put_boolean, put_bytes, put_double, put_float, put_int, put_string};
    let inner = prop::option::of((any::<i32>(), prop::option::of("[a-é]{0,5}")));
    let first = (
        any::<bool>(),
        any::<i32>(),
        prop::option::of(any::<i64>()),
        any::<f32>(),
        prop::option::of(any::<f64>()),
    );
    let more = (any::<Vec<u8>>(), prop::option::of("[a-é]{0,5}"), any::<[u8; 3]>(), 0i32..2);
    let lists = (prop::collection::vec(any::<i32>(), 0..4), prop::option::of("[a-z]{0,4}"));
    (first, more, lists, inner).prop_map(|(first, more, (list, map), inner)| {
        let mut out = Vec::new();
        put_boolean(&mut out, first.0);
        put_int(&mut out, first.1);
        sluice_wire::writer::put_optional_long(&mut out, first.2);
        put_float(&mut out, first.3);
        match first.4 {
            Some(value) => {
                out.push(0);
                put_double(&mut out, value);
            }
            None => out.push(2),
        }
        put_bytes(&mut out, &more.0);
        let optional = |text: &Option<String>, out: &mut Vec<u8>| match text {
            None => out.push(0),
            Some(text) => {
                out.push(2);
                put_string(out, text);
            }
        };
        optional(&more.1, &mut out);
        out.extend(more.2);
        put_int(&mut out, more.3);
        if !list.is_empty() {
            put_int(&mut out, list.len() as i32);
            list.iter().for_each(|item| put_int(&mut out, *item));
        }
        out.push(0);
        if let Some(value) = &map {
            out.push(2);
            put_string(&mut out, "key");
            put_string(&mut out, value);
        }
        out.push(0);
        match &inner {
            None => out.push(0),
            Some((x, name)) => {
                out.push(2);
                put_int(&mut out, *x);
                optional(name, &mut out);
            }
        }
        out
    })
}

proptest! {
    /// A map that replaces a field by itself decodes and encodes every other: the bytes stay what they are.
    #[test]
    fn every_type_is_read_and_written(value in everything()) {
        let ty: Type = EVERYTHING.parse().unwrap();
        // A record is taken apart, and its field replaced in one case only, so that the input can't be passed on as it is.
        let text = "map f(%r: Everything) -> Everything {
start:
  %x = get %r, int
  %odd = eq %x, 77
  %other = with %r { int: 78 }
  branch %odd, out(%other), out(%r)
out(%s: Everything):
  return %s
}";
        let mut chain = single(&ty, &ty, text).unwrap();
        let made = run(&mut chain, &ty, &vec![(0, Some(9), Some(value.clone()))]);
        prop_assert_eq!(made.events, [(0, Some(9), Some(value))]);
    }

    #[test]
    fn nested_fields_are_reached(value in everything()) {
        let ty: Type = EVERYTHING.parse().unwrap();
        let text = "map f(%r: a.Everything) -> long {
start:
  %inner = get %r, inner
  %in = unwrap %inner catch none
  %x = get %in, x
  %y = to_long %x
  return %y
none:
  return 5000000000L
}";
        let mut chain = single(&ty, &Type::Long, text).unwrap();
        let made = run(&mut chain, &Type::Long, &vec![(0, None, Some(value.clone()))]);
        prop_assert_eq!(made.dead, []);
        let found = sluice_wire::Reader::new(made.events[0].2.as_ref().unwrap()).long().unwrap();
        prop_assert_eq!(found != 5_000_000_000, i32::try_from(found).is_ok());
    }

    /// Two flatmaps that emit in loops and at several places: fused or not, the same.
    #[test]
    fn flatmaps_fuse(values in prop::collection::vec(-3i64..6, 0..6)) {
        let several = "flatmap several(%x: long) -> long {
start:
  emit %x
  %y = mul %x, 10L
  %zero = eq %x, 0L
  branch %zero, done, more
more:
  emit %y
  jump round(%x)
round(%i: long):
  %go = gt %i, 0L
  branch %go, one, done
one:
  emit %i
  %next = sub %i, 2L
  jump round(%next)
done:
  return
}";
        let even = "filter even(%x: long) -> bool {\nstart:\n  %r = rem %x, 2L\n  %e = eq %r, 0L\n  return %e\n}";
        let hundred = "map hundred(%x: long) -> long {\nstart:\n  %y = div 100L, %x\n  return %y\n}";
        let time = "timestamp time(%x: long) -> long {\nstart:\n  return %x\n}";
        let operators = [("a", several), ("b", even), ("c", several), ("d", hundred)];
        let operators = operators.map(|(name, ir)| Operator { name, ir, constants: "" });
        let types = vec![Type::Long; 5];
        let assigner = Assigner { after: 2, bound_ms: 3, ir: time, constants: "" };
        let chain = |from, to| Chain::compile(&types, &operators, Some(&assigner), from, to).unwrap();
        // An event that dies takes its other outputs with it, and their times: the watermark of a whole may then be lower.
        let events = (0..).zip(&values).map(|(delta, value)| (delta, None, Some(long(*value)))).collect();
        let whole = run(&mut chain(0, 4), &Type::Long, &events);
        let mut at = events.clone();
        let (mut watermark, mut dead) = (None, Vec::new());
        for place in 0..4 {
            let made = run(&mut chain(place, place + 1), &Type::Long, &at);
            at = made.events;
            watermark = watermark.or(made.watermark);
            dead.extend(made.dead);
        }
        prop_assert_eq!(whole.events, at);
        prop_assert_eq!(&whole.dead, &dead);
        prop_assert!(whole.watermark <= watermark && (whole.watermark == watermark || !dead.is_empty()));
    }
}

#[test]
fn an_assigner_at_the_source_is_in_every_chain_from_there() {
    let time = "timestamp time(%x: long) -> long {\nstart:\n  return %x\n}";
    let assigner = Assigner { after: 0, bound_ms: 10, ir: time, constants: "" };
    let double = map("  %y = add %x, %x\n  return %y");
    let operators = [Operator { name: "double", ir: &double, constants: "" }];
    let types = [Type::Long, Type::Long];
    let chain = |from, to| Chain::compile(&types, &operators, Some(&assigner), from, to).unwrap();
    let events = vec![(0, None, Some(long(100))), (1, None, Some(long(50)))];
    let identity = run(&mut chain(0, 0), &Type::Long, &events);
    assert_eq!(identity.events, [(0, Some(100), Some(long(100))), (1, Some(50), Some(long(50)))]);
    assert_eq!(identity.watermark, Some(89));
    let whole = run(&mut chain(0, 1), &Type::Long, &events);
    assert_eq!(whole.events, [(0, Some(100), Some(long(200))), (1, Some(50), Some(long(100)))]);
    assert_eq!(whole.watermark, Some(89));
    let rest = run(&mut chain(1, 1), &Type::Long, &identity.events);
    assert_eq!((rest.events, rest.watermark), (identity.events, None));
}

#[test]
fn plans_that_do_not_fit() {
    let double = map("  return %x");
    let operators = [Operator { name: "double", ir: &double, constants: "" }];
    let types = [Type::Long, Type::Long];
    let errors = |types: &[Type], assigner: Option<&Assigner<'_>>, from, to| {
        let errors = Chain::compile(types, &operators, assigner, from, to).unwrap_err();
        errors.iter().map(|error| error.message.clone()).collect::<Vec<_>>()
    };
    assert_eq!(errors(&types[..1], None, 0, 1), ["1 operators need 2 types, not 1"]);
    assert_eq!(errors(&types, None, 1, 0), ["there is no range 1..0 of 1 operators"]);
    let late = Assigner { after: 2, bound_ms: -1, ir: "", constants: "" };
    assert_eq!(
        errors(&types, Some(&late), 0, 1),
        ["the assigner stands after 2, but there are 1 operators", "the assigner's bound is -1 ms",]
    );
}

#[test]
fn constants_and_text() {
    let text = "map f(%s: string) -> string {
start:
  %n = call int.parse(%s) catch no
  %twice = mul %n, 2
  %t = call int.to_string(%twice)
  %u = call string.concat(\"<\", %t, \">é\")
  return %u
no:
  return \"none\"
}";
    assert_eq!(of_string(text, "-21").events[0].2, Some(avro_string("<-42>é")));
    assert_eq!(of_string(text, "x").events[0].2, Some(avro_string("none")));
}
