//! Addresses that the loader must adjust take 24 bytes each, or next to nothing where they are packed: a megabyte of the image.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Known to glibc from 2.36 on, which is what Debian 12 and Raspberry Pi OS have and the image brings along; a linker that does
    // not know it warns.
    println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
}
