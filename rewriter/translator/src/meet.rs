//! Ways into blocks: what all of them agree on is known in the block, for the rest it takes parameters.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use crate::pass::{Key, Pass};
use crate::refusal::{RefusalKind, Run, Stop, refuse};
use crate::state::{Object, Slot, State};
use crate::text::Text;
use crate::value::{Facts, Form, ObjectId, Operand, Prim, Reg, Value};

/// The beginning of a block.
pub(crate) struct Entry {
    pub(crate) block: usize,
    /// What is known there.
    pub(crate) state: State,
    /// The places that take parameters, in their order.
    params: Vec<(Slot, Form)>,
}

/// The field under which it is learnt that an object's record differs between ways.
const RECORD: &str = "<record>";

/// The making of an entry.
struct Opening<'k> {
    key: &'k Key,
    state: State,
    block: usize,
    params: Vec<(Slot, Form)>,
    seen: BTreeSet<ObjectId>,
}

/// A way to an entry.
struct Arrival<'k> {
    key: &'k Key,
    /// What is known at the entry.
    there: State,
    params: HashMap<Slot, Form>,
    args: HashMap<Slot, Operand>,
    seen: BTreeSet<ObjectId>,
}

impl Pass<'_, '_> {
    /// A way from here to a block with what is known on it; the target as text. Steps that convert values are added here.
    pub(crate) fn edge(&mut self, state: State, key: Key) -> Run<String> {
        let mut state = state;
        let key = self.threaded(&mut state, key);
        self.forget_unread(&mut state, &key);
        state.sweep();
        if !self.entries.contains_key(&key) {
            let entry = self.open_entry(&state, &key)?;
            self.entries.insert(key.clone(), entry);
            self.open.push_back(key.clone());
        }
        let entry = &self.entries[&key];
        let (block, params) = (entry.block, entry.params.clone());
        let mut arrival = Arrival {
            key: &key,
            there: entry.state.clone(),
            params: params.iter().cloned().collect(),
            args: HashMap::new(),
            seen: BTreeSet::new(),
        };
        let kept = std::mem::replace(&mut self.state, state);
        let arrived = self.arrive(&mut arrival);
        self.state = kept;
        arrived?;
        let args: Vec<String> = params
            .iter()
            .map(|(slot, _)| {
                arrival.args.get(slot).map_or_else(|| "0".to_owned(), ToString::to_string)
            })
            .collect();
        Ok(match args.is_empty() {
            true => Text::label(block),
            false => format!("{}({})", Text::label(block), args.join(", ")),
        })
    }

    /// Local variables that nothing reads any more are no difference.
    fn forget_unread(&mut self, state: &mut State, key: &Key) {
        let contexts: Vec<u32> = state.frames.iter().map(|frame| frame.context).collect();
        for (depth, frame) in state.frames.iter_mut().enumerate() {
            let body = Rc::clone(&self.contexts[frame.context as usize].body);
            let handlers = |at: usize| {
                let list = body.handlers.get(at).cloned().into_iter();
                list.flat_map(|list| list.to_vec()).map(|(_, target)| target).collect::<Vec<_>>()
            };
            // Of the outer frames, the call that is in work.
            let call = match contexts.get(depth + 1) {
                Some(inner) => self.contexts[*inner as usize].parent,
                None => match key {
                    Key::Return(context) => self.contexts[*context as usize].parent,
                    _ => None,
                },
            };
            let mut next = match (call, key) {
                (Some((_, at)), _) => [handlers(at), vec![at + 1]].concat(),
                (None, Key::Code(_, at) | Key::Call(_, at, _)) => vec![*at],
                (None, Key::Caught(_, at) | Key::Choice(_, at)) => handlers(*at),
                (None, Key::Return(_)) => Vec::new(),
            };
            next.dedup();
            for (local, value) in frame.locals.iter_mut().enumerate() {
                if !next.iter().any(|at| body.is_live(*at, local)) {
                    *value = Value::Dead("a variable that is not read");
                }
            }
        }
    }

