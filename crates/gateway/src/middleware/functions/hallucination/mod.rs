//! The function `hallucination_check`: one file for each kind of check, the evidence, and the checker that collects
//! findings.

mod checker;
mod citations;
mod evidence;
mod function;
mod links;
mod quotations;
mod tools;

pub use function::HallucinationCheck;
