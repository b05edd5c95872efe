//! What is known of Java, Flink and common libraries. Names are internal ones; a name that ends in `/` or `$` is a prefix.

use super::finding::{FindingKind, NoteKind};

/// What calling a method does beyond its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Keeps the function from moving.
    Finding(FindingKind),
    /// People should know.
    Note(NoteKind),
    /// Reads the event's time.
    EventTime,
}

fn any(name: &str, list: &[&str]) -> bool {
    list.iter().any(|known| {
        if known.ends_with(['/', '$']) { name.starts_with(known) } else { name == *known }
    })
}

/// Packages that are there wherever a function runs: Java's own, and what Flink's functions are made of.
const PROVIDED: [&str; 5] = ["java/", "javax/", "jdk/", "org/apache/flink/", "org/slf4j/"];

/// Parts of Flink that a job brings along.
const BROUGHT: [&str; 6] = [
    "org/apache/flink/connector/",
    "org/apache/flink/formats/",
    "org/apache/flink/table/",
    "org/apache/flink/cep/",
    "org/apache/flink/statefun/",
    "org/apache/flink/ml/",
];

/// Libraries whose methods do nothing but compute, but for those that are named below.
const LIBRARIES: [&str; 27] = [
    "com/github/benmanes/caffeine/",
    "com/fasterxml/jackson/",
    "com/google/gson/",
    "com/google/common/",
    "com/google/protobuf/",
    "com/jayway/jsonpath/",
    "com/alibaba/fastjson/",
    "com/alibaba/fastjson2/",
    "ch/qos/logback/",
    "org/apache/log4j/",
    "org/apache/logging/",
    "org/apache/avro/",
    "org/apache/commons/codec/",
    "org/apache/commons/collections/",
    "org/apache/commons/collections4/",
    "org/apache/commons/csv/",
    "org/apache/commons/lang/",
    "org/apache/commons/lang3/",
    "org/apache/commons/logging/",
    "org/apache/commons/math3/",
    "org/apache/commons/text/",
    "org/joda/time/",
    "org/json/",
    "net/minidev/json/",
    "kotlin/",
    "scala/",
    "com/opencsv/",
];

/// Libraries that talk to the outside.
const OUTSIDE: [&str; 36] = [
    "com/amazonaws/",
    "com/clickhouse/",
    "com/couchbase/",
    "com/datastax/",
    "com/influxdb/",
    "com/mongodb/",
    "com/mysql/",
    "com/rabbitmq/",
    "com/sun/net/httpserver/",
    "com/zaxxer/hikari/",
    "io/grpc/",
    "io/lettuce/",
    "io/netty/",
    "io/vertx/",
    "java/net/http/",
    "java/nio/file/",
    "java/rmi/",
    "java/sql/",
    "javax/jms/",
    "javax/mail/",
    "javax/naming/",
    "javax/sql/",
    "okhttp3/",
    "org/apache/curator/",
    "org/apache/hadoop/",
    "org/apache/http/",
    "org/apache/hc/",
    "org/apache/kafka/",
    "org/apache/zookeeper/",
    "org/eclipse/jetty/",
    "org/eclipse/paho/",
    "org/elasticsearch/",
    "org/influxdb/",
    "org/postgresql/",
    "redis/clients/",
    "software/amazon/",
];

/// Classes of Java that open something outside of the process.
const OPENING: [&str; 20] = [
    "java/io/Console",
    "java/io/File",
    "java/io/FileInputStream",
    "java/io/FileOutputStream",
    "java/io/FileReader",
    "java/io/FileWriter",
    "java/io/RandomAccessFile",
    "java/lang/ProcessBuilder",
    "java/net/DatagramSocket",
    "java/net/HttpURLConnection",
    "java/net/InetAddress",
    "java/net/MulticastSocket",
    "java/net/ServerSocket",
    "java/net/Socket",
    "java/net/URLConnection",
    "java/nio/channels/",
    "java/util/jar/JarFile",
    "java/util/zip/ZipFile",
    "javax/net/",
    "org/apache/flink/core/fs/",
];

/// Data types of `java/sql` that open nothing.
const SQL_DATA: [&str; 3] = ["java/sql/Timestamp", "java/sql/Date", "java/sql/Time"];

