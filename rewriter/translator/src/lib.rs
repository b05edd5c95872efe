//! From class files to the IR of the native engine.
