//! com.fasterxml.jackson.databind.
use super::super::LibTy::{Bool, Double, Int, Long, Ref, String as Text};
use super::super::{Method, changing, pure, throwing};
use super::classes::Class;
use super::node::{
    Answer, Library, Node, Reader, iterator, json, new_node, node, node_or_null, put, put_shared,
    truth, whole, write,
};
use super::reason;
use crate::heap::NULL;
use crate::memory::Memory;
use crate::reason::Reason;
use sluice_java::json::{Content, Json, parse_jackson};
use std::sync::Arc;

/// The methods, of Jackson itself and of Flink's own copy of it.
macro_rules! jackson {
    ($table:ident, $p:literal, $of:expr) => {
        pub(in super::super) static $table: &[Method] = &[
            pure(concat!($p, "ObjectMapper.<init>()V"), &[], Ref, |memory, _| {
                memory.new_thing(Reader(concat!($p, "ObjectMapper")))
            }),
            throwing(
                concat!($p, "ObjectMapper.readTree(Ljava/lang/String;)L", $p, "JsonNode;"),
                &[Ref, Text],
                Ref,
                |memory, args| {
                    memory.thing::<Reader>(args[0])?;
                    read(memory, args[1], $of, false)
                },
            ),
            throwing(
                concat!(
                    $p,
                    "ObjectMapper.readValue(Ljava/lang/String;Ljava/lang/Class;)Ljava/lang/Object;"
                ),
                &[Ref, Text, Ref],
                Ref,
                |memory, args| {
                    memory.thing::<Reader>(args[0])?;
                    let class = memory.thing::<Class>(args[2])?;
                    if class.0 != concat!($p, "JsonNode") {
                        return Err(Reason::Uncertain("JSON as an object of this class"));
                    }
                    read(memory, args[1], $of, true)
                },
            ),
            throwing(
                concat!(
                    $p,
                    "ObjectMapper.writeValueAsString(Ljava/lang/Object;)Ljava/lang/String;"
                ),
                &[Ref, Ref],
                Text,
                |memory, args| {
                    memory.thing::<Reader>(args[0])?;
                    let mut out = String::new();
                    write(memory, args[1], false, &mut out)?;
                    memory.new_text(&out)
                },
            ),
            throwing(
                concat!($p, "ObjectMapper.createObjectNode()L", $p, "node/ObjectNode;"),
                &[Ref],
                Ref,
                |memory, args| {
                    memory.object(args[0])?;
                    new_node(memory, Some(Arc::new(Json::Object(Vec::new()))), $of)
                },
            ),
            throwing(
                concat!($p, "JsonNode.get(Ljava/lang/String;)L", $p, "JsonNode;"),
                &[Ref, Text],
                Ref,
                |memory, args| {
                    let found = member(memory, args)?;
                    node_or_null(memory, found, $of)
                },
            ),
            throwing(
                concat!($p, "JsonNode.get(I)L", $p, "JsonNode;"),
                &[Ref, Int],
                Ref,
                |memory, args| {
                    let found = item(memory, args)?;
                    node_or_null(memory, found, $of)
                },
            ),
            throwing(
                concat!($p, "JsonNode.path(Ljava/lang/String;)L", $p, "JsonNode;"),
                &[Ref, Text],
                Ref,
                |memory, args| {
                    let found = member(memory, args)?;
                    new_node(memory, found, $of)
                },
            ),
            throwing(
                concat!($p, "JsonNode.path(I)L", $p, "JsonNode;"),
                &[Ref, Int],
                Ref,
                |memory, args| {
                    let found = item(memory, args)?;
                    new_node(memory, found, $of)
                },
            ),
            throwing(
                concat!($p, "JsonNode.has(Ljava/lang/String;)Z"),
                &[Ref, Text],
                Bool,
                |memory, args| truth(member(memory, args)?.is_some()),
            ),
            throwing(concat!($p, "JsonNode.has(I)Z"), &[Ref, Int], Bool, |memory, args| {
                truth(item(memory, args)?.is_some())
            }),
            throwing(
                concat!($p, "JsonNode.hasNonNull(Ljava/lang/String;)Z"),
                &[Ref, Text],
                Bool,
                |memory, args| {
                    truth(member(memory, args)?.is_some_and(|found| *found != Json::Null))
                },
            ),
            throwing(concat!($p, "JsonNode.iterator()Ljava/util/Iterator;"), &[Ref], Ref, iterator),
            throwing(concat!($p, "JsonNode.elements()Ljava/util/Iterator;"), &[Ref], Ref, iterator),
            throwing(concat!($p, "JsonNode.size()I"), &[Ref], Int, |memory, args| {
                whole(json(memory, args[0])?.map_or(0, |json| json.size()))
            }),
            throwing(concat!($p, "JsonNode.isEmpty()Z"), &[Ref], Bool, |memory, args| {
                truth(json(memory, args[0])?.is_none_or(|json| json.size() == 0))
            }),
            throwing(
                concat!($p, "JsonNode.asText()Ljava/lang/String;"),
                &[Ref],
                Text,
                |memory, args| {
                    let text =
                        json(memory, args[0])?.map_or(Ok(String::new()), |json| json.as_text())?;
                    memory.new_text(&text)
                },
            ),
            throwing(
                concat!($p, "JsonNode.asText(Ljava/lang/String;)Ljava/lang/String;"),
                &[Ref, Ref],
                Ref,
                |memory, args| match json(memory, args[0])?.as_deref() {
                    None | Some(Json::Null) => Ok(args[1]),
                    Some(json) => {
                        let text = json.as_text()?;
                        memory.new_text(&text)
                    }
                },
            ),
            throwing(
                concat!($p, "JsonNode.textValue()Ljava/lang/String;"),
                &[Ref],
                Ref,
                |memory, args| match json(memory, args[0])?.as_deref().and_then(Json::text_value) {
                    Some(text) => memory.new_text(text),
                    None => Ok(NULL),
                },
            ),
            throwing(
                concat!($p, "JsonNode.toString()Ljava/lang/String;"),
                &[Ref],
                Text,
                |memory, args| {
                    let text =
                        json(memory, args[0])?.map_or(String::new(), |json| json.to_jackson());
                    memory.new_text(&text)
                },
            ),
            throwing(concat!($p, "JsonNode.asInt()I"), &[Ref], Int, |memory, args| {
                int_of(memory, args[0], true)
            }),
            throwing(concat!($p, "JsonNode.intValue()I"), &[Ref], Int, |memory, args| {
                int_of(memory, args[0], false)
            }),
            throwing(concat!($p, "JsonNode.asLong()J"), &[Ref], Long, |memory, args| {
                long_of(memory, args[0], true)
            }),
            throwing(concat!($p, "JsonNode.longValue()J"), &[Ref], Long, |memory, args| {
                long_of(memory, args[0], false)
            }),
            throwing(concat!($p, "JsonNode.asDouble()D"), &[Ref], Double, |memory, args| {
                double_of(memory, args[0], true)
            }),
            throwing(concat!($p, "JsonNode.doubleValue()D"), &[Ref], Double, |memory, args| {
                double_of(memory, args[0], false)
            }),
            throwing(concat!($p, "JsonNode.asBoolean()Z"), &[Ref], Bool, |memory, args| {
                bool_of(memory, args[0], true)
            }),
            throwing(concat!($p, "JsonNode.booleanValue()Z"), &[Ref], Bool, |memory, args| {
                bool_of(memory, args[0], false)
            }),
            throwing(concat!($p, "JsonNode.isMissingNode()Z"), &[Ref], Bool, |memory, args| {
                truth(json(memory, args[0])?.is_none())
            }),
            throwing(concat!($p, "JsonNode.isNull()Z"), &[Ref], Bool, |memory, args| {
                is(memory, args, |json| *json == Json::Null)
            }),
            throwing(concat!($p, "JsonNode.isTextual()Z"), &[Ref], Bool, |memory, args| {
                is(memory, args, |json| matches!(json, Json::Text(_)))
            }),
            throwing(concat!($p, "JsonNode.isBoolean()Z"), &[Ref], Bool, |memory, args| {
                is(memory, args, |json| matches!(json, Json::Bool(_)))
            }),
            throwing(concat!($p, "JsonNode.isInt()Z"), &[Ref], Bool, |memory, args| {
                is(memory, args, |json| matches!(json, Json::Int(_)))
            }),
            throwing(concat!($p, "JsonNode.isLong()Z"), &[Ref], Bool, |memory, args| {
                is(memory, args, |json| matches!(json, Json::Long(_)))
            }),
            throwing(concat!($p, "JsonNode.isDouble()Z"), &[Ref], Bool, |memory, args| {
                is(memory, args, |json| matches!(json, Json::Double(_)))
            }),
            throwing(concat!($p, "JsonNode.isNumber()Z"), &[Ref], Bool, |memory, args| {
                is(memory, args, |json| {
                    matches!(json, Json::Int(_) | Json::Long(_) | Json::Big(_) | Json::Double(_))
                })
            }),
            throwing(concat!($p, "JsonNode.isObject()Z"), &[Ref], Bool, |memory, args| {
                is(memory, args, |json| matches!(json, Json::Object(_)))
            }),
            throwing(concat!($p, "JsonNode.isArray()Z"), &[Ref], Bool, |memory, args| {
                is(memory, args, |json| matches!(json, Json::Array(_)))
            }),
            throwing(concat!($p, "JsonNode.isValueNode()Z"), &[Ref], Bool, |memory, args| {
                is(memory, args, |json| !matches!(json, Json::Array(_) | Json::Object(_)))
            }),
            changing(
                concat!(
                    $p,
                    "node/ObjectNode.put(Ljava/lang/String;Ljava/lang/String;)L",
                    $p,
                    "node/ObjectNode;"
                ),
                &[Ref, Text, Ref],
                Some(Ref),
                |memory, args| {
                    let value = match args[2] {
                        NULL => Json::Null,
                        text => Json::Text(memory.text(text).into()),
                    };
                    put(memory, args[0], args[1], value).map(|()| args[0])
                },
            ),
            changing(
                concat!($p, "node/ObjectNode.put(Ljava/lang/String;I)L", $p, "node/ObjectNode;"),
                &[Ref, Text, Int],
                Some(Ref),
                |memory, args| {
                    put(memory, args[0], args[1], Json::Int(args[2] as i32)).map(|()| args[0])
                },
            ),
            changing(
                concat!($p, "node/ObjectNode.put(Ljava/lang/String;J)L", $p, "node/ObjectNode;"),
                &[Ref, Text, Long],
                Some(Ref),
                |memory, args| {
                    put(memory, args[0], args[1], Json::Long(args[2] as i64)).map(|()| args[0])
                },
            ),
            changing(
                concat!($p, "node/ObjectNode.put(Ljava/lang/String;D)L", $p, "node/ObjectNode;"),
                &[Ref, Text, Double],
                Some(Ref),
                |memory, args| {
                    put(memory, args[0], args[1], Json::Double(f64::from_bits(args[2])))
                        .map(|()| args[0])
                },
            ),
            changing(
                concat!($p, "node/ObjectNode.put(Ljava/lang/String;Z)L", $p, "node/ObjectNode;"),
                &[Ref, Text, Bool],
                Some(Ref),
                |memory, args| {
                    put(memory, args[0], args[1], Json::Bool(args[2] != 0)).map(|()| args[0])
                },
            ),
            changing(
                concat!(
                    $p,
                    "node/ObjectNode.set(Ljava/lang/String;L",
                    $p,
                    "JsonNode;)L",
                    $p,
                    "JsonNode;"
                ),
                &[Ref, Text, Ref],
                Some(Ref),
                |memory, args| {
                    let value = match args[2] {
                        NULL => Arc::new(Json::Null),
                        value => json(memory, value)?
                            .ok_or(Reason::Uncertain("a missing node in a tree"))?,
                    };
                    put_shared(memory, args[0], args[1], value).map(|()| args[0])
                },
            ),
        ];
    };
}

