//! Functions on references: objects, arrays, exceptions, constants, calls of Java's library.
mod support;

use sluice_engine::{Budget, Chain, Operator};
use sluice_wire::{Reader, Type};
use support::{avro_string, lines, run, single};

/// A map of texts: declarations, and the body of the block that has `%s`.
fn map(head: &str, body: &str) -> String {
    format!("{head}\nmap f(%s: string) -> string {{\nstart:\n{body}\n}}")
}

fn outcome(chain: &mut Chain, value: &str) -> String {
    let made = run(chain, &Type::String, &lines([value]));
    match (&made.events[..], &made.dead[..]) {
        ([(_, _, Some(bytes))], []) => Reader::new(bytes).string().unwrap().to_owned(),
        ([], [(_, reason)]) => format!("dead: {reason}"),
        other => panic!("{other:?}"),
    }
}

/// What a map of texts makes of one.
fn made(head: &str, body: &str, value: &str) -> String {
    let text = map(head, body);
    let mut chain =
        single(&Type::String, &Type::String, &text).unwrap_or_else(|errors| panic!("{errors:?}"));
    let first = outcome(&mut chain, value);
    // Nothing stays from one event to the next.
    assert_eq!(outcome(&mut chain, value), first);
    first
}

/// The same with constants.
fn made_with(constants: &str, head: &str, body: &str, value: &str) -> String {
    let text = map(head, body);
    let operators = [Operator { name: "it", ir: &text, constants }];
    let chain = Chain::compile(&[Type::String, Type::String], &operators, None, 0, 1);
    outcome(&mut chain.unwrap_or_else(|errors| panic!("{errors:?}")), value)
}

#[test]
fn objects_have_fields() {
    let head = "class \"a/Base\" extends \"java/lang/Object\" { n: int, text: ref }
class \"a/Point\" extends \"a/Base\" { x: double, next: ref }";
    let body = "  %p = object \"a/Point\"
  %none = load %p, \"a/Base.text\"
  %is_null = is_null %none
  %r = ref %s
  store %p, \"a/Base.text\", %r
  store %p, \"a/Point.x\", 2.5
  store %p, \"a/Base.n\", 7
  store %p, \"a/Point.next\", %p
  %q = load %p, \"a/Point.next\"
  %x = load %q, \"a/Point.x\"
  %n = load %q, \"a/Base.n\"
  %t = load %q, \"a/Base.text\"
  %below = is %q, \"a/Base\"
  %other = is %q, \"a/Other\"
  %same = same %p, %q
  %all = string_concat \"\\u{1} \\u{1} \\u{1} \\u{1} \\u{1} \\u{1} \\u{1}\"(%is_null, %x, %n, %t, %below, %other, %same)
  return %all";
    assert_eq!(made(head, body, "text"), "true 2.5 7 text true false true");
    let null = "  %p = null ref
  %x = load %p, \"a/Point.x\"
  return %s";
    assert_eq!(made(head, null, ""), "dead: it: java.lang.NullPointerException");
    let wrong = "  %p = object \"a/Base\"
  %x = load %p, \"a/Point.x\"
  return %s";
    assert_eq!(made(head, wrong, ""), "dead: it: java.lang.ClassCastException");
}

#[test]
fn arrays_check_their_bounds() {
    let body = "  %a = array \"[D\", 3
  array_set_double %a, 1, 1.5
  %b = array_get_double %a, 1
  %c = array_get_double %a, 2
  %n = array_length %a
  %bytes = array \"[B\", 1
  array_set_byte %bytes, 0, 200
  %byte = array_get_byte %bytes, 0
  %length = call \"java/lang/String.length()I\"(%s)
  %d = array_get_double %a, %length catch wrong
  %all = string_concat \"\\u{1} \\u{1} \\u{1} \\u{1} \\u{1}\"(%b, %c, %n, %byte, %d)
  return %all
wrong:
  %e = caught
  %out = is %e, \"java/lang/IndexOutOfBoundsException\"
  %message = call \"java/lang/Throwable.getMessage()Ljava/lang/String;\"(%e)
  %said = string_concat \"\\u{1}: \\u{1}\"(%out, %message)
  return %said";
    assert_eq!(made("", body, "x"), "1.5 0.0 3 -56 1.5");
    assert_eq!(made("", body, "xxxx"), "true: Index 4 out of bounds for length 3");
    let negative = "  %n = sub 0, 1\n  %a = array \"[I\", %n\n  return %s";
    assert_eq!(made("", negative, ""), "dead: it: java.lang.NegativeArraySizeException: -1");
}

