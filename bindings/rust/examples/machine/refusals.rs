// SPDX-License-Identifier: MIT
use std::fs;

use pmudev::{Deadline, Reason, Set};

use crate::machine::{self, descriptors, EVENT};
use crate::{Test, Tested};

pub const TESTS: &[Test] = &[
    ("a_refusal_has_its_reason", reasons),
    ("a_refusal_names_the_event", event),
    ("holders_are_named", holders),
    ("user_access_can_be_off", user_access),
    ("wrong_arguments_are_errors", wrong),
    ("no_descriptor_is_leaked", descriptors_stay),
];

fn reasons() -> Tested {
    let error = Set::builder().event(EVENT).thread(4_000_000).build().unwrap_err();
    println!("# {error}");
    assert_eq!((error.errno, error.reason), (3, Some(Reason::NO_TASK)));
    assert!(!error.to_string().is_empty());
    let error = Set::builder().event(EVENT).cpu(4096).build().unwrap_err();
    println!("# {error}");
    assert_eq!((error.errno, error.reason), (19, Some(Reason::NO_CPU)));

    Ok(())
}

fn event() -> Tested {
    let error = Set::builder().events([EVENT, "r1000000001"]).build().unwrap_err();
    println!("# {error}");
    assert_eq!(error.event.as_deref(), Some("r1000000001"));
    assert_eq!(error.reason, Some(Reason::CONFIG));
    assert!(error.to_string().starts_with("r1000000001: "), "{error}");
    Ok(())
}

fn holders() -> Tested {
    let events = |nr| (0..nr).map(|i| format!("instructions/name=e{i}/u")).collect::<Vec<_>>();
    let error = Set::builder().events(events(40)).build().and_then(|set| set.enable()).unwrap_err();
    println!("# {error}");
    assert_eq!((error.errno, error.reason), (28, Some(Reason::NO_COUNTER)));

    // A CPU's set keeps all counters of that event: then those of the next are held.
    let build = |nr| Set::builder().events(events(nr)).cpu(0).build();
    let most = (1..40).rev().find(|nr| build(*nr).and_then(|set| set.enable()).is_ok());
    let first = build(most.ok_or("nothing can be counted")?)?;
    first.enable()?;
    let error = build(1)?.enable().unwrap_err();
    println!("# {error}");
    assert_eq!((error.errno, error.reason), (16, Some(Reason::HELD)));
    assert_eq!(error.event.as_deref(), Some("e0:u"));
    assert_eq!(error.holders.len(), most.unwrap_or_default());
    let pid = std::process::id() as i32;
    assert!(error.holders.iter().all(|h| h.pid == pid && h.cpu == 0 && h.kind == 3), "{error:?}");
    drop(first);
    build(1)?.enable()?;
    Ok(())
}

fn user_access() -> Tested {
    let before = machine::user_access(false)?;
    let refused = Set::builder().event(EVENT).direct(true).build();
    machine::user_access(before)?;
    let error = refused.unwrap_err();
    println!("# {error}");
    assert_eq!((error.errno, error.reason), (13, Some(Reason::USER_ACCESS)));
    Ok(())
}

fn wrong() -> Tested {
    let set = Set::builder().event(EVENT).build()?;
    let invalid = [
        set.count("cycles:u").map(drop),
        set.reader(EVENT).map(drop),
        set.read()?.value("").map(drop),
        set.deadline("cycles:u", Deadline::once(1)),
        set.deadline(EVENT, Deadline::once(1).stop()),
    ];
    for error in invalid.into_iter().map(Result::unwrap_err) {
        assert_eq!((error.errno, error.reason), (22, None), "{error:?}");
    }
    let refused = [
        (set.enable_group(64), Reason::GROUP),
        (set.deadline(EVENT, Deadline::at(u64::MAX)), Reason::DEADLINE),
        (set.deadline(EVENT, Deadline::every(0)), Reason::DEADLINE),
        (set.deadline(EVENT, Deadline::every(5).total()), Reason::COMBINATION),
    ];
    for (error, reason) in refused {
        let error = error.unwrap_err();
        assert_eq!((error.errno, error.reason), (22, Some(reason)), "{error:?}");
    }
    // It still works.
    set.enable()?;
    set.read()?;
    Ok(())
}

fn descriptors_stay() -> Tested {
    let before = descriptors();
    for _ in 0..100 {
        let set = Set::builder().event(EVENT).direct(true).build()?;
        set.enable()?;
        set.reader(EVENT)?.read()?;
        assert_eq!(descriptors(), before + 1);
        drop(set);
        // Refused by the parser, by bind, by add, and by enable.
        Set::builder().event("nosuch").build().unwrap_err();
        Set::builder().event(EVENT).thread(4_000_000).build().unwrap_err();
        Set::builder().event("r1000000001").build().unwrap_err();
        Set::builder().event(EVENT).build()?.enable_group(64).unwrap_err();
        assert_eq!(descriptors(), before);
    }
    let maps = fs::read_to_string("/proc/self/maps")?;
    assert!(!maps.contains("/dev/pmudev"), "{maps}");
    Ok(())
}
