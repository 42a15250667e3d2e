//! Names the shared library for those who link to it, and keeps it loaded: its threads must not lose their code.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let variable = |name| std::env::var(name).unwrap_or_default();
    if variable("CARGO_CFG_TARGET_OS") == "linux" {
        // Before 1.0 the second number may change the ABI, so it is part of the name.
        let abi = format!("{}.{}", variable("CARGO_PKG_VERSION_MAJOR"), variable("CARGO_PKG_VERSION_MINOR"));
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libtoolreeve.so.{abi}");
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
