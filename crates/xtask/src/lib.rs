//! What other packages of the workspace use of xtask: the small server that shows the built site.

pub mod site_server;
