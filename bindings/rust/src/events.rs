// SPDX-License-Identifier: MIT
//! Events by name, by the library's parser.

use std::ffi::CString;
use std::ptr;

use crate::error::{owned, string, Error};
use crate::sys;

/// An event of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// As it was given, with the modifiers of its braces; or the text of its term `name=TEXT`.
    pub name: String,
    /// The number of its group: all events of a group are on counters together, or none.
    pub group: u32,
}

/// The library's list; freed once.
struct List(*mut sys::Events);

impl Drop for List {
    fn drop(&mut self) {
        // SAFETY: from pmudev_events_parse(), or NULL, which is allowed.
        unsafe { sys::pmudev_events_free(self.0) }
    }
}

impl List {
    fn parse(text: &str) -> Result<List, Error> {
        let text = CString::new(text).map_err(|error| {
            let advice = "a name of an event has no null character".to_string();
            Error::events(22, advice, error.nul_position())
        })?;
        let mut list = List(ptr::null_mut());
        let mut error =
            sys::EventsError { position: 0, reserved: [0; 7], text: [0; sys::EVENT_NAME] };
        // SAFETY: a string with a zero at its end, no PMUs, and room for a pointer and an error.
        let status = unsafe {
            sys::pmudev_events_parse(text.as_ptr(), ptr::null(), &mut list.0, &mut error)
        };
        if status != 0 {
            return Err(Error::events(-status, string(&error.text), error.position as usize));
        }
        Ok(list)
    }

    fn nr(&self) -> usize {
        // SAFETY: a parsed list.
        unsafe { sys::pmudev_events_nr(self.0) as usize }
    }

    fn attrs(&self) -> Vec<sys::EventAttr> {
        // SAFETY: the library's array of so many, which lives as long as the list.
        unsafe { std::slice::from_raw_parts(sys::pmudev_events_attrs(self.0), self.nr()) }.to_vec()
    }

    fn name(&self, event: usize) -> String {
        // SAFETY: a parsed list, which returns a string that lives as long, or NULL.
        unsafe { owned(sys::pmudev_events_name(self.0, event as u32)) }
    }
}

/// What pmudev_add() takes, and the names.
pub(crate) fn parse(texts: &[String]) -> Result<(Vec<Event>, Vec<sys::EventAttr>), Error> {
    if texts.is_empty() {
        return Err(Error::invalid("name at least one event"));
    }
    let list = List::parse(&texts.join(","))?;
    let attrs = list.attrs();
    let events: Vec<Event> = attrs
        .iter()
        .enumerate()
        .map(|(i, attr)| Event { name: list.name(i), group: attr.group })
        .collect();
    for (i, event) in events.iter().enumerate() {
        if events[..i].iter().any(|other| other.name == event.name) {
            let name = &event.name;
            return Err(Error::invalid(format!(
                "{name}: named twice; a term name=TEXT makes another name"
            )));
        }
    }
    Ok((events, attrs))
}

/// The slot of the event with this name.
pub(crate) fn find(events: &[Event], name: &str) -> Result<usize, Error> {
    if let Some(slot) = events.iter().position(|event| event.name == name) {
        return Ok(slot);
    }
    let names: Vec<&str> = events.iter().map(|event| event.name.as_str()).collect();
    let advice = format!("there is no event {name} in the set; there are: {}", names.join(", "));
    Err(Error::invalid(advice))
}
