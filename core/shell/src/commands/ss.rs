//! `ss` lists sockets. `-D` writes a file, `-K` closes sockets.

use super::{Operands, Program};

pub(super) const PROGRAM: Program = Program {
    names: &["ss"],
    options: "-h -V -H -n -r -a -l -o -e -m -p -i -s -b -E -Z -z -N= -4 -6 -0 -t -u -d -w -x -S -M -f= -A= -T -O \
        --numeric --resolve --all --listening --options --extended --memory --processes --threads --info \
        --summary --tcp --udp --raw --unix --no-header --oneline --family= --query= --events --context \
        --contexts --net= --ipv4 --ipv6 --packet --dccp --sctp --vsock --xdp --inet-sockopt --bpf -F< \
        --filter< -D> --diag> -K! --kill!",
    operands: Operands::Text,
    ..Program::READER
};
