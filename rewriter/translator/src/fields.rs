//! Fields of objects and classes, casts and tests of classes.

use std::rc::Rc;

use cafebabe::constant_pool::MemberRef;

use crate::classes::{Field, class_named, is_above_all, tuple_arity};
use crate::library::{self, is_silent};
use crate::pass::{Flow, Pass, Role, dotted};
use crate::refusal::{RefusalKind, Run, refuse};
use crate::text::Text;
use crate::value::{Boxed, Facts, ObjectId, Operand, Prim, Reg, Value};

/// Why a condition or a time stamp is not translated that does more.
const CHANGES_THE_EVENT: &str = "it changes the event that it passes on";

impl Pass<'_, '_> {
    /// Goes on where an object is not null; where it is null, with an exception.
    pub(crate) fn need(&mut self, value: &Value) -> Run<()> {
        let null = match value {
            Value::Object(id) => self.state.objects.get(id).map(|object| object.null.clone()),
            Value::Nullable(_, reg) | Value::Ref(reg, _) => {
                Some(Operand::Reg(self.text.pure(format!("is_null %{reg}"))))
            }
            Value::Null => Some(Operand::Bool(true)),
            _ => None,
        };
        match null {
            None | Some(Operand::Bool(false)) => return Ok(()),
            _ => {}
        }
        let root = Value::Object(ObjectId::Input(Rc::from([])));
        if *value == root {
            let catch = self.catch()?;
            let reg = self.text.step(&format!("unwrap %{}", self.input), catch.as_deref());
            if let Some(object) = self.state.objects.get_mut(&ObjectId::Input(Rc::from([]))) {
                object.null = Operand::Bool(false);
                object.record = Some(reg);
            }
            return Ok(());
        }
        let (bad, good) = (self.text.block(), self.text.block());
        let condition = null.unwrap_or(Operand::Bool(true));
        self.text.end(format!("branch {condition}, {}, {}", Text::label(bad), Text::label(good)));
        self.text.go_on_in(bad);
        let kept = self.state.clone();
        self.raise("java/lang/NullPointerException")?;
        self.state = kept;
        self.text.go_on_in(good);
        if let Value::Object(id) = value
            && let Some(object) = self.state.objects.get_mut(id)
        {
            object.null = Operand::Bool(false);
        }
        Ok(())
    }

    /// The field that an instruction names, with the class that declares it.
    fn resolved(&self, class: &str, name: &str) -> Run<Field> {
        let fields = self.fields_of(class)?;
        match fields.into_iter().find(|field| *field.name == *name) {
            Some(field) => Ok(field),
            None => refuse(RefusalKind::Code, format!("{} has no field {name}", dotted(class))),
        }
    }

    pub(crate) fn get_field(&mut self, member: &MemberRef<'_>) -> Run<()> {
        let (name, descriptor) = (&*member.name_and_type.name, &*member.name_and_type.descriptor);
        let object = self.pop()?;
        let object = self.forced(object)?;
        let value = match &object {
            Value::Object(id) => {
                self.need(&object)?;
                let found = self.state.objects.get(id).and_then(|o| o.fields.get(name)).cloned();
                let Some(found) = found else {
                    return refuse(RefusalKind::Code, format!("there is no field {name}"));
                };
                let forced = self.forced(found.clone())?;
                if matches!((&found, &forced), (Value::Lazy(_), Value::Object(_)))
                    && let Some(object) = self.state.objects.get_mut(id)
                {
                    object.fields.insert(name.into(), forced.clone());
                }
                forced
            }
            Value::Constant(at) => {
                let field = self.resolved(&member.class_name, name)?;
                let full = format!("{}.{}", field.class, field.name);
                match self.subject.constants.field(*at, &full) {
                    Some(value) => self.typed_constant(value, descriptor),
                    None => {
                        return refuse(
                            RefusalKind::Constant,
                            format!("the constant {}.{name} is not known", dotted(&field.class)),
                        );
                    }
                }
            }
            Value::Ref(reg, _) => {
                let field = self.resolved(&member.class_name, name)?;
                self.declare_class(&member.class_name)?;
                self.load_from(*reg, &field)?
            }
            Value::Null => {
                self.need(&object)?;
                Value::Dead("what lies behind a null")
            }
            Value::Dead(why) => return refuse(RefusalKind::Unsupported, *why),
            _ => {
                return refuse(
                    RefusalKind::Unsupported,
                    format!("it reads the field {}.{name}", dotted(&member.class_name)),
                );
            }
        };
        self.push(value);
        Ok(())
    }

    /// A field of an object in the heap.
    pub(crate) fn load_from(&mut self, object: Reg, field: &Field) -> Run<Value> {
        let catch = self.catch()?;
        let what = format!("load %{object}, \"{}.{}\"", field.class, field.name);
        let reg = self.text.step(&what, catch.as_deref());
        Ok(match crate::value::prim_of(&field.descriptor) {
            Some(prim) => Value::reg(prim, reg),
            None => {
                let class = class_named(&field.descriptor).filter(|class| !is_above_all(class));
                Value::Ref(reg, class.map_or_else(Facts::default, Facts::of))
            }
        })
    }

