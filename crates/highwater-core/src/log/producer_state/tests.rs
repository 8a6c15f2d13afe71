//! Judging batches of idempotent producers.
