//! `file` guesses what files are. `-m` reads a rule file, `-C` writes one.

use super::Program;

pub(super) const PROGRAM: Program = Program {
    names: &["file"],
    options: "-b --brief -c --checking-printout -d -E -h --no-dereference -i --mime -I --mime-type --mime-encoding \
        -k --keep-going -l --list -L --dereference -n --no-buffer -N --no-pad -p --preserve-date -r --raw -s \
        --special-files -0 --print0 -F= --separator= -e= --exclude= -P= --parameter= -m< --magic-file< -f< \
        --files-from< -C! --compile! -z! -Z! --uncompress! -S! --no-sandbox!",
    ..Program::READER
};
