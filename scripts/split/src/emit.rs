//! Writes the split modules: the one that is loaded first, and the parts that import its exports.

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hasher},
};

use wasm_encoder::{
    CodeSection, ConstExpr, DataSection, ElementSection, Elements, EntityType, ExportKind, ExportSection,
    Function, FunctionSection, ImportSection, Instruction, RawSection, SectionId, TableSection, TypeSection,
    reencode::{Error, Reencode, RoundtripReencoder},
};

use crate::{Outcome, module::Module, plan::Plan};

/// The module name from which parts import everything: the first module.
const SOURCE: &str = "engine";

/// Maps function indexes of the original module to those of a new module.
struct Renumbered<'a>(&'a BTreeMap<u32, u32>);

impl Reencode for Renumbered<'_> {
    type Error = String;

    fn function_index(&mut self, function: u32) -> Result<u32, Error<String>> {
        let missing = || Error::UserError(format!("function {function} is called, and no module has it"));
        self.0.get(&function).copied().ok_or_else(missing)
    }
}

/// Returns the export name of a table in the first module. It contains a hash of the module, so that a part from
/// another build cannot find it.
fn table_name(module: &Module<'_>, at: u32) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(module.bytes);
    format!("table{at}_{:x}", hasher.finish() as u32)
}

/// Returns the name under which modules share a function, a thunk or a global.
fn shared_name(kind: char, index: u32) -> String {
    format!("{kind}{index:x}")
}

/// Returns the bytes of the module that is loaded first.
pub fn engine(module: &Module<'_>, plan: &Plan) -> Outcome<Vec<u8>> {
    let mut round = RoundtripReencoder;
    let kept: Vec<u32> = module.indices().filter(|index| plan.in_engine(*index)).collect();
    let imported = module.imported.len() as u32;
    // In this module, a function of a part has the index of its thunk.
    let order = (0..imported).chain(kept.iter().copied()).chain(plan.thunks.keys().copied());
    let numbers: BTreeMap<u32, u32> = order.zip(0..).collect();
    let mut renumbered = Renumbered(&numbers);

    let mut out = wasm_encoder::Module::new();
    out.section(&types(module));
    copy(module, &mut out, SectionId::Import);
    let mut functions = FunctionSection::new();
    for index in kept.iter().chain(plan.thunks.keys()) {
        functions.function(module.kind(*index).ok_or("a function has no type")?);
    }
    out.section(&functions);
    let mut tables = TableSection::new();
    for table in tables_with_thunks(module, plan) {
        tables.table(round.table_type(table).map_err(|error| error.to_string())?);
    }
    out.section(&tables);
    copy(module, &mut out, SectionId::Memory);
    copy(module, &mut out, SectionId::Global);

    let mut exports = ExportSection::new();
    for export in &module.exports {
        let kind = round.export_kind(export.kind).map_err(|error| error.to_string())?;
        let index = if kind == ExportKind::Func { number(&numbers, export.index)? } else { export.index };
        exports.export(export.name, kind, index);
    }
    for at in 0..module.tables.len() as u32 {
        exports.export(&table_name(module, at), ExportKind::Table, at);
    }
    for at in 0..module.globals.len() as u32 {
        exports.export(&shared_name('g', at), ExportKind::Global, at);
    }
    let mut shared = std::collections::BTreeSet::new();
    for part in 0..plan.moved.len() {
        shared.extend(borrowed(module, plan, part));
    }
    for index in shared {
        exports.export(&shared_name('f', index), ExportKind::Func, number(&numbers, index)?);
    }
    out.section(&exports);

    let slots = module.slots.iter().filter(|(_, function)| plan.in_engine(**function));
    out.section(&elements(module, slots.map(|(slot, function)| (*slot, *function)), &numbers)?);
    let mut code = CodeSection::new();
    for index in &kept {
        copy_body(module, *index, &mut renumbered, &mut code)?;
    }
    for (function, slot) in &plan.thunks {
        let kind = module.kind(*function).ok_or("a function has no type")?;
        let parameters = module.types.get(kind as usize).map_or(0, |(parameters, _)| parameters.len() as u32);
        let mut thunk = Function::new([]);
        for at in 0..parameters {
            thunk.instruction(&Instruction::LocalGet(at));
        }
        thunk.instruction(&Instruction::I32Const(*slot as i32));
        thunk
            .instruction(&Instruction::CallIndirect { type_index: kind, table_index: module.function_table });
        thunk.instruction(&Instruction::End);
        code.function(&thunk);
    }
    out.section(&code);

    let mut data = DataSection::new();
    let left_out = plan.left_out();
    for (start, bytes) in &module.data {
        let (mut at, end) = (*start, *start + bytes.len() as u32);
        for object in left_out.iter().filter(|object| object.start < end && object.end() > *start) {
            piece(module, at, object.start.max(at), &mut data);
            at = object.end().min(end);
        }
        piece(module, at, end, &mut data);
    }
    out.section(&data);
    Ok(out.finish())
}

