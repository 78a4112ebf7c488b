//! Splits a WebAssembly module, as built by the linker and wasm-bindgen, into one that is loaded first and parts that
//! are loaded on demand: `split MODULE MAP FOLDER PART…`.
//!
//! `MODULE` must contain function names, and `MAP` is its link map. The output folder receives `engine.wasm` and one
//! file for each part. A part is written `NAME[+REQUIRED…]=ROOT,…`: its name, the parts that are loaded with it, and
//! its root functions. A root `@NAME` is an export (`@NAME*` all exports with that prefix). Any other root stands for
//! the functions whose path ends with it.
//!
//! The first module keeps all exports. Code and data that only a part reaches move to that part. Calls to them go
//! through the table, in a slot that stays empty until the part is instantiated with the exports of the first module.
//! All modules share its memory, its table and its globals. Callers must load a part before they call its roots.
mod emit;
mod link_map;
mod module;
mod plan;

use std::{error::Error, fs, path::Path, process::ExitCode};

use module::Module;
use plan::{Part, Plan};

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [module, map, folder, parts @ ..] = arguments.as_slice() else {
        return Err("expected `split MODULE MAP FOLDER PART…`".into());
    };
    let bytes = fs::read(module)?;
    let module = Module::parse(&bytes)?;
    let objects = link_map::objects(&fs::read_to_string(map)?)?;
    let parts = parts.iter().map(|part| part.parse()).collect::<Outcome<Vec<Part>>>()?;
    let plan = Plan::new(&module, &objects, &parts)?;
    let folder = Path::new(folder);
    fs::create_dir_all(folder)?;
    fs::write(folder.join("engine.wasm"), emit::engine(&module, &plan)?)?;
    for (at, part) in parts.iter().enumerate() {
        fs::write(folder.join(format!("{}.wasm", part.name)), emit::part(&module, &plan, at)?)?;
        println!("{}: {}", part.name, plan.summary(&module, at));
    }
    Ok(())
}
