use proptest::prelude::*;

use super::*;
use crate::class::question::Answers;
use crate::class::vote::Answer;

fn question(id: &str) -> Question {
    let choices = ["global", "shared"].map(str::to_owned).to_vec();
    Question {
        id: id.to_owned(),
        text: "Which one is faster?".to_owned(),
        answers: Answers::Choice(choices),
        experiment: None,
        seen: false,
        context: Vec::new(),
    }
}

fn class() -> Class {
    let questions = vec![question("one"), question("two")];
    Class::new("Histogram".to_owned(), "ABCD".to_owned(), questions, 3)
}

fn choose(index: usize) -> Vote {
    Vote { answer: Answer::Choice(index), confidence: 2 }
}

/// Whether a seat is abandoned: none is.
fn nobody(_seat: usize) -> bool {
    false
}

impl Class {
    fn does(&mut self, event: Result<Event, Refusal>) -> Result<(), Refusal> {
        let event = event?;
        assert!(self.apply(&event), "{event:?}");
        Ok(())
    }

    fn key(&mut self, command: Command) -> Result<(), Refusal> {
        self.does(self.teach(command))
    }

    fn phase(&self) -> Phase {
        self.current().unwrap().1.phase
    }
}

#[test]
fn a_class_goes_through_every_phase_of_every_question_with_one_key() {
    let mut class = class();
    let mut seen = Vec::new();
    while class.key(Command::Next).is_ok() {
        seen.push((class.at().unwrap(), class.phase()));
    }
    let all = |question| Phase::ALL.map(|phase| (question, phase));
    assert_eq!(seen, [all(0), all(1)].concat());
    assert_eq!(class.teach(Command::Next), Err(Refusal::Last));
    class.key(Command::End).unwrap();
    assert!(class.has_ended());
    assert_eq!(class.teach(Command::Back), Err(Refusal::Ended));
    assert_eq!(class.join("x", "ABCD", None, nobody), Err(Refusal::Ended));
}

#[test]
fn a_seat_has_one_vote_in_each_round_and_may_change_it_while_it_is_open() {
    let mut class = class();
    class.does(class.join("a", " abcd ", None, nobody)).unwrap();
    assert_eq!(class.join("b", "ABCE", None, nobody), Err(Refusal::Code));
    class.does(class.join("b", "ABCD", None, nobody)).unwrap();
    assert_eq!(class.vote(0, 0, 0, choose(0)), Err(Refusal::Closed), "in the lobby");
    class.key(Command::Next).unwrap();
    assert_eq!(class.vote(0, 0, 0, choose(0)), Err(Refusal::Closed), "before the vote");
    class.key(Command::Vote).unwrap();
    class.does(class.vote(0, 0, 0, choose(0))).unwrap();
    class.does(class.vote(0, 0, 0, choose(1))).unwrap();
    class.does(class.vote(1, 0, 0, choose(1))).unwrap();
    assert_eq!(class.voted(), 2);
    assert_eq!(class.vote(1, 1, 0, choose(1)), Err(Refusal::Stale), "another question");
    assert_eq!(class.vote(1, 0, 1, choose(1)), Err(Refusal::Stale), "another round");
    assert_eq!(class.vote(1, 0, 0, choose(2)), Err(Refusal::Invalid));
    assert_eq!(class.vote(2, 0, 0, choose(1)), Err(Refusal::NoSeat));
    class.key(Command::Vote).unwrap();
    assert_eq!(class.phase(), Phase::Discuss);
    class.key(Command::Vote).unwrap();
    assert_eq!(class.voted(), 0, "the second vote counts anew");
    // Who comes late votes in the second round only.
    class.does(class.join("late", "ABCD", None, nobody)).unwrap();
    class.does(class.vote(2, 0, 1, choose(0))).unwrap();
    assert_eq!(class.join("one too many", "ABCD", None, nobody), Err(Refusal::Full));
    let (question, round) = class.current().unwrap();
    let tallies = round.tallies(question);
    assert_eq!(tallies[0], Tally::Choice(vec![[0, 0, 0], [0, 2, 0]]));
    assert_eq!(tallies[1], Tally::Choice(vec![[0, 1, 0], [0, 0, 0]]));
}

