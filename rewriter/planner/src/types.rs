//! Stage 5, types: from Flink's types to Avro ("Values on the topics" in docs/graph.md).

use std::collections::HashMap;

use sluice_wire::Type;

use crate::graph::{JavaType, NamedType};

/// The namespace of types that have no class name of their own: tuples, rows, entries of maps, and classes without a
/// package, which in a namespace could not be told from their neighbours.
const NAMESPACE: &str = "dev.sluice.value";

/// The Avro schema of events of a Flink type, as JSON. Whatever Avro can't say is `"bytes"`, as Flink's own
/// serializer writes it.
#[must_use]
pub fn avro_schema(ty: &JavaType) -> String {
    let schema = Namer::default().schema(ty);
    // Depth and emptiness have bounds in `wire`; what it does not take is carried as bytes.
    if schema.parse::<Type>().is_ok() { schema } else { BYTES.to_owned() }
}

/// Whether events of a Flink type travel as its own serializer writes them, which only a JVM can read.
#[must_use]
pub fn is_opaque(ty: &JavaType) -> bool {
    let bytes = matches!(ty, JavaType::PrimitiveArray { class } if class == "[B");
    !bytes && avro_schema(ty) == BYTES
}

const BYTES: &str = r#""bytes""#;

/// Names in use, through one schema.
#[derive(Debug, Default)]
struct Namer<'a> {
    /// The name that each record or enum got.
    named: Vec<(&'a JavaType, String)>,
    /// Classes whose definition is being written.
    open: Vec<&'a str>,
    /// How many names of each stem there are.
    stems: HashMap<String, usize>,
}

