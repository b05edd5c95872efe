//! Objects of the user that become text by the way: their `toString` is followed before the instruction that needs it.

use std::rc::Rc;

use sluice_planner::effects::{Targets, method_descriptor};

use crate::classes::tuple_arity;
use crate::pass::{After, Flow, Pass};
use crate::refusal::{RefusalKind, Run, refuse};
use crate::value::{Facts, Operand, Prim, Value, prim_of};

const TO_STRING: (&str, &str) = ("toString", "()Ljava/lang/String;");

impl Pass<'_, '_> {
    /// Puts text in the place of the first object of the user among the values on top of the stack, of which those of these types count.
    /// Where a method must be followed for that, the instruction is begun again behind it.
    pub(crate) fn texts_first(&mut self, types: &[&str]) -> Run<Option<Flow>> {
        let len = self.state.top().stack.len();
        let Some(first) = len.checked_sub(types.len()) else { return Ok(None) };
        for (at, ty) in (first..len).zip(types) {
            if prim_of(ty).is_some() || *ty == "Ljava/lang/String;" {
                continue;
            }
            let value = self.state.top().stack[at].clone();
            let value = self.forced(value)?;
            let class = match &value {
                Value::Object(id) => match self.state.objects.get(id) {
                    Some(object) if object.null == Operand::Bool(false) => Rc::clone(&object.class),
                    Some(object) if object.null == Operand::Bool(true) => continue,
                    _ => {
                        let text = "an object becomes text that may be null";
                        return refuse(RefusalKind::Unsupported, text);
                    }
                },
                Value::Class(class) => {
                    self.state.top().stack[at] =
                        Value::text(&format!("class {}", class.replace('/', ".")));
                    continue;
                }
                _ => continue,
            };
            if tuple_arity(&class).is_some() {
                let text = self.tuple_text(&value)?;
                self.state.top().stack[at] = text;
                continue;
            }
            return match self.subject.pool.exact(&class, TO_STRING.0, TO_STRING.1) {
                Targets::Methods(methods) if methods.len() == 1 => {
                    self.enter(&methods[0], vec![value], After::Replace(at)).map(Some)
                }
                _ => {
                    refuse(RefusalKind::Identity, format!("the text of a {class} is its identity"))
                }
            };
        }
        Ok(None)
    }

    /// `(a,b)`.
    pub(crate) fn tuple_text(&mut self, tuple: &Value) -> Run<Value> {
        let Value::Object(id) = tuple else {
            return refuse(RefusalKind::Library, "the text of a tuple in the heap");
        };
        let class = self.state.objects.get(id).map(|object| Rc::clone(&object.class));
        let arity = class.and_then(|class| tuple_arity(&class)).unwrap_or_default();
        let mut fields = Vec::with_capacity(arity);
        for at in 0..arity {
            let object = self.state.objects.get(id);
            let value = object.and_then(|o| o.fields.get(format!("f{at}").as_str()).cloned());
            let value = self.forced(value.unwrap_or(Value::Null))?;
            let is_known = match &value {
                Value::Ref(_, facts) => {
                    facts.class.as_deref().is_some_and(|class| !class.starts_with('['))
                }
                Value::Lazy(_) => false,
                _ => true,
            };
            if !is_known {
                return refuse(RefusalKind::Library, "the text of a tuple that may hold an array");
            }
            fields.push(match value {
                Value::Object(_) => self.tuple_text(&value)?,
                other => other,
            });
        }
        let recipe = vec!["\u{1}"; arity].join(",");
        let types = vec!["Ljava/lang/Object;"; arity];
        self.pieced(&format!("({recipe})"), &types, &fields)
    }

