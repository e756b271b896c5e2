//! Files that are written whole or not at all, and read up to a limit.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Writes a file whole: beside it under a name of its own, to the disk, and then in its place. Whoever reads it, or comes back after a crash, finds
/// what was there before or all of this. A file that is there keeps its mode, and a symbolic link stays one: what it points at is written. As editors do,
/// a file of several names, or of an owner that another one cannot be given, is written in place.
///
/// # Errors
/// If it cannot be written, or is there and read-only. Then everything is as before, unless it is written in place.
pub fn write_whole(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let target = match fs::symlink_metadata(path) {
        Ok(found) if found.file_type().is_symlink() => fs::canonicalize(path)?,
        _ => path.to_path_buf(),
    };
    let before = fs::metadata(&target).ok();
    if before.as_ref().is_some_and(|before| !before.is_file()) {
        // What is no file (a device, a pipe) cannot be replaced.
        return write(&mut OpenOptions::new().write(true).open(&target)?);
    }
    if before.as_ref().is_some_and(|before| before.permissions().readonly()) {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
    }
    let (beside, mut file) = create_beside(&target)?;
    if before.as_ref().is_some_and(|before| !can_be_replaced(before, &file)) {
        let _ = fs::remove_file(&beside);
        let mut file = OpenOptions::new().write(true).truncate(true).open(&target)?;
        return write(&mut file).and_then(|()| file.sync_all());
    }
    let written = write(&mut file)
        .and_then(|()| before.map_or(Ok(()), |before| file.set_permissions(before.permissions())))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&beside, &target));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

/// Whether a file can take the place of another: no other name is lost, and it has the same owner now.
#[cfg(unix)]
fn can_be_replaced(before: &fs::Metadata, by: &File) -> bool {
    use std::os::unix::fs::{MetadataExt, fchown};
    let owner = |found: &fs::Metadata| (found.uid(), found.gid());
    let is_same = by.metadata().is_ok_and(|by| owner(&by) == owner(before));
    before.nlink() == 1 && (is_same || fchown(by, Some(before.uid()), Some(before.gid())).is_ok())
}

#[cfg(not(unix))]
fn can_be_replaced(_: &fs::Metadata, _: &File) -> bool {
    true
}

/// A new file in the folder of another. It is created here and now: nobody else's file or link is written through.
fn create_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    loop {
        let count = COUNT.fetch_add(1, Relaxed);
        // (Names have a limit of their own, and this one is longer.)
        let short: String = name.chars().take(40).collect();
        let beside = path.with_file_name(format!(".{short}.{}-{count}.tmp", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&beside) {
            Ok(file) => return Ok((beside, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// Writes a text whole; see [`write_whole`].
///
/// # Errors
/// If it cannot be written.
pub fn write_text(path: &Path, text: &str) -> io::Result<()> {
    write_whole(path, |file| file.write_all(text.as_bytes()))
}

/// Texts that are read whole have so many bytes at most.
pub const TEXT_MAX: u64 = 64 << 20;

/// The whole text of a file, or of what somebody gives in place of one (a device, a pipe).
///
/// # Errors
/// If it cannot be read, or has more than [`TEXT_MAX`] bytes.
pub fn read_text(path: &Path) -> io::Result<String> {
    read_text_of(File::open(path)?)
}

/// The same of a file that another file names: nobody means a device or a pipe there, and one may never end.
///
/// # Errors
/// The same, and if it is something else than a file.
pub fn read_named_text(path: &Path) -> io::Result<String> {
    // (Asked before it is opened: a pipe waits there for somebody who writes.)
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    read_text(path)
}

/// The whole text that comes from somewhere.
///
/// # Errors
/// If it cannot be read, or has more than [`TEXT_MAX`] bytes.
pub fn read_text_of(input: impl Read) -> io::Result<String> {
    let mut text = String::new();
    let read = input.take(TEXT_MAX + 1).read_to_string(&mut text)?;
    if read as u64 > TEXT_MAX {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it has more than {TEXT_MAX} bytes, and no text that is read here may"),
        ));
    }
    Ok(text)
}
