//! Class files, parsed once, and the classes' places among each other.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use cafebabe::attributes::{AttributeData, CodeData};
use cafebabe::bytecode::Opcode;
use cafebabe::constant_pool::MethodHandle;
use cafebabe::{ClassFile, MethodAccessFlags, MethodInfo, ParseOptions};

use super::descriptor;
use super::known;
use super::step::is_plain;
use super::value::{Origin, Root, Value};
use super::walk::Lambda;
use crate::jar::Classes;

/// The most classes that may implement a method before it counts as unknown.
const MOST_IMPLEMENTATIONS: usize = 16;

/// A parsed class.
pub struct Class<'a> {
    /// The class file.
    pub file: ClassFile<'a>,
    methods: HashMap<(String, String), usize>,
}

/// A method of a class.
#[derive(Clone)]
pub struct Method<'a> {
    /// The class that has it.
    pub class: Rc<Class<'a>>,
    at: usize,
}

/// Who runs when a method is called.
pub enum Targets<'a> {
    /// Methods of the jar.
    Methods(Vec<Method<'a>>),
    /// A method of that class, which is a library's.
    Library(String),
    /// Nobody knows.
    Unknown(String),
}

/// So many parts of a package say whose it is: what lies beside a job's package is of the same project.
const HOME_PARTS: usize = 5;

/// The first parts of a class's package, with a slash at the end.
fn home(class: &str) -> String {
    let package = class.rsplit_once('/').map_or("", |(package, _)| package);
    let parts: Vec<_> = package.split('/').take(HOME_PARTS).collect();
    format!("{}/", parts.join("/"))
}

/// The classes of the jar.
pub struct Pool<'a> {
    classes: &'a dyn Classes,
    home: String,
    parsed: RefCell<HashMap<String, Option<Rc<Class<'a>>>>>,
    below: RefCell<HashMap<String, Rc<Vec<String>>>>,
}

impl<'a> Class<'a> {
    fn parse(bytes: &'a [u8]) -> Option<Self> {
        let file = cafebabe::parse_class_with_options(bytes, &ParseOptions::default()).ok()?;
        let key =
            |method: &MethodInfo<'_>| (method.name.to_string(), method.descriptor.to_string());
        let methods = file.methods.iter().enumerate().map(|(at, method)| (key(method), at));
        Some(Self { methods: methods.collect(), file })
    }

    /// Its internal name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.file.this_class
    }

    /// The bootstrap method of an `invokedynamic`, and the first method handle among its arguments.
    pub fn bootstrap(&self, at: u16) -> Option<(&MethodHandle<'a>, Option<&MethodHandle<'a>>)> {
        use cafebabe::constant_pool::BootstrapArgument;
        let entries = self.file.attributes.iter().find_map(|attribute| match &attribute.data {
            AttributeData::BootstrapMethods(entries) => Some(entries),
            _ => None,
        })?;
        let entry = entries.get(usize::from(at))?;
        let handle = entry.arguments.iter().find_map(|argument| match argument {
            BootstrapArgument::MethodHandle(handle) => Some(handle),
            _ => None,
        });
        Some((&entry.method, handle))
    }
}

impl<'a> Method<'a> {
    /// Its entry in the class file.
    #[must_use]
    pub fn info(&self) -> &MethodInfo<'a> {
        &self.class.file.methods[self.at]
    }

    /// Whether it has no receiver.
    #[must_use]
    pub fn is_static(&self) -> bool {
        self.info().access_flags.contains(MethodAccessFlags::STATIC)
    }

    /// Whether it has no body.
    #[must_use]
    pub fn is_abstract(&self) -> bool {
        self.info().access_flags.contains(MethodAccessFlags::ABSTRACT)
    }

    /// Whether its body is no bytecode.
    #[must_use]
    pub fn is_native(&self) -> bool {
        self.info().access_flags.contains(MethodAccessFlags::NATIVE)
    }

    /// Its body.
    #[must_use]
    pub fn code(&self) -> Option<&CodeData<'a>> {
        self.info().attributes.iter().find_map(|attribute| match &attribute.data {
            AttributeData::Code(code) => Some(code),
            _ => None,
        })
    }

    /// Its instructions with their offsets.
    #[must_use]
    pub fn opcodes(&self) -> &[(usize, Opcode<'a>)] {
        self.code().and_then(|code| code.bytecode.as_ref()).map_or(&[], |code| &code.opcodes)
    }

    /// The line of the source at an offset of the code.
    pub fn line(&self, offset: usize) -> Option<u16> {
        let table = self.code()?.attributes.iter().find_map(|attribute| match &attribute.data {
            AttributeData::LineNumberTable(lines) => Some(lines),
            _ => None,
        })?;
        let before = table.iter().filter(|line| usize::from(line.start_pc) <= offset);
        before.max_by_key(|line| line.start_pc).map(|line| line.line_number)
    }
}

