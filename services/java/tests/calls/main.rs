//! Calls of Java's library, here and by the JDK.
mod format;
mod harness;
mod json;
mod numbers;
mod regex;
mod text;
mod time;