    /// The text of a record: `Name[a=1, b=2]`.
    pub(crate) fn record_text(&mut self, class: &str, record: &Value) -> Run<Value> {
        let fields = self.fields_of(class)?;
        let mut values = Vec::with_capacity(fields.len());
        for field in &fields {
            values.push(match record {
                Value::Object(id) => {
                    let object = self.state.objects.get(id);
                    let value = object.and_then(|object| object.fields.get(&field.name)).cloned();
                    self.forced(value.unwrap_or(Value::Null))?
                }
                Value::Ref(reg, _) => self.load_from(*reg, field)?,
                _ => return refuse(RefusalKind::Unsupported, "the text of a constant record"),
            });
        }
        let name = class.rsplit(['/', '$']).next().unwrap_or(class);
        let parts: Vec<String> =
            fields.iter().map(|field| format!("{}=\u{1}", field.name)).collect();
        let types: Vec<&str> = fields.iter().map(|field| &*field.descriptor).collect();
        self.pieced(&format!("{name}[{}]", parts.join(", ")), &types, &values)
    }

    /// A concatenation by a recipe in which `\u{1}` stands for a value.
    pub(crate) fn pieced(&mut self, recipe: &str, types: &[&str], values: &[Value]) -> Run<Value> {
        let mut operands = Vec::with_capacity(values.len());
        let mut descriptor = String::from("(");
        for (value, ty) in values.iter().zip(types) {
            let value = self.forced(value.clone())?;
            match (&value, prim_of(ty)) {
                (_, Some(prim)) => {
                    operands.push(self.scalar(&value, prim)?.to_string());
                    descriptor.push_str(ty);
                }
                (Value::Boxed(boxed, operand), None) => {
                    operands.push(operand.to_string());
                    descriptor.push_str(boxed.descriptor());
                }
                (Value::Char(operand), None) => {
                    operands.push(operand.to_string());
                    descriptor.push('C');
                }
                (Value::Scalar(Prim::Text, operand), None) => {
                    operands.push(operand.to_string());
                    descriptor.push_str("Ljava/lang/String;");
                }
                _ => {
                    operands.push(format!("%{}", self.reference(&value)?));
                    descriptor.push_str("Ljava/lang/Object;");
                }
            }
        }
        descriptor.push(')');
        let recipe = Operand::Text(recipe.into());
        let what = format!("string_concat {recipe}, \"{descriptor}\"({})", operands.join(", "));
        Ok(Value::reg(Prim::Text, self.text.step(&what, None)))
    }

    /// Whether a library's method makes text of its arguments.
    pub(crate) fn makes_text(class: &str, name: &str, descriptor: &str) -> bool {
        let (parameters, _) = method_descriptor(descriptor);
        let takes_object = parameters.first() == Some(&"Ljava/lang/Object;");
        let known = matches!(
            (class, name),
            ("java/lang/String", "valueOf")
                | ("java/lang/StringBuilder" | "java/lang/StringBuffer", "append")
                | ("java/util/Objects", "toString")
        );
        known && takes_object && parameters.len() == 1
    }

    /// `Enum.valueOf`.
    pub(crate) fn enum_of(&mut self, class: &str, name: &Value) -> Run<Value> {
        let Some(parsed) = self.subject.pool.class(class) else {
            return refuse(RefusalKind::Code, format!("{class} can't be read"));
        };
        let symbols = parsed
            .file
            .fields
            .iter()
            .filter(|field| field.access_flags.contains(cafebabe::FieldAccessFlags::ENUM));
        let mut known = Vec::new();
        for symbol in symbols {
            let Some(at) = self.subject.constants.symbol(class, &symbol.name) else {
                let text = format!("the constant {class}.{} is not known", symbol.name);
                return refuse(RefusalKind::Constant, text);
            };
            known.push((symbol.name.to_string(), at));
        }
        let text = self.text_of(name)?;
        let found = self.text.block();
        let result = self.text.param(found, "ref");
        for (symbol, at) in known {
            let wanted = self.reference(&Value::text(&symbol))?;
            let constant = self.reference(&Value::Constant(at))?;
            let what =
                format!("call \"java/lang/String.equals(Ljava/lang/Object;)Z\"({text}, %{wanted})");
            let is = self.text.step(&what, None);
            let next = self.text.block();
            let label = crate::text::Text::label;
            self.text.end(format!("branch %{is}, {}(%{constant}), {}", label(found), label(next)));
            self.text.go_on_in(next);
        }
        let kept = self.state.clone();
        self.raise("java/lang/IllegalArgumentException")?;
        self.state = kept;
        self.text.go_on_in(found);
        Ok(Value::Ref(result, Facts::exact(class)))
    }
}
