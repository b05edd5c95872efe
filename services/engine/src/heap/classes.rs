//! Classes: those that functions declare, and what stands above those of Java's library.
use crate::ty::Ty;
use std::collections::HashMap;

/// The number of a class that a chain names.
pub(crate) type ClassId = u32;

/// A field of a class, with its place among the fields of an object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) ty: Ty,
}

#[derive(Debug, Default)]
struct Class {
    name: String,
    above: Option<ClassId>,
    /// The fields of the classes above come first; none where the class was only named.
    fields: Option<Vec<Field>>,
    /// How many of them are inherited.
    inherited: usize,
}

/// The classes of a chain, by number.
#[derive(Debug)]
pub(crate) struct Classes {
    classes: Vec<Class>,
    by_name: HashMap<String, ClassId>,
}

/// `char[]`.
pub(crate) const CHARS: ClassId = 0;
/// `String[]`.
pub(crate) const STRINGS: ClassId = 1;
/// `Object[]`.
pub(crate) const OBJECTS: ClassId = 2;

impl Default for Classes {
    fn default() -> Classes {
        let mut classes = Classes { classes: Vec::new(), by_name: HashMap::new() };
        // In the order of their numbers.
        for name in ["[C", "[Ljava/lang/String;", "[Ljava/lang/Object;"] {
            classes.id(name);
        }
        classes
    }
}

impl Classes {
    /// The number of a class.
    pub(crate) fn id(&mut self, name: &str) -> ClassId {
        if let Some(id) = self.by_name.get(name) {
            return *id;
        }
        let id = self.classes.len() as ClassId;
        self.classes.push(Class { name: name.to_owned(), ..Class::default() });
        self.by_name.insert(name.to_owned(), id);
        id
    }

    /// The number of a class that was named before.
    pub(crate) fn find(&self, name: &str) -> Option<ClassId> {
        self.by_name.get(name).copied()
    }

    /// The name of a class.
    pub(crate) fn name(&self, id: ClassId) -> &str {
        &self.classes[id as usize].name
    }

    /// Declares a class with its own fields; what is wrong with that, if something is.
    pub(crate) fn declare(
        &mut self,
        name: &str,
        above: &str,
        own: Vec<Field>,
    ) -> Result<ClassId, String> {
        let (id, above) = (self.id(name), self.id(above));
        let mut fields = self.classes[above as usize].fields.clone().unwrap_or_default();
        let inherited = fields.len();
        fields.extend(own);
        let mut at = Some(above);
        while let Some(class) = at {
            if class == id {
                return Err(format!("{name} stands above itself"));
            }
            at = self.classes[class as usize].above;
        }
        let class = &mut self.classes[id as usize];
        match &class.fields {
            Some(known) if *known != fields || class.above != Some(above) => {
                Err(format!("{name} is declared twice, and not alike"))
            }
            _ => {
                *class = Class {
                    above: Some(above),
                    fields: Some(fields),
                    inherited,
                    ..std::mem::take(class)
                };
                Ok(id)
            }
        }
    }

    /// The fields of a declared class, inherited ones first.
    pub(crate) fn fields(&self, id: ClassId) -> Option<&[Field]> {
        self.classes[id as usize].fields.as_deref()
    }

    /// The place and type of a field that a class itself declares.
    pub(crate) fn field(&self, id: ClassId, name: &str) -> Option<(usize, &Ty)> {
        let class = &self.classes[id as usize];
        let own = class.fields.as_deref()?.iter().enumerate().skip(class.inherited);
        own.into_iter().find(|(_, field)| field.name == name).map(|(at, field)| (at, &field.ty))
    }

    /// Whether a declared class is another or stands below it.
    #[inline]
    pub(crate) fn is_below(&self, class: ClassId, other: ClassId) -> bool {
        let mut at = Some(class);
        while let Some(class) = at {
            if class == other {
                return true;
            }
            at = self.classes[class as usize].above;
        }
        false
    }

    /// Whether a class, by name, is another or stands below it, as far as that is known.
    pub(crate) fn is_named_below(&self, class: &str, other: &str) -> bool {
        let mut open = vec![class];
        while let Some(class) = open.pop() {
            if class == other {
                return true;
            }
            match self.find(class).and_then(|id| self.classes[id as usize].above) {
                Some(above) => open.push(self.name(above)),
                None => open.extend(above(class)),
            }
        }
        other == "java/lang/Object"
    }
}

