//! The parsed input module: functions, calls, tables, exports and initial memory.

use std::collections::{BTreeMap, BTreeSet};

use wasmparser::{
    BinaryReader, DataKind, ElementItems, ElementKind, Export, ExternalKind, FunctionBody, GlobalType,
    KnownCustom, MemoryType, Name, Operator, Parser, Payload, TableType, TypeRef, ValType,
};

use crate::Outcome;

/// The parsed contents of a module. A function index counts imported functions first.
#[derive(Debug, Default)]
pub struct Module<'a> {
    pub types: Vec<(Vec<ValType>, Vec<ValType>)>,
    pub sections: BTreeMap<u8, BinaryReader<'a>>,
    /// The type indexes of the imported functions.
    pub imported: Vec<u32>,
    pub functions: Vec<Function<'a>>,
    pub memory: Option<MemoryType>,
    /// All tables; `function_table` is the index of the one that holds functions.
    pub tables: Vec<TableType>,
    pub function_table: u32,
    pub globals: Vec<GlobalType>,
    pub exports: Vec<Export<'a>>,
    /// The function indexes in the function table, by slot.
    pub slots: BTreeMap<u32, u32>,
    /// The data segments: the initial bytes of memory, by address.
    pub data: BTreeMap<u32, &'a [u8]>,
    pub bytes: &'a [u8],
}

/// A function that is not imported.
#[derive(Debug)]
pub struct Function<'a> {
    pub kind: u32,
    pub body: FunctionBody<'a>,
    /// The path of the function, without hashes and brackets.
    pub path: String,
    /// The functions that the code refers to by index.
    pub callees: BTreeSet<u32>,
    /// The constants in the code, which may be slots or addresses.
    pub constants: BTreeSet<u32>,
    /// The offsets of loads and stores, which may be addresses.
    pub offsets: BTreeSet<u32>,
}

