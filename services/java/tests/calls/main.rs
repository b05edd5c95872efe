//! Calls of Java's library, here and by the JDK.
mod harness;
mod numbers;
mod text;
mod time;
