//! The cost of exact replacement with its patch, of whole-file diffs, and of range reads in a file of a gigabyte, next
//! to the floors they are measured against. Run with `cargo bench -p toolreeve --bench edit`.
#![expect(clippy::unwrap_used, reason = "a bench that cannot set up must stop")]

use std::fmt::Write as _;
use std::fs::File;
use std::hint::black_box;
use std::io::{BufWriter, Write as _};
use std::os::unix::fs::FileExt;

use criterion::{Criterion, criterion_group, criterion_main};
use toolreeve::engine::CancelToken;
use toolreeve::files::line_index::LineIndex;
use toolreeve::files::lines::{CHUNK_BYTES, Wanted, read_lines};
use toolreeve::files::{patch, replace};

const LINES: usize = 170_000;

fn text() -> String {
    let mut text = String::new();
    for n in 0..LINES {
        let mark = if n % 50 == 7 { "scattered" } else { "plain" };
        writeln!(text, "line {n} of the text, with some {mark} words up to its end {}", n * 7919 % 1000).unwrap();
    }
    text
}

fn edit(c: &mut Criterion) {
    let text = text();
    let body = text.as_bytes();
    let needle = format!("line {} of the text", LINES / 2);
    let mut group = c.benchmark_group("edit of 10 MB");
    group.sample_size(30);
    group.bench_function("floor: memmem and one copy", |b| {
        b.iter(|| {
            let finder = memchr::memmem::Finder::new(&needle);
            let at = finder.find(body).unwrap();
            assert!(finder.find(&body[at + 1..]).is_none());
            let mut out = Vec::with_capacity(body.len() + 16);
            out.extend_from_slice(&body[..at]);
            out.extend_from_slice(b"changed");
            out.extend_from_slice(&body[at + needle.len()..]);
            black_box(out)
        });
    });
    group.bench_function("one place, with patch", |b| {
        b.iter(|| {
            let done = replace::replace(body, &needle, "changed", false).unwrap();
            black_box(patch::of_edits(body, &done.body, &done.edits))
        });
    });
    group.bench_function("3,400 places, with patch", |b| {
        b.iter(|| {
            let done = replace::replace(body, "scattered", "changed", true).unwrap();
            black_box(patch::of_edits(body, &done.body, &done.edits))
        });
    });
    let changed = text.replacen(&needle, "changed", 1);
    group.bench_function("diff of a whole write, one line changed", |b| {
        b.iter(|| black_box(patch::between(body, changed.as_bytes())));
    });
    group.finish();
}

fn ranges(c: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large");
    let mut out = BufWriter::new(File::create(&path).unwrap());
    let text = text();
    for _ in 0..100 {
        out.write_all(text.as_bytes()).unwrap();
    }
    out.into_inner().unwrap().sync_all().unwrap();
    let file = File::open(&path).unwrap();
    let size = file.metadata().unwrap().len();
    let first = 5_000_000;
    let wanted = Wanted { first, lines: 100, line_chars: 2000, tokens: 25_000 };
    let mut group = c.benchmark_group("100 lines at line 5,000,000 of 1 GB");
    group.sample_size(10);
    group.bench_function("floor: memchr over the bytes before", |b| {
        b.iter(|| {
            let mut buffer = vec![0; CHUNK_BYTES];
            let (mut newlines, mut offset) = (0, 0);
            while newlines < first {
                let n = file.read_at(&mut buffer, offset).unwrap();
                newlines += memchr::memchr_iter(b'\n', &buffer[..n]).count() as u64;
                offset += n as u64;
            }
            black_box(offset)
        });
    });
    group.bench_function("first read", |b| {
        b.iter(|| read_lines(&file, size, wanted, &mut LineIndex::default(), &CancelToken::new()).unwrap());
    });
    let mut index = LineIndex::default();
    read_lines(&file, size, wanted, &mut index, &CancelToken::new()).unwrap();
    group.bench_function("second read", |b| {
        b.iter(|| read_lines(&file, size, wanted, &mut index, &CancelToken::new()).unwrap());
    });
    group.finish();
}

criterion_group!(benches, edit, ranges);
criterion_main!(benches);
