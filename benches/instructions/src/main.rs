//! The cases of `../run.mjs`: `bench-instructions CASE` prepares the input of a case, does its work once, so that what is
//! made only once exists, and once more inside [`measured`], the function that callgrind counts in.

mod cases;
mod host;
mod lists;
#[path = "../../../tests/properties/random.rs"]
#[allow(dead_code, clippy::indexing_slicing, reason = "numbers are drawn as the tests draw them")]
mod random;

use std::{hint::black_box, process::ExitCode};

/// The work of a case. What it returns depends on all of it, so that the compiler leaves nothing out.
type Work = Box<dyn FnMut() -> usize>;

fn main() -> ExitCode {
    let asked = std::env::args().nth(1);
    let Some((_, prepare)) = cases::CASES.iter().find(|(name, _)| Some(*name) == asked.as_deref()) else {
        cases::CASES.iter().for_each(|(name, _)| println!("{name}"));
        return ExitCode::from(u8::from(asked.is_some()));
    };
    match prepare() {
        Ok(mut work) => {
            let first = black_box(work());
            let second = measured(&mut work);
            println!("{second}");
            // A case that did nothing, or does something else each time, measures nothing.
            ExitCode::from(u8::from(first == 0 || first != second))
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The function whose instructions are counted, those of all that it calls included.
#[inline(never)]
fn measured(work: &mut Work) -> usize {
    black_box(work())
}
