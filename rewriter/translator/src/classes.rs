//! Classes: their fields, and what stands above them.

use std::rc::Rc;

use cafebabe::FieldAccessFlags;
use sluice_planner::effects::class_descriptor;

use crate::library::class_of_exception;
use crate::pass::Pass;
use crate::refusal::{RefusalKind, Run, refuse};

/// A field of an object.
pub(crate) struct Field {
    /// The class that declares it.
    pub(crate) class: Rc<str>,
    pub(crate) name: Rc<str>,
    pub(crate) descriptor: Rc<str>,
}

const TUPLE: &str = "org/apache/flink/api/java/tuple/Tuple";

/// How many fields a tuple class of Flink has.
pub(crate) fn tuple_arity(class: &str) -> Option<usize> {
    let digits = class.strip_prefix(TUPLE)?;
    digits.parse().ok().filter(|arity: &usize| *arity <= 25 && arity.to_string() == digits)
}

/// Classes above the user's whose constructors do nothing that a function could see.
fn has_plain_constructor(class: &str) -> bool {
    matches!(class, "java/lang/Object" | "java/lang/Record" | "java/lang/Enum")
        || class.starts_with("org/apache/flink/api/common/functions/")
        || class.starts_with("org/apache/flink/streaming/api/functions/")
        || class.starts_with(TUPLE)
}

/// Whether a value of any class is one of these too.
pub(crate) fn is_above_all(class: &str) -> bool {
    class == "java/lang/Object"
}

impl Pass<'_, '_> {
    /// The class above a class.
    pub(crate) fn super_of(&self, class: &str) -> Option<String> {
        let class = self.subject.pool.class(class)?;
        class.file.super_class.as_ref().map(ToString::to_string)
    }

    /// A class and those of the user above it, then the first that is not the user's.
    fn line_up(&self, class: &str) -> Vec<String> {
        let mut line = vec![class.to_owned()];
        while let Some(last) = line.last().filter(|last| self.subject.pool.is_users(last)) {
            match self.super_of(last) {
                // A broken class file may stand above itself.
                Some(above) if !line.contains(&above) => line.push(above),
                _ => break,
            }
        }
        line
    }

    /// The first class above the user's own.
    pub(crate) fn library_above(&self, class: &str) -> String {
        self.line_up(class).pop().unwrap_or_default()
    }

    /// Whether objects of a class can be thrown.
    pub(crate) fn is_exception(&self, class: &str) -> bool {
        class_of_exception(&self.library_above(class)).is_some()
    }

    /// Whether a class is another or below it; none where that is not known.
    pub(crate) fn is_below(&self, class: &str, above: &str) -> Option<bool> {
        if class == above || is_above_all(above) {
            return Some(true);
        }
        let pool = self.subject.pool;
        if pool.is_users(class) {
            let line = pool.line_of(class);
            if line.iter().any(|known| known == above) {
                return Some(true);
            }
            if pool.is_users(above) {
                return Some(false);
            }
            let library = self.library_above(class);
            let interfaces = || {
                let classes = line.iter().filter_map(|class| pool.class(class));
                classes.flat_map(|class| {
                    class.file.interfaces.iter().map(ToString::to_string).collect::<Vec<_>>()
                })
            };
            if interfaces().any(|interface| interface == above) {
                return Some(true);
            }
            return match library.as_str() {
                "java/lang/Object" if interfaces().all(|i| pool.is_users(&i) || is_leaf(&i)) => {
                    Some(false)
                }
                _ => self.is_below(&library, above),
            };
        }
        if pool.is_users(above) {
            return Some(false);
        }
        if let Some(next) = class_of_exception(class) {
            class_of_exception(above)?;
            return match next {
                "java/lang/Object" => Some(false),
                next => self.is_below(next, above),
            };
        }
        None
    }

    /// The fields of objects of a class, those of the classes above it too.
    pub(crate) fn fields_of(&self, class: &str) -> Run<Vec<Field>> {
        if let Some(arity) = tuple_arity(class) {
            let fields = (0..arity).map(|at| Field {
                class: class.into(),
                name: format!("f{at}").into(),
                descriptor: "Ljava/lang/Object;".into(),
            });
            return Ok(fields.collect());
        }
        let mut fields: Vec<Field> = Vec::new();
        let mut line = self.line_up(class);
        let last = line.pop().unwrap_or_default();
        for above in &line {
            let Some(parsed) = self.subject.pool.class(above) else {
                return refuse(RefusalKind::Code, format!("{above} can't be read"));
            };
            for field in &parsed.file.fields {
                if field.access_flags.contains(FieldAccessFlags::STATIC) {
                    continue;
                }
                if fields.iter().any(|known| *known.name == *field.name) {
                    return refuse(
                        RefusalKind::Unsupported,
                        format!("{class} has two fields called {}", field.name),
                    );
                }
                fields.push(Field {
                    class: above.as_str().into(),
                    name: field.name.as_ref().into(),
                    descriptor: field.descriptor.to_string().into(),
                });
            }
        }
        if tuple_arity(&last).is_some() {
            fields.extend(self.fields_of(&last)?);
        } else if !has_plain_constructor(&last) {
            let text = format!("{class} extends {last}, which is not known to the native engine");
            return refuse(RefusalKind::LibraryClass, text);
        }
        Ok(fields)
    }

    /// Whether a constructor of a library's class does nothing that matters here.
    pub(crate) fn constructs_nothing(&self, class: &str) -> bool {
        has_plain_constructor(class)
    }

    /// Declares a class of the user, and those above it, for objects in the heap.
    pub(crate) fn declare_class(&mut self, class: &str) -> Run<()> {
        let fields = self.fields_of(class)?;
        let line = self.line_up(class);
        for (at, name) in line.iter().enumerate().rev() {
            if !self.subject.pool.is_users(name) && tuple_arity(name).is_none() {
                continue;
            }
            let above = line.get(at + 1).map_or("java/lang/Object", String::as_str);
            let own = fields.iter().filter(|field| *field.class == **name);
            let own: Vec<String> = own
                .map(|field| format!("{}: {}", field.name, heap_type(&field.descriptor)))
                .collect();
            let own = own.join(", ");
            self.text.declare(format!("class \"{name}\" extends \"{above}\" {{ {own} }}"));
        }
        Ok(())
    }

    /// Tells the engine what stands above an exception of the user.
    pub(crate) fn declare_exception(&mut self, class: &str) {
        let line = self.line_up(class);
        for pair in line.windows(2).rev() {
            self.text.declare(format!("class \"{}\" extends \"{}\" {{ }}", pair[0], pair[1]));
        }
    }
}

/// Interfaces of Java's library that have nothing above them.
fn is_leaf(interface: &str) -> bool {
    interface.starts_with("java/io/Serializable")
        || interface == "java/lang/Comparable"
        || interface == "java/lang/Cloneable"
        || interface.starts_with("java/util/function/")
}

/// The type of a field in the heap.
pub(crate) fn heap_type(descriptor: &str) -> &'static str {
    match descriptor {
        "Z" => "bool",
        "B" | "S" | "C" | "I" => "int",
        "J" => "long",
        "F" => "float",
        "D" => "double",
        _ => "ref",
    }
}

/// The class that a descriptor names; of an array its descriptor.
pub(crate) fn class_named(descriptor: &str) -> Option<&str> {
    if descriptor.starts_with('[') { Some(descriptor) } else { class_descriptor(descriptor) }
}