/// Classes that run work of their own.
const WORKING: [&str; 9] = [
    "java/util/Timer",
    "java/util/TimerTask",
    "java/util/concurrent/CompletableFuture",
    "java/util/concurrent/CompletionStage",
    "java/util/concurrent/Executor",
    "java/util/concurrent/ExecutorService",
    "java/util/concurrent/Executors",
    "java/util/concurrent/ForkJoinPool",
    "java/util/concurrent/ScheduledExecutorService",
];

/// Classes without anything that could change.
const IMMUTABLE: [&str; 37] = [
    "java/lang/Boolean",
    "java/lang/Byte",
    "java/lang/Character",
    "java/lang/Class",
    "java/lang/Double",
    "java/lang/Float",
    "java/lang/Integer",
    "java/lang/Long",
    "java/lang/Math",
    "java/lang/Number",
    "java/lang/Short",
    "java/lang/StrictMath",
    "java/lang/String",
    "java/lang/Void",
    "java/math/",
    "java/net/URI",
    "java/net/URL",
    "java/nio/charset/Charset",
    "java/nio/charset/StandardCharsets",
    "java/time/",
    "java/util/Base64",
    "java/util/Currency",
    "java/util/Locale",
    "java/util/Optional",
    "java/util/OptionalDouble",
    "java/util/OptionalInt",
    "java/util/OptionalLong",
    "java/util/UUID",
    "java/util/regex/Pattern",
    "org/apache/flink/api/common/time/Time",
    "org/apache/flink/api/common/typeinfo/",
    "org/apache/flink/configuration/",
    "org/apache/flink/util/OutputTag",
    "org/joda/time/DateTime",
    "org/joda/time/DateTimeZone",
    "org/joda/time/Duration",
    "org/joda/time/format/",
];

/// Classes whose objects are kept and used again, but whose answers do not depend on earlier uses.
const HELPERS: [&str; 44] = [
    "ch/qos/logback/",
    "com/alibaba/fastjson/parser/",
    "com/fasterxml/jackson/core/JsonFactory",
    "com/fasterxml/jackson/core/type/",
    "com/fasterxml/jackson/databind/JavaType",
    "com/fasterxml/jackson/databind/ObjectMapper",
    "com/fasterxml/jackson/databind/ObjectReader",
    "com/fasterxml/jackson/databind/ObjectWriter",
    "com/fasterxml/jackson/databind/json/JsonMapper",
    "com/fasterxml/jackson/databind/type/",
    "com/fasterxml/jackson/dataformat/",
    "com/google/common/base/",
    "com/google/gson/Gson",
    "com/google/gson/GsonBuilder",
    "com/google/gson/JsonParser",
    "com/google/gson/TypeAdapter",
    "com/google/gson/reflect/",
    "com/google/protobuf/",
    "com/jayway/jsonpath/",
    "com/opencsv/",
    "java/io/PrintStream",
    "java/lang/ThreadLocal",
    "java/security/MessageDigest",
    "java/text/",
    "java/util/Calendar",
    "java/util/Comparator",
    "java/util/GregorianCalendar",
    "java/util/Random",
    "java/util/TimeZone",
    "java/util/concurrent/ThreadLocalRandom",
    "java/util/logging/",
    "java/util/regex/Matcher",
    "javax/crypto/",
    "net/minidev/json/parser/",
    "org/apache/avro/",
    "org/apache/commons/codec/",
    "org/apache/commons/csv/CSVFormat",
    "org/apache/commons/lang3/time/",
    "org/apache/commons/logging/",
    "org/apache/flink/",
    "org/apache/log4j/",
    "org/apache/logging/",
    "org/apache/commons/text/",
    "org/slf4j/",
];

/// Flink's own values, which functions do fill and change.
const FLINK_VALUES: [&str; 3] =
    ["org/apache/flink/api/java/tuple/", "org/apache/flink/types/", "org/apache/flink/shaded/"];

/// Containers of Java and of libraries: a method whose name says that it changes them does.
const CHANGING: [&str; 46] = [
    "accumulateAndGet",
    "add",
    "addAll",
    "addAndGet",
    "addFirst",
    "addLast",
    "append",
    "clear",
    "compareAndSet",
    "compute",
    "computeIfAbsent",
    "computeIfPresent",
    "decrementAndGet",
    "delete",
    "deleteCharAt",
    "drainTo",
    "getAndAdd",
    "getAndDecrement",
    "getAndIncrement",
    "getAndSet",
    "getAndUpdate",
    "increment",
    "incrementAndGet",
    "insert",
    "lazySet",
    "merge",
    "offer",
    "offerFirst",
    "offerLast",
    "poll",
    "pollFirst",
    "pollLast",
    "pop",
    "push",
    "putAll",
    "putIfAbsent",
    "remove",
    "removeAll",
    "removeFirst",
    "removeIf",
    "removeLast",
    "replaceAll",
    "retainAll",
    "reverse",
    "sort",
    "updateAndGet",
];

