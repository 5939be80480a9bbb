//! Command-line types: what can be typed, turned into what is asked for.
