//! Routing commands as they stand in `sluice.control`.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Cut, Epoch, Share, Shares, SharesError};

/// Who a command speaks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The controller.
    Auto,
    /// A person: outranks the controller until a release.
    Manual,
    /// A person who hands the device back to the controller. The plan stays as it is.
    Release,
}

/// The value of a record of `sluice.control` (schemas/RoutingCommand.avsc).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoutingCommand {
    /// A binary plan.
    pub cut: Option<Cut>,
    /// A fractional plan, per mille by cut; in place of `cut`.
    pub shares: Option<Vec<Share>>,
    /// Who speaks.
    pub mode: Mode,
    /// Not accepted after this broker time, epoch milliseconds.
    pub expires_at: Option<i64>,
    /// Not accepted when the epoch in force is newer.
    pub if_epoch: Option<Epoch>,
    /// Who sent it, for people.
    pub issuer: String,
    /// Why, for people.
    pub reason: String,
}

/// What a well-formed command asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// Route by this plan.
    Route(Shares),
    /// Keep the plan, leave manual mode.
    Release,
}

/// A command that cannot be meant.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CommandError {
    /// Neither cut nor shares, or both.
    #[error("a command names either a cut or shares")]
    CutOrShares,
    /// A release that also routes.
    #[error("a release names neither cut nor shares")]
    Release,
    /// Shares that are no plan.
    #[error(transparent)]
    Shares(#[from] SharesError),
}

impl RoutingCommand {
    /// A command without conditions.
    #[must_use]
    pub fn route(shares: Shares, mode: Mode, issuer: &str, reason: &str) -> Self {
        let (cut, shares) = match shares.as_slice() {
            [only] => (Some(only.cut), None),
            _ => (None, Some(shares.into())),
        };
        Self { cut, shares, mode, ..Self::release(issuer, reason) }
    }

    /// The command that ends manual mode.
    #[must_use]
    pub fn release(issuer: &str, reason: &str) -> Self {
        Self {
            cut: None,
            shares: None,
            mode: Mode::Release,
            expires_at: None,
            if_epoch: None,
            issuer: issuer.to_owned(),
            reason: reason.to_owned(),
        }
    }

    /// What the command asks for, checked against the input's number of movable operators.
    ///
    /// # Errors
    /// A [`CommandError`] that says what is wrong with it.
    pub fn order(&self, operators: i32) -> Result<Order, CommandError> {
        let shares = match (self.mode, self.cut, &self.shares) {
            (Mode::Release, None, None) => return Ok(Order::Release),
            (Mode::Release, _, _) => return Err(CommandError::Release),
            (_, Some(cut), None) => Shares::binary(cut),
            (_, None, Some(shares)) => Shares::new(shares.clone())?,
            _ => return Err(CommandError::CutOrShares),
        };
        shares.check(operators)?;
        Ok(Order::Route(shares))
    }
}
