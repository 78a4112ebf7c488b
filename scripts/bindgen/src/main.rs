//! Writes the JavaScript bindings of a WebAssembly module: `bindgen web|worker MODULE FOLDER NAME`.
//!
//! `web` is for pages and Node, `worker` for workerd, which instantiates the module by itself and takes a fresh
//! instance after a panic. The folder then holds `NAME.js` and `NAME_bg.wasm`.
use std::error::Error;
use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

const USAGE: &str = "expected `bindgen web|worker MODULE FOLDER NAME`";

fn main() -> ExitCode {
    match generate() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn generate() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [target, module, folder, name] = arguments.as_slice() else {
        return Err(USAGE.into());
    };
    let mut bindgen = Bindgen::new();
    bindgen.input_path(module).out_name(name).typescript(false);
    match target.as_str() {
        "web" => bindgen.web(true)?,
        "worker" => {
            bindgen.reset_state_function(true).force_enable_abort_handler(true);
            bindgen.module(true)?
        }
        _ => return Err(USAGE.into()),
    };
    bindgen.generate(folder).map_err(|error| format!("{error:#}"))?;
    Ok(())
}