/// Returns the bytes of a part, which imports the first module's exports.
pub fn part(module: &Module<'_>, plan: &Plan, part: usize) -> Outcome<Vec<u8>> {
    let mut round = RoundtripReencoder;
    let own: Vec<u32> = module.indices().filter(|index| plan.in_part(*index, part)).collect();
    let borrowed = borrowed(module, plan, part);
    let numbers: BTreeMap<u32, u32> = borrowed.iter().chain(&own).copied().zip(0..).collect();
    let mut renumbered = Renumbered(&numbers);

    let mut out = wasm_encoder::Module::new();
    out.section(&types(module));
    let mut imports = ImportSection::new();
    for index in &borrowed {
        let kind = module.kind(*index).ok_or("a function has no type")?;
        imports.import(SOURCE, &shared_name('f', *index), EntityType::Function(kind));
    }
    let said = |error: Error<std::convert::Infallible>| error.to_string();
    for (at, table) in (0..).zip(tables_with_thunks(module, plan)) {
        let kind = EntityType::Table(round.table_type(table).map_err(said)?);
        imports.import(SOURCE, &table_name(module, at), kind);
    }
    let memory = module.memory.ok_or("expected a memory")?;
    imports.import(SOURCE, "memory", EntityType::Memory(round.memory_type(memory).map_err(said)?));
    for (at, global) in (0..).zip(&module.globals) {
        let kind = round.global_type(*global).map_err(said)?;
        imports.import(SOURCE, &shared_name('g', at), EntityType::Global(kind));
    }
    out.section(&imports);
    let mut functions = FunctionSection::new();
    for index in &own {
        functions.function(module.kind(*index).ok_or("a function has no type")?);
    }
    out.section(&functions);
    let is_own = |function: &u32| own.binary_search(function).is_ok();
    let slots = module
        .slots
        .iter()
        .filter(|(_, function)| is_own(function))
        .map(|(slot, function)| (*slot, *function));
    let thunks = plan
        .thunks
        .iter()
        .filter(|(function, _)| is_own(function))
        .map(|(function, slot)| (*slot, *function));
    out.section(&elements(module, slots.chain(thunks), &numbers)?);
    let mut code = CodeSection::new();
    for index in &own {
        copy_body(module, *index, &mut renumbered, &mut code)?;
    }
    out.section(&code);
    let mut data = DataSection::new();
    for object in plan.moved.get(part).into_iter().flatten() {
        piece(module, object.start, object.end(), &mut data);
    }
    out.section(&data);
    Ok(out.finish())
}

/// Returns the table types, with the function table enlarged by the slots for functions of parts.
fn tables_with_thunks(module: &Module<'_>, plan: &Plan) -> impl Iterator<Item = wasmparser::TableType> {
    let more = plan.thunks.len() as u64;
    (0..).zip(&module.tables).map(move |(at, table)| match at == module.function_table {
        true => wasmparser::TableType {
            initial: table.initial + more,
            maximum: table.maximum.map(|most| most + more),
            ..*table
        },
        false => *table,
    })
}

/// Returns the functions that a part calls but does not contain.
fn borrowed(module: &Module<'_>, plan: &Plan, part: usize) -> Vec<u32> {
    let own = module.indices().filter(|index| plan.in_part(*index, part));
    let callees = own.filter_map(|index| module.function(index)).flat_map(|function| &function.callees);
    let mut borrowed: Vec<u32> = callees.copied().filter(|callee| !plan.in_part(*callee, part)).collect();
    borrowed.sort_unstable();
    borrowed.dedup();
    borrowed
}

/// Returns the index of a function in a new module.
fn number(numbers: &BTreeMap<u32, u32>, function: u32) -> Outcome<u32> {
    numbers.get(&function).copied().ok_or_else(|| format!("function {function} has no number").into())
}

/// Returns the type section, which all modules share.
fn types(module: &Module<'_>) -> TypeSection {
    let mut types = TypeSection::new();
    let mut round = RoundtripReencoder;
    let mut values = |values: &[wasmparser::ValType]| -> Vec<wasm_encoder::ValType> {
        values.iter().filter_map(|value| round.val_type(*value).ok()).collect()
    };
    for (parameters, results) in &module.types {
        types.ty().function(values(parameters), values(results));
    }
    types
}

/// Copies a section of the original module, if it has one.
fn copy(module: &Module<'_>, out: &mut wasm_encoder::Module, id: SectionId) {
    if let Some(section) = module.sections.get(&(id as u8)) {
        out.section(&RawSection {
            id: id as u8,
            data: section.clone().read_bytes(section.bytes_remaining()).unwrap_or_default(),
        });
    }
}

/// Copies the body of a function with renumbered calls.
fn copy_body(
    module: &Module<'_>,
    index: u32,
    by: &mut Renumbered<'_>,
    code: &mut CodeSection,
) -> Outcome<()> {
    let body = module.function(index).ok_or("a function has no body")?.body.clone();
    by.parse_function_body(code, body).map_err(|error| error.to_string())?;
    Ok(())
}

/// Returns element segments that put functions into their slots, one segment per run of adjacent slots.
fn elements(
    module: &Module<'_>,
    slots: impl Iterator<Item = (u32, u32)>,
    numbers: &BTreeMap<u32, u32>,
) -> Outcome<ElementSection> {
    let mut runs: Vec<(u32, Vec<u32>)> = Vec::new();
    for (slot, function) in slots {
        let function = number(numbers, function)?;
        match runs.last_mut() {
            Some((start, run)) if *start + run.len() as u32 == slot => run.push(function),
            _ => runs.push((slot, vec![function])),
        }
    }
    let mut elements = ElementSection::new();
    let table = Some(module.function_table).filter(|table| *table > 0);
    for (start, run) in runs {
        elements.active(table, &ConstExpr::i32_const(start as i32), Elements::Functions(run.into()));
    }
    Ok(elements)
}

/// Adds a data segment with the bytes from `start` up to `end`, unless the range is empty.
fn piece(module: &Module<'_>, start: u32, end: u32, data: &mut DataSection) {
    if start < end {
        data.active(0, &ConstExpr::i32_const(start as i32), (start..end).map(|address| module.byte(address)));
    }
}
