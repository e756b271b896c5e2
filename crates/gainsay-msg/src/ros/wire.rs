//! Numbers and text in bytes.

/// Reads one value after the other.
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    is_big_endian: bool,
    /// Numbers are aligned to their width, and at most to this; nothing is aligned in ROS 1.
    aligned_max: usize,
    /// Text ends with a zero that counts.
    has_zeros: bool,
    /// At most so many elements of arrays are still read: there are some that take no bytes.
    elements_left: usize,
}

/// Arrays of a message have no more elements than it has bytes, and this many.
const ELEMENTS_MAX: usize = 1 << 16;

/// CDR may end with as many bytes of padding.
const PADDING_MAX: usize = 7;

impl<'a> Reader<'a> {
    pub(super) fn ros1(bytes: &'a [u8]) -> Reader<'a> {
        Reader {
            bytes,
            at: 0,
            is_big_endian: false,
            aligned_max: 1,
            has_zeros: false,
            elements_left: bytes.len().saturating_add(ELEMENTS_MAX),
        }
    }

    /// (Bytes are aligned from behind the header on.)
    pub(super) fn cdr(bytes: &'a [u8]) -> Result<Reader<'a>, String> {
        let Some((&[_, kind, _, _], bytes)) = bytes.split_first_chunk::<4>() else {
            return Err(format!("CDR begins with a header of 4 bytes, and there are {}", bytes.len()));
        };
        let (is_big_endian, aligned_max) = match kind {
            0 | 1 => (kind == 0, 8),
            6 | 7 => (kind == 6, 4),
            _ => return Err(format!("CDR of kind {kind} is not read here: only plain CDR is (0, 1, 6, 7)")),
        };
        Ok(Reader { is_big_endian, aligned_max, has_zeros: true, ..Reader::ros1(bytes) })
    }

    /// How many bytes are left.
    pub(super) fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        if count > self.left() {
            return Err(format!(
                "the message ends too early: {count} bytes are needed, and {} are left",
                self.left()
            ));
        }
        self.at += count;
        Ok(&self.bytes[self.at - count..self.at])
    }

    pub(super) fn bytes<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let aligned = self.at.next_multiple_of(N.min(self.aligned_max));
        self.take(aligned - self.at)?;
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.take(N)?);
        if self.is_big_endian {
            bytes.reverse();
        }
        Ok(bytes)
    }

    pub(super) fn int(&mut self, signed: bool, bits: u8) -> Result<i128, String> {
        Ok(match (bits, signed) {
            (8, false) => u8::from_le_bytes(self.bytes()?).into(),
            (8, true) => i8::from_le_bytes(self.bytes()?).into(),
            (16, false) => u16::from_le_bytes(self.bytes()?).into(),
            (16, true) => i16::from_le_bytes(self.bytes()?).into(),
            (32, false) => u32::from_le_bytes(self.bytes()?).into(),
            (32, true) => i32::from_le_bytes(self.bytes()?).into(),
            (_, false) => u64::from_le_bytes(self.bytes()?).into(),
            (_, true) => i64::from_le_bytes(self.bytes()?).into(),
        })
    }

    /// How many elements an array has: no more than there are bytes, if they take any.
    pub(super) fn length(&mut self, takes_bytes: bool) -> Result<usize, String> {
        let length = u32::from_le_bytes(self.bytes()?) as usize;
        if takes_bytes && length > self.left() {
            return Err(format!(
                "an array of {length} is longer than the {} bytes that are left",
                self.left()
            ));
        }
        Ok(length)
    }

    /// Takes account of an element of an array.
    pub(super) fn element(&mut self) -> Result<(), String> {
        let left = self.elements_left.checked_sub(1);
        self.elements_left =
            left.ok_or_else(|| format!("it has more than {ELEMENTS_MAX} elements that take no bytes"))?;
        Ok(())
    }

    pub(super) fn text(&mut self) -> Result<Box<str>, String> {
        let length = u32::from_le_bytes(self.bytes()?) as usize;
        let bytes = self.take(length)?;
        let bytes = if self.has_zeros { bytes.strip_suffix(b"\0").unwrap_or(bytes) } else { bytes };
        Ok(String::from_utf8_lossy(bytes).into())
    }

    /// Nothing may be left, but for padding.
    pub(super) fn finish(&self) -> Result<(), String> {
        let most = if self.has_zeros { PADDING_MAX } else { 0 };
        match self.left() {
            left if left > most => {
                Err(format!("{left} bytes are left behind the message: it is of another type"))
            }
            _ => Ok(()),
        }
    }
}