#[test]
fn no_vote_opens_again_once_the_result_was_shown() {
    let mut class = class();
    class.key(Command::Next).unwrap();
    assert_eq!(class.teach(Command::Back), Err(Refusal::First));
    class.key(Command::Next).unwrap();
    // Straight to the result: the vote closes.
    class.key(Command::Reveal).unwrap();
    assert_eq!(class.phase(), Phase::Reveal);
    assert_eq!(class.teach(Command::Vote), Err(Refusal::Revealed));
    class.key(Command::Hide).unwrap();
    assert_eq!(class.phase(), Phase::Closed);
    assert_eq!(class.teach(Command::Vote), Err(Refusal::Revealed));
    assert_eq!(class.teach(Command::Back), Err(Refusal::First), "never back into a vote");
    class.key(Command::Next).unwrap();
    class.key(Command::Next).unwrap();
    class.key(Command::Next).unwrap();
    assert_eq!((class.at(), class.phase()), (Some(1), Phase::Ask));
    // Back, and the first question is as it was left.
    class.key(Command::Back).unwrap();
    assert_eq!((class.at(), class.phase()), (Some(0), Phase::Explain));
}

#[test]
fn a_vote_that_was_closed_too_early_opens_again() {
    let mut class = class();
    for command in [Command::Next, Command::Vote, Command::Vote] {
        class.key(command).unwrap();
    }
    class.key(Command::Back).unwrap();
    assert_eq!(class.phase(), Phase::First);
    for command in [Command::Vote, Command::Vote, Command::Vote, Command::Vote] {
        class.key(command).unwrap();
    }
    assert_eq!(class.phase(), Phase::Second);
}

#[test]
fn a_full_class_gives_a_seat_without_a_vote_whose_browser_is_gone_to_another() {
    let mut class = class();
    for token in ["a", "b", "c"] {
        class.does(class.join(token, "ABCD", None, nobody)).unwrap();
    }
    class.key(Command::Next).unwrap();
    class.key(Command::Vote).unwrap();
    class.does(class.vote(0, 0, 0, choose(1))).unwrap();
    let gone = |seat: usize| seat < 2;
    assert_eq!(class.join("d", "ABCD", None, nobody), Err(Refusal::Full));
    assert_eq!(class.join("d", "ABCX", None, gone), Err(Refusal::Code));
    let name = Some("Dora".to_owned());
    class.does(class.join("d", "ABCD", name.clone(), gone)).unwrap();
    // Seat 0 has a vote, so it is seat 1; the browser that left it has to join again.
    assert_eq!(
        (class.seat_of("d"), class.seat_of("b"), class.seat_of("a")),
        (Some(1), None, Some(0))
    );
    assert_eq!((class.seats().len(), class.seats()[1].name.clone()), (3, name));
    class.does(class.vote(1, 0, 0, choose(0))).unwrap();
    assert_eq!(class.voted(), 2);
    let all = |_: usize| true;
    class.does(class.join("b", "ABCD", None, all)).unwrap();
    assert_eq!((class.seat_of("b"), class.seat_of("c")), (Some(2), None));
    class.does(class.vote(2, 0, 0, choose(0))).unwrap();
    assert_eq!(class.join("c", "ABCD", None, all), Err(Refusal::Full), "every seat has a vote");
    // A file cannot take a vote away, or give a seat that is none.
    for seat in [0, 7] {
        let token = "x".to_owned();
        assert!(!class.apply(&Event::Joined { token, seat: Some(seat), name: None }));
    }
}

fn events() -> impl Strategy<Value = Event> {
    let phase = (0usize..7).prop_map(|at| Phase::ALL[at]);
    prop_oneof![
        ("[a-c]", prop::option::of(0usize..4)).prop_map(|(token, seat)| Event::Joined {
            token,
            seat,
            name: None
        }),
        (0usize..4, phase).prop_map(|(question, phase)| Event::Moved { question, phase }),
        (0usize..4, 0usize..3, 0usize..3, 0usize..3, 0u8..5).prop_map(
            |(seat, question, round, index, confidence)| {
                let vote = Vote { answer: Answer::Choice(index), confidence };
                Event::Voted { seat, question, round, vote }
            }
        ),
    ]
}

proptest! {
    /// Whatever a file holds, counts never exceed the seats, and an event that is refused
    /// changes nothing.
    #[test]
    fn events_in_any_order_keep_the_class_sound(events in proptest::collection::vec(events(), 0..60)) {
        let mut class = class();
        for event in events {
            let before = class.clone();
            if !class.apply(&event) {
                prop_assert_eq!(&before, &class);
            }
        }
        for (question, round) in class.rounds() {
            for (tally, votes) in round.tallies(question).iter().zip(&round.votes) {
                prop_assert_eq!(tally.votes(), votes.len());
                prop_assert!(votes.len() <= class.seats().len());
            }
        }
        for command in [Command::Next, Command::Back, Command::Vote, Command::Reveal, Command::Hide] {
            if let Ok(event) = class.clone().teach(command) {
                prop_assert!(class.apply(&event));
            }
        }
    }
}
