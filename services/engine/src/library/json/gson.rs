//! com.google.gson.
use super::super::LibTy::{Bool, Double, Float, Int, Long, Ref, String as Text};
use super::super::{Method, changing, pure, throwing};
use super::classes::Class;
use super::node::{
    Answer, Library, Node, Reader, iterator, json, new_node, node_or_null, put, put_shared, truth,
    whole, write,
};
use crate::heap::{NULL, Reference};
use crate::memory::Memory;
use crate::reason::Reason;
use sluice_java::json::{Json, parse_gson, primitive};
use std::sync::Arc;

/// A method of a node that its subclasses may be asked for, too.
macro_rules! of_each {
    ($name:literal, $params:expr, $result:expr, $run:expr) => {
        [
            throwing(concat!("com/google/gson/JsonElement.", $name), $params, $result, $run),
            throwing(concat!("com/google/gson/JsonPrimitive.", $name), $params, $result, $run),
            throwing(concat!("com/google/gson/JsonObject.", $name), $params, $result, $run),
            throwing(concat!("com/google/gson/JsonArray.", $name), $params, $result, $run),
        ]
    };
}

pub(in super::super) static OF_EACH: &[[Method; 4]] = &[
    of_each!("getAsJsonObject()Lcom/google/gson/JsonObject;", &[Ref], Ref, |memory, args| {
        must(memory, args[0], "Object", |json| matches!(json, Json::Object(_)))
    }),
    of_each!("getAsJsonArray()Lcom/google/gson/JsonArray;", &[Ref], Ref, |memory, args| {
        must(memory, args[0], "Array", |json| matches!(json, Json::Array(_)))
    }),
    of_each!("getAsString()Ljava/lang/String;", &[Ref], Text, |memory, args| {
        let value = scalar(memory, args[0])?;
        let text = primitive::string(&value).unwrap_or_default();
        memory.new_text(&text)
    }),
    of_each!("getAsInt()I", &[Ref], Int, |memory, args| whole(primitive::int(&*scalar(
        memory, args[0]
    )?)?)),
    of_each!("getAsLong()J", &[Ref], Long, |memory, args| Ok(primitive::long(&*scalar(
        memory, args[0]
    )?)? as u64)),
    of_each!("getAsDouble()D", &[Ref], Double, |memory, args| {
        Ok(primitive::double(&*scalar(memory, args[0])?)?.to_bits())
    }),
    of_each!("getAsFloat()F", &[Ref], Float, |memory, args| {
        Ok(u64::from(primitive::float(&*scalar(memory, args[0])?)?.to_bits()))
    }),
    of_each!("getAsBoolean()Z", &[Ref], Bool, |memory, args| truth(primitive::boolean(&*scalar(
        memory, args[0]
    )?)?)),
    of_each!("isJsonNull()Z", &[Ref], Bool, |memory, args| truth(
        *value(memory, args[0])? == Json::Null
    )),
    of_each!("isJsonObject()Z", &[Ref], Bool, |memory, args| {
        truth(matches!(*value(memory, args[0])?, Json::Object(_)))
    }),
    of_each!("isJsonArray()Z", &[Ref], Bool, |memory, args| {
        truth(matches!(*value(memory, args[0])?, Json::Array(_)))
    }),
    of_each!("isJsonPrimitive()Z", &[Ref], Bool, |memory, args| {
        truth(!matches!(*value(memory, args[0])?, Json::Null | Json::Array(_) | Json::Object(_)))
    }),
    of_each!("toString()Ljava/lang/String;", &[Ref], Text, |memory, args| {
        let text = value(memory, args[0])?.to_gson();
        memory.new_text(&text)
    }),
];

