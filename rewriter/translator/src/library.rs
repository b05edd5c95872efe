//! What the engine knows of Java's library.

pub use sluice_engine::library::{LibTy, Signature};

/// The methods of Java's library that the engine has.
pub trait Library {
    /// What a method takes and gives; none if the engine has no such method.
    fn signature(&self, owner: &str, name: &str, descriptor: &str) -> Option<Signature>;
}

/// The engine's own library.
#[derive(Debug, Clone, Copy, Default)]
pub struct EngineLibrary;

impl Library for EngineLibrary {
    fn signature(&self, owner: &str, name: &str, descriptor: &str) -> Option<Signature> {
        sluice_engine::library::signature(owner, name, descriptor)
    }
}

/// What a library's class inherits methods from, nearest first.
const ABOVE: &[(&str, &[&str])] = &[
    ("java/util/ArrayList", &["java/util/List"]),
    ("java/util/LinkedList", &["java/util/List", "java/util/Deque"]),
    ("java/util/List", &["java/util/Collection"]),
    ("java/util/HashSet", &["java/util/Set"]),
    ("java/util/LinkedHashSet", &["java/util/Set"]),
    ("java/util/TreeSet", &["java/util/Set"]),
    ("java/util/Set", &["java/util/Collection"]),
    ("java/util/Collection", &["java/lang/Iterable"]),
    ("java/util/HashMap", &["java/util/Map"]),
    ("java/util/LinkedHashMap", &["java/util/HashMap", "java/util/Map"]),
    ("java/util/TreeMap", &["java/util/SortedMap", "java/util/Map"]),
    ("java/lang/Integer", &["java/lang/Number"]),
    ("java/lang/Long", &["java/lang/Number"]),
    ("java/lang/Double", &["java/lang/Number"]),
    ("java/lang/Float", &["java/lang/Number"]),
    ("java/util/SortedMap", &["java/util/Map"]),
    ("java/util/ArrayDeque", &["java/util/Deque"]),
    ("java/util/Deque", &["java/util/Queue", "java/util/Collection"]),
    ("java/util/Queue", &["java/util/Deque", "java/util/Collection"]),
    ("java/lang/Short", &["java/lang/Number"]),
    ("java/lang/Byte", &["java/lang/Number"]),
    ("java/time/ZoneOffset", &["java/time/ZoneId"]),
    ("java/lang/String", &["java/lang/CharSequence"]),
    ("java/text/SimpleDateFormat", &["java/text/DateFormat"]),
    ("java/sql/Timestamp", &["java/util/Date"]),
];

/// What a node of Jackson's trees inherits from.
fn jackson_node(class: &str) -> Option<String> {
    let (package, name) = class.rsplit_once('/')?;
    let databind = package.strip_suffix("/node")?;
    let known = databind.ends_with("com/fasterxml/jackson/databind") && name.ends_with("Node");
    known.then(|| format!("{databind}/JsonNode"))
}

/// The class under which the engine has a method, and what it takes and gives.
pub(crate) fn find(
    library: &dyn Library,
    owner: &str,
    name: &str,
    descriptor: &str,
) -> Option<(String, Signature)> {
    let mut open = vec![owner.to_owned()];
    let mut at = 0;
    while let Some(class) = open.get(at).cloned() {
        at += 1;
        if let Some(signature) = library.signature(&class, name, descriptor) {
            return Some((class, signature));
        }
        let above = ABOVE.iter().find(|(below, _)| *below == class).map(|(_, above)| *above);
        let above = above.unwrap_or_default().iter().map(|above| (*above).to_owned());
        let above: Vec<String> = above.chain(jackson_node(&class)).collect();
        open.extend(above.into_iter().filter(|above| !open.contains(above)).collect::<Vec<_>>());
    }
    let is_exception = class_of_exception(owner).is_some();
    let last = if is_exception { "java/lang/Throwable" } else { "java/lang/Object" };
    [last, "java/lang/Object"].iter().find_map(|class| {
        let signature = library.signature(class, name, descriptor)?;
        Some(((*class).to_owned(), signature))
    })
}

