//! The instructions on references and objects.
use super::rules::is_primitive;
use super::{Checked, Checker, Problem};
use crate::heap::{self, ClassId, Classes, Field};
use crate::ir::{self, Element, TypeName};
use crate::library::{self, Method};
use crate::ty::{Records, Ty};
use crate::typed::{Expr, Operand, Piece};

/// Declares the classes of a function.
pub(crate) fn declare(function: &ir::Function, classes: &mut Classes) -> Vec<Problem> {
    let records = Records::default();
    let mut problems = Vec::new();
    for class in &function.classes {
        let mut fields = Vec::new();
        for (name, ty) in &class.fields {
            match records.resolve(ty) {
                Ok(ty) if ty == Ty::Ref || is_primitive(&ty) => {
                    fields.push(Field { name: name.clone(), ty });
                }
                _ => problems.push((
                    class.at,
                    format!("field {name} must be a ref or a primitive, not {ty}"),
                )),
            }
        }
        if let Err(message) = classes.declare(&class.name, &class.above, fields) {
            problems.push((class.at, message));
        }
    }
    problems
}

impl Checker<'_> {
    /// The slots of the constants.
    pub(super) fn constants(&mut self, objects: &[u64]) -> Checked<Vec<u64>> {
        let mut slots = Vec::new();
        for (at, constant) in self.function.constants.iter().enumerate() {
            self.here = constant.param.at;
            if constant.param.ty != TypeName::Named("ref".to_owned()) {
                return self.problem(format!("a constant is a ref, not {}", constant.param.ty));
            }
            let object =
                usize::try_from(constant.object).ok().and_then(|object| objects.get(object));
            let Some(object) = object else {
                return self.problem(format!("there is no constant object {}", constant.object));
            };
            self.types[at + 1] = Some(Ty::Ref);
            slots.push(*object);
        }
        Some(slots)
    }

    /// An instruction on references.
    pub(super) fn object_expr(&mut self, expr: &ir::Expr) -> Checked<(Expr, Option<Ty>)> {
        Some(match expr {
            ir::Expr::Library(name, args) => {
                let Some(method) = library::find(name) else {
                    return self.problem(format!("{name} is not known to the native engine"));
                };
                let args = self.method(method, args)?;
                (Expr::Library(method, args), method.result.map(library::LibTy::ty))
            }
            ir::Expr::Concat(recipe, descriptor, args) => {
                let pieces = self.pieces(recipe, descriptor.as_deref(), args)?;
                (Expr::Concat(pieces), Some(Ty::String))
            }
            ir::Expr::Is(value, class) => {
                let value = self.reference(value)?;
                (Expr::Is(value, self.classes.id(class)), Some(Ty::Bool))
            }
            ir::Expr::Cast(value, class) => {
                let value = self.reference(value)?;
                (Expr::Cast(value, self.classes.id(class)), Some(Ty::Ref))
            }
            ir::Expr::Object(class) => {
                let class = self.declared(class)?;
                (Expr::Object(class), Some(Ty::Ref))
            }
            ir::Expr::Load(object, field) => {
                let object = self.reference(object)?;
                let (class, at, ty) = self.field(field)?;
                (Expr::Load(object, class, at), Some(ty))
            }
            ir::Expr::Store(object, field, value) => {
                let object = self.reference(object)?;
                let (class, at, ty) = self.field(field)?;
                let value = self.operand_of(value, &ty, "the field")?;
                (Expr::Store(object, class, at, value), None)
            }
            ir::Expr::Array(descriptor, length) => {
                let Some(element) = heap::Element::of_descriptor(descriptor) else {
                    return self.problem(format!("{descriptor} is no array"));
                };
                let length = self.operand_of(length, &Ty::Int, "a length")?;
                (Expr::Array(self.classes.id(descriptor), element, length), Some(Ty::Ref))
            }
            ir::Expr::ArrayGet(element, array, index) => {
                let array = self.reference(array)?;
                let index = self.operand_of(index, &Ty::Int, "an index")?;
                let (element, ty) = element_of(*element);
                (Expr::ArrayGet(element, array, index), Some(ty))
            }
            ir::Expr::ArraySet(element, array, index, value) => {
                let array = self.reference(array)?;
                let index = self.operand_of(index, &Ty::Int, "an index")?;
                let (element, ty) = element_of(*element);
                let value = self.operand_of(value, &ty, "the element")?;
                (Expr::ArraySet(element, array, index, value), None)
            }
            ir::Expr::Caught => (Expr::Caught, Some(Ty::Ref)),
            ir::Expr::Exception(class, message) => {
                let message = self.reference(message)?;
                (Expr::Exception(self.classes.id(class), message), Some(Ty::Ref))
            }
            ir::Expr::Decode(_) | ir::Expr::Encode(..) => {
                return self
                    .problem("lists, maps, arrays and enums are not known to the native engine");
            }
            _ => return self.problem("this is no instruction"),
        })
    }

    fn reference(&mut self, operand: &ir::Operand) -> Checked<Operand> {
        self.operand_of(operand, &Ty::Ref, "the object")
    }

    fn declared(&mut self, name: &str) -> Checked<ClassId> {
        match self.classes.find(name).filter(|class| self.classes.fields(*class).is_some()) {
            Some(class) => Some(class),
            None => self.problem(format!("class {name} is not declared")),
        }
    }

    /// The class, place and type of a field `pkg/Class.name`.
    fn field(&mut self, name: &str) -> Checked<(ClassId, usize, Ty)> {
        let Some((class, field)) = name.rsplit_once('.') else {
            return self.problem(format!("{name} is no field"));
        };
        let class_id = self.declared(class)?;
        match self.classes.field(class_id, field) {
            Some((at, ty)) => Some((class_id, at, ty.clone())),
            None => self.problem(format!("class {class} has no field {field} of its own")),
        }
    }

    fn method(&mut self, method: &Method, args: &[ir::Operand]) -> Checked<Vec<Operand>> {
        if method.params.len() != args.len() {
            let message = format!(
                "{} takes {}, not {} arguments",
                method.name,
                method.params.len(),
                args.len()
            );
            return self.problem(message);
        }
        let mut checked = Vec::with_capacity(args.len());
        for (i, (arg, wanted)) in args.iter().zip(method.params).enumerate() {
            checked.push(self.operand_of(arg, &wanted.ty(), &format!("argument {}", i + 1)));
        }
        checked.into_iter().collect()
    }

    /// The pieces of a concatenation.
    fn pieces(
        &mut self,
        recipe: &str,
        descriptor: Option<&str>,
        args: &[ir::Operand],
    ) -> Checked<Vec<Piece>> {
        let kinds = descriptor.map(kinds);
        let mut pieces = Vec::new();
        let mut args = args.iter().enumerate();
        for (i, part) in recipe.split('\u{1}').enumerate() {
            if i > 0 {
                let Some((at, arg)) = args.next() else {
                    return self.problem("the recipe takes more arguments");
                };
                let (operand, ty) = self.operand(arg)?;
                let known = match &ty {
                    Ty::String | Ty::Ref => true,
                    Ty::Nullable(inner) => **inner == Ty::String,
                    other => is_primitive(other),
                };
                if !known {
                    return self.problem(format!("string_concat does not take {ty}"));
                }
                let kind = kinds.as_ref().and_then(|kinds| kinds.get(at));
                pieces.push(match (kind, ty) {
                    (Some('C'), Ty::Int) => Piece::Char(operand),
                    _ => Piece::Value(operand),
                });
            }
            if !part.is_empty() {
                pieces.push(Piece::Text(part.to_owned()));
            }
        }
        match args.next() {
            None => Some(pieces),
            Some(_) => self.problem("the recipe takes fewer arguments"),
        }
    }
}