pub(in super::super) static METHODS: &[Method] = &[
    pure("com/google/gson/Gson.<init>()V", &[], Ref, |memory, _| {
        memory.new_thing(Reader("com/google/gson/Gson"))
    }),
    pure("com/google/gson/JsonParser.<init>()V", &[], Ref, |memory, _| {
        memory.new_thing(Reader("com/google/gson/JsonParser"))
    }),
    throwing(
        "com/google/gson/JsonParser.parse(Ljava/lang/String;)Lcom/google/gson/JsonElement;",
        &[Ref, Text],
        Ref,
        |memory, args| {
            memory.thing::<Reader>(args[0])?;
            read(memory, args[1])
        },
    ),
    throwing(
        "com/google/gson/JsonParser.parseString(Ljava/lang/String;)Lcom/google/gson/JsonElement;",
        &[Text],
        Ref,
        |memory, args| read(memory, args[0]),
    ),
    throwing(
        "com/google/gson/Gson.fromJson(Ljava/lang/String;Ljava/lang/Class;)Ljava/lang/Object;",
        &[Ref, Ref, Ref],
        Ref,
        |memory, args| {
            memory.thing::<Reader>(args[0])?;
            let class = memory.thing::<Class>(args[2])?.0.clone();
            if args[1] == NULL {
                return Ok(NULL);
            }
            if class != "com/google/gson/JsonElement" && class != "com/google/gson/JsonObject" {
                return Err(Reason::Uncertain("JSON as an object of this class"));
            }
            // An empty text is null here, and what is no object is of the wrong class.
            if memory.text(args[1]).trim_matches([' ', '\t', '\r', '\n']).is_empty() {
                return Ok(NULL);
            }
            let tree = read(memory, args[1])?;
            match (&*class, &*value(memory, tree)?) {
                ("com/google/gson/JsonElement", _) | (_, Json::Object(_)) => Ok(tree),
                _ => Err(Reason::Uncertain("JSON that is no object")),
            }
        },
    ),
    throwing(
        "com/google/gson/Gson.toJson(Ljava/lang/Object;)Ljava/lang/String;",
        &[Ref, Ref],
        Text,
        |memory, args| {
            memory.thing::<Reader>(args[0])?;
            let mut out = String::new();
            write(memory, args[1], true, &mut out)?;
            memory.new_text(&out)
        },
    ),
    throwing(
        "com/google/gson/JsonObject.get(Ljava/lang/String;)Lcom/google/gson/JsonElement;",
        &[Ref, Text],
        Ref,
        |memory, args| {
            let found = value(memory, args[0])?.get(memory.text(args[1])).cloned();
            node_or_null(memory, found, Library::Gson)
        },
    ),
    throwing(
        "com/google/gson/JsonObject.has(Ljava/lang/String;)Z",
        &[Ref, Text],
        Bool,
        |memory, args| truth(value(memory, args[0])?.get(memory.text(args[1])).is_some()),
    ),
    throwing(
        "com/google/gson/JsonObject.getAsJsonObject(Ljava/lang/String;)Lcom/google/gson/JsonObject;",
        &[Ref, Text],
        Ref,
        |memory, args| cast(memory, args, |json| matches!(json, Json::Object(_))),
    ),
    throwing(
        "com/google/gson/JsonObject.getAsJsonArray(Ljava/lang/String;)Lcom/google/gson/JsonArray;",
        &[Ref, Text],
        Ref,
        |memory, args| cast(memory, args, |json| matches!(json, Json::Array(_))),
    ),
    throwing(
        "com/google/gson/JsonObject.getAsJsonPrimitive(Ljava/lang/String;)Lcom/google/gson/JsonPrimitive;",
        &[Ref, Text],
        Ref,
        |memory, args| {
            cast(memory, args, |json| {
                !matches!(json, Json::Null | Json::Array(_) | Json::Object(_))
            })
        },
    ),
    throwing("com/google/gson/JsonObject.size()I", &[Ref], Int, |memory, args| {
        whole(value(memory, args[0])?.size())
    }),
    throwing("com/google/gson/JsonArray.iterator()Ljava/util/Iterator;", &[Ref], Ref, iterator),
    throwing("com/google/gson/JsonArray.size()I", &[Ref], Int, |memory, args| {
        whole(value(memory, args[0])?.size())
    }),
    throwing(
        "com/google/gson/JsonArray.get(I)Lcom/google/gson/JsonElement;",
        &[Ref, Int],
        Ref,
        |memory, args| {
            let (array, index) = (value(memory, args[0])?, args[1] as i32);
            match array.at(index) {
                Some(found) => new_node(memory, Some(found.clone()), Library::Gson),
                None => {
                    let message =
                        format!("Index {index} out of bounds for length {}", array.size());
                    Err(Reason::exception("java/lang/IndexOutOfBoundsException", Some(message)))
                }
            }
        },
    ),
    pure("com/google/gson/JsonObject.<init>()V", &[], Ref, |memory, _| {
        new_node(memory, Some(Arc::new(Json::Object(Vec::new()))), Library::Gson)
    }),
    changing(
        "com/google/gson/JsonObject.addProperty(Ljava/lang/String;Ljava/lang/String;)V",
        &[Ref, Text, Ref],
        None,
        |memory, args| {
            let text =
                if args[2] == NULL { Json::Null } else { Json::Text(memory.text(args[2]).into()) };
            put(memory, args[0], args[1], text).map(|()| 0)
        },
    ),
    changing(
        "com/google/gson/JsonObject.addProperty(Ljava/lang/String;Ljava/lang/Number;)V",
        &[Ref, Text, Ref],
        None,
        |memory, args| {
            let number = match Reference::of(args[2]) {
                Reference::Null => Json::Null,
                _ => {
                    let mut text = String::new();
                    memory.render(args[2], &mut text)?;
                    Json::Lazy(text)
                }
            };
            put(memory, args[0], args[1], number).map(|()| 0)
        },
    ),
    changing(
        "com/google/gson/JsonObject.addProperty(Ljava/lang/String;Ljava/lang/Boolean;)V",
        &[Ref, Text, Ref],
        None,
        |memory, args| {
            let value = match Reference::of(args[2]) {
                Reference::Bool(value) => Json::Bool(value),
                _ => Json::Null,
            };
            put(memory, args[0], args[1], value).map(|()| 0)
        },
    ),
    changing(
        "com/google/gson/JsonObject.add(Ljava/lang/String;Lcom/google/gson/JsonElement;)V",
        &[Ref, Text, Ref],
        None,
        |memory, args| {
            let element =
                if args[2] == NULL { Arc::new(Json::Null) } else { value(memory, args[2])? };
            put_shared(memory, args[0], args[1], element).map(|()| 0)
        },
    ),
];

