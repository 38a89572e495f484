// SPDX-License-Identifier: MIT
//! What a set has counted.

use crate::error::Error;
use crate::events::{self, Event};
use crate::sys;

/// One event of a reading: `struct pmudev_count`. Times are in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Count {
    /// Events counted; never scaled.
    pub value: u64,
    /// How long its group was enabled while the target ran.
    pub time_enabled: u64,
    /// How much of that it was on a counter.
    pub time_running: u64,
}

impl Count {
    /// An estimate of the total: the value itself if the event was on a counter all the time,
    /// `None` if it never was.
    pub fn scaled(&self) -> Option<u64> {
        let mut whole = 0;
        // SAFETY: numbers, and room for one.
        let known = unsafe {
            sys::pmudev_scale(self.value, self.time_enabled, self.time_running, &mut whole)
        };
        if known {
            Some(whole)
        } else {
            None
        }
    }
}

/// All counts of a set at one moment: `struct pmudev_record`. Times are in nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reading {
    events: Vec<Event>,
    counts: Vec<Count>,
    /// CLOCK_MONOTONIC of the reading.
    pub time: u64,
    /// How long some group was enabled while the target ran.
    pub time_enabled: u64,
    /// How much of that all enabled groups were on counters.
    pub time_running: u64,
    flags: u32,
}

impl Reading {
    pub(crate) fn new(events: &[Event], record: &sys::Record) -> Reading {
        let counts = record.counts[..]
            .iter()
            .take(events.len())
            .map(|c| Count {
                value: c.value,
                time_enabled: c.time_enabled,
                time_running: c.time_running,
            })
            .collect();
        Reading {
            events: events.to_vec(),
            counts,
            time: record.time,
            time_enabled: record.time_enabled,
            time_running: record.time_running,
            flags: record.flags,
        }
    }

    /// What one event has counted.
    pub fn value(&self, event: &str) -> Result<u64, Error> {
        Ok(self.count(event)?.value)
    }

    /// The same with its times.
    pub fn count(&self, event: &str) -> Result<&Count, Error> {
        Ok(&self.counts[events::find(&self.events, event)?])
    }

    /// The counts by slot.
    pub fn counts(&self) -> &[Count] {
        &self.counts
    }

    /// The names and counts.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Count)> {
        self.events.iter().map(|event| event.name.as_str()).zip(&self.counts)
    }

    /// Some group was enabled.
    pub fn enabled(&self) -> bool {
        self.flags & sys::RECORD_ENABLED != 0
    }

    /// The target has ended: the counts are final.
    pub fn ended(&self) -> bool {
        self.flags & sys::RECORD_ENDED != 0
    }

    /// Some thread or process that the target created could not be counted.
    pub fn incomplete(&self) -> bool {
        self.flags & sys::RECORD_INCOMPLETE != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaled() {
        let count = |value, time_enabled, time_running| Count { value, time_enabled, time_running };
        assert_eq!(count(7, 10, 10).scaled(), Some(7));
        assert_eq!(count(7, 10, 5).scaled(), Some(14));
        assert_eq!(count(0, 10, 0).scaled(), None);
        assert_eq!(count(u64::MAX, 10, 5).scaled(), Some(u64::MAX));
    }

    #[test]
    fn by_name() {
        let names = ["cycles:u", "instructions:u"];
        let events: Vec<Event> = names
            .iter()
            .enumerate()
            .map(|(i, name)| Event { name: name.to_string(), group: i as u32 })
            .collect();
        let mut record = sys::Record::EMPTY;
        record.counts[1].value = 5;
        record.flags = sys::RECORD_ENDED;
        let reading = Reading::new(&events, &record);
        assert_eq!(reading.value("instructions:u").unwrap(), 5);
        assert_eq!(reading.iter().map(|(name, _)| name).collect::<Vec<_>>(), names);
        assert!(reading.ended() && !reading.enabled() && !reading.incomplete());
        let error = reading.value("instructions").unwrap_err();
        assert_eq!(error.errno, 22);
        assert!(error.to_string().contains("cycles:u, instructions:u"), "{error}");
    }
}
