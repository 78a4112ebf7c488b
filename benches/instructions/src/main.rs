//! Runs a case of `../run.mjs`. `bench-instructions CASE` prepares the input of the case and does its work once, so
//! that one-time initialization is done. It then repeats the work inside [`measured`], the function in which callgrind
//! counts.

mod cases;
mod host;
mod lists;
#[path = "../../../tests/properties/random.rs"]
#[allow(dead_code, clippy::indexing_slicing, reason = "numbers are drawn as the tests draw them")]
mod random;

use std::{hint::black_box, process::ExitCode};

/// The work of a case. Its return value depends on all of the work, so that the compiler removes nothing.
type Work = Box<dyn FnMut() -> usize>;

fn main() -> ExitCode {
    let requested = std::env::args().nth(1);
    let Some((_, prepare)) = cases::CASES.iter().find(|(name, _)| Some(*name) == requested.as_deref()) else {
        cases::CASES.iter().for_each(|(name, _)| println!("{name}"));
        return ExitCode::from(u8::from(requested.is_some()));
    };
    match prepare() {
        Ok(mut work) => {
            let first = black_box(work());
            let second = measured(&mut work);
            println!("{second}");
            // A case that did nothing, or whose second run differs, is not a valid measurement.
            ExitCode::from(u8::from(first == 0 || first != second))
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the work. The instructions of this function and of all its callees are counted.
#[inline(never)]
fn measured(work: &mut Work) -> usize {
    black_box(work())
}
