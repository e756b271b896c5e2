//! The private folder: where files lie that only this machine needs, and that nobody else may read or replace.
//!
//! In a folder that all users share, another user can put a file, or a link to a file of ours, under any name that is known beforehand.

use std::fs;
use std::io::{Error, Result};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// A folder of this user alone, which outlives this process where the user has a place for such things: `gainsay` in `XDG_RUNTIME_DIR`, in
/// `XDG_CACHE_HOME` or in `~/.cache`. Where there is none, or it is not safe, it is a new one among the temporary files.
///
/// # Errors
/// If no folder can be made.
pub fn private_folder() -> Result<PathBuf> {
    static FRESH: Mutex<Option<PathBuf>> = Mutex::new(None);
    if let Some(folder) = lasting_folder() {
        return Ok(folder);
    }
    let mut known = FRESH.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = match known.take() {
        Some(folder) => folder,
        None => fresh(&std::env::temp_dir())?,
    };
    Ok(known.insert(folder).clone())
}

/// The same folder, if it outlives this process: what another one is to find lies there, or nowhere.
pub(crate) fn lasting_folder() -> Option<PathBuf> {
    places().into_iter().find_map(|place| own(&place).ok())
}

/// Where users keep such things.
fn places() -> Vec<PathBuf> {
    let named = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = named("HOME").map(|home| home.join(".cache"));
    [named("XDG_RUNTIME_DIR"), named("XDG_CACHE_HOME"), home].into_iter().flatten().collect()
}

/// The folder `gainsay` in a place of this user, made if need be.
fn own(place: &Path) -> Result<PathBuf> {
    // (A home of ours without a cache is given one; nothing else is.)
    if place.ends_with(".cache") && place.parent().is_some_and(is_ours) {
        let _ = make(place);
    }
    let folder = place.join("gainsay");
    match make(&folder) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    check(place, &folder)?;
    Ok(folder)
}

/// A folder that was not there before.
fn fresh(place: &Path) -> Result<PathBuf> {
    let mut last = None;
    for _ in 0..16 {
        let folder = place.join(format!("gainsay-{:016x}", crate::isolate::token()));
        match make(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) => last = Some(error),
        }
    }
    Err(last.unwrap_or_else(|| Error::other("there is no name left")))
}

/// Makes a folder for this user alone; an error if there is anything of that name.
#[cfg(unix)]
fn make(folder: &Path) -> Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn make(folder: &Path) -> Result<()> {
    fs::DirBuilder::new().create(folder)
}

/// Whose process this is. (Where a process cannot look at itself, nothing that was there before is trusted.)
#[cfg(unix)]
fn user() -> Result<u32> {
    Ok(std::os::unix::fs::MetadataExt::uid(&fs::metadata("/proc/self")?))
}

#[cfg(unix)]
fn is_ours(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    user().is_ok_and(|user| fs::metadata(folder).is_ok_and(|found| found.uid() == user))
}

#[cfg(not(unix))]
fn is_ours(_: &Path) -> bool {
    true
}

/// Refuses a folder that is not ours alone, and a place in which others could exchange it.
#[cfg(unix)]
fn check(place: &Path, folder: &Path) -> Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let refused =
        |why: &str| Err(Error::other(format!("`{}` is not used for private files: {why}", folder.display())));
    let user = user()?;
    for around in fs::canonicalize(place)?.ancestors() {
        let around = fs::metadata(around)?;
        let is_sticky = around.mode() & 0o1000 != 0;
        if ![0, user].contains(&around.uid()) || around.mode() & 0o022 != 0 && !is_sticky {
            return refused("others may write to a folder that it is in");
        }
    }
    let found = fs::symlink_metadata(folder)?;
    if !found.is_dir() {
        return refused("it is no folder");
    }
    if found.uid() != user {
        return refused("it belongs to somebody else");
    }
    if found.mode() & 0o022 != 0 {
        return refused("others may have written to it");
    }
    if found.mode() & 0o077 != 0 {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn check(_: &Path, folder: &Path) -> Result<()> {
    match fs::symlink_metadata(folder)?.is_dir() {
        true => Ok(()),
        false => Err(Error::other(format!("`{}` is no folder", folder.display()))),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().mode() & 0o777
    }

    #[test]
    fn a_folder_is_ours_alone_and_never_a_link() {
        let place = fresh(&std::env::temp_dir()).unwrap();
        assert_eq!(mode(&place), 0o700);
        let folder = own(&place).unwrap();
        assert_eq!((mode(&folder), own(&place).unwrap()), (0o700, folder.clone()));
        // What others could read is closed; what they could write to is not trusted any more.
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(mode(&own(&place).unwrap()), 0o700);
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
        assert!(own(&place).unwrap_err().to_string().contains("others may have written"));
        fs::remove_dir(&folder).unwrap();
        symlink(std::env::temp_dir(), &folder).unwrap();
        assert!(own(&place).unwrap_err().to_string().contains("it is no folder"));
        fs::remove_file(&folder).unwrap();
        fs::write(&folder, "").unwrap();
        assert!(own(&place).unwrap_err().to_string().contains("it is no folder"));
        fs::remove_file(&folder).unwrap();
        // (Only the administrator can give something away.)
        make(&folder).unwrap();
        if std::os::unix::fs::chown(&folder, Some(65_534), None).is_ok() {
            assert!(own(&place).unwrap_err().to_string().contains("it belongs to somebody else"));
        }
        fs::remove_dir(&folder).unwrap();
        // In a place where anybody could exchange it, nothing is kept.
        fs::set_permissions(&place, fs::Permissions::from_mode(0o777)).unwrap();
        assert!(own(&place).unwrap_err().to_string().contains("others may write"));
        fs::remove_dir_all(&place).unwrap();
    }
}
