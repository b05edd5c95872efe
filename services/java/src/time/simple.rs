//! java.text.SimpleDateFormat.
