//! Random types and values, and a general Avro library to compare with.

use apache_avro::Schema;
use apache_avro::reader::datum::GenericDatumReader;
use apache_avro::types::Value;
use apache_avro::writer::datum::GenericDatumWriter;
use proptest::prelude::*;
use serde_json::{Value as Json, json};
use sluice_wire::Type;

/// Schemas of every supported form.
pub fn schemas() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        6 => prop::sample::select(vec!["boolean", "int", "long", "float", "double", "bytes", "string"])
            .prop_map(Json::from),
        1 => (1..9).prop_map(|size| json!({"type": "fixed", "name": "", "size": size})),
        1 => Just(json!({"type": "enum", "name": "", "symbols": ["a", "b", "c"]})),
        1 => Just(json!({"type": "long", "logicalType": "timestamp-millis"})),
    ];
    let schema = leaf.prop_recursive(4, 24, 6, |inner| {
        let plain = inner.clone().prop_filter("unions do not nest", |schema| !schema.is_array());
        prop_oneof![
            plain.clone().prop_map(|schema| json!(["null", schema])),
            plain.prop_map(|schema| json!([schema, "null"])),
            inner.clone().prop_map(|items| json!({"type": "array", "items": items})),
            inner.clone().prop_map(|values| json!({"type": "map", "values": values})),
            prop::collection::vec(inner, 1..7).prop_map(record),
        ]
    });
    schema.prop_map(|mut schema| {
        number_names(&mut schema, &mut 0);
        schema
    })
}

/// Schemas that the events of a frame can have.
pub fn event_schemas() -> impl Strategy<Value = Json> {
    schemas().prop_filter("events are nullable anyway", |schema| !schema.is_array())
}

fn record(types: Vec<Json>) -> Json {
    let field = |(i, ty): (usize, Json)| json!({"name": format!("f{i}"), "type": ty});
    let fields: Vec<Json> = types.into_iter().enumerate().map(field).collect();
    json!({"type": "record", "name": "", "fields": fields})
}

/// Gives every named type a name of its own.
fn number_names(schema: &mut Json, count: &mut u32) {
    match schema {
        Json::Array(items) => items.iter_mut().for_each(|item| number_names(item, count)),
        Json::Object(map) => {
            if let Some(name) = map.get_mut("name").filter(|name| **name == "") {
                *name = json!(format!("N{count}"));
                *count += 1;
            }
            map.values_mut().for_each(|item| number_names(item, count));
        }
        _ => {}
    }
}

/// Values of a type, as the general library has them. Maps have one entry at most: more have no order.
pub fn values(ty: &Type) -> BoxedStrategy<Value> {
    match ty {
        Type::Boolean => any::<bool>().prop_map(Value::Boolean).boxed(),
        Type::Int => any::<i32>().prop_map(Value::Int).boxed(),
        Type::Long => any::<i64>().prop_map(Value::Long).boxed(),
        Type::Float => any::<f32>().prop_map(Value::Float).boxed(),
        Type::Double => any::<f64>().prop_map(Value::Double).boxed(),
        Type::Bytes => any::<Vec<u8>>().prop_map(Value::Bytes).boxed(),
        Type::String => any::<String>().prop_map(Value::String).boxed(),
        Type::Fixed(fixed) => {
            let size = fixed.size;
            prop::collection::vec(any::<u8>(), size)
                .prop_map(move |b| Value::Fixed(size, b))
                .boxed()
        }
        Type::Enum(symbols) => {
            let symbols: Vec<_> = (0..).zip(symbols.symbols.clone()).collect();
            prop::sample::select(symbols).prop_map(|(i, symbol)| Value::Enum(i, symbol)).boxed()
        }
        Type::Array(items) => {
            prop::collection::vec(values(items), 0..4).prop_map(Value::Array).boxed()
        }
        Type::Map(inner) => prop::collection::hash_map(any::<String>(), values(inner), 0..2)
            .prop_map(Value::Map)
            .boxed(),
        Type::Record(record) => {
            let names: Vec<_> = record.fields.iter().map(|field| field.name.clone()).collect();
            let fields: Vec<_> = record.fields.iter().map(|field| values(&field.ty)).collect();
            fields
                .prop_map(move |fields| Value::Record(names.iter().cloned().zip(fields).collect()))
                .boxed()
        }
        Type::Nullable(nullable) => {
            let null = nullable.null_branch() as u32;
            prop_oneof![
                Just(Value::Union(null, Box::new(Value::Null))),
                values(&nullable.inner).prop_map(move |v| Value::Union(1 - null, Box::new(v))),
            ]
            .boxed()
        }
    }
}

/// What the general library writes for a value.
pub fn encoded(schema: &Json, value: &Value) -> Vec<u8> {
    general_encode(&Schema::parse_str(&schema.to_string()).unwrap(), value)
}

/// What the general library writes for a value of a parsed schema.
pub fn general_encode(schema: &Schema, value: &Value) -> Vec<u8> {
    let writer = GenericDatumWriter::builder(schema).build().unwrap();
    writer.write_value_to_vec(value.clone()).unwrap()
}

/// What the general library reads.
pub fn general_decode(schema: &Schema, mut bytes: &[u8]) -> Value {
    let reader = GenericDatumReader::builder(schema).build().unwrap();
    reader.read_value(&mut bytes).unwrap()
}

/// Small damages to a message.
#[derive(Debug, Clone)]
pub enum Damage {
    /// Another byte somewhere.
    Set(prop::sample::Index, u8),
    /// An end too early.
    Cut(prop::sample::Index),
    /// A byte too many somewhere.
    Insert(prop::sample::Index, u8),
}

/// One to four damages.
pub fn damages() -> impl Strategy<Value = Vec<Damage>> {
    let place = any::<prop::sample::Index>;
    let damage = prop_oneof![
        4 => (place(), any::<u8>()).prop_map(|(at, byte)| Damage::Set(at, byte)),
        1 => place().prop_map(Damage::Cut),
        1 => (place(), any::<u8>()).prop_map(|(at, byte)| Damage::Insert(at, byte)),
    ];
    prop::collection::vec(damage, 1..5)
}

/// Damages a message.
pub fn damage(message: &mut Vec<u8>, damages: &[Damage]) {
    for damage in damages {
        let len = message.len();
        match damage {
            Damage::Set(at, byte) if len > 0 => message[at.index(len)] = *byte,
            Damage::Cut(at) => message.truncate(at.index(len + 1)),
            Damage::Insert(at, byte) => message.insert(at.index(len + 1), *byte),
            Damage::Set(..) => {}
        }
    }
}