    pub(crate) fn store_into(&mut self, object: Reg, field: &Field, value: &Value) -> Run<()> {
        let operand = match crate::value::prim_of(&field.descriptor) {
            Some(prim) => self.scalar(value, prim)?,
            None => Operand::Reg(self.reference(value)?),
        };
        let catch = self.catch()?;
        let what = format!("store %{object}, \"{}.{}\", {operand}", field.class, field.name);
        self.text.act(&what, catch.as_deref());
        Ok(())
    }

    /// Whether the event itself goes on, as the function leaves it.
    fn passes_on_the_event(&self) -> bool {
        matches!(self.subject.role, Role::Filter | Role::Timestamp)
    }

    pub(crate) fn put_field(&mut self, member: &MemberRef<'_>) -> Run<()> {
        let (name, descriptor) = (&*member.name_and_type.name, &*member.name_and_type.descriptor);
        let value = self.pop()?;
        let object = self.pop()?;
        let object = self.forced(object)?;
        match &object {
            Value::Object(id) => {
                match id {
                    ObjectId::This => self.keeps(name, descriptor, &value)?,
                    ObjectId::Input(_) | ObjectId::Met(_) if self.passes_on_the_event() => {
                        return refuse(RefusalKind::Unsupported, CHANGES_THE_EVENT);
                    }
                    ObjectId::Site(context, _)
                        if self.is_within_open(*context) && !self.opens() =>
                    {
                        let text = format!("it writes the field {name} of an object that it keeps");
                        return refuse(RefusalKind::State, text);
                    }
                    _ => {}
                }
                self.need(&object)?;
                // What only can be tested becomes a number.
                let value = match &value {
                    Value::Compare(..) => Value::Scalar(Prim::Int, self.int(&value)?),
                    _ => value,
                };
                if let Some(object) = self.state.objects.get_mut(id) {
                    object.fields.insert(name.into(), value);
                }
                Ok(())
            }
            Value::Ref(..) if self.learnt.heap_input && self.passes_on_the_event() => {
                refuse(RefusalKind::Unsupported, CHANGES_THE_EVENT)
            }
            Value::Ref(reg, _) => {
                let field = self.resolved(&member.class_name, name)?;
                self.declare_class(&member.class_name)?;
                self.store_into(*reg, &field, &value)
            }
            Value::Null => self.need(&object),
            Value::Constant(_) => refuse(
                RefusalKind::State,
                format!("it writes the field {name} of an object that outlives the event"),
            ),
            Value::Dead(why) => refuse(RefusalKind::Unsupported, *why),
            _ => refuse(
                RefusalKind::Unsupported,
                format!("it writes the field {}.{name}", dotted(&member.class_name)),
            ),
        }
    }

    /// Whether `open` is in work.
    fn opens(&self) -> bool {
        self.state.frames.first().is_some_and(|frame| self.is_open(frame.context))
    }

    /// Whether a context was reached from `open`.
    fn is_within_open(&self, context: u32) -> bool {
        let mut at = context;
        while let Some((parent, _)) = self.contexts.get(at as usize).and_then(|c| c.parent) {
            at = parent;
        }
        self.contexts.get(at as usize).is_some() && self.is_open(at)
    }

    /// The function's own fields may get tools that are made where they are missing; anything else is state.
    fn keeps(&mut self, name: &str, descriptor: &str, value: &Value) -> Run<()> {
        let this = &ObjectId::This;
        let known = self.state.objects.get(this).and_then(|object| object.fields.get(name));
        let opens = self.opens();
        let missing = matches!(known, Some(Value::Null));
        let container = class_named(descriptor).is_some_and(|class| {
            class.starts_with("java/util/") && !class.starts_with("java/util/regex/")
        });
        let primitive = crate::value::prim_of(descriptor).is_some();
        if opens || missing && !container && !primitive && !matches!(value, Value::Null) {
            return Ok(());
        }
        refuse(RefusalKind::State, format!("it writes its field {name}"))
    }

    pub(crate) fn get_static(&mut self, member: &MemberRef<'_>) -> Run<()> {
        let (class, name) = (&*member.class_name, &*member.name_and_type.name);
        let descriptor = &*member.name_and_type.descriptor;
        if class_named(descriptor).is_some_and(is_silent) {
            self.push(Value::Silent);
            return Ok(());
        }
        if name == "$assertionsDisabled" {
            self.push(Value::bool(true));
            return Ok(());
        }
        if !self.subject.pool.is_users(class) {
            let known = library::find(self.subject.library, class, name, descriptor);
            let Some((owner, _)) = known else {
                return refuse(
                    RefusalKind::Library,
                    format!("{class}.{name} is not known to the native engine"),
                );
            };
            let reg = self.text.step(&format!("call \"{owner}.{name}{descriptor}\"()"), None);
            let value = match crate::value::prim_of(descriptor) {
                Some(prim) => Value::reg(prim, reg),
                None => {
                    Value::Ref(reg, class_named(descriptor).map_or_else(Facts::default, Facts::of))
                }
            };
            self.push(value);
            return Ok(());
        }
        // The field may be inherited.
        let line = self.subject.pool.line_of(class);
        let root =
            line.iter().find_map(|class| self.subject.constants.root(&format!("{class}.{name}")));
        match root {
            Some(value) => {
                let value = self.typed_constant(value, descriptor);
                self.push(value);
                Ok(())
            }
            None => refuse(
                RefusalKind::Constant,
                format!("the static field {}.{name} is not known", dotted(class)),
            ),
        }
    }

