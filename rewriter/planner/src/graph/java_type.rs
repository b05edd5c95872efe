//! Flink's types.

use serde::Deserialize;

/// A type of Flink.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum JavaType {
    /// A boxed primitive, a string, and the like.
    Basic {
        /// With dots.
        class: String,
    },
    /// An array of primitives.
    PrimitiveArray {
        /// Such as `[I`.
        class: String,
    },
    /// An array of boxed primitives or strings.
    BasicArray {
        /// Such as `[Ljava.lang.String;`.
        class: String,
    },
    /// An array of objects.
    ObjectArray {
        /// What is in it.
        element: Box<JavaType>,
    },
    /// A tuple.
    Tuple {
        /// With dots.
        class: String,
        /// `f0`, `f1`, ..
        fields: Vec<JavaType>,
    },
    /// A POJO or a Java record.
    Pojo {
        /// The binary name.
        class: String,
        /// In Flink's order.
        fields: Vec<NamedType>,
    },
    /// A row.
    Row {
        /// In their order.
        fields: Vec<NamedType>,
    },
    /// An enum.
    Enum {
        /// The binary name.
        class: String,
        /// The constants in their order.
        symbols: Vec<String>,
    },
    /// A list.
    List {
        /// What is in it.
        element: Box<JavaType>,
    },
    /// A set.
    Set {
        /// What is in it.
        element: Box<JavaType>,
    },
    /// A map.
    Map {
        /// Its keys.
        key: Box<JavaType>,
        /// Its values.
        value: Box<JavaType>,
    },
    /// Anything that goes through Kryo.
    Generic {
        /// The binary name.
        class: String,
        /// Its fields, where its objects are nothing but those; else none.
        #[serde(default)]
        fields: Vec<NamedType>,
    },
    /// Any other `TypeInformation`.
    Other {
        /// The binary name.
        class: String,
    },
}

/// A field.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct NamedType {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: JavaType,
    /// Whether it is a Java primitive, which can't be null.
    #[serde(default)]
    pub primitive: bool,
}

impl JavaType {
    /// Whether it is Java's string.
    #[must_use]
    pub fn is_string(&self) -> bool {
        matches!(self, Self::Basic { class } if class == "java.lang.String")
    }

    /// A short form for people.
    #[must_use]
    pub fn short(&self) -> String {
        let list = |fields: &[Self]| fields.iter().map(Self::short).collect::<Vec<_>>().join(", ");
        match self {
            Self::Basic { class } | Self::Enum { class, .. } | Self::Pojo { class, .. } => {
                simple(class)
            }
            Self::PrimitiveArray { class } | Self::BasicArray { class } => array(class),
            Self::ObjectArray { element } => format!("{}[]", element.short()),
            Self::Tuple { fields, .. } => format!("({})", list(fields)),
            Self::Row { fields } => {
                let fields: Vec<_> =
                    fields.iter().map(|f| format!("{} {}", f.name, f.ty.short())).collect();
                format!("Row({})", fields.join(", "))
            }
            Self::List { element } => format!("List<{}>", element.short()),
            Self::Set { element } => format!("Set<{}>", element.short()),
            Self::Map { key, value } => format!("Map<{}, {}>", key.short(), value.short()),
            Self::Generic { class, fields } if !fields.is_empty() => simple(class),
            Self::Generic { class, .. } => format!("{} (Kryo)", simple(class)),
            Self::Other { class } => format!("{} (its own serializer)", simple(class)),
        }
    }
}

/// A class without its package.
pub fn simple(class: &str) -> String {
    class.rsplit(['.', '/']).next().unwrap_or(class).replace('$', ".")
}

fn array(class: &str) -> String {
    let element = class.trim_start_matches('[');
    let name = match element.chars().next() {
        Some('Z') => "boolean".to_owned(),
        Some('B') => "byte".to_owned(),
        Some('S') => "short".to_owned(),
        Some('C') => "char".to_owned(),
        Some('I') => "int".to_owned(),
        Some('J') => "long".to_owned(),
        Some('F') => "float".to_owned(),
        Some('D') => "double".to_owned(),
        _ => simple(element.trim_start_matches('L').trim_end_matches(';')),
    };
    format!("{name}{}", "[]".repeat(class.len() - element.len()))
}
