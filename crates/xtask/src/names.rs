//! Short names between the wasm and its glue.
//!
//! wasm-bindgen calls what it imports `__wbg_createElementNS_2f7464180077e8e4`, in the wasm and again
//! in the script; the numbers cannot be compressed. wasm-opt gives short names and says which; here
//! the script follows.

use serde_json::Value;

use crate::trouble::{Outcome, Trouble};

/// What wasm-opt has renamed, as it prints it with `--minify-imports-and-exports-and-modules`.
#[derive(Debug, Default)]
pub(crate) struct Renamed {
    /// Modules, old and new.
    modules: Vec<(String, String)>,
    /// Imported functions.
    imports: Vec<(String, String)>,
    /// Exports.
    exports: Vec<(String, String)>,
}

impl Renamed {
    /// Reads what wasm-opt has printed.
    pub(crate) fn read(printed: &str) -> Outcome<Self> {
        let unread = |_| {
            Trouble::new(
                "wasm-opt printed its new names in another form than version 132 does; see \
                 crates/xtask/src/names.rs.",
            )
        };
        let start = printed.find('{').unwrap_or(0);
        let value: Value = serde_json::from_str(&printed[start..]).map_err(unread)?;
        let mut renamed = Self::default();
        for import in value["imports"].as_array().into_iter().flatten() {
            let text = |n: usize| import[n].as_str().unwrap_or_default().to_owned();
            renamed.imports.push((text(1), text(2)));
            if !renamed.modules.iter().any(|(old, _)| *old == text(0)) {
                // The only module there is becomes `a`.
                renamed.modules.push((text(0), "a".to_owned()));
            }
        }
        for export in value["exports"].as_array().into_iter().flatten() {
            let text = |n: usize| export[n].as_str().unwrap_or_default().to_owned();
            renamed.exports.push((text(0), text(1)));
        }
        Ok(renamed)
    }

    /// The glue with the new names: imports are keys of an object, exports are read with a dot.
    pub(crate) fn follow(&self, script: &str) -> String {
        let mut out = String::with_capacity(script.len());
        let mut rest = script;
        while let Some(start) = rest.find(is_name_start) {
            let end = rest[start..].find(|c| !is_name(c)).map_or(rest.len(), |end| start + end);
            let name = &rest[start..end];
            out.push_str(&rest[..start]);
            let names = if out.ends_with('.') { &self.exports } else { &self.imports };
            let new = names.iter().find(|(old, _)| old == name).map(|(_, new)| new.as_str());
            out.push_str(new.unwrap_or(name));
            rest = &rest[end..];
        }
        out.push_str(rest);
        for (old, new) in &self.modules {
            out = out.replace(&format!("\"{old}\":"), &format!("\"{new}\":"));
        }
        out
    }
}

fn is_name_start(c: char) -> bool {
    c == '_' || c == '$' || c.is_ascii_alphabetic()
}

fn is_name(c: char) -> bool {
    is_name_start(c) || c.is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys and uses follow; words that only look alike stay.
    #[test]
    fn the_script_follows() {
        let printed = r#"{
 "imports": [ ["./reader_bg.js", "__wbg_item_5b70", "A"] ],
 "exports": [ ["memory", "a"], ["provoke_panic", "b"] ]
}"#;
        let renamed = Renamed::read(printed).unwrap();
        let script = "let i={__wbg_item_5b70(e,n){return e.item(n)}};return{__proto__:null,\
                      \"./reader_bg.js\":i}function P(){w.provoke_panic()}let m=w.memory.buffer,\
                      memory=1;export{P as provoke_panic}";
        assert_eq!(
            renamed.follow(script),
            "let i={A(e,n){return e.item(n)}};return{__proto__:null,\"a\":i}function P(){w.b()}\
             let m=w.a.buffer,memory=1;export{P as provoke_panic}"
        );
        assert!(Renamed::read("no json").is_err());
    }
}
