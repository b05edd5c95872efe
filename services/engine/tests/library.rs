//! Families of Java's library behind their names: JSON, dates, formats and patterns, called and as constants.
mod support;

use sluice_engine::{Chain, Operator};
use sluice_wire::{Reader, Type};
use support::{lines, run};

/// What a map of texts makes of one; the body has `%s` and ends with `%out`, a text.
fn made(constants: &str, head: &str, body: &str, value: &str) -> String {
    let text = format!("{head}\nmap f(%s: string) -> string {{\nstart:\n{body}\n  return %out\n}}");
    let operators = [Operator { name: "it", ir: &text, constants }];
    let mut chain = Chain::compile(&[Type::String, Type::String], &operators, None, 0, 1)
        .unwrap_or_else(|errors| panic!("{errors:?}"));
    let made = run(&mut chain, &Type::String, &lines([value]));
    match (&made.events[..], &made.dead[..]) {
        ([(_, _, Some(bytes))], []) => Reader::new(bytes).string().unwrap().to_owned(),
        ([], [(_, reason)]) => format!("dead: {reason}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn jackson_reads_trees() {
    for prefix in ["", "org/apache/flink/shaded/jackson2/"] {
        let body = "  %mapper = call \"P/ObjectMapper.<init>()V\"()
  %tree = call \"P/ObjectMapper.readTree(Ljava/lang/String;)LP/JsonNode;\"(%mapper, %s)
  %user = call \"P/JsonNode.path(Ljava/lang/String;)LP/JsonNode;\"(%tree, \"user\")
  %name = call \"P/JsonNode.path(Ljava/lang/String;)LP/JsonNode;\"(%user, \"name\")
  %text = call \"P/JsonNode.asText()Ljava/lang/String;\"(%name)
  %has = call \"P/JsonNode.has(Ljava/lang/String;)Z\"(%tree, \"n\")
  %n = call \"P/JsonNode.path(Ljava/lang/String;)LP/JsonNode;\"(%tree, \"n\")
  %int = call \"P/JsonNode.asInt()I\"(%n)
  %all = call \"P/JsonNode.toString()Ljava/lang/String;\"(%user)
  %out = string_concat \"\\u{1} \\u{1} \\u{1} \\u{1}\"(%text, %has, %int, %all)"
            .replace("P/", &format!("{prefix}com/fasterxml/jackson/databind/"));
        let text = r#"{"user": {"name": "Zoë", "x": [1.50]}, "n": 7}"#;
        assert_eq!(made("", "", &body, text), r#"Zoë true 7 {"name":"Zoë","x":[1.5]}"#);
        assert_eq!(made("", "", &body, "[]"), " false 0 ");
        let wrong =
            format!("{prefix}com/fasterxml/jackson/core/JsonParseException").replace('/', ".");
        assert!(made("", "", &body, "{x}").starts_with(&format!("dead: it: {wrong}")));
    }
}

#[test]
fn jackson_writes_what_it_made() {
    let body = "  %mapper = call \"P/ObjectMapper.<init>()V\"()
  %node = call \"P/ObjectMapper.createObjectNode()LP/node/ObjectNode;\"(%mapper)
  %r = ref %s
  %a = call \"P/node/ObjectNode.put(Ljava/lang/String;Ljava/lang/String;)LP/node/ObjectNode;\"(%node, \"text\", %r)
  %b = call \"P/node/ObjectNode.put(Ljava/lang/String;D)LP/node/ObjectNode;\"(%a, \"d\", 0.1)
  %c = call \"P/node/ObjectNode.put(Ljava/lang/String;I)LP/node/ObjectNode;\"(%b, \"text2\", 3)
  %out = call \"P/ObjectMapper.writeValueAsString(Ljava/lang/Object;)Ljava/lang/String;\"(%mapper, %c)"
        .replace("P/", "com/fasterxml/jackson/databind/");
    assert_eq!(made("", "", &body, "\"a\"\n"), r#"{"text":"\"a\"\n","d":0.1,"text2":3}"#);
}

const GSON: &str = "  %parser = call \"com/google/gson/JsonParser.<init>()V\"()
  %tree = call \"com/google/gson/JsonParser.parse(Ljava/lang/String;)Lcom/google/gson/JsonElement;\"(%parser, %s)
  %object = call \"com/google/gson/JsonElement.getAsJsonObject()Lcom/google/gson/JsonObject;\"(%tree)
  %id = call \"com/google/gson/JsonObject.get(Ljava/lang/String;)Lcom/google/gson/JsonElement;\"(%object, \"id\")
  %out = call \"com/google/gson/JsonElement.getAsString()Ljava/lang/String;\"(%id)";

#[test]
fn gson_reads_trees() {
    assert_eq!(made("", "", GSON, r#"{"id": 1.50}"#), "1.50");
    assert_eq!(made("", "", GSON, "{id: 'x'}"), "x");
    assert_eq!(made("", "", GSON, "{}"), "dead: it: java.lang.NullPointerException");
    let none = made("", "", GSON, r#"{"id": null}"#);
    assert_eq!(none, "dead: it: java.lang.UnsupportedOperationException: JsonNull");
    assert!(made("", "", GSON, "{").starts_with("dead: it: com.google.gson.JsonSyntaxException"));
    assert!(made("", "", GSON, "[]").starts_with("dead: it: java.lang.IllegalStateException"));
}

#[test]
fn a_mapper_with_settings_is_refused() {
    let head = "constant %mapper: ref = 0";
    let body =
        "  %tree = call \"P/ObjectMapper.readTree(Ljava/lang/String;)LP/JsonNode;\"(%mapper, %s)
  %out = call \"P/JsonNode.toString()Ljava/lang/String;\"(%tree)"
            .replace("P/", "com/fasterxml/jackson/databind/");
    let constants = |rest: &str| {
        let class = r#""class":"com.fasterxml.jackson.databind.ObjectMapper""#;
        format!(r#"{{"objects":[{{{class},{rest}}}],"roots":{{"this":{{"ref":0}}}}}}"#)
    };
    assert_eq!(made(&constants(r#""text":"default""#), head, &body, "[ 1 ]"), "[1]");
    let refused = made(&constants(r#""opaque":true"#), head, &body, "[ 1 ]");
    assert_eq!(refused, "dead: it: a constant that is changed, or not known");
}

#[test]
fn formats_of_dates_are_constants() {
    let simple = r#"{"objects":[{"class":"java.text.SimpleDateFormat","text":"yyyy-MM-dd HH:mm","zone":"UTC",
        "locale":"en-US","lenient":true}],"roots":{"this":{"ref":0}}}"#;
    let head = "constant %by: ref = 0";
    let body =
        "  %date = call \"java/text/DateFormat.parse(Ljava/lang/String;)Ljava/util/Date;\"(%by, %s)
  %ms = call \"java/util/Date.getTime()J\"(%date)
  %again = call \"java/text/DateFormat.format(Ljava/util/Date;)Ljava/lang/String;\"(%by, %date)
  %out = string_concat \"\\u{1} \\u{1}\"(%ms, %again)";
    assert_eq!(made(simple, head, body, "2020-13-01 0:0"), "1609459200000 2021-01-01 00:00");
    let wrong = made(simple, head, body, "x");
    assert_eq!(wrong, "dead: it: java.text.ParseException: Unparseable date: \"x\"");
    let elsewhere = made(&simple.replace("UTC", "Europe/Paris"), head, body, "2020-13-01 0:0");
    assert_eq!(elsewhere, "dead: it: not certain: a date in the zone of a host");

    let described = r#"{"objects":[{"class":"java.time.format.DateTimeFormatter","resolver":"SMART","zone":"","locale":"de",
        "text":"Value(DayOfMonth)'.'Value(MonthOfYear)'.'Value(YearOfEra,4,19,EXCEEDS_PAD)"}],"roots":{"this":{"ref":0}}}"#;
    let body = "  %r = ref %s
  %date = call \"java/time/LocalDate.parse(Ljava/lang/CharSequence;Ljava/time/format/DateTimeFormatter;)Ljava/time/LocalDate;\"(%r, %by)
  %day = call \"java/time/LocalDate.toEpochDay()J\"(%date)
  %out = string_concat \"\\u{1}\"(%day)";
    assert_eq!(made(described, head, body, "1.2.1970"), "31");
    assert!(
        made(described, head, body, "1.x")
            .starts_with("dead: it: java.time.format.DateTimeParseException")
    );
}

#[test]
fn patterns_are_constants() {
    let constants = r#"{"objects":[{"class":"java.util.regex.Pattern","text":"(\\w+)@(\\w+)","flags":0}],
        "roots":{"this":{"ref":0}}}"#;
    let body = "  %r = ref %s
  %m = call \"java/util/regex/Pattern.matcher(Ljava/lang/CharSequence;)Ljava/util/regex/Matcher;\"(%p, %r)
  %found = call \"java/util/regex/Matcher.find()Z\"(%m)
  %host = call \"java/util/regex/Matcher.group(I)Ljava/lang/String;\"(%m, 2)
  %out = string_concat \"\\u{1} \\u{1}\"(%found, %host)";
    let head = "constant %p: ref = 0";
    assert_eq!(made(constants, head, body, "to: me@here, you@there"), "true here");
    assert_eq!(
        made(constants, head, body, "no"),
        "dead: it: java.lang.IllegalStateException: No match found"
    );
}

#[test]
fn items_of_trees_are_iterated_over() {
    let body = "  %mapper = call \"P/ObjectMapper.<init>()V\"()
  %tree = call \"P/ObjectMapper.readTree(Ljava/lang/String;)LP/JsonNode;\"(%mapper, %s)
  %i = call \"P/JsonNode.iterator()Ljava/util/Iterator;\"(%tree)
  %a = call \"java/util/Iterator.next()Ljava/lang/Object;\"(%i)
  %b = call \"java/util/Iterator.next()Ljava/lang/Object;\"(%i)
  %more = call \"java/util/Iterator.hasNext()Z\"(%i)
  %t = call \"P/JsonNode.toString()Ljava/lang/String;\"(%b)
  %out = string_concat \"\\u{1} \\u{1}\"(%t, %more)"
        .replace("P/", "com/fasterxml/jackson/databind/");
    assert_eq!(made("", "", &body, "[1, {\"x\": 2}]"), "{\"x\":2} false");
    assert!(made("", "", &body, "[1]").starts_with("dead: it: java.util.NoSuchElementException"));
}