/// The first letters of the types in a descriptor's parentheses.
fn kinds(descriptor: &str) -> Vec<char> {
    let inner = descriptor.trim_start_matches('(');
    let mut rest = inner.split(')').next().unwrap_or_default();
    let mut kinds = Vec::new();
    while let Some(first) = rest.chars().next() {
        kinds.push(first);
        rest = rest.trim_start_matches('[');
        rest = match rest.strip_prefix('L') {
            Some(class) => class.split_once(';').map_or("", |(_, rest)| rest),
            None => rest.get(1..).unwrap_or_default(),
        };
    }
    kinds
}

/// The element of an array, and its type in registers.
fn element_of(element: Element) -> (heap::Element, Ty) {
    match element {
        Element::Bool => (heap::Element::Bool, Ty::Bool),
        Element::Byte => (heap::Element::Byte, Ty::Int),
        Element::Short => (heap::Element::Short, Ty::Int),
        Element::Char => (heap::Element::Char, Ty::Int),
        Element::Int => (heap::Element::Int, Ty::Int),
        Element::Long => (heap::Element::Long, Ty::Long),
        Element::Float => (heap::Element::Float, Ty::Float),
        Element::Double => (heap::Element::Double, Ty::Double),
        Element::Ref => (heap::Element::Ref, Ty::Ref),
    }
}
