// SPDX-License-Identifier: MIT
//! What needs no counter: wrong arguments are errors, and nothing panics.

use pmudev::{Error, Set};

fn refused(events: &str) -> Error {
    Set::builder().event(events).build().unwrap_err()
}

#[test]
fn unknown_event() {
    let error = refused("cycles:u,nosuch");
    assert_eq!((error.errno, error.position, error.reason), (2, Some(9), None));
    assert!(error.to_string().contains("unknown event 'nosuch'"), "{error}");
}

#[test]
fn syntax() {
    for (events, position) in [("{cycles:u", 0), ("cycles:q", 7), ("cycles,,cycles:u", 7)] {
        let error = refused(events);
        assert_eq!((error.errno, error.position), (22, Some(position)), "{events}: {error}");
        assert!(!error.advice.is_empty());
    }
}

#[test]
fn no_event_and_null() {
    let error = Set::builder().build().unwrap_err();
    assert_eq!((error.errno, error.to_string().as_str()), (22, "name at least one event"));
    let error = refused("cycles\0:u");
    assert_eq!((error.errno, error.position), (22, Some(6)));
    assert_eq!(refused("").errno, 22);
}

#[test]
fn named_twice() {
    let error = Set::builder().events(["cycles:u", "cycles:u"]).build().unwrap_err();
    assert!(error.to_string().starts_with("cycles:u: named twice"), "{error}");
}

#[test]
fn targets() {
    let builder = || Set::builder().event("cycles:u");
    for wrong in [
        builder().thread(1).process(1),
        builder().thread(-1),
        builder().cpu(0).inherit(true),
        builder().cpu(0).pmu(0),
        builder().cpu(0).direct(true),
        builder().inherit(true).direct(true),
    ] {
        let error = wrong.build().unwrap_err();
        assert_eq!((error.errno, error.reason), (22, None), "{wrong:?}: {error}");
    }
}

#[test]
fn any_text_is_an_error_or_a_list() {
    // Pseudo-random: the same in each run.
    let mut state = 1u64;
    let alphabet: Vec<char> = "cyclesr0x{},:/=@-~ukü\u{0}".chars().collect();
    for _ in 0..2000 {
        let text: String = (0..state % 24)
            .map(|_| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                alphabet[(state >> 33) as usize % alphabet.len()]
            })
            .collect();
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        // cpu 4294967295 does not exist: also with the module nothing is counted.
        let error = Set::builder().event(text.as_str()).cpu(u32::MAX).build().unwrap_err();
        assert!(error.errno > 0 && !error.advice.is_empty(), "{text:?}: {error:?}");
    }
}

#[test]
fn without_the_module() {
    if std::path::Path::new("/dev/pmudev").exists() {
        eprintln!("not tested: the module is loaded");
        return;
    }
    let error = refused("instructions:u");
    assert_eq!((error.errno, error.reason), (2, None));
    assert!(error.to_string().contains("there is no /dev/pmudev: load the module"), "{error}");
    let error = std::io::Error::from(error);
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
}

#[test]
fn send_and_error() {
    fn sends<T: Send>() {}
    fn is_error<T: std::error::Error + Send + Sync + 'static>() {}
    sends::<Set>();
    is_error::<Error>();
}
