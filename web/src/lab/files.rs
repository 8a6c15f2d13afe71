//! Files: those that a reader opens or drops, and those that the Lab offers.

use highwater_lab::Heard;
use js_sys::{Array, Promise};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{
    Blob, BlobPropertyBag, CanvasRenderingContext2d, Document, DragEvent, File, HtmlAnchorElement,
    HtmlCanvasElement, HtmlElement, HtmlImageElement, HtmlInputElement, Url,
};

use super::app::Shared;
use super::view::callback;
use super::wishes::fail;
use crate::island::find;

/// The most bytes that are read.
const MOST: f64 = 16.0 * 1024.0 * 1024.0;
/// Pixels of a picture for one of the drawing.
const DENSITY: u32 = 2;
/// How long a browser may take to begin with a file that is offered.
const OFFERED_MS: i32 = 60_000;
const CHOOSER: &str = "[data-lab-file]";

fn document() -> Option<Document> {
    web_sys::window()?.document()
}

/// Lets the reader choose a file.
pub(super) fn choose(app: Shared) {
    let chooser = || -> Option<HtmlInputElement> {
        let document = document()?;
        // What an engine before this one has left behind would call it.
        if let Some(old) = find(&document.document_element()?, CHOOSER) {
            old.remove();
        }
        let input: HtmlInputElement = document.create_element("input").ok()?.unchecked_into();
        input.set_type("file");
        input.set_hidden(true);
        input.set_attribute("data-lab-file", "").ok()?;
        let chosen = callback(app, |app, event| {
            let event: &web_sys::Event = event.unchecked_ref();
            let input = event.target().map(JsCast::unchecked_into::<HtmlInputElement>);
            if let Some(file) = input.and_then(|input| input.files()?.get(0)) {
                spawn_local(read(app, file));
            }
        });
        input.add_event_listener_with_callback("change", &chosen).ok()?;
        // Outside the island: what is pressed here by the program is no press of the reader's.
        document.body()?.append_child(&input).ok()?;
        Some(input)
    };
    match chooser() {
        Some(input) => input.click(),
        None => fail(app, "No file can be chosen here."),
    }
}

/// Something is dragged over the island, or dropped on it: a file is taken.
pub(super) fn dragged(app: Shared, event: &DragEvent) {
    let Some(data) = event.data_transfer() else { return };
    if !data.types().includes(&"Files".into(), 0) {
        return;
    }
    // Else the browser would leave the page for the file.
    event.prevent_default();
    if event.type_() == "drop"
        && let Some(file) = data.files().and_then(|files| files.get(0))
    {
        spawn_local(read(app, file));
    }
}

async fn read(app: Shared, file: File) {
    let name = file.name();
    if file.size() > MOST {
        return fail(app, &[&name, " is larger than 16 MB."].concat());
    }
    match JsFuture::from(file.text()).await.ok().and_then(|text| text.as_string()) {
        Some(text) => {
            app.borrow_mut().tell(Heard::File { name, text });
        }
        None => fail(app, &[&name, " could not be read."].concat()),
    }
}

/// Offers a text as a file.
pub(super) fn offer_text(app: Shared, name: &str, media: &str, text: &str) {
    let kind = BlobPropertyBag::new();
    kind.set_type(media);
    let parts = Array::of1(&text.into());
    let blob = Blob::new_with_str_sequence_and_options(&parts, &kind).ok();
    if blob.and_then(|blob| offer(name, &blob)).is_none() {
        fail(app, &[name, " could not be made."].concat());
    }
}

fn offer(name: &str, blob: &Blob) -> Option<()> {
    let window = web_sys::window()?;
    let link: HtmlAnchorElement = document()?.create_element("a").ok()?.unchecked_into();
    let address = Url::create_object_url_with_blob(blob).ok()?;
    link.set_href(&address);
    link.set_download(name);
    link.unchecked_ref::<HtmlElement>().click();
    // By a function of the browser's own, which needs no engine any more.
    let forget = js_sys::Reflect::get(&window, &"URL".into()).ok()?;
    let forget = js_sys::Reflect::get(&forget, &"revokeObjectURL".into()).ok()?;
    let forget = forget.unchecked_ref::<js_sys::Function>();
    let later = window.set_timeout_with_callback_and_timeout_and_arguments_1(
        forget,
        OFFERED_MS,
        &address.into(),
    );
    later.ok().map(drop)
}

/// Offers a drawing as a picture.
pub(super) async fn offer_png(app: Shared, name: String, svg: String) {
    let made = paint(&svg).await.and_then(|blob| offer(&name, &blob));
    if made.is_none() {
        fail(app, &[&name, " could not be made."].concat());
    }
}

async fn paint(svg: &str) -> Option<Blob> {
    let image = HtmlImageElement::new().ok()?;
    // The policy allows pictures in `data:` addresses, and there is nothing to be forgotten later.
    let data: String = js_sys::encode_uri_component(svg).into();
    image.set_src(&["data:image/svg+xml,", &data].concat());
    JsFuture::from(image.decode()).await.ok()?;
    let canvas: HtmlCanvasElement = document()?.create_element("canvas").ok()?.unchecked_into();
    canvas.set_width(image.width() * DENSITY);
    canvas.set_height(image.height() * DENSITY);
    let brush: CanvasRenderingContext2d = canvas.get_context("2d").ok().flatten()?.unchecked_into();
    let (width, height) = (f64::from(canvas.width()), f64::from(canvas.height()));
    brush.draw_image_with_html_image_element_and_dw_and_dh(&image, 0.0, 0.0, width, height).ok()?;
    let painted = Promise::new(&mut |done, fail| {
        if canvas.to_blob(&done).is_err() {
            let _ = fail.call0(&JsValue::NULL);
        }
    });
    // Nothing comes where a picture is larger than a browser can make.
    JsFuture::from(painted).await.ok()?.dyn_into().ok()
}
