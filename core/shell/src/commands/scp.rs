//! `scp`, `sftp` and `rsync` copy between machines and folders: they read all operands but the last, which they write.
//! `-e`, `-S`, `-o` and `-F` choose programs that run here. An operand with a host in front is no path of this machine.

use super::{Context, Effects, Program};
use crate::analysis::{Access, Follows};
use crate::flags::{self, Order};
use crate::syntax::Word;

pub(super) const PROGRAM: Program =
    Program { names: &["scp", "rsync", "sftp"], custom: Some(effects), ..Program::CHANGER };

const OPTIONS: &str = "-3 -4 -6 -A -a -b= -B= -C -c= -D% -d -e% -F< -f= -g -H -h -I -i= -J= -K -k -L -l= -M= -m -n -N -O -o% -P= -p -q -R -r -s \
    -S% -t -T= -u -v -W -w -X= -x -y -z --archive --recursive --verbose --delete --delete-after --delete-before --exclude= \
    --include= --exclude-from< --include-from< --files-from< --progress --partial --dry-run --compress --update --checksum \
    --links --copy-links --copy-unsafe-links --copy-dirlinks --keep-dirlinks --safe-links --perms --times --owner --group --rsh% --rsync-path% --log-file> --stats --human-readable --ignore-existing \
    --remove-source-files --link-dest< --temp-dir> --partial-dir> --backup --backup-dir> --bwlimit= --chmod= --chown= --max-size= --min-size=";

fn effects(words: &[Word], context: &Context) -> Effects {
    let parsed = flags::parse(words, OPTIONS, Order::Anywhere);
    let mut effects = Effects { complete: !parsed.unlisted && !parsed.uncertain, ..Effects::default() };
    effects.add_options(&parsed, context);
    let last = parsed.operands.len().saturating_sub(1);
    for (place, word) in parsed.operands.iter().enumerate() {
        let text = word.fixed_prefix();
        let remote = text.find(':').is_some_and(|colon| !text[..colon].contains('/'));
        if !remote {
            effects.add(word, if place == last && last > 0 { Access::Write } else { Access::Read }, context);
        }
    }
    // `scp -r` follows every link; rsync follows them by these options, `-K` at the target.
    if parsed.has(&["-L", "-k", "-K", "--copy-links", "--copy-unsafe-links", "--copy-dirlinks", "--keep-dirlinks"]) {
        effects.follow(Follows::ByOption);
    } else if parsed.has(&["-r", "--recursive"]) {
        effects.follow(Follows::Links);
    }
    effects
}
