//! Steps on references: calls of what the heap and the library do.
use super::graph::{Callee, Jump, Known, Op, Value};
use super::lower::Body;
use super::shape::Shape;
use crate::builtin::{self, ARGUMENTS_LIMIT, Run};
use crate::heap::{NULL, steps};
use crate::ir;
use crate::library::LibTy;
use crate::op;
use crate::ty::Ty;
use crate::typed::{Expr, Operand, Piece};

impl Body<'_> {
    /// A call's result.
    pub(super) fn call(
        &mut self,
        run: Run,
        pure: bool,
        args: Vec<Value>,
        catch: Option<Jump>,
    ) -> Value {
        self.push(Op::Call(Callee::new(run, pure), args), catch)
    }

    /// A call that gives a text.
    fn text_call(
        &mut self,
        run: Run,
        pure: bool,
        args: Vec<Value>,
        catch: Option<Jump>,
        known: Known,
    ) -> Value {
        self.push(Op::Call(Callee { run, pure, text: true, known }, args), catch)
    }

    fn constant(&mut self, bits: u64) -> Value {
        self.out.graph.constant(bits)
    }

    /// An instruction of one reference.
    pub(super) fn unary_of_ref(
        &mut self,
        op: ir::Unary,
        value: Value,
        catch: Option<Jump>,
    ) -> Shape {
        let run = match op {
            ir::Unary::IsNull => return Shape::One(self.is_null(value)),
            ir::Unary::Nullable => {
                let null = self.is_null(value);
                let args = vec![value];
                let text =
                    self.text_call(steps::nullable_string, false, args, catch, Known::AsText);
                return Shape::Nullable(null, Box::new(Shape::One(text)));
            }
            ir::Unary::AsString => {
                let args = vec![value];
                let text = self.text_call(steps::as_string, false, args, catch, Known::AsText);
                return Shape::One(text);
            }
            ir::Unary::UnboxInt => steps::unbox_int,
            ir::Unary::UnboxLong => steps::unbox_long,
            ir::Unary::UnboxFloat => steps::unbox_float,
            ir::Unary::UnboxDouble => steps::unbox_double,
            ir::Unary::UnboxBool => steps::unbox_bool,
            ir::Unary::ArrayLength => steps::array_length,
            _ => return Shape::One(value),
        };
        Shape::One(self.call(run, false, vec![value], catch))
    }

    fn is_null(&mut self, value: Value) -> Value {
        let null = self.constant(NULL);
        self.push(Op::Binary(op::Binary::Eq, value, null), None)
    }

    /// A text or a nullable value as a reference.
    pub(super) fn reference(&mut self, value: Shape, ty: &Ty) -> Value {
        let (null, inner) = match value {
            Shape::Nullable(null, inner) => (null, inner.values()[0]),
            other => return other.values()[0],
        };
        let boxed: Option<Run> = match ty.inner() {
            Ty::Int => Some(steps::box_int),
            Ty::Long => Some(steps::box_long),
            Ty::Float => Some(steps::box_float),
            Ty::Double => Some(steps::box_double),
            Ty::Bool => Some(steps::box_bool),
            _ => None,
        };
        let value = match boxed {
            Some(run) => self.call(run, true, vec![inner], None),
            None => inner,
        };
        if self.out.graph.constants.get(&null) == Some(&0) {
            return value;
        }
        self.call(steps::nullable_to_ref, true, vec![null, value], None)
    }

    /// An instruction on objects, or a call of the library.
    pub(super) fn object_step(&mut self, expr: &Expr, catch: Option<Jump>) -> Option<Shape> {
        let (run, pure, args): (Run, bool, Vec<Value>) = match expr {
            Expr::Library(method, args) => {
                let args = args.iter().map(|arg| self.one(arg)).collect();
                let pure = method.pure && !method.throws;
                let callee = Callee {
                    run: method.run,
                    pure,
                    text: method.result == Some(LibTy::String),
                    known: Known::of(method.name),
                };
                let value = self.push(Op::Call(callee, args), catch);
                return method.result.map(|_| Shape::One(value));
            }
            Expr::Concat(pieces) => return Some(Shape::One(self.concatenation(pieces))),
            Expr::Is(value, class) => (steps::is, true, self.with(&[value], &[u64::from(*class)])),
            Expr::Cast(value, class) => {
                (steps::cast, false, self.with(&[value], &[u64::from(*class)]))
            }
            Expr::Object(class) => (steps::object, true, self.with(&[], &[u64::from(*class)])),
            Expr::Load(object, class, at) => {
                (steps::load, false, self.with(&[object], &[u64::from(*class), *at as u64]))
            }
            Expr::Store(object, class, at, value) => {
                let mut args = self.with(&[object], &[u64::from(*class), *at as u64]);
                args.push(self.one(value));
                self.call(steps::store, false, args, catch);
                return None;
            }
            Expr::Array(class, element, length) => {
                let mut args = self.with(&[], &[u64::from(*class), steps::code_of(*element)]);
                args.push(self.one(length));
                (steps::new_array, false, args)
            }
            Expr::ArrayGet(element, array, index) => {
                let mut args = self.with(&[], &[steps::code_of(*element)]);
                args.extend([self.one(array), self.one(index)]);
                (steps::array_get, false, args)
            }
            Expr::ArraySet(element, array, index, value) => {
                let mut args = self.with(&[], &[steps::code_of(*element)]);
                args.extend([self.one(array), self.one(index), self.one(value)]);
                self.call(steps::array_set, false, args, catch);
                return None;
            }
            // Not to be moved behind the next exception, but nobody misses it.
            Expr::Caught => (steps::caught, true, Vec::new()),
            Expr::Exception(class, message) => {
                let mut args = self.with(&[], &[u64::from(*class)]);
                args.push(self.one(message));
                (steps::exception, true, args)
            }
            _ => return None,
        };
        Some(Shape::One(self.call(run, pure, args, catch)))
    }

    /// Operands, and numbers behind them.
    fn with(&mut self, operands: &[&Operand], numbers: &[u64]) -> Vec<Value> {
        let mut args: Vec<Value> = operands.iter().map(|operand| self.one(operand)).collect();
        args.extend(numbers.iter().map(|bits| self.constant(*bits)));
        args
    }

    fn concatenation(&mut self, pieces: &[Piece]) -> Value {
        let mut texts: Vec<Value> = pieces.iter().map(|piece| self.piece(piece)).collect();
        // As many at once as a call takes.
        while texts.len() > ARGUMENTS_LIMIT {
            let rest = texts.split_off(ARGUMENTS_LIMIT);
            let joined = self.text_call(builtin::concat, true, texts, None, Known::Nothing);
            texts = std::iter::once(joined).chain(rest).collect();
        }
        self.text_call(builtin::concat, true, texts, None, Known::Nothing)
    }

    /// A piece as a text.
    fn piece(&mut self, piece: &Piece) -> Value {
        let operand = match piece {
            Piece::Text(text) => return self.text(text),
            Piece::Char(operand) => {
                let unit = self.one(operand);
                // Half of a character is refused, so it must not be left out.
                return self.call(steps::text_of_char, false, vec![unit], None);
            }
            Piece::Value(operand) => operand,
        };
        let ty = self.ty(operand);
        let run: Run = match ty {
            Ty::String => return self.one(operand),
            Ty::Nullable(_) => {
                let mut args = self.shape(operand).values();
                args.push(self.text("null"));
                return self.call(steps::nullable_text, true, args, None);
            }
            Ty::Bool => steps::text_of_bool,
            Ty::Int => steps::text_of_int,
            Ty::Long => steps::text_of_long,
            Ty::Float => steps::text_of_float,
            Ty::Double => steps::text_of_double,
            _ => steps::text_of,
        };
        let value = self.one(operand);
        self.call(run, ty != Ty::Ref, vec![value], None)
    }
}
