//! Chance, from the system, and ids made of it.

use crate::engine::flow::id::FlowId;
use crate::engine::words::{MessageId, Millis};

/// 64 random bits from the system; the time if it has none to give.
#[must_use]
pub fn chance(now: Millis) -> u64 {
    #[cfg(test)]
    if let Some(bits) = crate::io::fake::bits() {
        return bits;
    }
    getrandom::u64().unwrap_or(now.0)
}

/// A new id: `msg-` and 12 hex digits of a UUID v4.
pub fn mint_id() -> MessageId {
    loop {
        let uuid = uuid();
        if let Some(digits) = uuid.get(..12)
            && let Ok(id) = MessageId::new(&format!("msg-{digits}"))
        {
            return id;
        }
    }
}

/// A new id of a flow: a UUID v4.
pub fn mint_flow_id() -> FlowId {
    loop {
        let digits = uuid();
        let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
        let text =
            format!("{}-{}-{}-{}-{}", part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32));
        if let Ok(id) = FlowId::new(&text) {
            return id;
        }
    }
}

/// 32 hex digits.
fn uuid() -> String {
    #[cfg(test)]
    if let Some(bits) = crate::io::fake::bits() {
        return format!("{bits:016x}{bits:016x}");
    }
    uuid::Uuid::new_v4().simple().to_string()
}
