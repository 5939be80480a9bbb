#![allow(clippy::unwrap_used)]

use std::fs;

use png::{BitDepth, Encoder};
use proptest::prelude::*;

use super::*;

fn encode(width: u32, height: u32, kind: (ColorType, BitDepth), data: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, width, height);
    encoder.set_color(kind.0);
    encoder.set_depth(kind.1);
    if kind.0 == ColorType::Indexed {
        encoder.set_palette(vec![0, 0, 0, 255, 255, 255, 255, 0, 0]);
        encoder.set_trns(vec![255, 255, 0]);
    }
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(data).unwrap();
    writer.finish().unwrap();
    bytes
}

/// A picture of 32 x 32 whose grey level is the column times 8.
fn ramp() -> Vec<u8> {
    let data: Vec<u8> = (0..32 * 32).map(|index| (index % 32 * 8) as u8).collect();
    encode(32, 32, (ColorType::Grayscale, BitDepth::Eight), &data)
}

fn decoded(bytes: &[u8]) -> Picture {
    decode(bytes, Path::new("x.png")).unwrap()
}

#[test]
fn every_kind_of_pixel_becomes_a_grey_level() {
    use BitDepth::{Eight, One, Sixteen, Two};
    use ColorType::{Grayscale, GrayscaleAlpha, Indexed, Rgb, Rgba};
    for (kind, pixel, level) in [
        ((Grayscale, Eight), &[77][..], 77),
        ((Grayscale, Sixteen), &[77, 200], 77),
        ((GrayscaleAlpha, Eight), &[0, 255], 0),
        ((GrayscaleAlpha, Eight), &[0, 0], 255),
        ((Rgb, Eight), &[255, 0, 0], 76),
        ((Rgb, Eight), &[255, 255, 255], 255),
        ((Rgb, Sixteen), &[0, 9, 255, 9, 0, 9], 150),
        ((Rgba, Eight), &[0, 0, 255, 255], 29),
        ((Rgba, Eight), &[0, 0, 255, 0], 255),
        ((Rgba, Sixteen), &[0, 0, 0, 0, 0, 0, 128, 0], 127),
        ((Indexed, Eight), &[1], 255),
        // Red, wholly transparent.
        ((Indexed, Eight), &[2], 255),
    ] {
        let data: Vec<u8> = pixel.iter().copied().cycle().take(16 * 16 * pixel.len()).collect();
        let picture = decoded(&encode(16, 16, kind, &data));
        assert_eq!(picture.pixels, vec![level; 256], "{kind:?} {pixel:?}");
    }
    // Several pixels in a byte.
    let picture = decoded(&encode(16, 16, (Grayscale, One), &[0b1000_0001; 32]));
    assert_eq!(picture.pixels[..8], [255, 0, 0, 0, 0, 0, 0, 255]);
    let picture = decoded(&encode(16, 16, (Indexed, Two), &[0b0001_0110; 64]));
    assert_eq!(picture.pixels[..4], [0, 255, 255, 255]);
}

#[test]
fn the_middle_counts_of_what_is_no_square_or_too_long() {
    let data: Vec<u8> = (0..16 * 20).map(|index| (index % 20) as u8).collect();
    let wide = decoded(&encode(20, 16, (ColorType::Grayscale, BitDepth::Eight), &data));
    assert_eq!((wide.side, wide.pixels[0], wide.pixels[15]), (16, 2, 17));
    let data: Vec<u8> = (0..1030 * 1026).map(|index| (index / 1026 % 251) as u8).collect();
    let large = decoded(&encode(1026, 1030, (ColorType::Grayscale, BitDepth::Eight), &data));
    assert_eq!((large.side, large.pixels[0]), (1024, 3));
}

#[test]
fn what_cannot_be_the_input_says_why_and_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.png");
    let says = |bytes: &[u8], words: &str| {
        fs::write(&path, bytes).unwrap();
        let text = read(&path).unwrap_err().to_string();
        assert!(text.contains("p.png") && text.contains(words), "{text}");
    };
    says(b"", "is not a PNG; convert it");
    says(b"GIF89a...........", "is not a PNG");
    says(&ramp()[..70], "is a broken PNG (it ends too early); save or copy it again");
    says(SIGNATURE, "it ends too early");
    let one = encode(1, 1, (ColorType::Rgb, BitDepth::Eight), &[1, 2, 3]);
    says(&one, "has 1 x 1 pixels; a pattern needs 16 x 16");
    // The header of a picture of 2^31 - 1 by 2^31 - 1, its checksum right.
    let mut huge = encode(16, 16, (ColorType::Grayscale, BitDepth::Eight), &[0; 256]);
    huge[16..24].copy_from_slice(&[0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff]);
    let sum = crc(&huge[12..29]);
    huge[29..33].copy_from_slice(&sum.to_be_bytes());
    says(&huge, "is too large (2147483647 x 2147483647 pixels");

    let missing = read(&folder.path().join("no.png")).unwrap_err().to_string();
    assert!(
        missing.contains("there is no file") && missing.contains("check the name"),
        "{missing}"
    );
    let text = read(folder.path()).unwrap_err().to_string();
    assert!(text.contains("is not a regular file; name a PNG"), "{text}");
}

/// The CRC-32 of a chunk, bit by bit.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, &byte| {
        (0..8).fold(sum ^ u32::from(byte), |sum, _| {
            if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 }
        })
    })
}

#[test]
fn a_picture_that_changed_is_not_the_one_that_was_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.png");
    fs::write(&path, ramp()).unwrap();
    let name = path.to_str().unwrap();
    let chosen = read(&path).unwrap();
    assert_eq!(*same(name, &chosen.sha256).unwrap(), chosen);
    let other = encode(16, 16, (ColorType::Grayscale, BitDepth::Eight), &[9; 256]);
    fs::write(&path, other).unwrap();
    let now = read(&path).unwrap().sha256;
    // Another picture has been read since, so that none is remembered.
    same(name, &now).unwrap();
    let text = same(name, &chosen.sha256).unwrap_err();
    assert!(text.contains(&chosen.sha256) && text.contains("choose it again"), "{text}");
    fs::remove_file(&path).unwrap();
    let text = same(name, &chosen.sha256).unwrap_err();
    assert!(text.contains("no file") && text.contains("another machine"), "{text}");
}

proptest! {
    #[test]
    fn a_broken_png_is_refused_or_read_but_never_panics(
        flips in prop::collection::vec((0usize..4096, any::<u8>()), 1..8),
        cut in 0usize..4096,
        mend in any::<bool>(),
    ) {
        let mut bytes = ramp();
        let length = bytes.len();
        for (at, value) in flips {
            bytes[at % length] = value;
        }
        if mend {
            // A header that is wrong although its checksum is right gets further.
            let sum = crc(&bytes[12..29]);
            bytes[29..33].copy_from_slice(&sum.to_be_bytes());
        }
        bytes.truncate((cut + 33).min(length));
        match decode(&bytes, Path::new("x.png")) {
            Ok(picture) => prop_assert_eq!(picture.pixels.len(), (picture.side * picture.side) as usize),
            Err(error) => prop_assert!(error.to_string().contains("x.png")),
        }
    }

    #[test]
    fn any_bytes_after_the_signature_are_refused_or_read(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = decode(&[SIGNATURE, &bytes[..]].concat(), Path::new("x.png"));
    }
}
