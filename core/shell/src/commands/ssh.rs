//! `ssh` runs commands elsewhere; `-o ProxyCommand=`, `-F` and others run programs here.

use super::{Operands, Program};

pub(super) const PROGRAM: Program = Program {
    names: &["ssh", "autossh", "mosh"],
    options: "-4 -6 -A -a -C -f -G -g -K -k -M -N -n -q -s -T -t -V -v -X -x -Y -y -B= -b= -c= -D= -E> -e= -F< -I= \
        -i< -J= -L= -l= -m= -O= -o= -P= -p= -Q= -R= -S= -W= -w=",
    operands: Operands::Text,
    ..Program::CHANGER
};
