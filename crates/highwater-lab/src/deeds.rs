//! The bar of deeds and the open form: values to fill in, and the command line that they make.

use highwater_core::world::snapshot::Snapshot;
use highwater_scene::node::Node;
use highwater_scene::template::{Hole, tree};
use highwater_scene::words::lab as words;

use crate::form::{Field, FormKind, Input, Values};
use crate::menu::menu;

/// A form that is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenForm {
    /// Which.
    pub kind: FormKind,
    /// What is filled in.
    pub values: Values,
    /// Told apart from an earlier one: its fields begin anew.
    pub number: u32,
    /// Whether it was sent already.
    pub ran: bool,
}

/// Forms that stand in the bar; the others are under More.
const FIRST: [FormKind; 4] = [FormKind::Send, FormKind::Read, FormKind::Work, FormKind::Topic];

/// Those that are under More.
pub(crate) fn others() -> impl Iterator<Item = &'static FormKind> {
    FormKind::ALL.iter().filter(|kind| !FIRST.contains(kind))
}

/// The bar, and the open form below it.
#[must_use]
pub fn view(
    open: Option<&OpenForm>,
    open_menu: Option<&str>,
    snapshot: &Snapshot,
    say: &str,
) -> Node {
    let opens = |kind: &FormKind| {
        let is_open = open.is_some_and(|open| open.kind == *kind);
        tree(
            "<button type='button' class='btn btn-small' data-do='{}' aria-expanded='{}'>{}</button>",
            vec![
                format!("form:{}", kind.name()).into(),
                if is_open { "true" } else { "false" }.into(),
                words::form(kind.name()).into(),
            ],
        )
    };
    let first: Vec<Node> = FIRST.iter().map(opens).collect();
    let others: Vec<Node> = others().map(opens).collect();
    tree(
        "<div class='lab-deeds'><div class='lab-bar' role='group' aria-label='{}'>{}{}</div>{}</div>",
        vec![
            words::DEEDS.into(),
            first.into(),
            menu("more", words::MORE, open_menu, others).into(),
            open.map(|open| form(open, snapshot, say)).into(),
        ],
    )
}

fn form(open: &OpenForm, snapshot: &Snapshot, say: &str) -> Node {
    let name = open.kind.name();
    let fields = open.kind.fields(snapshot);
    let fields: Vec<Node> = fields.iter().map(|field| row(field, open)).collect();
    let command = match open.kind.command(&open.values, snapshot) {
        Ok(command) => format!("$ {command}"),
        Err(missing) => missing,
    };
    tree(
        "<form class='lab-form' data-do='{}' data-keys='form' id='lab-form' aria-label='{}' key='{}'>\
         <p class='lab-form-about'>{}</p><div class='lab-fields'>{}</div>\
         <output class='lab-command' aria-label='{}'>{}</output>\
         <div class='lab-form-end'><button type='submit' class='btn btn-primary'>{}</button>\
         <button type='button' class='btn btn-quiet' data-do='close-form'>{}</button></div>{}</form>",
        vec![
            format!("form:{name}").into(),
            words::form(name).into(),
            format!("{name}-{}", open.number).into(),
            words::form_about(name).into(),
            fields.into(),
            words::AS_COMMAND.into(),
            command.into(),
            words::RUN.into(),
            words::CLOSE.into(),
            // What came of it, where the one who pressed Run looks; it is said by ear already.
            open.ran
                .then(|| {
                    tree(
                        "<p class='lab-came' aria-hidden='true'>{}</p>",
                        vec![say.to_owned().into()],
                    )
                })
                .into(),
        ],
    )
}

fn row(field: &Field, open: &OpenForm) -> Node {
    let value = open.values.iter().find(|(name, _)| name == field.name);
    let value = value.map_or("", |(_, value)| value);
    let control = match &field.input {
        Input::Check => {
            return tree(
                "<label class='lab-check' key='{}'><input type='checkbox' name='{}' value='yes' checked='{}'/>{}</label>",
                vec![
                    field.name.into(),
                    field.name.into(),
                    (!value.is_empty()).into(),
                    field.label.into(),
                ],
            );
        }
        Input::Text(empty) => tree(
            "<input type='text' name='{}' value='{}' placeholder='{}' autocapitalize='off' autocomplete='off' \
             spellcheck='false'/>",
            vec![field.name.into(), value.to_owned().into(), (*empty).into()],
        ),
        Input::Number(least, most) => tree(
            "<input type='number' name='{}' value='{}' min='{}' max='{}' inputmode='numeric'/>",
            vec![field.name.into(), value.to_owned().into(), (*least).into(), most_of(*most)],
        ),
        Input::Choice(choices) => {
            let options: Vec<Node> = choices.iter().map(|choice| option(choice, value)).collect();
            tree("<select name='{}'>{}</select>", vec![field.name.into(), options.into()])
        }
    };
    tree(
        "<label class='lab-field' key='{}'><span>{}</span>{}</label>",
        vec![field.name.into(), field.label.into(), control.into()],
    )
}

fn most_of(most: i64) -> Hole {
    if most == i64::MAX { Hole::No } else { most.into() }
}

fn option((value, label): &(String, String), chosen: &str) -> Node {
    tree(
        "<option value='{}' selected='{}'>{}</option>",
        vec![value.clone().into(), (value == chosen).into(), label.clone().into()],
    )
}
