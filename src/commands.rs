//! What each subcommand does: the composition root, one file per subcommand.