jackson!(OWN, "com/fasterxml/jackson/databind/", Library::Jackson);
jackson!(
    SHADED,
    "org/apache/flink/shaded/jackson2/com/fasterxml/jackson/databind/",
    Library::Shaded
);

/// Reads a text as a tree. Without content, `readTree` gives a missing node, and `readValue` throws.
fn read(memory: &mut Memory<'_>, text: u64, of: Library, value: bool) -> Answer {
    memory.work(16 * memory.bytes(text).len());
    let shade = of == Library::Shaded;
    let content = parse_jackson(memory.text(text)).map_err(|failure| reason(failure, shade))?;
    match content {
        Content::Value(json) => new_node(memory, Some(json), of),
        Content::Nothing if value => {
            const CLASS: &str = "com/fasterxml/jackson/databind/exc/MismatchedInputException";
            let class = match shade {
                false => CLASS,
                true => {
                    "org/apache/flink/shaded/jackson2/com/fasterxml/jackson/databind/exc/MismatchedInputException"
                }
            };
            Err(Reason::exception(class, Some("No content to map due to end-of-input".to_owned())))
        }
        Content::Nothing => Err(Reason::Uncertain("a tree of a text without content")),
    }
}

fn member(memory: &Memory<'_>, args: &[u64]) -> Result<Option<Arc<Json>>, Reason> {
    let Node { json, .. } = node(memory, args[0])?;
    Ok(json.and_then(|json| json.get(memory.text(args[1])).cloned()))
}