/// What stands directly above a class of Java's library.
fn above(class: &str) -> &'static [&'static str] {
    match class {
        "java/lang/String" => {
            &["java/lang/CharSequence", "java/lang/Comparable", "java/io/Serializable"]
        }
        "java/lang/StringBuilder" | "java/lang/StringBuffer" => &["java/lang/CharSequence"],
        "java/lang/Integer" | "java/lang/Long" | "java/lang/Short" | "java/lang/Byte"
        | "java/lang/Float" | "java/lang/Double" => {
            &["java/lang/Number", "java/lang/Comparable", "java/io/Serializable"]
        }
        "java/lang/Boolean" | "java/lang/Character" => {
            &["java/lang/Comparable", "java/io/Serializable"]
        }
        "java/util/ArrayList"
        | "java/util/Arrays$ArrayList"
        | "java/util/ImmutableCollections$ListN"
        | "java/util/Collections$UnmodifiableRandomAccessList" => {
            &["java/util/List", "java/util/RandomAccess", "java/io/Serializable"]
        }
        "java/util/LinkedList" => &["java/util/List", "java/util/Deque"],
        "java/util/ArrayDeque" => &["java/util/Deque"],
        "java/util/Deque" => &["java/util/Queue"],
        "java/util/List" | "java/util/Set" | "java/util/Queue" => &["java/util/Collection"],
        "java/util/Collection" => &["java/lang/Iterable"],
        "java/util/LinkedHashMap" => &["java/util/HashMap"],
        "java/util/HashMap" => &["java/util/Map"],
        "java/util/TreeMap" => &["java/util/NavigableMap"],
        "java/util/NavigableMap" => &["java/util/SortedMap"],
        "java/util/SortedMap"
        | "java/util/ImmutableCollections$MapN"
        | "java/util/Collections$UnmodifiableMap" => &["java/util/Map"],
        "java/util/LinkedHashSet" => &["java/util/HashSet"],
        "java/util/TreeSet" => &["java/util/NavigableSet"],
        "java/util/NavigableSet" => &["java/util/SortedSet"],
        "java/util/HashSet"
        | "java/util/SortedSet"
        | "java/util/ImmutableCollections$SetN"
        | "java/util/Collections$UnmodifiableSet" => &["java/util/Set"],
        "java/lang/Error" | "java/lang/Exception" => &["java/lang/Throwable"],
        "java/lang/AssertionError" => &["java/lang/Error"],
        "java/lang/RuntimeException"
        | "java/lang/CloneNotSupportedException"
        | "java/lang/InterruptedException"
        | "java/lang/ReflectiveOperationException"
        | "java/io/IOException"
        | "java/text/ParseException"
        | "java/util/concurrent/TimeoutException" => &["java/lang/Exception"],
        "java/io/FileNotFoundException"
        | "java/io/UnsupportedEncodingException"
        | "com/fasterxml/jackson/core/JsonProcessingException" => &["java/io/IOException"],
        "com/fasterxml/jackson/core/JsonParseException"
        | "com/fasterxml/jackson/databind/JsonMappingException" => {
            &["com/fasterxml/jackson/core/JsonProcessingException"]
        }
        "com/google/gson/JsonSyntaxException" | "com/google/gson/JsonIOException" => {
            &["com/google/gson/JsonParseException"]
        }
        "java/io/UncheckedIOException"
        | "java/lang/ArithmeticException"
        | "java/lang/ArrayStoreException"
        | "java/lang/ClassCastException"
        | "java/lang/IllegalArgumentException"
        | "java/lang/IllegalStateException"
        | "java/lang/IndexOutOfBoundsException"
        | "java/lang/NegativeArraySizeException"
        | "java/lang/NullPointerException"
        | "java/lang/UnsupportedOperationException"
        | "java/lang/MatchException"
        | "java/time/DateTimeException"
        | "java/util/NoSuchElementException"
        | "java/util/EmptyStackException"
        | "com/google/gson/JsonParseException"
        | "java/util/ConcurrentModificationException" => &["java/lang/RuntimeException"],
        "java/lang/NumberFormatException"
        | "java/util/regex/PatternSyntaxException"
        | "java/util/IllegalFormatException" => &["java/lang/IllegalArgumentException"],
        "java/util/UnknownFormatConversionException"
        | "java/util/MissingFormatArgumentException"
        | "java/util/IllegalFormatConversionException"
        | "java/util/DuplicateFormatFlagsException"
        | "java/util/FormatFlagsConversionMismatchException"
        | "java/util/MissingFormatWidthException"
        | "java/util/IllegalFormatPrecisionException"
        | "java/util/IllegalFormatFlagsException"
        | "java/util/IllegalFormatWidthException" => &["java/util/IllegalFormatException"],
        "java/lang/ArrayIndexOutOfBoundsException"
        | "java/lang/StringIndexOutOfBoundsException" => &["java/lang/IndexOutOfBoundsException"],
        "java/time/format/DateTimeParseException"
        | "java/time/zone/ZoneRulesException"
        | "java/time/temporal/UnsupportedTemporalTypeException" => &["java/time/DateTimeException"],
        "java/util/InputMismatchException" => &["java/util/NoSuchElementException"],
        _ => &[],
    }
}
