//! The text of the IR: what it prints it reads, what is wrong it names, and no text makes it panic.
mod support;

use proptest::prelude::*;
use sluice_engine::ir::{
    Binary, Block, Class, Constant, Element, End, Expr, Function, Kind, Literal, Operand, Param,
    Position, Step, Target, TypeName, Unary, parse,
};
use sluice_wire::Type;
use support::{Q1_ASSIGNER, Q1_OPERATORS, q1_types, single};

fn name() -> impl Strategy<Value = String> {
    "[a-z_][a-zA-Z0-9_$.]{0,6}".prop_filter("words of their own", |name| {
        let steps = [
            "null",
            "new",
            "with",
            "get",
            "call",
            "emit",
            "jump",
            "branch",
            "unpack",
            "return",
            "throw",
            "throw_ref",
            "string_concat",
            "is",
            "cast",
            "load",
            "store",
            "object",
            "array",
            "caught",
            "exception",
            "decode",
            "encode",
            "class",
            "constant",
        ];
        let taken = steps.contains(&name.as_str())
            || matches!(name.as_str(), "true" | "false" | "catch" | "list");
        !taken && Unary::from_word(name).is_none() && Binary::from_word(name).is_none()
    })
}

fn literal() -> impl Strategy<Value = Literal> {
    prop_oneof![
        any::<bool>().prop_map(Literal::Bool),
        any::<i32>().prop_map(Literal::Int),
        any::<i64>().prop_map(Literal::Long),
        any::<f32>().prop_filter("NaN equals nothing", |v| !v.is_nan()).prop_map(Literal::Float),
        any::<f64>().prop_filter("NaN equals nothing", |v| !v.is_nan()).prop_map(Literal::Double),
        any::<String>().prop_map(Literal::Text),
    ]
}

fn operand() -> impl Strategy<Value = Operand> {
    prop_oneof![name().prop_map(Operand::Register), literal().prop_map(Operand::Literal)]
}

fn type_name() -> impl Strategy<Value = TypeName> {
    (name(), any::<bool>(), any::<bool>()).prop_map(|(name, list, nullable)| {
        let named = TypeName::Named(name);
        let ty = if list { TypeName::List(Box::new(named)) } else { named };
        if nullable { TypeName::Nullable(Box::new(ty)) } else { ty }
    })
}

fn target() -> impl Strategy<Value = Target> {
    (name(), prop::collection::vec(operand(), 0..3)).prop_map(|(label, args)| Target {
        at: Position::default(),
        label,
        args,
    })
}

fn param() -> impl Strategy<Value = Param> {
    (name(), type_name()).prop_map(|(name, ty)| Param { at: Position::default(), name, ty })
}

fn expr() -> impl Strategy<Value = Expr> {
    let fields = || prop::collection::vec((name(), operand()), 0..3);
    let unary = prop::sample::select(Unary::ALL);
    let binary = prop::sample::select(Binary::ALL);
    prop_oneof![
        (unary, operand()).prop_map(|(op, a)| Expr::Unary(op, a)),
        (binary, operand(), operand()).prop_map(|(op, a, b)| Expr::Binary(op, a, b)),
        type_name().prop_map(Expr::Null),
        (type_name(), fields()).prop_map(|(ty, values)| Expr::New(ty, values)),
        (operand(), fields()).prop_map(|(record, values)| Expr::With(record, values)),
        (operand(), name()).prop_map(|(record, field)| Expr::Get(record, field)),
        (name(), prop::collection::vec(operand(), 0..3))
            .prop_map(|(name, args)| Expr::Call(name, args)),
        operand().prop_map(Expr::Emit),
    ]
}

/// An instruction on references.
fn object_expr() -> impl Strategy<Value = Expr> {
    let args = || prop::collection::vec(operand(), 0..3);
    let element = || prop::sample::select(Element::ALL);
    let text = any::<String>;
    prop_oneof![
        (text(), args()).prop_map(|(name, args)| Expr::Library(name, args)),
        (text(), prop::option::of(text()), args())
            .prop_map(|(recipe, descriptor, args)| Expr::Concat(recipe, descriptor, args)),
        (operand(), text()).prop_map(|(a, class)| Expr::Is(a, class)),
        (operand(), text()).prop_map(|(a, class)| Expr::Cast(a, class)),
        text().prop_map(Expr::Object),
        (operand(), text()).prop_map(|(a, field)| Expr::Load(a, field)),
        (operand(), text(), operand()).prop_map(|(a, field, value)| Expr::Store(a, field, value)),
        (text(), operand()).prop_map(|(descriptor, length)| Expr::Array(descriptor, length)),
        (element(), operand(), operand()).prop_map(|(ty, a, i)| Expr::ArrayGet(ty, a, i)),
        (element(), operand(), operand(), operand())
            .prop_map(|(ty, a, i, value)| Expr::ArraySet(ty, a, i, value)),
        Just(Expr::Caught),
        (text(), operand()).prop_map(|(class, message)| Expr::Exception(class, message)),
        operand().prop_map(Expr::Decode),
        (operand(), type_name()).prop_map(|(a, ty)| Expr::Encode(a, ty)),
    ]
}

