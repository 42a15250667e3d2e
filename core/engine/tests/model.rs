//! A model test of the streaming executor: random queues of safe and exclusive calls that end in every way after
//! random times, pushed at random times. Each request has one result, results keep the order of the requests, no two
//! calls that may not run together ever do, and nothing is left behind.

use proptest::prelude::*;
use serde_json::json;
use toolreeve_engine::CancelReason;

use crate::support::{Setup, Stub, after, call, drain, ending, ids, in_time};

#[derive(Debug, Clone, Copy, PartialEq)]
enum How {
    Ok,
    Error,
    CancelsSiblings,
    Panic,
    Hang,
}

#[derive(Debug, Clone, Copy)]
struct Planned {
    safe: bool,
    how: How,
    ms: u32,
    /// How long after the call before it is pushed.
    later: u32,
}

fn planned() -> impl Strategy<Value = Planned> {
    let how = prop_oneof![
        6 => Just(How::Ok),
        2 => Just(How::Error),
        1 => Just(How::CancelsSiblings),
        2 => Just(How::Panic),
        1 => Just(How::Hang),
    ];
    // Few different times, so that several things often happen at once.
    (any::<bool>(), how, 0_u32..6, prop_oneof![3 => Just(0_u32), 1 => 0_u32..8])
        .prop_map(|(safe, how, ms, later)| Planned { safe, how, ms: ms * 10, later: later * 5 })
}

/// What happens from outside, and when.
#[derive(Debug, Clone, Copy)]
enum Outside {
    Nothing,
    Cancel(u32, CancelReason),
    Discard(u32),
}

fn outside() -> impl Strategy<Value = Outside> {
    prop_oneof![
        3 => Just(Outside::Nothing),
        1 => (0_u32..200, prop_oneof![Just(CancelReason::User), Just(CancelReason::Timeout)])
            .prop_map(|(at, reason)| Outside::Cancel(at, reason)),
        1 => (0_u32..200).prop_map(Outside::Discard),
    ]
}

async fn run(plan: &[Planned], outside: Outside, eager: bool) {
    let shell = Stub { cancels_siblings: true, ..Stub::new("Shell") };
    let world = Setup::with(Stub::new("Work")).tool(shell).build();
    let hangs = plan.iter().any(|call| call.how == How::Hang);
    let mut executor = world.executor();
    let mut outcomes = Vec::new();
    let stop_at = match outside {
        Outside::Nothing if hangs => 5_000,
        Outside::Nothing => u64::MAX / 2,
        Outside::Cancel(at, _) | Outside::Discard(at) => u64::from(at),
    };
    let act = |executor: &mut toolreeve_engine::StreamingExecutor| match outside {
        Outside::Nothing => world.turn.cancel(CancelReason::Shutdown),
        Outside::Cancel(_, reason) => world.turn.cancel(reason),
        Outside::Discard(_) => drop(executor.discard()),
    };
    let stop = tokio::time::sleep(std::time::Duration::from_millis(stop_at));
    tokio::pin!(stop);
    let mut acted = false;
    for (at, planned) in plan.iter().enumerate() {
        let until = after(u64::from(planned.later));
        tokio::pin!(until);
        loop {
            tokio::select! {
                biased;
                () = &mut stop, if !acted => {
                    acted = true;
                    act(&mut executor);
                }
                Some(outcome) = executor.next(), if eager && executor.has_pending() => outcomes.push(outcome),
                () = &mut until => break,
            }
        }
        let (name, end) = match planned.how {
            How::Ok => ("Work", "ok"),
            How::Error => ("Work", "error"),
            How::CancelsSiblings => ("Shell", "error"),
            How::Panic => ("Work", "panic"),
            How::Hang => ("Work", "hang"),
        };
        executor.push(call(&format!("t{at}"), name, json!({"ms": planned.ms, "end": end, "alone": !planned.safe})));
    }
    executor.stream_ended();
    loop {
        tokio::select! {
            biased;
            () = &mut stop, if !acted => {
                acted = true;
                act(&mut executor);
            }
            next = executor.next() => match next {
                Some(outcome) => outcomes.push(outcome),
                None => break,
            },
        }
    }
    assert!(!executor.has_pending());
    assert!(drain(&mut executor).await.is_empty());

    let wanted: Vec<String> = (0..plan.len()).map(|at| format!("t{at}")).collect();
    assert_eq!(ids(&outcomes), wanted, "one result each, in order");
    for (planned, outcome) in plan.iter().zip(&outcomes) {
        let own = match planned.how {
            How::Ok => "ok",
            How::Error | How::CancelsSiblings => "failed",
            How::Panic => "panicked",
            How::Hang => "cancelled",
        };
        let ended = ending(outcome);
        let may_be_cancelled = acted || plan.iter().any(|call| call.how == How::CancelsSiblings);
        assert!(ended == own || (may_be_cancelled && ended == "cancelled"), "{planned:?} ended as {ended}");
    }
    exclusive_calls_ran_alone(plan, &world.log.said());
    tokio::task::yield_now().await;
    assert_eq!(world.log.alive(), 0, "nothing is left behind");
    let heard = world.heard();
    let count = |kind: &str| heard.iter().filter(|line| line.starts_with(kind)).count();
    assert_eq!((count("tool_result "), count("tool_use ")), (plan.len(), plan.len()));
    assert_eq!(count("tool_start "), count("tool_end "));
}

/// Replays what calls said. A panic is the end of a call, and it says nothing, so a call that panics ends where its
/// stub said so before.
fn exclusive_calls_ran_alone(plan: &[Planned], said: &[String]) {
    let mut running: Vec<usize> = Vec::new();
    for line in said {
        let mut words = line.split(' ');
        let (verb, id) = (words.next().unwrap(), words.next().unwrap());
        let at: usize = id[1..].parse().unwrap();
        match verb {
            "start" => {
                running.push(at);
                assert!(
                    running.len() == 1 || running.iter().all(|&at| plan[at].safe),
                    "{running:?} run together in {plan:?}: {said:?}"
                );
            }
            _ => running.retain(|&known| known != at),
        }
    }
    assert!(running.is_empty(), "{running:?} never ended: {said:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn every_request_has_its_result(
        plan in proptest::collection::vec(planned(), 0..14),
        outside in outside(),
        eager in any::<bool>(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(in_time(run(&plan, outside, eager)));
    }
}
