//! The border `document` under any bytes.

#![no_main]

#[path = "../in_time.rs"]
mod in_time;

libfuzzer_sys::fuzz_target!(|data: &[u8]| in_time::in_time(tasuki::fuzz::document, data));