fn class() -> impl Strategy<Value = Class> {
    let fields = prop::collection::vec((name(), type_name()), 0..3);
    (any::<String>(), any::<String>(), fields).prop_map(|(name, above, fields)| Class {
        at: Position::default(),
        name,
        above,
        fields,
    })
}

fn end() -> impl Strategy<Value = End> {
    prop_oneof![
        target().prop_map(End::Jump),
        (operand(), target(), target()).prop_map(|(value, yes, no)| End::Branch(value, yes, no)),
        (operand(), name(), target())
            .prop_map(|(list, label, other)| End::Unpack(list, label, other)),
        prop::option::of(operand()).prop_map(End::Return),
        any::<String>().prop_map(End::Throw),
        operand().prop_map(End::ThrowRef),
    ]
}

fn block() -> impl Strategy<Value = Block> {
    let expr = prop_oneof![expr(), object_expr()];
    let step = (prop::option::of(name()), expr, prop::option::of(target()));
    let step = step.prop_map(|(result, expr, catch)| Step {
        at: Position::default(),
        result,
        expr,
        catch,
    });
    let params = prop::collection::vec(param(), 0..3);
    (name(), params, prop::collection::vec(step, 0..4), end()).prop_map(
        |(label, params, steps, end)| Block {
            at: Position::default(),
            label,
            params,
            steps,
            end,
            end_at: Position::default(),
        },
    )
}

fn function() -> impl Strategy<Value = Function> {
    let kind = prop::sample::select(&Kind::WORDS[..]).prop_map(|(_, kind)| kind);
    let blocks = prop::collection::vec(block(), 0..4);
    let constants = prop::collection::vec((param(), any::<i32>()), 0..3);
    let constants = constants.prop_map(|constants| {
        constants.into_iter().map(|(param, object)| Constant { param, object }).collect::<Vec<_>>()
    });
    let declared = (prop::collection::vec(class(), 0..3), constants);
    (kind, name(), param(), type_name(), declared, blocks).prop_map(
        |(kind, name, param, result, (classes, constants), blocks)| {
            let at = Position::default();
            Function { kind, name, at, param, result, classes, constants, blocks }
        },
    )
}

/// A function without its places in the text.
fn placeless(mut function: Function) -> Function {
    fn target(target: &mut Target) {
        target.at = Position::default();
    }
    function.at = Position::default();
    function.param.at = Position::default();
    function.classes.iter_mut().for_each(|class| class.at = Position::default());
    function.constants.iter_mut().for_each(|constant| constant.param.at = Position::default());
    for block in &mut function.blocks {
        block.at = Position::default();
        block.end_at = Position::default();
        block.params.iter_mut().for_each(|param| param.at = Position::default());
        for step in &mut block.steps {
            step.at = Position::default();
            step.catch.iter_mut().for_each(target);
        }
        match &mut block.end {
            End::Jump(to) | End::Unpack(_, _, to) => target(to),
            End::Branch(_, yes, no) => [yes, no].into_iter().for_each(target),
            End::Return(_) | End::Throw(_) | End::ThrowRef(_) => {}
        }
    }
    function
}

proptest! {
    #[test]
    fn what_is_printed_is_read(function in function()) {
        let read = parse(&function.to_string()).map(placeless);
        prop_assert_eq!(read, Ok(function));
    }

    #[test]
    fn no_text_panics(text in "[a-z%\"\\\\{}(),:=?<>#\n -]{0,80}") {
        let _ = parse(&text);
    }

    /// Q1's own programs with some characters changed, compiled and run.
    #[test]
    fn mutated_programs_do_not_panic(
        operator in 0usize..4,
        changes in prop::collection::vec((any::<prop::sample::Index>(), "[a-z0-9%,:(){} \"]{0,3}"), 1..4),
    ) {
        let types = q1_types();
        let (text, from) = match operator {
            3 => (Q1_ASSIGNER.ir, 1),
            at => (Q1_OPERATORS[at].ir, at),
        };
        let mut characters: Vec<char> = text.chars().collect();
        for (place, with) in &changes {
            let place = place.index(characters.len());
            characters.splice(place..place + 1, with.chars());
        }
        let text: String = characters.into_iter().collect();
        if let Ok(mut chain) = single(&types[from], &types[(from + 1).min(3)], &text) {
            let mut out = sluice_wire::EventsBuffer::new();
            let _ = chain.run_event(0, None, Some(&[2, 49]), &mut out);
        }
    }
}

#[test]
fn the_programs_of_q1_print_and_read() {
    for text in [Q1_OPERATORS[0].ir, Q1_OPERATORS[1].ir, Q1_OPERATORS[2].ir, Q1_ASSIGNER.ir] {
        let function = parse(text).unwrap();
        assert_eq!(placeless(parse(&function.to_string()).unwrap()), placeless(function));
    }
}