    pub(crate) fn check_cast(&mut self, class: &str) -> Run<Flow> {
        let value = self.pop()?;
        let value = self.forced(value)?;
        let is = match &value {
            Value::Null => Some(true),
            Value::Ref(_, facts) if facts.class.as_deref() == Some(class) => Some(true),
            Value::Nullable(boxed, reg) => match Boxed::of_class(class) {
                // The event does not tell the boxes of an int apart.
                Some(wanted) if wanted.prim() == boxed.prim() => {
                    self.push(Value::Nullable(wanted, *reg));
                    return Ok(Flow::Next);
                }
                _ => self.is_of(&value, class),
            },
            _ => self.is_of(&value, class),
        };
        match (is, &value) {
            (Some(true), _) => self.push(value),
            (_, Value::Dead(why)) => return refuse(RefusalKind::Unsupported, *why),
            (Some(false), _) => {
                let condition = self.is_null(&value)?;
                if condition != Operand::Bool(false) {
                    return refuse(RefusalKind::Unsupported, "a cast that only null would pass");
                }
                self.raise("java/lang/ClassCastException")?;
                return Ok(Flow::End);
            }
            (None, Value::Silent | Value::Collector | Value::Context | Value::Lambda(_)) => {
                self.push(value);
            }
            (None, _) if is_above_all(class) => self.push(value),
            (None, Value::Ref(reg, _)) if class == "java/lang/String" => {
                let catch = self.catch()?;
                let text = self.text.step(&format!("nullable %{reg}"), catch.as_deref());
                self.push(Value::Nullable(Boxed::String, text));
            }
            (None, _) => {
                let reg = self.reference(&value)?;
                if self.subject.pool.is_users(class) && !self.is_interface(class) {
                    self.declare_class(class)?;
                }
                let catch = self.catch()?;
                let cast = self.text.step(&format!("cast %{reg}, \"{class}\""), catch.as_deref());
                self.push(Value::Ref(cast, Facts::of(class)));
            }
        }
        Ok(Flow::Next)
    }

    fn is_interface(&self, class: &str) -> bool {
        let class = self.subject.pool.class(class);
        class.is_some_and(|class| {
            class.file.access_flags.contains(cafebabe::ClassAccessFlags::INTERFACE)
        })
    }

    /// Whether a value that is not null is of a class; none where only the engine knows.
    fn is_of(&self, value: &Value, class: &str) -> Option<bool> {
        if is_above_all(class) {
            return Some(true);
        }
        let text = || {
            matches!(
                class,
                "java/lang/String"
                    | "java/lang/CharSequence"
                    | "java/lang/Comparable"
                    | "java/io/Serializable"
            )
        };
        match value {
            Value::Scalar(Prim::Text, _) | Value::Nullable(Boxed::String, _) | Value::Char(_) => {
                Some(text())
            }
            Value::Boxed(boxed, _) | Value::Nullable(boxed, _) => Some(
                boxed.class() == class
                    || matches!(class, "java/lang/Comparable" | "java/io/Serializable")
                    || class == "java/lang/Number"
                        && !matches!(boxed, Boxed::Boolean | Boxed::Character),
            ),
            Value::Object(id) => {
                let object = self.state.objects.get(id)?;
                if tuple_arity(&object.class).is_some() {
                    return Some(
                        *object.class == *class || class == "org/apache/flink/api/java/tuple/Tuple",
                    );
                }
                self.is_below(&object.class, class)
            }
            Value::Constant(at) => {
                let own = self.subject.constants.class(*at)?;
                if own == class { Some(true) } else { self.is_below(&own, class).filter(|is| *is) }
            }
            Value::Ref(_, facts) if facts.exact => self.is_below(facts.class.as_deref()?, class),
            _ => None,
        }
    }

    pub(crate) fn instance_of(&mut self, class: &str) -> Run<()> {
        let value = self.pop()?;
        let value = self.forced(value)?;
        let is = match &value {
            Value::Null => Some(false),
            _ => self.is_of(&value, class),
        };
        let result = match is {
            Some(false) => Value::bool(false),
            Some(true) => match self.is_null(&value)? {
                Operand::Bool(null) => Value::bool(!null),
                null => Value::reg(Prim::Bool, self.text.pure(format!("not {null}"))),
            },
            None => {
                let reg = self.reference(&value)?;
                if self.subject.pool.is_users(class) && !self.is_interface(class) {
                    self.declare_class(class)?;
                }
                Value::reg(Prim::Bool, self.text.pure(format!("is %{reg}, \"{class}\"")))
            }
        };
        self.push(result);
        Ok(())
    }
}