impl<'a> Namer<'a> {
    fn schema(&mut self, ty: &'a JavaType) -> String {
        match ty {
            JavaType::Basic { class } => basic(class).to_owned(),
            JavaType::PrimitiveArray { class } => primitive_array(class),
            JavaType::BasicArray { class } => {
                let class = class.trim_start_matches("[L").trim_end_matches(';');
                array(&nullable(basic(class)))
            }
            JavaType::ObjectArray { element }
            | JavaType::List { element }
            | JavaType::Set { element } => array(&self.nullable(element)),
            JavaType::Map { key, value } if key.is_string() => {
                format!(r#"{{"type":"map","values":{}}}"#, self.nullable(value))
            }
            JavaType::Map { key, value } => {
                let name = self.numbered("Entry");
                let (key, value) = (self.nullable(key), self.nullable(value));
                array(&format!(
                    r#"{{"type":"record","name":"{name}","fields":[{{"name":"key","type":{key}}},{{"name":"value","type":{value}}}]}}"#
                ))
            }
            JavaType::Tuple { fields, .. } => {
                let names = (0..fields.len()).map(|at| format!("f{at}")).collect::<Vec<_>>();
                let fields = names.iter().zip(fields).map(|(name, ty)| (&**name, ty, false));
                self.record(ty, &format!("Tuple{}", names.len()), None, fields.collect())
            }
            JavaType::Row { fields } => self.record(ty, "Row", None, named(fields)),
            JavaType::Pojo { class, fields } | JavaType::Generic { class, fields } => {
                self.record(ty, class, Some(class), named(fields))
            }
            JavaType::Enum { class, symbols } => self.enumeration(ty, class, symbols),
            JavaType::Other { .. } => BYTES.to_owned(),
        }
    }

    fn nullable(&mut self, ty: &'a JavaType) -> String {
        nullable(&self.schema(ty))
    }

    fn record(
        &mut self,
        ty: &'a JavaType,
        stem: &str,
        class: Option<&'a str>,
        fields: Vec<(&str, &'a JavaType, bool)>,
    ) -> String {
        if let Some(name) = self.reference(ty) {
            return name;
        }
        let recursive = class.is_some_and(|class| self.open.contains(&class));
        let legal = fields.iter().all(|(name, ..)| is_name(name));
        // Two fields of one name, as rows can have, could not be told apart.
        let twice = (1..fields.len())
            .any(|at| fields[..at].iter().any(|earlier| earlier.0 == fields[at].0));
        if recursive || !legal || twice || fields.is_empty() {
            return BYTES.to_owned();
        }
        let name = match class {
            Some(class) => self.class_name(class),
            None => Some(self.numbered(stem)),
        };
        let Some(name) = name else { return BYTES.to_owned() };
        self.open.extend(class);
        let mut texts = Vec::with_capacity(fields.len());
        for (field, ty, primitive) in fields {
            let schema = if primitive { self.schema(ty) } else { self.nullable(ty) };
            texts.push(format!(r#"{{"name":"{field}","type":{schema}}}"#));
        }
        if class.is_some() {
            self.open.pop();
        }
        let schema =
            format!(r#"{{"type":"record","name":"{name}","fields":[{}]}}"#, texts.join(","));
        if class.is_some() {
            self.named.push((ty, name));
        }
        schema
    }

    fn enumeration(&mut self, ty: &'a JavaType, class: &str, symbols: &[String]) -> String {
        if let Some(name) = self.reference(ty) {
            return name;
        }
        if symbols.is_empty() || !symbols.iter().all(|symbol| is_name(symbol)) {
            return BYTES.to_owned();
        }
        let Some(name) = self.class_name(class) else { return BYTES.to_owned() };
        let symbols: Vec<_> = symbols.iter().map(|symbol| format!("\"{symbol}\"")).collect();
        self.named.push((ty, name.clone()));
        format!(r#"{{"type":"enum","name":"{name}","symbols":[{}]}}"#, symbols.join(","))
    }

    fn reference(&self, ty: &JavaType) -> Option<String> {
        let known = self.named.iter().find(|(known, _)| *known == ty)?;
        Some(format!("\"{}\"", known.1))
    }

    /// The name of a class; none if Avro has no such name.
    fn class_name(&mut self, class: &str) -> Option<String> {
        let name = class.replace('$', "_");
        let name = if name.contains('.') { name } else { format!("{NAMESPACE}.{name}") };
        if !name.split('.').all(is_name) {
            return None;
        }
        // A generic class can stand for several records, and `$` and `_` can meet.
        let count = self.stems.entry(name.clone()).or_insert(0);
        *count += 1;
        Some(if *count == 1 { name } else { format!("{name}_{count}") })
    }

    fn numbered(&mut self, stem: &str) -> String {
        let count = self.stems.entry(String::new()).or_insert(0);
        *count += 1;
        format!("{NAMESPACE}.{stem}_{count}")
    }
}

fn named(fields: &[NamedType]) -> Vec<(&str, &JavaType, bool)> {
    fields.iter().map(|field| (&*field.name, &field.ty, field.primitive)).collect()
}

fn basic(class: &str) -> &'static str {
    match class {
        "java.lang.Boolean" => r#""boolean""#,
        "java.lang.Integer" | "java.lang.Byte" | "java.lang.Short" | "java.lang.Character" => {
            r#""int""#
        }
        "java.lang.Long" => r#""long""#,
        "java.lang.Float" => r#""float""#,
        "java.lang.Double" => r#""double""#,
        "java.lang.String" => r#""string""#,
        _ => BYTES,
    }
}

fn primitive_array(class: &str) -> String {
    array(match class {
        "[B" => return BYTES.to_owned(),
        "[Z" => r#""boolean""#,
        "[S" | "[C" | "[I" => r#""int""#,
        "[J" => r#""long""#,
        "[F" => r#""float""#,
        "[D" => r#""double""#,
        _ => return BYTES.to_owned(),
    })
}

fn array(items: &str) -> String {
    format!(r#"{{"type":"array","items":{items}}}"#)
}

fn nullable(schema: &str) -> String {
    format!(r#"["null",{schema}]"#)
}

/// Whether Avro takes it as a name (Avro specification, "Names").
fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parsed(json: &str) -> JavaType {
        serde_json::from_str(json).unwrap()
    }

    fn schema(json: &str) -> String {
        avro_schema(&parsed(json))
    }

    const STRING: &str = r#"{"kind":"basic","class":"java.lang.String"}"#;

    #[test]
    fn what_can_be_null_is_a_union() {
        let point = format!(
            r#"{{"kind":"pojo","class":"a.Job$Point","fields":[
                {{"name":"x","type":{{"kind":"basic","class":"java.lang.Integer"}},"primitive":true}},
                {{"name":"label","type":{STRING}}}]}}"#
        );
        assert_eq!(
            schema(&point),
            r#"{"type":"record","name":"a.Job_Point","fields":[{"name":"x","type":"int"},{"name":"label","type":["null","string"]}]}"#
        );
        let pair = format!(r#"{{"kind":"tuple","class":"Tuple2","fields":[{point},{point}]}}"#);
        assert_eq!(
            schema(&pair),
            r#"{"type":"record","name":"dev.sluice.value.Tuple2_1","fields":[{"name":"f0","type":["null",{"type":"record","name":"a.Job_Point","fields":[{"name":"x","type":"int"},{"name":"label","type":["null","string"]}]}]},{"name":"f1","type":["null","a.Job_Point"]}]}"#
        );
    }

    #[test]
    fn a_plain_class_for_kryo_is_a_record() {
        let json = format!(
            r#"{{"kind":"generic","class":"a.Quote","fields":[{{"name":"symbol","type":{STRING}}}]}}"#
        );
        assert_eq!(
            schema(&json),
            r#"{"type":"record","name":"a.Quote","fields":[{"name":"symbol","type":["null","string"]}]}"#
        );
        assert!(!is_opaque(&parsed(&json)));
    }

    #[test]
    fn maps_with_other_keys_are_arrays_of_entries() {
        let map = format!(
            r#"{{"kind":"map","key":{{"kind":"basic","class":"java.lang.Long"}},"value":{STRING}}}"#
        );
        assert_eq!(
            schema(&map),
            r#"{"type":"array","items":{"type":"record","name":"dev.sluice.value.Entry_1","fields":[{"name":"key","type":["null","long"]},{"name":"value","type":["null","string"]}]}}"#
        );
    }

    #[test]
    fn what_avro_can_not_say_is_bytes() {
        let field = |name: &str| {
            format!(
                r#"{{"kind":"row","fields":[{{"name":"{name}","type":{STRING}}},{{"name":"b","type":{STRING}}}]}}"#
            )
        };
        for json in [
            r#"{"kind":"generic","class":"java.util.BitSet"}"#,
            r#"{"kind":"basic","class":"java.math.BigDecimal"}"#,
            r#"{"kind":"primitive_array","class":"[B"}"#,
            r#"{"kind":"pojo","class":"a.Empty","fields":[]}"#,
            r#"{"kind":"enum","class":"a.E","symbols":["\u00e4"]}"#,
            &field("this$0"),
            &field("b"),
        ] {
            assert_eq!(schema(json), BYTES, "{json}");
            assert_eq!(is_opaque(&parsed(json)), !json.contains("[B"), "{json}");
        }
    }

    fn any_type() -> impl Strategy<Value = JavaType> {
        let basic = prop::sample::select(vec!["String", "Integer", "Long", "Double", "Void"]);
        let leaf = prop_oneof![
            basic.prop_map(|name| JavaType::Basic { class: format!("java.lang.{name}") }),
            "[a-z]{1,3}".prop_map(|name| JavaType::Enum {
                class: format!("p.{name}"),
                symbols: vec!["A".to_owned(), name]
            }),
            "[a-z]{1,2}".prop_map(|class| JavaType::Generic { class, fields: Vec::new() }),
        ];
        leaf.prop_recursive(5, 40, 4, |inner| {
            let field = ("[a-c$]{1,2}", inner.clone(), any::<bool>());
            let field = field.prop_map(|(name, ty, _)| NamedType { name, ty, primitive: false });
            let fields = prop::collection::vec(field, 0..4);
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4)
                    .prop_map(|fields| JavaType::Tuple { class: "T".to_owned(), fields }),
                ("[A-B]", fields.clone())
                    .prop_map(|(class, fields)| JavaType::Pojo { class, fields }),
                ("[C-D]", fields.clone())
                    .prop_map(|(class, fields)| JavaType::Generic { class, fields }),
                fields.prop_map(|fields| JavaType::Row { fields }),
                inner.clone().prop_map(|ty| JavaType::List { element: Box::new(ty) }),
                (inner.clone(), inner).prop_map(|(key, value)| JavaType::Map {
                    key: Box::new(key),
                    value: Box::new(value)
                }),
            ]
        })
    }

    proptest! {
        /// Every type has a schema that the codec takes as it stands: no name is used twice or before its definition.
        #[test]
        fn every_schema_is_one_that_frames_can_carry(ty in any_type()) {
            let schema = Namer::default().schema(&ty);
            prop_assert!(schema.parse::<Type>().is_ok(), "{schema}: {:?}", schema.parse::<Type>());
        }
    }
}
