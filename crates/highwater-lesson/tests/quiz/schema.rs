//! The JSON schema of a `quiz` block says what the reader says: the same fields, and the same of every example.

use std::fs;
use std::path::Path;

use highwater_lesson::quiz::toml::{DRAWING, FIELDS, TYPES};
use serde_json::Value;

use crate::everything;

fn schema() -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/quiz.schema.json");
    serde_json::from_str(&fs::read_to_string(file).expect("the schema")).expect("it is JSON")
}

fn names(object: &Value) -> Vec<String> {
    let mut names: Vec<String> = object.as_object().expect("an object").keys().cloned().collect();
    names.sort();
    names
}

/// What of a schema's language ours uses; anything else in it fails the test.
fn faults(schema: &Value, root: &Value, value: &Value, at: &str, out: &mut Vec<String>) {
    for (word, rule) in schema.as_object().expect("a schema is an object") {
        if let Some(what) = fault(word, rule, schema, value) {
            out.push(format!("{at}: {what}"));
        }
    }
    inside(schema, root, value, at, out);
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.strip_prefix("#/$defs/").expect("a reference to a definition");
        let found = root["$defs"].get(name).unwrap_or_else(|| panic!("no definition {name}"));
        faults(found, root, value, at, out);
    }
    for word in ["oneOf", "anyOf"] {
        let Some(ways) = schema[word].as_array() else { continue };
        let found: Vec<Vec<String>> = ways
            .iter()
            .map(|way| {
                let mut own = Vec::new();
                faults(way, root, value, at, &mut own);
                own
            })
            .collect();
        let fits = found.iter().filter(|own| own.is_empty()).count();
        if fits == 0 || (word == "oneOf" && fits > 1) {
            out.push(format!("{at}: {fits} of {word} fit: {found:?}"));
        }
    }
}

/// What one word of a schema finds wrong with a value itself.
fn fault(word: &str, rule: &Value, schema: &Value, value: &Value) -> Option<String> {
    let count = || rule.as_u64().expect("a number");
    let length = value.as_array().map(|list| list.len() as u64);
    let bad = match word {
        "type" => !is_of(rule.as_str().expect("a name"), value),
        "const" => value != rule,
        "enum" => !rule.as_array().expect("a list").contains(value),
        "minLength" => value.as_str().is_some_and(str::is_empty),
        "pattern" => {
            assert_eq!(rule, "^[0-9a-f]{16}$", "the one pattern");
            let is_hash =
                |text: &str| text.len() == 16 && text.bytes().all(|b| b.is_ascii_hexdigit());
            !value.as_str().is_some_and(is_hash)
        }
        "maximum" => value.as_i64() > rule.as_i64(),
        "minimum" => value.as_i64() < rule.as_i64(),
        "minItems" => length.is_some_and(|length| length < count()),
        "maxItems" => length.is_some_and(|length| length > count()),
        "required" => rule
            .as_array()
            .expect("a list")
            .iter()
            .any(|name| value.get(name.as_str().expect("a name")).is_none()),
        "additionalProperties" if *rule == Value::Bool(false) => {
            let mut names = value.as_object().into_iter().flat_map(|it| it.keys());
            names.any(|name| schema["properties"].get(name).is_none())
        }
        "$schema" | "$id" | "$defs" | "title" | "description" | "default" => false,
        "additionalProperties" | "properties" | "items" | "$ref" | "oneOf" | "anyOf" => false,
        other => panic!("the test does not know {other:?}"),
    };
    bad.then(|| format!("{word} {rule}, but {value}"))
}

fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        other => panic!("a type {other}"),
    }
}

/// What is wrong inside a table or a list.
fn inside(schema: &Value, root: &Value, value: &Value, at: &str, out: &mut Vec<String>) {
    for (name, field) in value.as_object().into_iter().flatten() {
        let rest = schema.get("additionalProperties").filter(|rule| rule.is_object());
        if let Some(rule) = schema["properties"].get(name).or(rest) {
            faults(rule, root, field, &format!("{at}/{name}"), out);
        }
    }
    if let Some(rule) = schema.get("items") {
        for (place, one) in value.as_array().into_iter().flatten().enumerate() {
            faults(rule, root, one, &format!("{at}/{place}"), out);
        }
    }
}

fn judge(toml: &str) -> Vec<String> {
    let value: Value = toml::from_str(toml).expect("TOML");
    let (schema, mut out) = (schema(), Vec::new());
    faults(&schema, &schema, &value, "", &mut out);
    out
}