    fn open_entry(&mut self, state: &State, key: &Key) -> Run<Entry> {
        let block = self.text.block();
        let mut opening =
            Opening { key, state: state.clone(), block, params: Vec::new(), seen: BTreeSet::new() };
        for slot in state.slots() {
            self.open_slot(&mut opening, slot)?;
        }
        self.open_object(&mut opening, &ObjectId::This)?;
        opening.state.sweep();
        Ok(Entry { block, state: opening.state, params: opening.params })
    }

    fn param(&mut self, opening: &mut Opening<'_>, slot: &Slot, form: &Form, ty: &str) -> Reg {
        opening.params.push((slot.clone(), form.clone()));
        self.text.param(opening.block, ty)
    }

    fn open_slot(&mut self, opening: &mut Opening<'_>, slot: Slot) -> Run<()> {
        let Some(value) = opening.state.get(&slot).cloned() else { return Ok(()) };
        let form = self.learnt.forms.get(&(opening.key.clone(), slot.clone())).cloned();
        let Some(form) = form else {
            return match value {
                Value::Object(id) => self.open_object(opening, &id),
                _ => Ok(()),
            };
        };
        let value = match &form {
            Form::Dead => Value::Dead("values of several kinds meet here"),
            Form::Null => Value::Null,
            Form::Bit => Value::reg(Prim::Bool, self.param(opening, &slot, &form, "bool")),
            Form::Scalar(prim) => Value::reg(*prim, self.param(opening, &slot, &form, prim.word())),
            Form::Nullable(boxed) => {
                let ty = format!("{}?", boxed.prim().word());
                Value::Nullable(*boxed, self.param(opening, &slot, &form, &ty))
            }
            Form::Ref(facts) => Value::Ref(self.param(opening, &slot, &form, "ref"), facts.clone()),
            Form::Forced => {
                let (Value::Lazy(path) | Value::Object(ObjectId::Input(path))) = value else {
                    return refuse(
                        RefusalKind::Unsupported,
                        "a field of the event is replaced here",
                    );
                };
                let id = ObjectId::Input(path.clone());
                if !opening.state.objects.contains_key(&id) {
                    let null = self.param(opening, &Slot::Null(id.clone()), &form, "bool");
                    let object = self.input_object(&path, Operand::Reg(null))?;
                    opening.state.objects.insert(id.clone(), object);
                }
                opening.state.set(&slot, Value::Object(id.clone()));
                return self.open_object(opening, &id);
            }
            Form::Object(class) => {
                let id = self.learnt.met(opening.key, &slot);
                let object = match &value {
                    Value::Object(known) => opening.state.objects.get(known).cloned(),
                    _ => None,
                };
                let object = match object {
                    Some(object) => Object { record: None, ..object },
                    None => self.null_object(class)?,
                };
                opening.state.objects.insert(id.clone(), object);
                opening.state.set(&slot, Value::Object(id.clone()));
                return self.open_object(opening, &id);
            }
        };
        opening.state.set(&slot, value);
        Ok(())
    }

    fn open_object(&mut self, opening: &mut Opening<'_>, id: &ObjectId) -> Run<()> {
        if !opening.state.objects.contains_key(id) || !opening.seen.insert(id.clone()) {
            return Ok(());
        }
        let null = Slot::Null(id.clone());
        let known = opening.params.iter().any(|(slot, _)| *slot == null);
        if !known && self.learnt.forms.contains_key(&(opening.key.clone(), null.clone())) {
            let reg = self.param(opening, &null, &Form::Scalar(Prim::Bool), "bool");
            if let Some(object) = opening.state.objects.get_mut(id) {
                object.null = Operand::Reg(reg);
            }
        }
        let record = Slot::Field(id.clone(), RECORD.into());
        if self.learnt.forms.contains_key(&(opening.key.clone(), record))
            && let Some(object) = opening.state.objects.get_mut(id)
        {
            object.record = None;
        }
        for name in field_names(&opening.state, id) {
            self.open_slot(opening, Slot::Field(id.clone(), name))?;
        }
        Ok(())
    }

