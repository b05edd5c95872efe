//! The plain JSON that a person may send in the place of an Avro record (DESIGN section 2).

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, MapAccess, SeqAccess, Visitor};
use sluice_model::{Cut, DeviceEntry, DeviceState, Epoch, Mode, RoutingCommand, Share};

use crate::RecordError;
use crate::record::ControlRecord;

/// Whether a message is meant as JSON.
#[must_use]
pub fn is_json(message: &[u8]) -> bool {
    message.first() == Some(&b'{')
}

/// A routing command in JSON. Only what it asks for must be there; without a mode it is a person's.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CommandForm {
    cut: Option<Cut>,
    shares: Option<SharesForm>,
    #[serde(default = "manual")]
    mode: Mode,
    expires_at: Option<i64>,
    if_epoch: Option<Epoch>,
    #[serde(default)]
    issuer: String,
    #[serde(default)]
    reason: String,
}

const fn manual() -> Mode {
    Mode::Manual
}

/// A device entry in JSON; without a state the device joins.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryForm {
    partition: i32,
    source: String,
    #[serde(default = "joined")]
    state: DeviceState,
}

const fn joined() -> DeviceState {
    DeviceState::Joined
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ShareForm {
    cut: Cut,
    per_mille: i32,
}

/// Shares as a list of `{"cut":0,"per_mille":500}`, or as a map `{"0":500}` from cut to per mille.
struct SharesForm(Vec<Share>);

impl<'de> Deserialize<'de> for SharesForm {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SharesVisitor)
    }
}

struct SharesVisitor;

impl<'de> Visitor<'de> for SharesVisitor {
    type Value = SharesForm;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of {\"cut\":0,\"per_mille\":1000} or a map {\"0\":1000}")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<SharesForm, A::Error> {
        let mut shares = Vec::new();
        while let Some(ShareForm { cut, per_mille }) = list.next_element()? {
            shares.push(Share { cut, per_mille });
        }
        Ok(SharesForm(shares))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<SharesForm, A::Error> {
        let mut shares = Vec::new();
        while let Some((cut, per_mille)) = map.next_entry()? {
            shares.push(Share { cut, per_mille });
        }
        Ok(SharesForm(shares))
    }
}

/// Reads a routing command in JSON.
///
/// # Errors
/// [`RecordError::Json`], which names unknown fields.
pub fn command(message: &[u8]) -> Result<RoutingCommand, RecordError> {
    let form: CommandForm = parse(RoutingCommand::NAME, message)?;
    Ok(RoutingCommand {
        cut: form.cut,
        shares: form.shares.map(|SharesForm(shares)| shares),
        mode: form.mode,
        expires_at: form.expires_at,
        if_epoch: form.if_epoch,
        issuer: form.issuer,
        reason: form.reason,
    })
}

/// Reads a device entry in JSON.
///
/// # Errors
/// [`RecordError::Json`], which names unknown fields.
pub fn entry(message: &[u8]) -> Result<DeviceEntry, RecordError> {
    let form: EntryForm = parse(DeviceEntry::NAME, message)?;
    Ok(DeviceEntry { partition: form.partition, source: form.source, state: form.state })
}

fn parse<T: DeserializeOwned>(record: &'static str, message: &[u8]) -> Result<T, RecordError> {
    serde_json::from_slice(message).map_err(|e| RecordError::Json { record, text: e.to_string() })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{decode_command, decode_entry};

    fn shares(parts: &[(i32, i32)]) -> Option<Vec<Share>> {
        Some(parts.iter().map(|&(cut, per_mille)| Share { cut: Cut(cut), per_mille }).collect())
    }

    fn refusal(json: &str) -> String {
        decode_command(json.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn a_cut_alone_is_a_command_of_a_person() {
        let command = decode_command(br#"{"cut":2}"#).unwrap();
        let expected = RoutingCommand {
            cut: Some(Cut(2)),
            mode: Mode::Manual,
            ..RoutingCommand::release("", "")
        };
        assert_eq!(command, expected);
    }

    #[test]
    fn shares_have_two_forms() {
        let list = br#"{"shares":[{"cut":0,"per_mille":500},{"cut":2,"per_mille":500}]}"#;
        let map = br#"{"shares":{"0":500,"2":500}}"#;
        assert_eq!(decode_command(list).unwrap().shares, shares(&[(0, 500), (2, 500)]));
        assert_eq!(decode_command(list), decode_command(map));
    }

    #[test]
    fn every_field_can_be_given() {
        let json = br#"{"shares":null,"cut":1,"mode":"auto","expires_at":5,"if_epoch":6,"issuer":"me","reason":"why"}"#;
        let command = decode_command(json).unwrap();
        assert_eq!((command.cut, command.mode), (Some(Cut(1)), Mode::Auto));
        assert_eq!((command.expires_at, command.if_epoch), (Some(5), Some(Epoch(6))));
        assert_eq!((command.issuer.as_str(), command.reason.as_str()), ("me", "why"));
        assert_eq!(
            decode_command(br#"{"mode":"release"}"#).unwrap(),
            RoutingCommand::release("", "")
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (json, part) in [
            (r#"{"ct":2}"#, "unknown field `ct`, expected one of `cut`, `shares`, `mode`"),
            (r#"{"shares":[{"cut":0,"permille":1}]}"#, "unknown field `permille`"),
            (r#"{"cut":1,"cut":2}"#, "duplicate field `cut`"),
            (r#"{"cut":1.5}"#, "expected i32"),
            (
                r#"{"cut":2,"mode":"auot"}"#,
                "unknown variant `auot`, expected one of `auto`, `manual`",
            ),
            (r#"{"shares":5}"#, "a list of"),
            (r#"{"cut":2} x"#, "trailing characters"),
            (r#"{"cut":2"#, "EOF"),
        ] {
            let refusal = refusal(json);
            assert!(refusal.starts_with("no RoutingCommand: "), "{refusal}");
            assert!(refusal.contains(part), "{refusal}");
        }
    }

    #[test]
    fn entries() {
        let entry = decode_entry(br#"{"partition":3,"source":"replay"}"#).unwrap();
        assert_eq!(entry.state, DeviceState::Joined);
        let left = decode_entry(br#"{"partition":3,"source":"replay","state":"left"}"#).unwrap();
        assert_eq!(left, DeviceEntry { state: DeviceState::Left, ..entry });
        let error =
            decode_entry(br#"{"partition":3,"source":"replay","sate":"left"}"#).unwrap_err();
        assert!(error.to_string().contains("unknown field `sate`"), "{error}");
        let error = decode_entry(br#"{"source":"replay"}"#).unwrap_err();
        assert!(error.to_string().contains("missing field `partition`"), "{error}");
    }

    proptest! {
        #[test]
        fn anything_is_read_without_panic(text in r#"\{["a-z0-9:,{}\[\]\\ -]*"#, bytes: Vec<u8>) {
            let _ = decode_command(text.as_bytes());
            let _ = decode_entry(text.as_bytes());
            let _ = decode_command(&bytes);
            let _ = decode_entry(&bytes);
        }
    }
}