#[test]
fn exceptions_are_told_apart_and_thrown_on() {
    let head = "class \"a/Mine\" extends \"java/lang/IllegalArgumentException\" { }";
    let body = "  %r = ref %s
  %n = call \"java/lang/Integer.parseInt(Ljava/lang/String;)I\"(%r) catch caught
  %m = div 12, %n catch caught
  %all = string_concat \"\\u{1}\"(%m)
  return %all
caught:
  %e = caught
  %number = is %e, \"java/lang/NumberFormatException\"
  branch %number, number, other
number:
  %mine = exception \"a/Mine\", %r
  %argument = is %mine, \"java/lang/IllegalArgumentException\"
  branch %argument, mine, other
mine:
  throw_ref %mine
other:
  throw_ref %e";
    assert_eq!(made(head, body, "4"), "3");
    assert_eq!(made(head, body, "x"), "dead: it: a.Mine: x");
    assert_eq!(made(head, body, "0"), "dead: it: java.lang.ArithmeticException: / by zero");
}

#[test]
fn references_box_and_unbox() {
    let body = "  %n = call \"java/lang/String.length()I\"(%s)
  %some = some %n
  %box = ref %some
  %back = unbox_int %box
  %none = null int
  %null = ref %none
  %is_null = is_null %null
  %r = ref %s
  %text = nullable %r
  %plain = unwrap %text
  %integer = is %box, \"java/lang/Number\"
  %wrong = unbox_long %box catch cast
  return %s
cast:
  %all = string_concat \"\\u{1} \\u{1} \\u{1} \\u{1} \\u{1} \\u{1}\"(%back, %is_null, %plain, %integer, %text, %null)
  return %all";
    assert_eq!(made("", body, "abc"), "3 true abc true abc null");
    let char = "  %a = string_concat \"\\u{1}\\u{1}\\u{1}\", \"(CIZ)\"(97, 97, true)\n  return %a";
    assert_eq!(made("", char, ""), "a97true");
}

#[test]
fn lists_maps_and_builders() {
    let body = "  %list = call \"java/util/ArrayList.<init>()V\"()
  %r = ref %s
  %one = call \"java/util/Collection.add(Ljava/lang/Object;)Z\"(%list, %r)
  %x = ref \"x\"
  %two = call \"java/util/Collection.add(Ljava/lang/Object;)Z\"(%list, %x)
  %map = call \"java/util/HashMap.<init>()V\"()
  %old = call \"java/util/Map.put(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;\"(%map, %r, %list)
  %old2 = call \"java/util/Map.put(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;\"(%map, %x, %x)
  %size = call \"java/util/Map.size()I\"(%map)
  %b = call \"java/lang/StringBuilder.<init>()V\"()
  %b2 = call \"java/lang/StringBuilder.append(Ljava/lang/Object;)Ljava/lang/StringBuilder;\"(%b, %map)
  %b3 = call \"java/lang/StringBuilder.append(I)Ljava/lang/StringBuilder;\"(%b2, %size)
  %text = call \"java/lang/StringBuilder.toString()Ljava/lang/String;\"(%b3)
  return %text";
    assert_eq!(made("", body, "b"), "{b=[b, x], x=x}2");
    assert_eq!(made("", body, "x"), "{x=x}1");
}

