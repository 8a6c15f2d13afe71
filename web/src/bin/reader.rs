//! The lesson page: mounts every figure with its questions.

fn main() {
    highwater_web::panic::install();
    highwater_web::components::view::mount_all();
}
