//! Stage 4, movable: the chains, cut where the code of a function or the capture says so.

use sluice_model::FunctionKind;

use crate::capture::Capture;
use crate::chains::{Chain, Role, Step, has_record_time};
use crate::effects::{Analyst, Effects, Note};
use crate::graph::{Node, UserFunction};
use crate::options::Options;
use crate::reason::Reason;

/// A source with the operators that move.
#[derive(Debug, Clone, PartialEq)]
pub struct Movable {
    /// What moves.
    pub chain: Chain,
    /// What people should know of it, by node.
    pub notes: Vec<(i32, Note)>,
}

/// Cuts a chain where the code of a function says so.
#[must_use]
pub fn movable(
    capture: &Capture,
    analyst: &Analyst<'_>,
    options: &Options,
    chain: Chain,
) -> Movable {
    let mut movable = Movable { chain, notes: Vec::new() };
    let mut assigned = false;
    for at in 0..movable.chain.steps.len() {
        let step = movable.chain.steps[at];
        let node = capture.graph().node(step.node);
        let effects = function_of(node, step)
            .map(|(kind, function)| analyst.effects(kind, function))
            .unwrap_or_default();
        if let Some(reason) = refusal(capture, options, node, step, &effects) {
            movable.chain.cut(at, reason);
            break;
        }
        let source = capture.graph().node(movable.chain.source);
        if effects.reads_time.is_some() && !assigned && has_record_time(source) {
            // The job would not see that time either, once the source is another.
            movable.chain.stays = Some(Reason::RecordTime);
            movable.chain.cut(at, Reason::RecordTime);
            break;
        }
        assigned |= step.role == Role::Assigner;
        movable.notes.extend(effects.notes.into_iter().map(|note| (node.id, note)));
    }
    stay_with_broadcast(&mut movable.chain);
    movable
}

/// The function that runs in a step.
fn function_of(node: &Node, step: Step) -> Option<(FunctionKind, &UserFunction)> {
    match step.role {
        Role::Operator(kind) => Some((kind, node.function.as_ref()?)),
        Role::Assigner => {
            Some((FunctionKind::Assigner, node.watermarks.as_ref()?.timestamp_function()?))
        }
        Role::Source | Role::Reader | Role::Redistribution => None,
    }
}

fn refusal(
    capture: &Capture,
    options: &Options,
    node: &Node,
    step: Step,
    effects: &Effects,
) -> Option<Reason> {
    let trusted = options.trust.iter().any(|name| node.is_called(name));
    if let (Some(finding), false) = (effects.findings.first(), trusted) {
        return Some(Reason::Code(finding.clone()));
    }
    let operator = matches!(step.role, Role::Operator(_));
    (operator && capture.entry(&node.type_entry()).is_none()).then_some(Reason::NoType)
}

/// A stream that is broadcast is control, not data of devices.
fn stay_with_broadcast(chain: &mut Chain) {
    if chain.end.reason == Reason::Broadcast && chain.stays.is_none() {
        chain.stays = Some(Reason::Broadcast);
    }
}