    /// Compares what is known on a way (`self.state`) with what is known at the block.
    fn arrive(&mut self, arrival: &mut Arrival<'_>) -> Run<()> {
        let (here, there) = (self.state.slots(), arrival.there.slots());
        if here != there {
            return refuse(RefusalKind::Code, "the stack is not the same on two ways");
        }
        for slot in there {
            self.arrive_slot(arrival, &slot, &slot)?;
        }
        self.arrive_object(arrival, &ObjectId::This, &ObjectId::This)
    }

    fn arrive_slot(&mut self, arrival: &mut Arrival<'_>, there: &Slot, here: &Slot) -> Run<()> {
        let Some(value) = self.state.get(here).cloned() else { return Ok(()) };
        if let Some(form) = arrival.params.get(there).cloned() {
            return match self.formed_at(here, &value, &form)? {
                Some(operand) => {
                    arrival.args.insert(there.clone(), operand);
                    Ok(())
                }
                None => self.differs(arrival.key, there, &form, &value),
            };
        }
        let Some(known) = arrival.there.get(there).cloned() else { return Ok(()) };
        match (&known, &value) {
            (Value::Dead(_), _) => Ok(()),
            (Value::Object(met @ ObjectId::Met(_)), _)
                if self.learnt.met(arrival.key, there) == *met =>
            {
                self.arrive_met(arrival, there, met, &value)
            }
            (Value::Object(a), Value::Object(b)) if a == b => self.arrive_object(arrival, a, b),
            (Value::Object(a @ ObjectId::Input(path)), Value::Lazy(b)) if path == b => {
                if self.owner_null(here) != Operand::Bool(false) {
                    let text = "a field of an event that may be null is replaced";
                    return refuse(RefusalKind::Unsupported, text);
                }
                self.force_slot(here)?;
                self.arrive_object(arrival, a, a)
            }
            (Value::Lazy(a), Value::Object(ObjectId::Input(b))) if a == b => {
                self.learnt.takes(arrival.key, there, &Form::Forced);
                Ok(())
            }
            (known, value) if known == value => Ok(()),
            (known, Value::Scalar(Prim::Text, Operand::Reg(text)))
                if self.is_behind(known, *text) =>
            {
                Ok(())
            }
            (known, value) => {
                let form = self.form_in(&arrival.there, known).join(&self.form(value));
                self.learnt.takes(arrival.key, there, &form);
                Ok(())
            }
        }
    }

    /// Whether the object that has a field is null.
    fn owner_null(&self, slot: &Slot) -> Operand {
        match slot {
            Slot::Field(id, _) => match self.state.objects.get(id) {
                Some(object) => object.null.clone(),
                None => Operand::Bool(false),
            },
            _ => Operand::Bool(false),
        }
    }

    /// The value at a place as a parameter takes it. A field of an event that is null is not read for that.
    fn formed_at(&mut self, slot: &Slot, value: &Value, form: &Form) -> Run<Option<Operand>> {
        let null = self.owner_null(slot);
        if !matches!(value, Value::Lazy(_)) || null == Operand::Bool(false) {
            return self.formed(value, form);
        }
        let (nothing, ty) = match form {
            Form::Scalar(prim) => {
                (Value::Scalar(*prim, Operand::zero(*prim)), prim.word().to_owned())
            }
            Form::Nullable(boxed) => (Value::Null, format!("{}?", boxed.prim().word())),
            Form::Ref(_) => (Value::Null, "ref".to_owned()),
            _ => return self.formed(value, form),
        };
        if null == Operand::Bool(true) {
            return self.formed(&nothing, form);
        }
        let (none, some, both) = (self.text.block(), self.text.block(), self.text.block());
        let result = self.text.param(both, ty);
        self.text.end(format!("branch {null}, {}, {}", Text::label(none), Text::label(some)));
        for (block, value) in [(none, &nothing), (some, value)] {
            self.text.go_on_in(block);
            let Some(operand) = self.formed(value, form)? else { return Ok(None) };
            self.text.end(format!("jump {}({operand})", Text::label(both)));
        }
        self.text.go_on_in(both);
        Ok(Some(Operand::Reg(result)))
    }