fn read(memory: &mut Memory<'_>, text: u64) -> Answer {
    memory.work(16 * memory.bytes(text).len());
    let json = parse_gson(memory.text(text))?;
    new_node(memory, Some(json), Library::Gson)
}

fn value(memory: &Memory<'_>, slot: u64) -> Result<Arc<Json>, Reason> {
    json(memory, slot)?.ok_or(Reason::Uncertain("a missing node"))
}

/// The node itself, if it is of a kind.
fn must(memory: &mut Memory<'_>, slot: u64, kind: &str, of: fn(&Json) -> bool) -> Answer {
    let json = value(memory, slot)?;
    match of(&json) {
        true => Ok(slot),
        false => {
            let message = format!("Not a JSON {kind}: {}", json.to_gson());
            Err(Reason::exception("java/lang/IllegalStateException", Some(message)))
        }
    }
}

/// A primitive, or the only item of an array.
fn scalar(memory: &Memory<'_>, slot: u64) -> Result<Arc<Json>, Reason> {
    let mut found = value(memory, slot)?;
    while let Json::Array(items) = &*found {
        found = match &items[..] {
            [one] => one.clone(),
            _ => return Err(Reason::exception("java/lang/IllegalStateException", None)),
        };
    }
    match &*found {
        Json::Null => unsupported("JsonNull"),
        Json::Object(_) => unsupported("JsonObject"),
        _ => Ok(found),
    }
}

fn unsupported<T>(class: &str) -> Result<T, Reason> {
    Err(Reason::exception("java/lang/UnsupportedOperationException", Some(class.to_owned())))
}

/// A member, which is null or of the class that the method gives.
fn cast(memory: &mut Memory<'_>, args: &[u64], of: fn(&Json) -> bool) -> Answer {
    match value(memory, args[0])?.get(memory.text(args[1])) {
        None => Ok(NULL),
        Some(found) if of(found) => {
            memory.new_thing(Node { json: Some(found.clone()), of: Library::Gson })
        }
        Some(_) => Err(Reason::exception("java/lang/ClassCastException", None)),
    }
}
