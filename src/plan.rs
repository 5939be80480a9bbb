//! Turns an experiment into ordered cases; an impossible case is a skip with a reason.
