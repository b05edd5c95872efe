//! Older versions inside a deployed query: each is its own JSON text, since the schema of a record can't hold itself.

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

use crate::DeployedQuery;

pub fn serialize<S: Serializer>(older: &[DeployedQuery], to: S) -> Result<S::Ok, S::Error> {
    let texts: Result<Vec<String>, _> = older.iter().map(serde_json::to_string).collect();
    texts.map_err(S::Error::custom)?.serialize(to)
}

pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<DeployedQuery>, D::Error> {
    let texts = Vec::<String>::deserialize(from)?;
    texts.iter().map(|text| serde_json::from_str(text).map_err(D::Error::custom)).collect()
}