/// The exceptions of Java's library, each with the one above it.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("java/lang/Throwable", "java/lang/Object"),
    ("java/lang/Exception", "java/lang/Throwable"),
    ("java/lang/Error", "java/lang/Throwable"),
    ("java/lang/AssertionError", "java/lang/Error"),
    ("java/lang/RuntimeException", "java/lang/Exception"),
    ("java/lang/CloneNotSupportedException", "java/lang/Exception"),
    ("java/lang/InterruptedException", "java/lang/Exception"),
    ("java/lang/ReflectiveOperationException", "java/lang/Exception"),
    ("java/io/IOException", "java/lang/Exception"),
    ("java/io/UncheckedIOException", "java/lang/RuntimeException"),
    ("java/io/FileNotFoundException", "java/io/IOException"),
    ("java/io/UnsupportedEncodingException", "java/io/IOException"),
    ("java/text/ParseException", "java/lang/Exception"),
    ("com/fasterxml/jackson/core/JsonProcessingException", "java/io/IOException"),
    (
        "com/fasterxml/jackson/core/JsonParseException",
        "com/fasterxml/jackson/core/JsonProcessingException",
    ),
    (
        "com/fasterxml/jackson/databind/JsonMappingException",
        "com/fasterxml/jackson/core/JsonProcessingException",
    ),
    ("com/google/gson/JsonParseException", "java/lang/RuntimeException"),
    ("com/google/gson/JsonSyntaxException", "com/google/gson/JsonParseException"),
    ("java/util/MissingFormatArgumentException", "java/util/IllegalFormatException"),
    ("java/util/UnknownFormatConversionException", "java/util/IllegalFormatException"),
    ("java/util/IllegalFormatConversionException", "java/util/IllegalFormatException"),
    ("java/lang/ArithmeticException", "java/lang/RuntimeException"),
    ("java/lang/ArrayStoreException", "java/lang/RuntimeException"),
    ("java/lang/ClassCastException", "java/lang/RuntimeException"),
    ("java/lang/IllegalArgumentException", "java/lang/RuntimeException"),
    ("java/lang/NumberFormatException", "java/lang/IllegalArgumentException"),
    ("java/lang/IllegalStateException", "java/lang/RuntimeException"),
    ("java/lang/IndexOutOfBoundsException", "java/lang/RuntimeException"),
    ("java/lang/ArrayIndexOutOfBoundsException", "java/lang/IndexOutOfBoundsException"),
    ("java/lang/StringIndexOutOfBoundsException", "java/lang/IndexOutOfBoundsException"),
    ("java/lang/NegativeArraySizeException", "java/lang/RuntimeException"),
    ("java/lang/NullPointerException", "java/lang/RuntimeException"),
    ("java/lang/UnsupportedOperationException", "java/lang/RuntimeException"),
    ("java/lang/MatchException", "java/lang/RuntimeException"),
    ("java/time/DateTimeException", "java/lang/RuntimeException"),
    ("java/time/format/DateTimeParseException", "java/time/DateTimeException"),
    ("java/time/zone/ZoneRulesException", "java/time/DateTimeException"),
    ("java/util/NoSuchElementException", "java/lang/RuntimeException"),
    ("java/util/InputMismatchException", "java/util/NoSuchElementException"),
    ("java/util/ConcurrentModificationException", "java/lang/RuntimeException"),
    ("java/util/regex/PatternSyntaxException", "java/lang/IllegalArgumentException"),
    ("java/util/IllegalFormatException", "java/lang/IllegalArgumentException"),
    ("java/util/concurrent/TimeoutException", "java/lang/Exception"),
];

/// The exception above a library's; none if it is no exception that is known.
pub(crate) fn class_of_exception(class: &str) -> Option<&'static str> {
    EXCEPTIONS.iter().find(|(below, _)| *below == class).map(|(_, above)| *above)
}

/// Classes whose objects leave no trace in events: loggers, metrics, accumulators.
pub(crate) fn is_silent(class: &str) -> bool {
    const SILENT: [&str; 10] = [
        "org/slf4j/",
        "org/apache/log4j/",
        "org/apache/logging/log4j/",
        "org/apache/commons/logging/",
        "java/util/logging/",
        "org/apache/flink/metrics/",
        "org/apache/flink/dropwizard/metrics/",
        "com/codahale/metrics/",
        "org/apache/flink/api/common/accumulators/",
        "java/io/PrintStream",
    ];
    SILENT.iter().any(|start| class.starts_with(start))
}