fn parse_error(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

#[test]
fn syntax_errors_name_their_place() {
    assert_eq!(
        parse_error(""),
        "1:1: expected `map`, `flatmap`, `filter` or `timestamp`, found the end"
    );
    assert_eq!(parse_error("map f(%x: int) > int"), "1:16: expected `->`, found `>`");
    assert_eq!(
        parse_error("map f(%x: int) -> int {\nstart:\n  %y = 5\n}"),
        "3:8: expected an instruction, or the \
        block's end (jump, branch, unpack, return, throw), found 5"
    );
    assert_eq!(
        parse_error("map f(%x: int) -> int { a: return 99999999999"),
        "1:35: `99999999999` is no int, long (L), \
        float (f) or double"
    );
    assert_eq!(
        parse_error("map f(%x: int) -> int { a: throw \"x"),
        "1:34: a text without its closing quote"
    );
    assert_eq!(parse_error("é"), "1:1: unexpected 'é'");
    let deep = format!("map f(%x: {}int) -> int", "list<".repeat(10_000));
    assert!(parse_error(&deep).contains("a type of less depth"));
}

/// What is wrong with a function from `input` to `output`.
fn problems(input: &Type, output: &Type, text: &str) -> Vec<String> {
    let errors = single(input, output, text).unwrap_err();
    errors.iter().map(ToString::to_string).collect()
}

#[test]
fn every_error_is_reported_with_its_place() {
    let text = "map f(%x: int) -> int {
start:
  %a = add %x, 1L
  %b = add %nothing, 1
  %x = copy 1
  %c = call no.such(%x)
  %d = copy %a
  jump nowhere
lost:
  return true
}";
    let mut found = problems(&Type::Int, &Type::Int, text);
    found.sort();
    assert_eq!(
        found,
        [
            "it, 3:3: add does not take int and long",
            "it, 4:3: %nothing is not defined",
            "it, 5:3: %x is defined already",
            "it, 6:3: there is no built-in no.such",
            "it, 8:8: there is no block nowhere",
            "it, 9:1: nothing leads to block lost",
        ]
    );
}

#[test]
fn registers_must_be_defined_on_every_way() {
    let text = "map f(%x: int) -> int {
start:
  %c = gt %x, 0
  branch %c, yes, join
yes:
  %y = copy 1
  jump join
join:
  return %y
}";
    assert_eq!(
        problems(&Type::Int, &Type::Int, text),
        ["it, 9:3: %y is not defined on every way to here"]
    );
    let caught = "map f(%x: int) -> int {
start:
  %y = div 1, %x catch zero(%y)
  return %y
zero(%z: int):
  return %z
}";
    assert_eq!(
        problems(&Type::Int, &Type::Int, caught),
        ["it, 3:24: %y is not defined on every way to here"]
    );
}

#[test]
fn signatures_must_fit() {
    let long = "map f(%x: long) -> int {\nstart:\n  return 1\n}";
    assert_eq!(problems(&Type::Int, &Type::Int, long), ["it, 1:7: the input is int, not long"]);
    let result = "map f(%x: int) -> long {\nstart:\n  return 1L\n}";
    assert_eq!(
        problems(&Type::Int, &Type::Int, result),
        ["it, 1:5: the result must be int, not long"]
    );
    let filter = "filter f(%x: int) -> bool {\nstart:\n  return true\n}";
    assert_eq!(
        problems(&Type::Int, &Type::Long, filter),
        ["it, 1:8: a filter has no output but its input, int"]
    );
    let time = "timestamp f(%x: int) -> long {\nstart:\n  return 1L\n}";
    assert_eq!(
        problems(&Type::Int, &Type::Int, time),
        ["it, 1:11: this must be a map, flatmap or filter, not a timestamp"]
    );
    let emits = "map f(%x: int) -> int {\nstart:\n  emit %x\n  return\n}";
    assert_eq!(
        problems(&Type::Int, &Type::Int, emits),
        ["it, 3:3: a map can't emit", "it, 4:3: a map returns a value"]
    );
    assert_eq!(
        problems(&Type::Int, &Type::Int, "map f(%x: int) -> int { }"),
        ["it, 1:5: there is no block"]
    );
}

#[test]
fn fields_must_fit() {
    let types = q1_types();
    let text = "map f(%m: Measurement) -> Measurement {
start:
  %a = get %m, nothing
  %b = new Measurement { site: 5, time: 1L, time: 2L, other: 1, }
  %c = new Measurement { site: \"\" }
  %d = with %m { aqi: 1L }
  return %m
}";
    assert_eq!(
        problems(&types[2], &types[2], text),
        [
            "it, 3:3: dev.sluice.examples.q1.Measurement has no field nothing",
            "it, 4:3: field site must be string, not int",
            "it, 4:3: field time is given twice",
            "it, 4:3: dev.sluice.examples.q1.Measurement has no field other",
            "it, 5:3: fields are missing: time, pm25, aqi",
            "it, 6:3: field aqi must be int, not long",
        ]
    );
}
