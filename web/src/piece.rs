//! A piece of a tree that is made anew only when it is another one: what stands in a `Node::Kept`.

use std::cell::Cell;
use std::rc::Rc;

use highwater_scene::node::Node;
use yew::virtual_dom::{VComp, VNode};
use yew::{Component, Context, Html, Properties};

use crate::adapter;

/// A component of its own, so that Yew passes over all that is in it.
struct Piece;

#[derive(Properties)]
struct Kept {
    node: Rc<Node>,
}

impl PartialEq for Kept {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.node, &other.node)
    }
}

impl Component for Piece {
    type Message = ();
    type Properties = Kept;

    fn create(_: &Context<Self>) -> Self {
        Self
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        MADE.set(MADE.get() + 1);
        adapter::html((*ctx.props().node).clone())
    }
}

thread_local! {
    static MADE: Cell<u32> = const { Cell::new(0) };
}

/// How many pieces have been made so far, or made anew.
#[must_use]
pub fn made() -> u32 {
    MADE.get()
}

/// The piece, with the key of what is in it.
pub(crate) fn html(node: Rc<Node>) -> Html {
    let key = node.as_element().and_then(|element| element.key.clone());
    VNode::from(VComp::new::<Piece>(Rc::new(Kept { node }), key.map(Into::into)))
}
