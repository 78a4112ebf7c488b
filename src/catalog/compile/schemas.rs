//! The steps that change the schemas of a tool, in their order.
//!
//! Each step reads the result of the one before with [`PrimitiveDraft::member`] and writes its own with
//! [`PrimitiveDraft::replace`]. A step that changes nothing must not replace: most tools are then copied as they are.

use super::primitive_draft::PrimitiveDraft;
use crate::catalog::model::{kind::Kind, rules::Assignments};

/// The member that holds the schema of a tool's arguments.
pub(crate) const INPUT_SCHEMA: &str = "inputSchema";

/// Changes the schemas of a tool: bound parameters leave them, then conditions on arguments narrow them, then long
/// definitions are shortened.
pub(crate) fn rewrite_schemas(_assignments: &Assignments, listed: &mut PrimitiveDraft<'_>) {
    if listed.kind != Kind::Tool {
        return;
    }
    // 1. Bound parameters leave `inputSchema`.
    // 2. Conditions on arguments narrow it.
    // 3. Definitions are shortened.
}
