//! `man` shows manuals. Its pager, browser and configuration options run programs.

use super::{Context, Effects, Operands, Program};
use crate::flags::Parsed;

pub(super) const PROGRAM: Program = Program {
    names: &["man", "apropos", "whatis", "info"],
    options: "-# -a -f -k -K -w -W -i -I -s= -S= -e= -l! -P% -H! -T! -t! -X! -C% -M% -m% -L= -E= -r% -p% -R% -D -d \
        -u! -c! -Z! -7 -b -q -o> --output> --file= --node= --subnodes --usage -n= -O --pager% --html? \
        --whatis --apropos --where --path --sections= --all --local-file! --manpath% --config-file% \
        --preprocessor% --troff! --ditroff! --recode% --troff-device! --gxditview! --prompt% --catman! \
        --update! --restore% --dribble%",
    operands: Operands::Custom(page_names),
    ..Program::READER
};

fn page_names(parsed: &Parsed<'_>, _context: &Context, effects: &mut Effects) {
    // A name with a slash is a file, whose formatting can be told to run programs.
    effects.read_only &= parsed.operands.iter().all(|word| word.known().is_some_and(|name| !name.contains('/')));
}
