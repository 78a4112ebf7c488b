//! The buffer of audit entries between the decision and the write.

use mcp_sieve_gateway::audit::{
    AUDIT_DELAY_MS, AUDIT_LAPSE_MS, AuditBuffer, MAX_AUDIT_LINES, MAX_AUDIT_NAMES, Operation,
};

fn line(at: u64, method: &str) -> Operation {
    Operation::new(at, None, method, Some("tool"), "hidden")
}

/// Returns the methods and counts of entries, in order.
fn told(lines: &[Operation]) -> Vec<(&str, u32)> {
    lines.iter().map(|line| (line.method.as_str(), line.count)).collect()
}

#[test]
fn lines_of_a_burst_are_written_in_order_and_once_each() {
    let mut buffer = AuditBuffer::new();
    let mut written: Vec<Operation> = Vec::new();
    let mut due = None;
    let names: Vec<String> = (0..200).map(|number| format!("method-{number}")).collect();
    // An entry every 100 ms, and after the last one only the write that it scheduled.
    for now in (0..30_000).step_by(100) {
        if let Some(name) = names.get(now as usize / 100)
            && buffer.add(line(now, name))
        {
            assert_eq!(due.replace(now + AUDIT_DELAY_MS), None, "one write is scheduled at a time");
        }
        if due.is_some_and(|due| due <= now) {
            due = None;
            written.extend(buffer.take(now).unwrap());
            buffer.written();
        }
    }
    assert_eq!(told(&written), names.iter().map(|name| (name.as_str(), 1)).collect::<Vec<_>>());
    let slowest = written.iter().zip(0..).map(|(line, number)| line.at - number * 100).max();
    assert_eq!(slowest, Some(0), "each line has the time of its decision");
}

#[test]
fn lines_that_say_the_same_are_one_line_with_a_count() {
    let mut buffer = AuditBuffer::new();
    for now in 0..300 {
        assert_eq!(buffer.add(line(now, if now % 3 == 0 { "a" } else { "b" })), now == 0);
    }
    let lines = buffer.take(AUDIT_DELAY_MS).unwrap();
    assert_eq!(told(&lines), [("a", 100), ("b", 200)]);
    assert_eq!(lines.iter().map(|line| (line.at, line.last)).collect::<Vec<_>>(), [(0, 297), (1, 299)]);
}

/// Callers choose the names: however many they send, they displace no entries of others.
#[test]
fn lines_that_differ_in_the_name_are_one_line_with_the_first_names() {
    let mut buffer = AuditBuffer::new();
    for number in 0..500 {
        buffer.add(line(number, "tools/call").about(&format!("guess-{}", number / 2)));
    }
    let lines = buffer.take(AUDIT_DELAY_MS).unwrap();
    assert_eq!(told(&lines), [("tools/call", 500)]);
    let first: Vec<String> = (0..MAX_AUDIT_NAMES).map(|number| format!("guess-{number}")).collect();
    assert_eq!(lines[0].names, first);
}

#[test]
fn lines_beyond_the_limit_are_counted() {
    let mut buffer = AuditBuffer::new();
    for number in 0..MAX_AUDIT_LINES + 7 {
        buffer.add(line(5, &format!("method-{number}")));
    }
    let lines = buffer.take(9).unwrap();
    assert_eq!(lines.len(), MAX_AUDIT_LINES + 1);
    let last = lines.last().unwrap();
    assert_eq!((last.reason.as_str(), last.count, last.at), ("not_kept", 7, 9));
    buffer.written();
    assert_eq!(buffer.take(10), Some(Vec::new()), "they are counted once");
}

#[test]
fn a_write_waits_for_the_one_before() {
    let mut buffer = AuditBuffer::new();
    assert!(buffer.add(line(0, "a")));
    assert_eq!(told(&buffer.take(1_000).unwrap()), [("a", 1)]);
    assert!(buffer.add(line(1_001, "b")));
    assert_eq!(buffer.take(2_001), None);
    assert!(!buffer.add(line(2_002, "c")), "the write that waits takes it too");
    buffer.written();
    assert_eq!(told(&buffer.take(3_001).unwrap()), [("b", 1), ("c", 1)]);
}

#[test]
fn a_write_that_never_happens_costs_no_line() {
    let mut buffer = AuditBuffer::new();
    assert!(buffer.add(line(0, "a")));
    let late = AUDIT_DELAY_MS + AUDIT_LAPSE_MS;
    assert!(!buffer.add(line(late, "b")));
    assert!(buffer.add(line(late + 1, "c")), "the write that was scheduled is lost");
    assert_eq!(told(&buffer.take(late + 1_001).unwrap()), [("a", 1), ("b", 1), ("c", 1)]);
    // This write is lost too, as when the platform ends its request.
    assert!(buffer.add(line(late + 2_000, "d")));
    assert_eq!(told(&buffer.take(late + 1_002 + AUDIT_LAPSE_MS).unwrap()), [("d", 1)]);
}
