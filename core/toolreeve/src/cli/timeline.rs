//! The time line that `toolreeve run` prints: when the model streamed and when each call ran, one row each.

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use toolreeve_engine::Event;

/// How many columns the bars have.
const WIDTH: usize = 60;
/// How many columns the names have.
const NAME_WIDTH: usize = 16;

/// Spans of time by row, in the order in which they began.
#[derive(Default)]
pub(super) struct Timeline {
    rows: Vec<Row>,
    names: HashMap<String, String>,
    open: HashMap<String, usize>,
}

struct Row {
    name: String,
    is_model: bool,
    began: Duration,
    ended: Duration,
}

impl Timeline {
    /// Notes what an event says about time.
    pub(super) fn take(&mut self, event: &Event, now: Duration) {
        match event {
            Event::TurnStart { turn } => self.begin(format!("turn {turn}"), format!("model, answer {turn}"), true, now),
            Event::StreamEnd { turn } => self.end(&format!("turn {turn}"), now),
            Event::ToolUse { id, name, .. } => {
                self.names.insert(id.clone(), toolreeve_engine::sanitize(name));
            }
            Event::ToolStart { id, .. } => {
                let name = self.names.get(id).cloned().unwrap_or_default();
                self.begin(id.clone(), format!("  {name}"), false, now);
            }
            Event::ToolEnd { id } => self.end(id, now),
            _ => {}
        }
    }

    fn begin(&mut self, key: String, name: String, is_model: bool, now: Duration) {
        self.open.insert(key, self.rows.len());
        self.rows.push(Row { name, is_model, began: now, ended: now });
    }

    fn end(&mut self, key: &str, now: Duration) {
        if let Some(at) = self.open.remove(key) {
            self.rows[at].ended = now;
        }
    }
}

impl fmt::Display for Timeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.rows.iter().map(|row| row.ended).max().unwrap_or_default();
        if total.is_zero() {
            return Ok(());
        }
        let column = |at: Duration| ((at.as_secs_f64() / total.as_secs_f64()) * WIDTH as f64).floor() as usize;
        writeln!(
            f,
            "\ntime line, {:.2} s from left to right (█ the model streams, ▒ a call runs)",
            total.as_secs_f64()
        )?;
        for row in &self.rows {
            let from = column(row.began).min(WIDTH - 1);
            let to = column(row.ended).clamp(from + 1, WIDTH);
            let bar = if row.is_model { "█" } else { "▒" };
            let (name, spent) = (&row.name, (row.ended - row.began).as_millis());
            writeln!(
                f,
                "{name:<NAME_WIDTH$} |{}{}{}| {spent} ms",
                " ".repeat(from),
                bar.repeat(to - from),
                " ".repeat(WIDTH - to)
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_overlaps_the_model_is_drawn_below_it() {
        let mut timeline = Timeline::default();
        let at = Duration::from_millis;
        timeline.take(&Event::TurnStart { turn: 1 }, at(0));
        let (id, name) = ("a".to_owned(), "Read".to_owned());
        timeline.take(&Event::ToolUse { id: id.clone(), name, input: serde_json::Value::Null, render: None }, at(500));
        timeline.take(&Event::ToolStart { id: id.clone(), while_streaming: true }, at(500));
        timeline.take(&Event::ToolEnd { id }, at(750));
        timeline.take(&Event::StreamEnd { turn: 1 }, at(1000));
        let text = timeline.to_string();
        let rows: Vec<&str> = text.lines().skip(2).collect();
        assert_eq!(rows[0], format!("model, answer 1  |{}| 1000 ms", "█".repeat(60)));
        assert_eq!(
            rows[1],
            format!("  Read           |{}{}{}| 250 ms", " ".repeat(30), "▒".repeat(15), " ".repeat(15))
        );
    }
}