impl<'a> Pool<'a> {
    /// `main_class` builds the job.
    pub fn new(classes: &'a dyn Classes, main_class: &str) -> Self {
        let home = home(main_class);
        Self { classes, home, parsed: RefCell::default(), below: RefCell::default() }
    }

    /// A class of the jar.
    pub fn class(&self, name: &str) -> Option<Rc<Class<'a>>> {
        if let Some(known) = self.parsed.borrow().get(name) {
            return known.clone();
        }
        let class = self.classes.class(name).and_then(Class::parse).map(Rc::new);
        self.parsed.borrow_mut().insert(name.to_owned(), class.clone());
        class
    }

    /// Whether a class is the user's: of the jar, and no library that is known, unless it lies where the job does (the
    /// examples of a library lie among its packages).
    pub fn is_users(&self, name: &str) -> bool {
        let is_at_home = known::is_library(&self.home) && name.starts_with(&self.home);
        (is_at_home || !known::is_library(name)) && self.classes.class(name).is_some()
    }

    /// Whether a class is where the function runs.
    pub fn is_there(&self, name: &str) -> bool {
        known::is_provided(name) || self.classes.class(name).is_some()
    }

    /// A method of exactly that class.
    pub fn own(&self, class: &str, name: &str, descriptor: &str) -> Option<Method<'a>> {
        let class = self.class(class)?;
        let at = *class.methods.get(&(name.to_owned(), descriptor.to_owned()))?;
        Some(Method { class, at })
    }

    /// All methods of a name that a class or the user's classes above it have; the nearest of each descriptor.
    pub fn named(&self, class: &str, name: &str) -> Vec<Method<'a>> {
        let mut found: Vec<Method<'a>> = Vec::new();
        for above in self.line_of(class) {
            let Some(class) = self.class(&above) else { continue };
            for (at, method) in class.file.methods.iter().enumerate() {
                let new = |known: &Method<'a>| known.info().descriptor != method.descriptor;
                if method.name == name && found.iter().all(new) {
                    found.push(Method { class: Rc::clone(&class), at });
                }
            }
        }
        found.retain(|method| !method.is_abstract());
        found
    }

    /// The class, what it extends, then all interfaces: those of the jar that are the user's.
    pub fn line_of(&self, class: &str) -> Vec<String> {
        let mut line = vec![class.to_owned()];
        let mut at = Some(class.to_owned());
        while let Some(name) = at {
            at = self
                .class(&name)
                .and_then(|class| class.file.super_class.as_ref().map(|s| s.to_string()));
            // A broken class file may stand above itself.
            let new = |above: &&String| self.is_users(above) && !line.contains(above);
            if let Some(above) = at.as_ref().filter(new) {
                line.push(above.clone());
            } else {
                break;
            }
        }
        let mut place = 0;
        while let Some(name) = line.get(place).cloned() {
            place += 1;
            let Some(class) = self.class(&name) else { continue };
            for interface in &class.file.interfaces {
                let interface = interface.to_string();
                if self.is_users(&interface) && !line.contains(&interface) {
                    line.push(interface);
                }
            }
        }
        line
    }

    /// The first class above the user's own in the line of `class`: a library's.
    fn library_above(&self, class: &str) -> String {
        // The classes come first in the line, then their interfaces.
        let mut name = class.to_owned();
        for _ in self.line_of(class) {
            let users = self.class(&name).filter(|_| self.is_users(&name));
            match users.and_then(|class| class.file.super_class.as_ref().map(ToString::to_string)) {
                Some(above) => name = above,
                None => break,
            }
        }
        name
    }

    /// The method that runs if the object is of exactly that class.
    pub fn exact(&self, class: &str, name: &str, descriptor: &str) -> Targets<'a> {
        if !self.is_users(class) {
            return Targets::Library(class.to_owned());
        }
        for above in self.line_of(class) {
            if let Some(method) = self.own(&above, name, descriptor).filter(|m| !m.is_abstract()) {
                return Targets::Methods(vec![method]);
            }
        }
        Targets::Library(self.library_above(class))
    }

    /// The methods that may run if the object is of that class or one below it; `lambdas` may too.
    pub fn any(&self, class: &str, name: &str, descriptor: &str, lambdas: bool) -> Targets<'a> {
        if !self.is_users(class) {
            return Targets::Library(class.to_owned());
        }
        let mut methods: Vec<Method<'a>> = Vec::new();
        let mut library = None;
        let below = self.below(class);
        for candidate in std::iter::once(class).chain(below.iter().map(String::as_str)) {
            match self.exact(candidate, name, descriptor) {
                Targets::Methods(found) => {
                    for method in found {
                        let same = |known: &Method<'a>| {
                            known.at == method.at && Rc::ptr_eq(&known.class, &method.class)
                        };
                        if !methods.iter().any(same) {
                            methods.push(method);
                        }
                    }
                }
                Targets::Library(above) => library = Some(above),
                Targets::Unknown(what) => return Targets::Unknown(what),
            }
        }
        let call = || format!("{}.{name}", super::finding::dotted(class));
        if methods.len() > MOST_IMPLEMENTATIONS {
            return Targets::Unknown(format!("{} has {} implementations", call(), methods.len()));
        }
        match library {
            _ if !methods.is_empty() || lambdas => Targets::Methods(methods),
            Some(above) if above != "java/lang/Object" || known::is_object_method(name) => {
                Targets::Library(above)
            }
            _ => Targets::Unknown(format!("nothing in the jar implements {}", call())),
        }
    }

    /// The user's classes of the same two outer packages.
    fn near(&self, class: &str) -> Vec<&'a str> {
        let package = |name: &str| {
            let parts: Vec<_> = name.split('/').collect();
            parts[..parts.len().saturating_sub(1).min(2)].join("/")
        };
        let (home, mut near) = (package(class), self.classes.names());
        near.retain(|name| package(name) == home && self.is_users(name));
        near
    }

    /// The user's classes below a class, as far as they stand near it.
    fn below(&self, class: &str) -> Rc<Vec<String>> {
        if let Some(known) = self.below.borrow().get(class) {
            return Rc::clone(known);
        }
        let near = self.near(class).into_iter();
        let below = near.filter(|name| *name != class && self.is_below(name, class));
        let below = Rc::new(below.map(str::to_owned).collect::<Vec<_>>());
        self.below.borrow_mut().insert(class.to_owned(), Rc::clone(&below));
        below
    }

    /// The lambdas near an interface that become objects of it or of one below it. What they captured nobody knows.
    pub(super) fn lambdas_of(&self, interface: &str) -> Vec<Lambda> {
        let below = self.below(interface);
        let ours = |result: &str| {
            descriptor::class(result)
                .is_some_and(|class| class == interface || below.iter().any(|known| known == class))
        };
        let mut found = Vec::new();
        for name in self.near(interface) {
            let Some(class) = self.class(name) else { continue };
            for at in 0..class.file.methods.len() {
                let method = Method { class: Rc::clone(&class), at };
                for (_, opcode) in method.opcodes() {
                    let Opcode::Invokedynamic(call) = opcode else { continue };
                    let (captured, result) = descriptor::method(&call.name_and_type.descriptor);
                    let handle = class.bootstrap(call.attr_index).and_then(|(_, handle)| handle);
                    let Some(handle) = handle.filter(|_| ours(result)) else { continue };
                    let held = |ty: &&str| {
                        let origin = if is_plain(ty) {
                            Origin::Own
                        } else {
                            Origin::Shared(Root::Elsewhere)
                        };
                        Value::of(origin).wide(descriptor::is_wide(ty))
                    };
                    found.push(Lambda {
                        owner: handle.class_name.to_string(),
                        name: handle.member_ref.name.to_string(),
                        descriptor: handle.member_ref.descriptor.to_string(),
                        kind: handle.kind,
                        captured: captured.iter().map(held).collect(),
                    });
                }
            }
        }
        found
    }

    fn is_below(&self, name: &str, class: &str) -> bool {
        self.is_users(name) && self.line_of(name).iter().any(|above| above == class)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every class that is asked for.
    struct All;

    impl Classes for All {
        fn class(&self, _: &str) -> Option<&[u8]> {
            Some(&[])
        }

        fn names(&self) -> Vec<&str> {
            Vec::new()
        }
    }

    #[test]
    fn a_job_among_the_packages_of_a_library_is_the_users() {
        let pool = Pool::new(&All, "org/apache/flink/streaming/examples/windowing/WordCount");
        assert!(pool.is_users("org/apache/flink/streaming/examples/util/Tokenizer"));
        assert!(!pool.is_users("org/apache/flink/streaming/api/functions/ProcessFunction"));
        let pool = Pool::new(&All, "com/amazonaws/services/msf/Job");
        assert!(pool.is_users("com/amazonaws/services/msf/domain/Price"));
        assert!(!pool.is_users("com/amazonaws/services/s3/AmazonS3Client"));
        for job in ["com/google/Job", "com/Job", "Job"] {
            let pool = Pool::new(&All, job);
            assert!(pool.is_users("dev/example/Parser"), "{job}");
            assert!(!pool.is_users("com/google/common/cache/LocalCache"), "{job}");
        }
    }
}
