//! Proof on a virtual clock that calls run while the model streams: the turn takes as long as its longest path.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use crate::support::{Setup, Stub, after, call, drain};

/// Streams blocks that are complete after so many milliseconds each, then the end of the stream; runs them like the
/// agent loop does and returns the virtual time of the whole turn.
async fn turn(setup: Setup, blocks: &[(u64, &str, u64)], stream_ends: u64) -> Duration {
    let world = setup.build();
    let began = Instant::now();
    let mut executor = world.executor();
    let mut taken = 0;
    let mut blocks = blocks.iter().enumerate().peekable();
    loop {
        let due = blocks.peek().map_or(stream_ends, |(_, block)| block.0);
        tokio::select! {
            biased;
            Some(_) = executor.next(), if executor.has_pending() => taken += 1,
            () = tokio::time::sleep_until(began + Duration::from_millis(due)) => match blocks.next() {
                Some((at, (_, name, ms))) => executor.push(call(&format!("t{at}"), name, json!({"ms": ms}))),
                None => break,
            },
        }
    }
    executor.stream_ended();
    taken += drain(&mut executor).await.len();
    assert_eq!(taken, world.heard().iter().filter(|line| line.starts_with("tool_use ")).count());
    began.elapsed()
}

fn ms(duration: Duration) -> u128 {
    duration.as_millis()
}

#[tokio::test(start_paused = true)]
async fn three_calls_inside_of_one_stream_take_the_longest_path() {
    // Three calls of 0.3 s in a stream of 0.74 s: the last block is complete when the stream ends.
    let blocks = [(247, "Work", 300), (494, "Work", 300), (740, "Work", 300)];
    let longest_path = 740 + 300;
    let took = ms(turn(Setup::with(Stub::new("Work")), &blocks, 740).await);
    assert!(took >= longest_path && took * 10 <= longest_path * 11, "{took} ms");
    // Alone they are queued: the second still starts while the model streams.
    let exclusive = ms(turn(Setup::with(Stub::exclusive("Work")), &blocks, 740).await);
    assert_eq!(exclusive, 247 + 3 * 300);
}

#[tokio::test(start_paused = true)]
async fn a_slow_stream_and_slow_tools_take_the_maximum_and_not_the_sum() {
    let blocks: Vec<(u64, &str, u64)> = (1..=10).map(|at| (at * 10, "Work", 5_000)).collect();
    let took = ms(turn(Setup::with(Stub::new("Work")), &blocks, 5_000).await);
    assert_eq!(took, 5_100, "ten calls of 5 s in a stream of 5 s");
    let slow_stream: Vec<(u64, &str, u64)> = (1..=10).map(|at| (at * 1_000, "Work", 900)).collect();
    let took = ms(turn(Setup::with(Stub::exclusive("Work")), &slow_stream, 11_000).await);
    assert_eq!(took, 11_000, "even calls that run alone fit between the blocks");
}

#[tokio::test(start_paused = true)]
async fn starting_costs_no_virtual_time() {
    let began = Instant::now();
    let world = Setup::with(Stub::new("Work")).build();
    world.run((0..100).map(|at| call(&format!("t{at}"), "Work", json!({})))).await;
    assert_eq!(began.elapsed(), Duration::ZERO);
    after(0).await;
}
