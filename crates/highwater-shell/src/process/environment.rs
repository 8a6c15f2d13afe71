//! What words of a command line expand to: variables, results of `$( )`, paths that fit patterns.

use std::rc::Rc;

use highwater_core::scope;
use highwater_core::sorted_map::SortedMap;
use highwater_core::world::files::FileKind;

use crate::lang::{List, Scope, glob};
use crate::process::Out;
use crate::process::shell::Shell;

/// What a `$( )` has printed.
pub(super) type Printed = (Rc<List>, Vec<u8>);

/// What a shell and its copies keep.
#[derive(Clone, Debug, Default)]
pub(super) struct Environment {
    pub(super) variables: SortedMap<String, Vec<u8>>,
    pub(super) status: u8,
}

/// A shell, and what it can look at.
pub(super) struct View<'a, 'w> {
    pub(super) shell: &'a Shell,
    pub(super) out: &'a Out<'w>,
}

impl Scope for View<'_, '_> {
    fn variable(&self, name: &str) -> Option<&[u8]> {
        let variables = &self.shell.environment.variables;
        variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_slice())
    }

    fn exit_status(&self) -> u8 {
        self.shell.environment.status
    }

    fn substituted(&self, list: &Rc<List>) -> &[u8] {
        if !scope::CLUSTER {
            return b"";
        }
        let printed = self.shell.more.printed.iter().find(|(known, _)| Rc::ptr_eq(known, list));
        printed.map_or(b"", |(_, bytes)| bytes)
    }

    fn paths(&self, pattern: &[u8]) -> Vec<Vec<u8>> {
        if scope::CLUSTER { paths(pattern, self.out) } else { Vec::new() }
    }
}

/// Goes down the parts of a pattern, with all folders that fit so far.
fn paths(pattern: &[u8], out: &Out<'_>) -> Vec<Vec<u8>> {
    let mut found = vec![Vec::new()];
    let mut parts = pattern.split(|byte| *byte == b'/').peekable();
    while let Some(part) = parts.next() {
        let is_last = parts.peek().is_none();
        let mut next = Vec::new();
        for above in &found {
            for name in names(part, above, out) {
                let mut path = above.clone();
                path.extend_from_slice(&name);
                let kind =
                    if path.is_empty() { Ok(FileKind::Directory) } else { out.file_kind(&path) };
                let fits = if is_last { kind.is_ok() } else { kind == Ok(FileKind::Directory) };
                if fits {
                    if !is_last {
                        path.push(b'/');
                    }
                    next.push(path);
                }
            }
        }
        found = next;
    }
    found.sort();
    found
}

/// The names in a folder that fit one part.
fn names(part: &[u8], above: &[u8], out: &Out<'_>) -> Vec<Vec<u8>> {
    if !glob::is_pattern(part) {
        return vec![glob::plain(part)];
    }
    let folder = if above.is_empty() { b".".as_slice() } else { above };
    let mut names = out.list_files(folder).unwrap_or_default();
    names.retain(|name| glob::fits(part, name));
    names
}
