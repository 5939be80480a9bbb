//! What the form holds and how it reads what is typed.

use super::*;
use crate::experiment::Distribution;

fn form() -> Form {
    Form::new(Experiment::default())
}

fn field(form: &Form, label: &str) -> Field {
    form.fields().into_iter().find(|field| form.label(*field) == label).unwrap()
}

#[test]
fn every_field_that_can_be_typed_reads_what_it_shows() {
    let form = form();
    for field in form.fields().into_iter().filter(|field| !matches!(field, Field::Variant(_))) {
        let text = form.value(field);
        let again = Form::new(form.parse(field, &text).unwrap());
        assert_eq!(again.value(field), text, "{field:?}");
    }
}

#[test]
fn bad_text_is_refused_with_what_is_allowed() {
    let form = form();
    for (label, text, part) in [
        ("Block size", "0", "must be 1 to 1024"),
        ("Block size", "32,1025", "must be 1 to 1024"),
        ("Coarsening", "0", "must be 1 to 65536"),
        ("Sizes n", "2^40", "must be 0 to"),
        ("Sizes n", "2^10..", "not a number"),
        ("Bins", "1", "2 to 65536"),
        ("Binning", "hash", "modulo | range"),
        ("Input", "gauss", "uniform"),
        ("GPU", "Voodoo 2", "known"),
    ] {
        let error = form.parse(field(&form, label), text).unwrap_err();
        assert!(error.contains(part), "{label} {text}: {error}");
    }
}

#[test]
fn the_last_tick_stays() {
    let mut form = form();
    for tick in [0, 2] {
        form.toggle(tick).unwrap();
    }
    assert_eq!(form.experiment.variants, ["shared"]);
    assert!(form.toggle(1).is_err());
    assert_eq!(form.experiment.variants, ["shared"]);
    for tick in [0, 2] {
        form.toggle(tick).unwrap();
    }
    assert!(form.experiment.variants.is_empty(), "all ticked is written as none named");
}

#[test]
fn another_algorithm_brings_what_it_opens_on() {
    let mut form = form();
    form.experiment.seed = 9;
    form.experiment.dist = Distribution::Zipf(1.5);
    form.step(Field::Algorithm, 1).unwrap();
    let expected = algorithms::opening(algorithms::ALL[1]);
    assert_eq!(form.experiment.algorithm, algorithms::ALL[1].name());
    assert_eq!(form.experiment.sizes, expected.sizes);
    assert_eq!(form.experiment.blocks, expected.blocks);
    assert_eq!(form.experiment.coarsenings, expected.coarsenings);
    assert_eq!((form.experiment.seed, form.experiment.dist), (9, Distribution::Zipf(1.5)));
    form.step(Field::Algorithm, -1).unwrap();
    assert_eq!(form.experiment.sizes, Sizes::default());
    // The distribution goes on from its kind, whatever its parameter.
    form.step(Field::Input, 1).unwrap();
    assert_eq!(form.experiment.dist, Distribution::Constant);
}

#[test]
fn every_step_leads_to_a_valid_experiment_and_ends_stop() {
    let mut form = form();
    for field in form.fields() {
        for by in [1, -1] {
            for _ in 0..40 {
                let _ = form.step(field, by);
                assert!(!form.experiment.sizes.values().is_empty());
                assert!(!form.experiment.blocks.is_empty());
            }
        }
    }
    form.experiment = form.of_algorithm("histogram");
    let block = field(&form, "Block size");
    for _ in 0..20 {
        form.step(block, 1).unwrap();
    }
    assert_eq!(form.value(block), "1024");
}

#[test]
fn a_picture_is_typed_by_its_name() {
    let mut form = form();
    form.experiment = form.of_algorithm("dominant-peaks");
    let params = form.algorithm().params();
    let image = Field::Param(params.iter().position(|param| param.name == "image").unwrap());
    assert_eq!((form.value(image), form.choices(image)), ("none".to_owned(), None));
    let error = form.parse(image, "no-such.png").unwrap_err();
    assert!(error.contains("there is no file no-such.png"), "{error}");
    let step = form.step(image, 1).unwrap_err();
    assert!(step.contains("the name of a PNG file"), "{step}");

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.png");
    let mut encoder = png::Encoder::new(std::fs::File::create(&path).unwrap(), 16, 16);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.write_header().unwrap().write_image_data(&[9; 256]).unwrap();
    let name = path.to_str().unwrap();
    form.experiment = form.parse(image, name).unwrap();
    assert_eq!(form.value(image), name);
    form.experiment = form.parse(image, "none").unwrap();
    assert_eq!(form.value(image), "none");
}
