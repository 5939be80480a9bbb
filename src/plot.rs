//! Draws a figure as PNG or SVG.
