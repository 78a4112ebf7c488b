//! The function `hallucination_check`: one file for each thing that it checks, the evidence it compares with, and the
//! checker that collects findings.

mod checker;
mod citations;
mod evidence;
mod function;
mod links;
mod quotations;
mod tools;

pub use function::HallucinationCheck;