/// Whether a class is the user's affair no more: Java's, Flink's, or a known library's.
pub fn is_library(class: &str) -> bool {
    any(class, &PROVIDED)
        || any(class, &LIBRARIES)
        || any(class, &OUTSIDE)
        || class.starts_with('[')
}

/// Whether a class is there wherever functions run, also if the jar lacks it.
pub fn is_provided(class: &str) -> bool {
    class.starts_with('[') || any(class, &PROVIDED) && !any(class, &BROUGHT)
}

/// The name that a library's class has where nobody made a copy of it under another name.
fn original(class: &str) -> &str {
    let Some(copy) = class.find("shaded/").map(|at| &class[at..]) else { return class };
    let of = |library: &&str| copy.find(&format!("/{library}"));
    LIBRARIES.iter().find_map(of).map_or(class, |at| &copy[at + 1..])
}

/// Whether objects of a class never change.
pub fn is_immutable(class: &str) -> bool {
    any(original(class), &IMMUTABLE)
}

/// Whether the answers of an object of that class do not depend on earlier uses.
pub fn is_helper(class: &str) -> bool {
    let class = original(class);
    is_immutable(class) || any(class, &HELPERS) && !any(class, &FLINK_VALUES)
}

/// Whether a container of that class may be filled when a function is first called and never again.
pub fn is_container(class: &str) -> bool {
    let class = original(class);
    class == "java/lang/Object"
        || class.starts_with('[')
        || class.starts_with("java/lang/")
        || class.starts_with("java/util/") && !is_helper(class)
        || class.starts_with("com/google/common/collect/")
        || any(class, &FLINK_VALUES)
}

/// Whether a method changes its object.
pub fn changes_receiver(class: &str, method: &str) -> bool {
    if is_helper(class) {
        // Of a thread's own value only the setting is a change.
        return class == "java/lang/ThreadLocal" && matches!(method, "set" | "remove");
    }
    let setter = |prefix: &str| {
        method.strip_prefix(prefix).is_some_and(|rest| {
            rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_uppercase())
        })
    };
    CHANGING.contains(&method) || setter("set") || setter("put") || setter("write")
}

/// The argument that a static method changes.
pub fn changes_argument(class: &str, method: &str) -> Option<usize> {
    match (class, method) {
        ("java/lang/System", "arraycopy") => Some(2),
        ("java/util/Arrays", "fill" | "sort" | "setAll" | "parallelSort" | "parallelPrefix")
        | (
            "java/util/Collections",
            "addAll" | "sort" | "shuffle" | "reverse" | "swap" | "fill" | "rotate" | "replaceAll",
        ) => Some(0),
        _ => None,
    }
}

/// Methods that every object has.
pub fn is_object_method(method: &str) -> bool {
    matches!(method, "equals" | "hashCode" | "toString" | "getClass" | "clone" | "<init>")
}

/// Whether a class is a container that hands out what was put into it.
pub fn hands_out(class: &str) -> bool {
    let class = original(class);
    class.starts_with("java/util/") && !is_helper(class)
        || class.starts_with("com/google/common/collect/")
        || any(class, &FLINK_VALUES)
}

/// Interfaces of one method, by which values hold code.
pub fn is_functional(class: &str) -> bool {
    class.starts_with("java/util/function/")
        || matches!(class, "java/lang/Runnable" | "java/util/concurrent/Callable")
}

/// What a call does.
pub fn act(class: &str, method: &str) -> Option<Act> {
    flink(class, method).or_else(|| java(class, method)).or_else(|| {
        let outside = any(class, &OUTSIDE) && !any(class, &SQL_DATA);
        let harmless = method == "getMessage" || class.ends_with("Exception");
        (outside && !harmless).then_some(Act::Finding(FindingKind::Io))
    })
}

