//! Splits a WebAssembly module, as the linker and wasm-bindgen made it, into one that is loaded first and parts that are
//! loaded on demand: `split MODULE MAP FOLDER PART…`.
//!
//! `MODULE` has names of functions, and `MAP` is the linker's map of it. The folder then holds `engine.wasm` and one file
//! for each part. A part is written `NAME[+REQUIRED…]=ROOT,…`: its name, the parts that are loaded with it, and what it
//! begins with. A root `@NAME` is an export, of any end if it ends in `*`; another is the path of a function.
//!
//! The first module keeps all exports. What only a part reaches moves to that part, code and data; calls of it go through
//! the table, in a slot that is empty until the part is instantiated with the exports of the first module. All modules
//! share its memory, its table and its globals. Code calls a root of a part only once the part is there.
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