#[test]
fn an_iteration_ends() {
    let body = "  %list = call \"java/util/ArrayList.<init>()V\"()
  jump more(0)
more(%i: int):
  %n = call \"java/lang/String.length()I\"(%s)
  %enough = ge %i, %n
  branch %enough, walk, add
add:
  %c = call \"java/lang/String.charAt(I)C\"(%s, %i)
  %box = call \"java/lang/Character.valueOf(C)Ljava/lang/Character;\"(%c)
  %added = call \"java/util/Collection.add(Ljava/lang/Object;)Z\"(%list, %box)
  %next = add %i, 1
  jump more(%next)
walk:
  %iterator = call \"java/lang/Iterable.iterator()Ljava/util/Iterator;\"(%list)
  %b = call \"java/lang/StringBuilder.<init>()V\"()
  jump round
round:
  %has = call \"java/util/Iterator.hasNext()Z\"(%iterator)
  branch %has, one, done
one:
  %item = call \"java/util/Iterator.next()Ljava/lang/Object;\"(%iterator)
  %unit = call \"java/lang/Character.charValue()C\"(%item)
  %b2 = call \"java/lang/StringBuilder.append(C)Ljava/lang/StringBuilder;\"(%b, %unit)
  jump round
done:
  %text = call \"java/lang/StringBuilder.toString()Ljava/lang/String;\"(%b)
  return %text";
    assert_eq!(made("", body, "aé😀z"), "aé😀z");
}

#[test]
fn constants_are_read_and_not_written() {
    let constants = r#"{"objects":[
        {"class":"java.util.HashMap","entries":[[{"s":"one"},{"box":{"d":"1.5"}}],[{"s":"two"},{"ref":1}]]},
        {"array":"[I","values":[{"i":3},{"i":4}]},
        {"class":"a.Point","fields":{"a/Point.x":{"i":9},"a/Point.name":{"s":"p"}}},
        {"class":"a.Secret","opaque":true}],
        "roots":{"this":{"ref":2}}}"#;
    let head = "class \"a/Point\" extends \"java/lang/Object\" { x: int, name: ref }
constant %map: ref = 0
constant %numbers: ref = 1
constant %point: ref = 2
constant %secret: ref = 3";
    let get = "  %r = ref %s
  %found = call \"java/util/Map.get(Ljava/lang/Object;)Ljava/lang/Object;\"(%map, %r)
  %four = array_get_int %numbers, 1
  %x = load %point, \"a/Point.x\"
  %name = load %point, \"a/Point.name\"
  %all = string_concat \"\\u{1} \\u{1} \\u{1} \\u{1}\"(%found, %four, %x, %name)
  return %all";
    assert_eq!(made_with(constants, head, get, "one"), "1.5 4 9 p");
    assert_eq!(made_with(constants, head, get, "three"), "null 4 9 p");
    let refused = "dead: it: a constant that is changed, or not known";
    for change in [
        "array_set_int %numbers, 0, 1",
        "store %point, \"a/Point.x\", 1",
        "call \"java/util/Map.clear()V\"(%map)",
        "%name = load %secret, \"a/Point.x\"",
    ] {
        let body = format!("  {change}\n  return %s");
        assert_eq!(made_with(constants, head, &body, ""), refused, "{change}");
    }
}

#[test]
fn objects_are_counted() {
    let body = "  jump round
round:
  %a = array \"[I\", 1000
  %n = array_length %a
  jump round";
    let chain = single(&Type::String, &Type::String, &map("", body)).unwrap();
    let budget = Budget { elements: 10_000, ..Budget::default() };
    let mut chain = chain.with_budget(budget);
    let made = run(&mut chain, &Type::String, &vec![(0, None, Some(avro_string("")))]);
    assert_eq!(made.dead, [(0, "it: memory budget".to_owned())]);
}

#[test]
fn what_is_not_known_is_named() {
    let unknown = map("", "  %a = call \"java/lang/String.foo(I)V\"(%s)\n  return %s");
    let errors = single(&Type::String, &Type::String, &unknown).unwrap_err();
    assert_eq!(errors[0].message, "java/lang/String.foo(I)V is not known to the native engine");
    let undeclared = map("", "  %a = object \"a/Point\"\n  return %s");
    let errors = single(&Type::String, &Type::String, &undeclared).unwrap_err();
    assert_eq!(errors[0].message, "class a/Point is not declared");
}