fn flink(class: &str, method: &str) -> Option<Act> {
    use FindingKind::{CurrentWatermark, Io, SideOutput, State, Timers};
    if !class.starts_with("org/apache/flink/") {
        return None;
    }
    let name = class.rsplit(['/', '$']).next().unwrap_or_default();
    let finding = |kind| Some(Act::Finding(kind));
    let note = |kind| Some(Act::Note(kind));
    if class.starts_with("org/apache/flink/api/common/state/") && !name.ends_with("Descriptor") {
        return finding(State);
    }
    match (name, method) {
        (_, "getState" | "getListState" | "getMapState" | "getReducingState")
        | (_, "getAggregatingState" | "getBroadcastState" | "getBroadcastVariable")
        | (_, "getBroadcastVariableWithInitializer") => finding(State),
        (_, "currentWatermark") => finding(CurrentWatermark),
        (_, "registerEventTimeTimer" | "registerProcessingTimeTimer")
        | (_, "deleteEventTimeTimer" | "deleteProcessingTimeTimer") => finding(Timers),
        ("Context" | "OnTimerContext" | "ReadOnlyContext", "output") => finding(SideOutput),
        ("Context" | "OnTimerContext" | "ReadOnlyContext", "timestamp") => Some(Act::EventTime),
        (_, "currentProcessingTime") => note(NoteKind::Clock),
        (_, "getDistributedCache") => finding(Io),
        ("FileSystem" | "Path", _) => finding(Io),
        ("RuntimeContext" | "StreamingRuntimeContext", "getIndexOfThisSubtask" | "getTaskInfo")
        | ("RuntimeContext" | "StreamingRuntimeContext", "getNumberOfParallelSubtasks") => {
            note(NoteKind::Subtask)
        }
        (_, "addAccumulator" | "getIntCounter" | "getLongCounter" | "getMetricGroup") => {
            note(NoteKind::Counts)
        }
        _ => None,
    }
}

fn java(class: &str, method: &str) -> Option<Act> {
    use FindingKind::{Exit, Io, Threads, Unknown};
    let finding = |kind| Some(Act::Finding(kind));
    let note = |kind| Some(Act::Note(kind));
    if any(class, &OPENING) {
        // Names of files open nothing.
        let name = class == "java/io/File" && matches!(method, "<init>" | "getName" | "getPath");
        return if name { None } else { finding(Io) };
    }
    if any(class, &WORKING) {
        return finding(Threads);
    }
    match (class, method) {
        ("java/net/URL", "openStream" | "openConnection" | "getContent") => finding(Io),
        ("java/lang/Thread", "sleep") => note(NoteKind::Sleeps),
        ("java/lang/Thread", "<init>" | "start" | "setDaemon" | "ofVirtual" | "ofPlatform") => {
            finding(Threads)
        }
        (_, "parallelStream") | ("java/util/stream/Stream", "parallel") => None,
        ("java/lang/System" | "java/lang/Runtime", "exit" | "halt") => finding(Exit),
        ("java/lang/System", "load" | "loadLibrary") => finding(Unknown),
        ("java/lang/Runtime", "exec") => finding(Io),
        ("java/lang/System", "currentTimeMillis" | "nanoTime")
        | ("java/util/Calendar", "getInstance") => note(NoteKind::Clock),
        (_, "now") if class.starts_with("java/time/") || class.starts_with("org/joda/time/") => {
            note(NoteKind::Clock)
        }
        ("java/time/Clock", "millis" | "instant") => note(NoteKind::Clock),
        ("java/lang/Math" | "java/lang/StrictMath", "random")
        | ("java/util/UUID", "randomUUID") => note(NoteKind::Random),
        (
            "java/util/Random"
            | "java/security/SecureRandom"
            | "java/util/concurrent/ThreadLocalRandom"
            | "java/util/SplittableRandom",
            _,
        ) if method.starts_with("next") => note(NoteKind::Random),
        ("java/util/Collections", "shuffle") => note(NoteKind::Random),
        ("java/lang/System", "getenv" | "getProperty" | "getProperties")
        | ("java/util/TimeZone", "getDefault")
        | ("java/util/Locale", "getDefault")
        | ("java/time/ZoneId", "systemDefault") => note(NoteKind::Environment),
        ("java/lang/System", "setProperty") => finding(FindingKind::HiddenStatic),
        ("java/io/PrintStream", _) if method.starts_with("print") => note(NoteKind::Prints),
        ("java/lang/reflect/Method", "invoke")
        | ("java/lang/reflect/Constructor", "newInstance") => finding(Unknown),
        ("java/lang/Class", "forName" | "newInstance") | ("java/lang/invoke/MethodHandle", _) => {
            finding(Unknown)
        }
        ("java/lang/reflect/Field", _) if method.starts_with("set") => finding(Unknown),
        _ => None,
    }
}
