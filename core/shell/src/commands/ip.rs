//! `ip` shows and changes the network; only the forms that show are reading.

use std::borrow::Cow;

use super::{Context, Effects, Operands, Program};
use crate::flags::Order;
use crate::flags::Parsed;

pub(super) const PROGRAM: Program = Program {
    names: &["ip"],
    options: "-4 -6 -0 -s -d -o -br -brief -c -color? -j -json -p -pretty -stats -details -oneline -f= -family= -h \
        -human -r -resolve -t -n% -netns% -b% -batch% -B -N -iec",
    order: Order::OneDash,
    operands: Operands::Custom(shows),
    ..Program::READER
};

/// Objects that can be shown.
const OBJECTS: [&str; 12] =
    ["addr", "address", "a", "link", "l", "route", "r", "rule", "neigh", "neighbour", "maddress", "netns"];
/// Words that ask for showing.
const SHOWS: [&str; 6] = ["show", "list", "ls", "sh", "get", "lst"];

fn shows(parsed: &Parsed<'_>, _context: &Context, effects: &mut Effects) {
    let words: Option<Vec<Cow<'_, str>>> = parsed.operands.iter().map(|word| word.known()).collect();
    let sound = match words.as_deref() {
        Some([]) => true,
        Some([object]) => OBJECTS.contains(&&**object),
        Some([object, verb, ..]) => OBJECTS.contains(&&**object) && SHOWS.contains(&&**verb),
        None => false,
    };
    effects.read_only &= sound;
}