/// Every field that the reader knows is in the schema, and the other way round.
#[test]
fn fields_are_the_same() {
    let schema = schema();
    let common = FIELDS.iter().find(|(name, _)| *name == "question").expect("those of all").1;
    for (name, fields) in FIELDS.iter().filter(|(name, _)| *name != "question") {
        let table = if *name == "quiz" { &schema } else { &schema["$defs"][name] };
        let mut expected: Vec<String> = fields.iter().map(|field| (*field).to_owned()).collect();
        // What a figure answers has fields of its own alone.
        let is_type = TYPES.contains(name) && *name != "Predict";
        if is_type {
            expected.extend(common.iter().map(|field| (*field).to_owned()));
        }
        expected.sort();
        expected.dedup();
        assert_eq!(names(&table["properties"]), expected, "{name}");
        if is_type {
            let variant = &schema["$defs"][format!("{name}.variant")];
            let own = ["type", "id", "was", "variants"];
            expected.retain(|field| !own.contains(&field.as_str()));
            expected.retain(|field| !DRAWING.contains(&field.as_str()));
            assert_eq!(names(&variant["properties"]), expected, "a variant of {name}");
        }
    }
    let known: Vec<String> = FIELDS
        .iter()
        .map(|(name, _)| (*name).to_owned())
        .chain(TYPES.iter().map(|name| format!("{name}.variant")))
        .chain(["hash", "rule", "pair", "drawn"].map(str::to_owned))
        .collect();
    for name in names(&schema["$defs"]) {
        assert!(known.contains(&name), "the reader knows no {name}");
    }
}

#[test]
fn examples_are_valid() {
    assert_eq!(judge(everything()), Vec::<String>::new());
    let authors = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/AUTHORS.md");
    let authors = fs::read_to_string(authors).expect("docs/AUTHORS.md");
    let mut examples = 0;
    for block in authors.split("```toml\n").skip(1) {
        let toml = block.split("```").next().expect("a block");
        assert_eq!(judge(toml), Vec::<String>::new(), "{toml}");
        // What the schema accepts, the reader accepts.
        if toml.contains("\"Predict\"") {
            crate::predict::in_a_lesson(toml);
        } else {
            let _ = crate::quiz(toml);
        }
        examples += 1;
    }
    assert!(examples >= 5, "an example of each kind, not {examples}");
}

/// One that draws.
const SHORT: &str = "[[questions]]\ntype = \"ShortAnswer\"\nid = \"s\"\nseeds = 2\ndraw.a = [1, 2]\n\
    compute.b = '{a} + 1'\nprompt.prompt = \"{a}?\"\nanswer.answer = \"{b}\"\n";

/// One that a figure answers.
const PREDICT: &str = "[[questions]]\ntype = \"Predict\"\nid = \"p\"\nfigure = \"f\"\nuntil = \"end\"\n\
    prompt.prompt = \"?\"\nhints = [\"h\"]\noptions = [{ text = \"a\", claim = \"1 = 1\" }, { text = \"b\" }]\n";

/// What the reader refuses for its shape, the schema refuses too.
#[test]
fn the_schema_refuses_what_the_reader_refuses() {
    let order = "[[questions]]\ntype = \"Order\"\nprompt.prompt = \"?\"\nitems = [\"a\", \"b\"]\n";
    assert_eq!(judge(order), Vec::<String>::new());
    assert_eq!(judge(SHORT), Vec::<String>::new());
    let _ = crate::quiz(SHORT);
    assert_eq!(judge(PREDICT), Vec::<String>::new());
    for bad in [
        String::new(),
        order.replace("Order", "Ordre"),
        order.replace("items", "itmes"),
        order.replace("prompt.prompt", "prompt.promt"),
        order.replace("\"a\", \"b\"", "\"a\""),
        order.replace("prompt.prompt = \"?\"", "prompt = \"?\""),
        format!("{order}pairs = []\n"),
        format!("{order}before = [[1]]\n"),
        format!("{order}was = \"12\"\n"),
        format!("{order}[[questions.variants]]\ntype = \"Match\"\n"),
        format!("{order}draw = {{ a = [1, 2] }}\n"),
        SHORT.replace("[1, 2]", "[1]"),
        SHORT.replace("[1, 2]", "true"),
        SHORT.replace("seeds = 2", "seeds = 1"),
        SHORT.replace("seeds = 2", "seeds = 21"),
        PREDICT.replace("figure = \"f\"\n", ""),
        PREDICT.replace("hints", "context"),
        PREDICT.replace("[\"h\"]", "[\"h\", \"i\"]"),
    ] {
        assert!(!judge(&bad).is_empty(), "{bad}");
        let source = highwater_lesson::Source { file: "q.toml", text: &bad };
        assert!(highwater_lesson::quiz::toml::read_file(&source, "q").is_err(), "{bad}");
    }
}