impl<'a> Module<'a> {
    pub fn parse(bytes: &'a [u8]) -> Outcome<Self> {
        let mut module = Self { bytes, ..Self::default() };
        let mut kinds = Vec::new();
        for payload in Parser::new(0).parse_all(bytes) {
            let payload = payload?;
            if let Some((id, range)) = payload.as_section() {
                let section = bytes.get(range.clone()).ok_or("a section ends behind the module")?;
                module.sections.insert(id, BinaryReader::new(section, range.start));
            }
            match payload {
                Payload::TypeSection(types) => {
                    for kind in types.into_iter_err_on_gc_types() {
                        let kind = kind?;
                        module.types.push((kind.params().to_vec(), kind.results().to_vec()));
                    }
                }
                Payload::ImportSection(imports) => {
                    for import in imports.into_imports() {
                        match import?.ty {
                            TypeRef::Func(kind) => module.imported.push(kind),
                            _ => return Err("only functions may be imported".into()),
                        }
                    }
                }
                Payload::FunctionSection(functions) => {
                    kinds = functions.into_iter().collect::<Result<_, _>>()?
                }
                Payload::TableSection(tables) => {
                    for table in tables {
                        module.tables.push(table?.ty);
                    }
                }
                Payload::MemorySection(memories) => {
                    module.memory = memories.into_iter().next().transpose()?
                }
                Payload::GlobalSection(globals) => {
                    for global in globals {
                        module.globals.push(global?.ty);
                    }
                }
                Payload::ExportSection(exports) => {
                    module.exports = exports.into_iter().collect::<Result<_, _>>()?
                }
                Payload::StartSection { .. } => {
                    return Err("a module that starts by itself cannot be split".into());
                }
                Payload::ElementSection(elements) => {
                    for element in elements {
                        module.element(element?)?;
                    }
                }
                Payload::CodeSectionEntry(body) => {
                    let kind = kinds.get(module.functions.len()).copied().ok_or("a function has no type")?;
                    module.functions.push(Function::parse(kind, body)?);
                }
                Payload::DataSection(data) => {
                    for data in data {
                        let data = data?;
                        let DataKind::Active { memory_index: 0, offset_expr } = data.kind else {
                            return Err("expected data at fixed addresses".into());
                        };
                        module.data.insert(constant(offset_expr)?, data.data);
                    }
                }
                Payload::CustomSection(section) => {
                    if let KnownCustom::Name(names) = section.as_known() {
                        for name in names {
                            let Name::Function(functions) = name? else { continue };
                            for named in functions {
                                let named = named?;
                                let at = (named.index as usize).checked_sub(module.imported.len());
                                if let Some(function) = at.and_then(|at| module.functions.get_mut(at)) {
                                    function.path = path(named.name);
                                }
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(module)
    }

    /// Reads the slots that an element segment fills.
    fn element(&mut self, element: wasmparser::Element<'_>) -> Outcome<()> {
        let (ElementKind::Active { table_index, offset_expr }, ElementItems::Functions(functions)) =
            (element.kind, element.items)
        else {
            // The externref table is set up by the bindings, not by a segment of the module.
            return Err("expected functions in the table at fixed slots".into());
        };
        self.function_table = table_index.unwrap_or(0);
        let start = constant(offset_expr)?;
        for (slot, function) in (start..).zip(functions) {
            self.slots.insert(slot, function?);
        }
        Ok(())
    }

    /// Returns a function, or `None` if it is imported.
    pub fn function(&self, index: u32) -> Option<&Function<'a>> {
        self.functions.get((index as usize).checked_sub(self.imported.len())?)
    }

    /// Returns the type index of any function.
    pub fn kind(&self, index: u32) -> Option<u32> {
        self.imported.get(index as usize).copied().or_else(|| Some(self.function(index)?.kind))
    }

    /// Returns the indexes of the functions that are not imported.
    pub fn indices(&self) -> impl Iterator<Item = u32> + use<> {
        let first = self.imported.len() as u32;
        first..first + self.functions.len() as u32
    }

    /// Returns the names and indexes of the exported functions.
    pub fn exported(&self) -> impl Iterator<Item = (&'a str, u32)> {
        self.exports
            .iter()
            .filter(|export| export.kind == ExternalKind::Func)
            .map(|export| (export.name, export.index))
    }

    /// Returns the initial byte at an address.
    pub fn byte(&self, address: u32) -> u8 {
        let data = self.data.range(..=address).next_back();
        data.and_then(|(start, data)| data.get((address - start) as usize)).copied().unwrap_or_default()
    }
}

impl<'a> Function<'a> {
    fn parse(kind: u32, body: FunctionBody<'a>) -> Outcome<Self> {
        let (mut callees, mut constants, mut offsets) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for operator in body.get_operators_reader()? {
            let operator = operator?;
            match operator {
                Operator::Call { function_index }
                | Operator::ReturnCall { function_index }
                | Operator::RefFunc { function_index } => _ = callees.insert(function_index),
                Operator::I32Const { value } => _ = constants.insert(value as u32),
                // A 64-bit constant may hold two 32-bit addresses or slots.
                Operator::I64Const { value } => constants.extend([value as u32, (value >> 32) as u32]),
                Operator::V128Const { value } => {
                    constants.extend(value.bytes().chunks_exact(4).filter_map(word));
                }
                _ => {
                    if let Some(offset) = offset(&operator) {
                        offsets.insert(offset as u32);
                    }
                }
            }
        }
        Ok(Self { kind, body, path: String::new(), callees, constants, offsets })
    }
}

/// Reads four little-endian bytes as a number.
pub fn word(bytes: &[u8]) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}

/// Returns the offset of a load or store. Atomic instructions do not occur in the program.
fn offset(operator: &Operator<'_>) -> Option<u64> {
    macro_rules! offset_of {
        ($($name:ident)*) => {
            match operator {
                $(Operator::$name { memarg, .. })|* => Some(memarg.offset),
                _ => None,
            }
        };
    }
    offset_of! {
        I32Load I64Load F32Load F64Load I32Load8S I32Load8U I32Load16S I32Load16U I64Load8S I64Load8U
        I64Load16S I64Load16U I64Load32S I64Load32U I32Store I64Store F32Store F64Store I32Store8 I32Store16
        I64Store8 I64Store16 I64Store32 V128Load V128Load8x8S V128Load8x8U V128Load16x4S V128Load16x4U
        V128Load32x2S V128Load32x2U V128Load8Splat V128Load16Splat V128Load32Splat V128Load64Splat
        V128Load32Zero V128Load64Zero V128Store V128Load8Lane V128Load16Lane V128Load32Lane V128Load64Lane
        V128Store8Lane V128Store16Lane V128Store32Lane V128Store64Lane
    }
}

/// Returns the value of a constant expression.
fn constant(expression: wasmparser::ConstExpr<'_>) -> Outcome<u32> {
    match expression.get_operators_reader().read()? {
        Operator::I32Const { value } => Ok(value as u32),
        _ => Err("expected a fixed place".into()),
    }
}

/// Returns the path of a function as in the source, from either mangling: `<crate[1f]::a::T>::f` and
/// `crate::a::T::f::h0f…` both become `crate::a::T::f`.
fn path(name: &str) -> String {
    let mut path = String::new();
    let mut inside = false;
    for letter in name.chars() {
        match letter {
            '[' => inside = true,
            ']' => inside = false,
            '<' | '>' => {}
            _ if inside => {}
            letter => path.push(letter),
        }
    }
    match path.rsplit_once("::h") {
        Some((path, hash)) if hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            path.to_owned()
        }
        _ => path,
    }
}