    /// A place turned out to take a value of another form.
    fn differs(&mut self, key: &Key, slot: &Slot, form: &Form, value: &Value) -> Run<()> {
        let joined = form.join(&self.form(value));
        // What is of that form and yet no parameter of it fits nothing.
        let joined = if joined == *form { Form::Dead } else { joined };
        self.learnt.takes(key, slot, &joined);
        Ok(())
    }

    fn arrive_met(
        &mut self,
        arrival: &mut Arrival<'_>,
        slot: &Slot,
        met: &ObjectId,
        value: &Value,
    ) -> Run<()> {
        let class = arrival.there.objects.get(met).map(|object| Rc::clone(&object.class));
        let Some(class) = class else { return Ok(()) };
        let id = match value {
            Value::Object(id) => id.clone(),
            Value::Null => {
                // As good as an object that is null.
                let object = self.null_object(&class)?;
                let id = met.clone();
                let hidden = self.state.objects.insert(id.clone(), object);
                let result = self.arrive_object(arrival, met, &id);
                match hidden {
                    Some(object) => self.state.objects.insert(id, object),
                    None => self.state.objects.remove(&id),
                };
                return result;
            }
            other => return self.differs(arrival.key, slot, &Form::Object(class), other),
        };
        let same_class = self.state.objects.get(&id).is_some_and(|object| object.class == class);
        if !same_class {
            return self.differs(arrival.key, slot, &Form::Object(class), value);
        }
        if self.state.references(&id) > 1 {
            self.escape(&id)?;
        }
        self.arrive_object(arrival, met, &id)
    }

    fn arrive_object(
        &mut self,
        arrival: &mut Arrival<'_>,
        there: &ObjectId,
        here: &ObjectId,
    ) -> Run<()> {
        let (Some(known), Some(object)) =
            (arrival.there.objects.get(there), self.state.objects.get(here))
        else {
            return Ok(());
        };
        if !arrival.seen.insert(there.clone()) {
            return Ok(());
        }
        let slot = Slot::Null(there.clone());
        if arrival.params.contains_key(&slot) {
            arrival.args.insert(slot, object.null.clone());
        } else if known.null != object.null {
            self.learnt.takes(arrival.key, &slot, &Form::Scalar(Prim::Bool));
        }
        if known.record.is_some() && known.record != object.record {
            let slot = Slot::Field(there.clone(), RECORD.into());
            self.learnt.takes(arrival.key, &slot, &Form::Dead);
        }
        for name in field_names(&arrival.there, there) {
            let to = Slot::Field(there.clone(), Rc::clone(&name));
            self.arrive_slot(arrival, &to, &Slot::Field(here.clone(), name))?;
        }
        Ok(())
    }

    /// An object is seen by others: it must live in the heap.
    pub(crate) fn escape<T>(&mut self, id: &ObjectId) -> Run<T> {
        match id {
            ObjectId::Site(context, at) => {
                self.learnt.heap.insert((*context, *at));
            }
            ObjectId::Met(met) => {
                let place = self.learnt.met[*met as usize].clone();
                let class = self.state.objects.get(id).map(|object| Rc::clone(&object.class));
                let facts = class.map_or_else(Facts::default, |class| Facts::exact(&class));
                self.learnt.forms.insert(place, Form::Ref(facts));
            }
            ObjectId::Input(path) if path.is_empty() => self.learnt.heap_input = true,
            ObjectId::Input(_) => {
                return refuse(RefusalKind::Unsupported, "an object in the event is passed on");
            }
            ObjectId::This => {
                return refuse(RefusalKind::State, "the function passes itself on");
            }
        }
        Err(Stop::Again)
    }
}

fn field_names(state: &State, id: &ObjectId) -> Vec<Rc<str>> {
    state.objects.get(id).map_or_else(Vec::new, |object| object.fields.keys().cloned().collect())
}
