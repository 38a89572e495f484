// SPDX-License-Identifier: MIT
use std::thread;

use pmudev::{Reader, Set};

use crate::machine::{rounds, EVENT, PER_ROUND};
use crate::{Test, Tested};

pub const TESTS: &[Test] = &[
    ("a_loop_is_counted_exactly", exact),
    ("direct_reads_are_exact", direct),
    ("groups_count_alone", groups),
    ("counts_go_on_and_are_reset", life),
    ("a_set_is_sent_to_another_thread", sent),
    ("threads_are_inherited", inherited),
    ("cpus_are_counted", cpus),
    ("events_share_counters", multiplexed),
    ("a_panic_ends_a_measurement", panics),
];

/// What a loop of so many rounds counts.
fn counted(set: &Set, n: u64) -> Result<u64, pmudev::Error> {
    set.measure(|| rounds(n))?.1.value(EVENT)
}

fn exact() -> Tested {
    let set = Set::builder().event(EVENT).build()?;
    counted(&set, 1)?;
    for n in [1, 1000, 100_000, 1_234_567] {
        let (once, twice) = (counted(&set, n)?, counted(&set, 2 * n)?);
        assert_eq!(twice - once, PER_ROUND * n, "{n} rounds: {once} and {twice}");
        assert_eq!(counted(&set, n)?, once);
    }
    println!("# a measurement of nothing counts {}", counted(&set, 1)? - PER_ROUND);
    let (_, reading) = set.measure(|| rounds(1000))?;
    let count = reading.count(EVENT)?;
    assert!(count.time_enabled > 0 && count.time_enabled == count.time_running, "{reading:?}");
    assert_eq!(count.scaled(), Some(count.value));
    assert!(!reading.enabled() && !reading.ended() && !reading.incomplete());
    Ok(())
}

/// One piece of code, whatever the compiler makes of it: between the reads it executes the same for each `n`.
#[inline(never)]
fn read_around(reader: &Reader<'_>, n: u64) -> Result<u64, pmudev::Error> {
    let before = reader.read()?;
    rounds(n);
    Ok(reader.read()? - before)
}

fn direct() -> Tested {
    let set = Set::builder().event(EVENT).direct(true).build()?;
    let reader = set.reader(EVENT)?;
    set.enable()?;
    read_around(&reader, 1)?;
    for n in [1, 1000, 1_234_567] {
        let (once, twice) = (read_around(&reader, n)?, read_around(&reader, 2 * n)?);
        assert_eq!(twice - once, PER_ROUND * n, "{n} rounds: {once} and {twice}");
    }
    assert!(reader.try_read().is_some());
    let (before, after) = (reader.read()?, reader.read()?);
    println!("# a direct read costs {} instructions", after - before);
    assert!(after - before < 100);
    let between = set.count(EVENT)?;
    assert!(between > after && set.read()?.value(EVENT)? > between);
    Ok(())
}

fn groups() -> Tested {
    let set = Set::builder().event("{instructions,cycles}:u,instructions/name=alone/u").build()?;
    let of: Vec<(&str, u32)> = set.events().iter().map(|e| (e.name.as_str(), e.group)).collect();
    println!("# {of:?}");
    assert!(of[0].1 == of[1].1 && of[1].1 != of[2].1, "{of:?}");
    set.enable_group(of[0].1)?;
    rounds(1000);
    set.enable_group(of[2].1)?;
    rounds(1000);
    set.disable_group(of[0].1)?;
    rounds(1000);
    let reading = set.read()?;
    let [both, cycles, alone] = [0, 1, 2].map(|slot| reading.counts()[slot]);
    assert!(both.value > 2000 * PER_ROUND && both.value < 3000 * PER_ROUND, "{reading:?}");
    assert!(cycles.value > 0 && cycles.time_enabled == both.time_enabled);
    assert!(alone.value > 2000 * PER_ROUND && alone.value < 3000 * PER_ROUND, "{reading:?}");
    set.reset_group(of[0].1)?;
    assert_eq!(set.count(of[0].0)?, 0);
    assert!(set.count(of[2].0)? > alone.value);
    Ok(())
}

