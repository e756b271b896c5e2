//! Whether lengths that a record names are those of what is there. The crate `mcap` makes room for a text before it looks whether there is one, up to
//! four gigabytes for each.

use mcap::records::op;

/// Whether the texts of a record of those kinds that we read fit into it.
pub(super) fn fit(opcode: u8, record: &[u8]) -> bool {
    let mut left = record;
    match opcode {
        op::SCHEMA => skip(&mut left, 2).and_then(|()| skip_texts(&mut left, 2)),
        op::CHANNEL => {
            skip(&mut left, 4).and_then(|()| skip_texts(&mut left, 2)).and_then(|()| skip_map(&mut left))
        }
        op::METADATA => skip_text(&mut left).and_then(|()| skip_map(&mut left)),
        _ => Some(()),
    }
    .is_some()
}

/// Whether we read records of this kind.
pub(super) fn are_read(opcode: u8) -> bool {
    matches!(opcode, op::SCHEMA | op::CHANNEL | op::MESSAGE | op::METADATA)
}

fn skip(left: &mut &[u8], count: usize) -> Option<()> {
    *left = left.get(count..)?;
    Some(())
}

/// Skips a text: its length, and as many bytes.
fn skip_text(left: &mut &[u8]) -> Option<()> {
    let (length, rest) = left.split_first_chunk::<4>()?;
    *left = rest.get(u32::from_le_bytes(*length) as usize..)?;
    Some(())
}

fn skip_texts(left: &mut &[u8], count: usize) -> Option<()> {
    (0..count).try_for_each(|_| skip_text(left))
}

/// Skips texts by name: the length of all, and then names and texts.
fn skip_map(left: &mut &[u8]) -> Option<()> {
    let (length, rest) = left.split_first_chunk::<4>()?;
    let mut all = rest.get(..u32::from_le_bytes(*length) as usize)?;
    while !all.is_empty() {
        skip_texts(&mut all, 2)?;
    }
    *left = &rest[u32::from_le_bytes(*length) as usize..];
    Some(())
}