fn item(memory: &Memory<'_>, args: &[u64]) -> Result<Option<Arc<Json>>, Reason> {
    let Node { json, .. } = node(memory, args[0])?;
    Ok(json.and_then(|json| json.at(args[1] as i32).cloned()))
}

fn is(memory: &mut Memory<'_>, args: &[u64], of: fn(&Json) -> bool) -> Answer {
    truth(json(memory, args[0])?.is_some_and(|json| of(&json)))
}

fn int_of(memory: &mut Memory<'_>, slot: u64, lenient: bool) -> Answer {
    whole(json(memory, slot)?.map_or(Ok(0), |json| json.int(lenient))?)
}

fn long_of(memory: &mut Memory<'_>, slot: u64, lenient: bool) -> Answer {
    Ok(json(memory, slot)?.map_or(Ok(0), |json| json.long(lenient))? as u64)
}

fn double_of(memory: &mut Memory<'_>, slot: u64, lenient: bool) -> Answer {
    Ok(json(memory, slot)?.map_or(Ok(0.0), |json| json.double(lenient))?.to_bits())
}

fn bool_of(memory: &mut Memory<'_>, slot: u64, lenient: bool) -> Answer {
    truth(json(memory, slot)?.map_or(Ok(false), |json| json.boolean(lenient))?)
}
