//! From the wire to a complete tool input: one input in pieces of 16 bytes, decoded and assembled. Prints CPU times of
//! one thread; `--instructions BYTES` runs one input once, for callgrind.

use std::hint::black_box;
use std::time::Instant;

use serde_json::json;
use toolreeve::agent::stream::{Assembled, MessageAssembler, SseDecoder};

const PIECE: usize = 16;
/// Bytes that arrive at once, as from a socket.
const CHUNK: usize = 16 * 1024;

/// The wire form of a Write whose content has `bytes` bytes of source-like text.
fn wire(bytes: usize) -> Vec<u8> {
    let line = "    let total = items.iter().map(|item| item.price).sum::<u64>(); // \"sum\"\n";
    let content: String = line.chars().cycle().take(bytes).collect();
    let input = json!({"file_path": "/tmp/a.rs", "content": content}).to_string();
    let block = json!({"type": "tool_use", "id": "toolu_1", "name": "Write", "input": {}});
    let start = json!({"type": "content_block_start", "index": 0, "content_block": block});
    let mut wire = format!("event: content_block_start\ndata: {start}\n\n").into_bytes();
    for piece in input.as_bytes().chunks(PIECE) {
        let piece = String::from_utf8_lossy(piece);
        let delta = json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": piece}});
        wire.extend_from_slice(format!("event: content_block_delta\ndata: {delta}\n\n").as_bytes());
    }
    wire.extend_from_slice(b"event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n");
    wire
}

fn assemble(wire: &[u8]) -> usize {
    let (mut decoder, mut assembler, mut came) = (SseDecoder::new(), MessageAssembler::new(), Vec::new());
    for chunk in wire.chunks(CHUNK) {
        let fed = decoder.feed(chunk, |data| assembler.take_json(data, &mut came));
        assert!(fed.is_ok());
    }
    let calls = came.iter().filter(|item| matches!(item, Assembled::Call(_))).count();
    assert_eq!((calls, came.len()), (1, 1));
    calls
}

fn main() {
    let mut args = std::env::args().skip(1);
    if args.next().as_deref() == Some("--instructions") {
        let bytes = args.next().and_then(|text| text.parse().ok()).unwrap_or(1 << 20);
        black_box(assemble(&wire(bytes)));
        return;
    }
    println!("{:>10} {:>12} {:>10} {:>10}", "input", "wire bytes", "median ms", "MB/s");
    for bytes in [256 << 10, 512 << 10, 1 << 20, 2 << 20] {
        let wire = wire(bytes);
        let mut times: Vec<f64> = (0..9)
            .map(|_| {
                let began = Instant::now();
                black_box(assemble(black_box(&wire)));
                began.elapsed().as_secs_f64()
            })
            .collect();
        times.sort_by(f64::total_cmp);
        let median = times[times.len() / 2];
        println!("{bytes:>10} {:>12} {:>10.1} {:>10.0}", wire.len(), median * 1e3, wire.len() as f64 / median / 1e6);
    }
}
