// SPDX-License-Identifier: MIT
//! Links libpmudev. PMUDEV_LIB_DIR is the folder that has it, if the linker does not find it itself.

fn main() {
    println!("cargo:rerun-if-env-changed=PMUDEV_LIB_DIR");
    if let Ok(dir) = std::env::var("PMUDEV_LIB_DIR") {
        println!("cargo:rustc-link-search=native={dir}");
    }
    println!("cargo:rustc-link-lib=dylib=pmudev");
}
