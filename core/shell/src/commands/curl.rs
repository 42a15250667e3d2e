//! `curl` talks to the network and may write files (`-o`, `-O`, `-c`, `-D`) or read any (`-d @file`, `-T`, `-K`).

use super::{Operands, Program};

pub(super) const PROGRAM: Program = Program {
    names: &["curl"],
    options: "-# -s -S -f -L -i -I -k -v -g -G -N -Z -0 -1 -2 -3 -4 -6 -a -j -J -l -n -p -q -R -B -O! -X= -H= -A= \
        -e= -b= -u= -U= -x= -m= -w= -r= -y= -Y= -z= -t= -C= -E< -d= -F= -P= -Q= -T< -K< -o> -c> -D> \
        --output> --cookie-jar> --dump-header> --upload-file< --config< --data= --data-raw= --data-binary= \
        --data-urlencode= --data-ascii= --json= --form= --form-string= --header= --request= --user= \
        --user-agent= --url= --url-query= --proxy= --max-time= --connect-timeout= --retry= --retry-delay= \
        --retry-max-time= --write-out= --range= --referer= --cookie= --cacert< --capath< --cert< --key< \
        --netrc-file< --trace> --trace-ascii> --stderr> --etag-save> --etag-compare< --create-dirs \
        --output-dir> --silent --show-error --fail --fail-with-body --location --include --head --insecure \
        --verbose --get --compressed --http1.1 --http2 --http3 --ipv4 --ipv6 --no-buffer --no-progress-meter \
        --progress-bar --remote-name! --remote-name-all! --remote-header-name --location-trusted --tlsv1.2 \
        --tlsv1.3 --resolve= --interface= --libcurl> --hsts> --alt-svc> --unix-socket= \
        --abstract-unix-socket= --limit-rate= --max-redirs= --max-filesize= --next --parallel --netrc \
        --globoff --path-as-is --request-target= --oauth2-bearer= --aws-sigv4= --basic --digest --negotiate \
        --ntlm --anyauth --ssl-reqd --ssl --tls-max= --ciphers= --crlf --raw --styled-output --engine% \
        --preproxy= --socks5= --socks5-hostname= --noproxy= --retry-all-errors --retry-connrefused \
        --continue-at= --time-cond= --speed-limit= --speed-time=",
    operands: Operands::Text,
    ..Program::CHANGER
};
