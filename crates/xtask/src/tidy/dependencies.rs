//! Dependencies point one way, only the page's crates know the DOM, and the core depends on
//! nothing but a compressor.

use serde_json::Value;

use super::Finding;

/// What each crate of ours may depend on. A crate that is not named here must be added, with
/// thought.
const MAY: [(&str, &[&str]); 10] = [
    ("highwater-core", &[]),
    ("highwater-shell", &["highwater-core"]),
    ("highwater-scene", &["highwater-core"]),
    (
        "highwater-lesson",
        &["highwater-core", "highwater-shell", "highwater-scene", "highwater-lab"],
    ),
    ("highwater-lab", &["highwater-core", "highwater-shell", "highwater-scene"]),
    (
        "highwater-web",
        &[
            "highwater-core",
            "highwater-shell",
            "highwater-scene",
            "highwater-lesson",
            "highwater-lab",
        ],
    ),
    ("highwater-js", &["highwater-core", "highwater-shell", "highwater-scene"]),
    (
        "highwater-cli",
        &["highwater-core", "highwater-shell", "highwater-scene", "highwater-lesson"],
    ),
    ("xtask", &[]),
    // Tests may look at everything, and use xtask's server.
    ("highwater-tests", &["*"]),
];

/// What the core may depend on outside its tests: nobody writes gzip anew who wants its real sizes.
const CORE_MAY: [&str; 1] = ["miniz_oxide"];

const KNOW_THE_DOM: [&str; 2] = ["highwater-web", "highwater-js"];

/// Names that only make sense where there is a DOM, or a JavaScript engine.
const DOM: [&str; 8] = [
    "wasm-bindgen",
    "wasm-bindgen-futures",
    "serde-wasm-bindgen",
    "js-sys",
    "web-sys",
    "tsify",
    "yew",
    "gloo",
];

/// Reads what `cargo metadata` says about our own packages.
pub(crate) fn direction(metadata: &Value) -> Vec<Finding> {
    let members: Vec<&Value> =
        metadata["workspace_members"].as_array().into_iter().flatten().collect();
    let packages = metadata["packages"].as_array().into_iter().flatten();
    packages
        .filter(|package| members.contains(&&package["id"]))
        .flat_map(|package| {
            let name = package["name"].as_str().unwrap_or_default();
            let dependencies = package["dependencies"].as_array().into_iter().flatten();
            let mut findings: Vec<Finding> =
                dependencies.filter_map(|dependency| judge(name, dependency)).collect();
            if !MAY.iter().any(|(known, _)| *known == name) {
                findings.push(Finding::at(
                    name,
                    "a new crate: say in xtask/src/tidy/dependencies.rs what it may depend on",
                ));
            }
            findings
        })
        .collect()
}

fn judge(package: &str, dependency: &Value) -> Option<Finding> {
    let name = dependency["name"].as_str()?;
    // Cargo says null for a normal dependency.
    let for_tests = dependency["kind"].as_str() == Some("dev");
    let ours = MAY.iter().any(|(known, _)| *known == name);
    let may = MAY.iter().find(|(known, _)| *known == package).map_or(&[][..], |(_, may)| *may);
    let found = |message: String| Some(Finding::at(package, message));
    if ours && !may.contains(&name) && !may.contains(&"*") {
        return found(format!(
            "depends on {name}, against the one direction of docs/ARCHITECTURE.md"
        ));
    }
    if package == "highwater-core" && !for_tests && !CORE_MAY.contains(&name) {
        let may = CORE_MAY.join(", ");
        return found(format!("depends on {name}; outside its tests the core has only {may}"));
    }
    let dom = DOM.contains(&name) || name.starts_with("gloo-") || name.starts_with("yew-");
    if dom && !for_tests && !KNOW_THE_DOM.contains(&package) && package != "highwater-tests" {
        return found(format!("depends on {name}; only the page's crates know the DOM"));
    }
    let whole_lesson = name == "highwater-lesson" && dependency["uses_default_features"] == true;
    if package == "highwater-web" && whole_lesson {
        return found(
            "takes highwater-lesson with its builder; set `default-features = false`".to_owned(),
        );
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn found(package: &str, dependency: &str, kind: &Value) -> usize {
        let metadata = json!({
            "workspace_members": ["ours"],
            "packages": [
                { "id": "ours", "name": package, "dependencies": [
                    { "name": dependency, "kind": kind, "uses_default_features": true }
                ]},
                { "id": "theirs", "name": "yew", "dependencies": [
                    { "name": "web-sys", "kind": null }
                ]},
            ]
        });
        direction(&metadata).len()
    }

    #[test]
    fn arrows_that_point_back_are_found() {
        assert_eq!(found("highwater-shell", "highwater-core", &Value::Null), 0);
        assert_eq!(found("highwater-core", "highwater-shell", &Value::Null), 1);
        assert_eq!(found("highwater-core", "highwater-shell", &json!("dev")), 1);
        assert_eq!(found("highwater-scene", "highwater-shell", &Value::Null), 1);
        assert_eq!(found("highwater-tests", "xtask", &Value::Null), 0);
    }

    #[test]
    fn only_the_page_knows_the_dom_and_the_core_depends_on_little() {
        assert_eq!(found("highwater-web", "web-sys", &Value::Null), 0);
        assert_eq!(found("highwater-scene", "web-sys", &Value::Null), 1);
        assert_eq!(found("highwater-shell", "gloo-timers", &Value::Null), 1);
        assert_eq!(found("highwater-core", "serde", &Value::Null), 1);
        assert_eq!(found("highwater-core", "miniz_oxide", &Value::Null), 0);
        assert_eq!(found("highwater-core", "serde_json", &json!("dev")), 0);
        assert_eq!(found("highwater-web", "highwater-lesson", &Value::Null), 1);
        assert_eq!(found("highwater-news", "serde", &Value::Null), 1);
    }
}
