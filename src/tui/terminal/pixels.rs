//! Pictures as pixels, in terminals that show them: the inside of the chart and the preview of
//! an export. They are drawn on a thread when something changes; until one is there, dots and
//! half blocks stand in its place.

use std::fmt;
use std::sync::mpsc::Sender;
use std::thread;

use image::{DynamicImage, RgbImage};
use ratatui::Frame;
use ratatui::layout::{Rect, Size};
use ratatui::style::Color;
use ratatui_image::Image;
use ratatui_image::protocol::Protocol;
use ratatui_image::protocol::iterm2::Iterm2;
use ratatui_image::protocol::kitty::Kitty;
use ratatui_image::protocol::sixel::Sixel;

use crate::export::image::{Inside, Pixels, Style, Way, plot};
use crate::tui::app::effect::Message;
use crate::tui::app::model::{Model, Screen};
use crate::tui::dialogs::state::Overlay;
use crate::tui::theme::{Name, Theme, rgb};
use crate::tui::widgets::ui::Drawn;

/// What a picture shows: two with the same key are the same.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Key {
    what: What,
    /// In cells.
    size: (u16, u16),
}

#[derive(Debug, Clone, PartialEq)]
enum What {
    Chart(Box<Inside>),
    Preview(Box<Pixels>),
}

/// A picture as the terminal takes it; none where it could not be made.
pub(crate) struct Ready {
    key: Key,
    protocol: Option<Protocol>,
}

impl fmt::Debug for Ready {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ready").field("size", &self.key.size).finish_non_exhaustive()
    }
}

/// Draws pictures in one terminal.
pub(crate) struct Pictures {
    way: Way,
    sender: Sender<Message>,
    asked: Option<Key>,
    ready: Option<Ready>,
    /// By this and the number of a picture kitty tells pictures apart.
    base: u32,
    number: u32,
}

impl Pictures {
    /// Pictures for the terminal on standard output; `None` where it shows none.
    pub(crate) fn new(way: Way, sender: Sender<Message>) -> Option<Self> {
        let (asked, ready) = (None, None);
        let base = std::process::id() << 8;
        (way != Way::Cells).then_some(Self { way, sender, asked, ready, base, number: 1 })
    }

    /// A picture that was asked for.
    pub(crate) fn take(&mut self, ready: Ready) {
        if self.asked.as_ref() == Some(&ready.key) {
            self.ready = Some(ready);
        }
    }

    /// Draws the picture of this frame over its dots, or asks for it.
    pub(crate) fn draw(&mut self, frame: &mut Frame, model: &Model, drawn: &Drawn) {
        let Some(cell) = cell() else { return };
        let Some((key, area)) = wanted(model, drawn, cell) else { return };
        match &self.ready {
            Some(ready) if ready.key == key => {
                if let Some(protocol) = &ready.protocol {
                    frame.render_widget(Image::new(protocol), area);
                }
            }
            _ if self.asked.as_ref() == Some(&key) => {}
            _ => self.ask(key, cell),
        }
    }

    /// Makes a picture on a thread, which sends it.
    fn ask(&mut self, key: Key, cell: (u32, u32)) {
        self.asked = Some(key.clone());
        // A few numbers in turn, so that the terminal keeps few pictures.
        let id = self.base | self.number;
        self.number = self.number % 4 + 1;
        let (way, sender) = (self.way, self.sender.clone());
        thread::spawn(move || {
            let protocol = made(&key, way, cell, id);
            // The main loop has left when nobody receives.
            let _ = sender.send(Message::Picture(Box::new(Ready { key, protocol })));
        });
    }
}

/// Width and height of a cell in pixels, where the terminal says so. It is not asked: the
/// system knows, or not.
fn cell() -> Option<(u32, u32)> {
    let window = crossterm::terminal::window_size().ok()?;
    let cell = |pixels: u16, cells: u16| u32::from(pixels).checked_div(u32::from(cells));
    let (wide, high) = (cell(window.width, window.columns)?, cell(window.height, window.rows)?);
    (wide >= 3 && high >= 6).then_some((wide, high))
}

/// What this frame shows, and where.
fn wanted(model: &Model, drawn: &Drawn, cell: (u32, u32)) -> Option<(Key, Rect)> {
    if model.look.ascii || !model.look.colour {
        return None;
    }
    if let (Some(Overlay::Export(export)), Some(area)) = (&model.overlay, drawn.preview) {
        let pixels = export.preview.clone()?;
        return Some((Key { what: What::Preview(pixels), size: area.as_size().into() }, area));
    }
    // While points arrive dots are as good, and cost less.
    if model.overlay.is_some() || model.screen != Screen::Sweep || model.run.is_some() {
        return None;
    }
    let (chart, area) = (&model.chart, drawn.plot.as_ref()?.area);
    let figure = chart.figure.clone()?;
    let x = chart.shown_x()?;
    let theme = Theme::new(model.look.theme, true);
    let inside = Inside {
        figure,
        x,
        y: chart.shown_y(x)?,
        cross: chart.cross(),
        lit: chart.lit(),
        size: (u32::from(area.width) * cell.0, u32::from(area.height) * cell.1),
        cell: cell.1,
        style: if model.look.theme == Name::Light { Style::Light } else { Style::Dark },
        ground: match theme.background() {
            Color::Indexed(index) => rgb(index),
            _ => (0, 0, 0),
        },
    };
    Some((Key { what: What::Chart(Box::new(inside)), size: area.as_size().into() }, area))
}

/// The picture in the terminal's protocol.
fn made(key: &Key, way: Way, cell: (u32, u32), id: u32) -> Option<Protocol> {
    let pixels = match &key.what {
        What::Chart(inside) => plot(inside).ok()?,
        What::Preview(pixels) => pixels.as_ref().clone(),
    };
    let picture =
        DynamicImage::ImageRgb8(RgbImage::from_raw(pixels.width, pixels.height, pixels.rgb)?);
    let size = Size::new(key.size.0, key.size.1);
    let (width, height) = (u32::from(size.width) * cell.0, u32::from(size.height) * cell.1);
    let picture = if (picture.width(), picture.height()) == (width, height) {
        picture
    } else {
        picture.resize_exact(width, height, image::imageops::FilterType::Triangle)
    };
    Some(match way {
        Way::Kitty => Protocol::Kitty(Kitty::new(picture, size, id, false, false).ok()?),
        Way::Iterm2 => Protocol::ITerm2(Iterm2::new(picture, size, false).ok()?),
        Way::Sixel => Protocol::Sixel(Sixel::new(picture, size, false).ok()?),
        Way::Cells => return None,
    })
}
