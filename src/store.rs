//! Append-only storage of records, one JSON line per case.
