//! The lesson page: mounts every figure with its questions.

/// An allocator for small code: 5 kB less than the standard library's.
#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

fn main() {
    highwater_web::panic::install();
    highwater_web::components::view::mount_all();
}