fn life() -> Tested {
    let set = Set::builder().event(EVENT).build()?;
    assert_eq!(set.count(EVENT)?, 0);
    set.enable()?;
    rounds(1000);
    set.disable()?;
    let first = set.count(EVENT)?;
    rounds(1000);
    assert_eq!(set.count(EVENT)?, first);
    set.enable()?;
    rounds(1000);
    set.disable()?;
    assert_eq!(set.count(EVENT)?, 2 * first);
    set.reset_event(EVENT, 7)?;
    assert_eq!(set.count(EVENT)?, 7);
    set.reset()?;
    assert_eq!(set.read()?.value(EVENT)?, 0);
    Ok(())
}

fn sent() -> Tested {
    let set = Set::builder().event(EVENT).direct(true).build()?;
    let (_, here) = set.measure(|| rounds(1000))?;
    let set = thread::spawn(move || {
        let error = set.reader(EVENT).unwrap_err();
        assert!(error.to_string().contains("only the thread that made the set"), "{error}");
        assert_eq!(set.count(EVENT).unwrap(), here.value(EVENT).unwrap());
        set.reset().unwrap();
        set.enable().unwrap();
        rounds(1_000_000);
        set
    })
    .join()
    .map_err(|_| "the thread panicked")?;
    // What the other thread did is not counted.
    assert!(set.read()?.value(EVENT)? < 1_000_000);
    assert!(set.reader(EVENT)?.try_read().is_some());
    Ok(())
}

fn inherited() -> Tested {
    let counted = |n| -> Result<u64, Box<dyn std::error::Error>> {
        let set = Set::builder().event(EVENT).inherit(true).build()?;
        set.enable()?;
        thread::spawn(move || rounds(n)).join().map_err(|_| "the thread panicked")?;
        let reading = set.read()?;
        assert!(!reading.incomplete() && reading.enabled());
        Ok(reading.value(EVENT)?)
    };
    counted(1)?;
    // Making a thread counts, too, and not always the same.
    let (once, twice) = (counted(1_000_000)?, counted(2_000_000)?);
    assert!(once > 1_000_000 * PER_ROUND);
    let difference = (twice - once).abs_diff(1_000_000 * PER_ROUND);
    assert!(difference < 5_000, "{once} and {twice}");
    Ok(())
}

fn cpus() -> Tested {
    let nr = thread::available_parallelism()?.get() as u32;
    let sets: Vec<Set> = (0..nr)
        .map(|cpu| Set::builder().event(EVENT).cpu(cpu).build())
        .collect::<Result<_, _>>()?;
    sets.iter().try_for_each(|set| set.enable())?;
    rounds(1_000_000);
    let counts: Vec<u64> = sets.iter().map(|set| set.count(EVENT)).collect::<Result<_, _>>()?;
    println!("# {counts:?}");
    assert!(counts.iter().sum::<u64>() > 1_000_000 * PER_ROUND);
    Ok(())
}

fn multiplexed() -> Tested {
    // More than any machine has counters; one of them never runs in so short a time.
    let events: Vec<String> = (0..40).map(|i| format!("instructions/name=e{i}/u")).collect();
    let set = Set::builder().events(events).multiplex(true).build()?;
    let (_, reading) = set.measure(|| rounds(1000))?;
    let never = reading.counts().iter().filter(|count| count.scaled().is_none()).count();
    assert!(never > 0 && never < 40, "{reading:?}");
    for count in reading.counts() {
        assert!(count.time_running <= count.time_enabled);
        assert_eq!(count.value > 0, count.time_running > 0, "{count:?}");
    }
    Ok(())
}

fn panics() -> Tested {
    let set = Set::builder().event(EVENT).build()?;
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        set.measure(|| std::panic::resume_unwind(Box::new("on purpose"))).map(drop)
    }));
    assert!(caught.is_err());
    assert!(!set.read()?.enabled());
    let first = counted(&set, 1000)?;
    assert_eq!(counted(&set, 2000)? - first, 1000 * PER_ROUND);
    Ok(())
}
