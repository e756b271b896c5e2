//! Wardens: what a program has started ends with it, and it ends with us, however we end.
//!
//! Between us and a program stands a process of our own, its warden. The warden is a *subreaper* (`prctl(2)`): whoever is left by a parent
//! below it becomes its child, whatever sessions and groups were made, so that nobody gets away. It holds the end of a pipe whose other end
//! only we have, the *lifeline*: when that is closed, because we let go of it or because we are no more, the warden kills all its children.
//! When the program itself ends, the warden kills what is left and ends in the same way.

#![expect(unsafe_code, reason = "what runs between `fork` and `exec` is made of system calls")]

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Our side of a warden.
#[derive(Debug)]
pub(crate) struct Lifeline {
    /// Closed, it ends everything.
    _held: OwnedFd,
    /// From here the number of the program is read.
    told: OwnedFd,
}

impl Lifeline {
    /// Gives a command a warden.
    pub(crate) fn tie(command: &mut Command) -> io::Result<Lifeline> {
        let (watched, held) = pipe()?;
        let (told, tells) = pipe()?;
        let guard = move || {
            // SAFETY: this runs in a process with one thread; `stand_between` only makes system calls and does not allocate.
            unsafe { stand_between(watched.as_raw_fd(), tells.as_raw_fd()) }
        };
        // SAFETY: between `fork` and `exec` only system calls are made.
        unsafe { command.pre_exec(guard) };
        Ok(Lifeline { _held: held, told })
    }

    /// The number of the program, once it was started; none if its warden is gone already.
    pub(crate) fn program(&self) -> Option<u32> {
        let mut bytes = [0; 4];
        let read = rustix::io::read(&self.told, &mut bytes).ok()?;
        (read == bytes.len()).then(|| u32::from_ne_bytes(bytes))
    }
}

/// Both ends of a pipe, which no other program inherits: to read from, and to write to.
fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?)
}

/// Becomes the warden of a new process, in which this function returns: there the program is run.
///
/// # Safety
/// To be called between `fork` and `exec`, in a process with one thread.
unsafe fn stand_between(lifeline: RawFd, tells: RawFd) -> io::Result<()> {
    // SAFETY: system calls with numbers alone; the two below are given memory of this function.
    unsafe {
        // (An old kernel knows no subreapers: then only those are found who have not left.)
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
        match libc::fork() {
            -1 => Err(io::Error::last_os_error()),
            0 => {
                // What the program does to its group of processes does not concern its warden.
                libc::setpgid(0, 0);
                Ok(())
            }
            program => {
                let bytes = program.to_ne_bytes();
                libc::write(tells, bytes.as_ptr().cast(), bytes.len());
                libc::prctl(libc::PR_SET_NAME, c"gainsay-warden".as_ptr());
                close_all_but(lifeline);
                let status = watch(lifeline, program);
                kill_all(program);
                end_like(status)
            }
        }
    }
}

/// Closes what was inherited: nobody must wait for the end of something that only a warden holds open.
unsafe fn close_all_but(kept: RawFd) {
    // SAFETY: numbers alone; nothing of this process uses any of the files.
    unsafe {
        let close = |from: u32, to: u32| {
            if from <= to && libc::syscall(libc::SYS_close_range, from, to, 0) != 0 {
                // (Older kernels close them one by one.)
                (from..=to.min(4096)).for_each(|file| {
                    libc::close(file as RawFd);
                });
            }
        };
        let kept = kept as u32;
        if kept > 0 {
            close(0, kept - 1);
        }
        close(kept + 1, u32::MAX);
    }
}

/// Waits until the program ends or the lifeline is closed: how the program ended, if it did.
unsafe fn watch(lifeline: RawFd, program: libc::pid_t) -> Option<i32> {
    // SAFETY: system calls that are given numbers, and memory of this function.
    unsafe {
        let ended = libc::syscall(libc::SYS_pidfd_open, program, 0) as RawFd;
        loop {
            let mut files = [lifeline, ended].map(|fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 });
            // Now and then those are buried who were left to the warden. (An old kernel does not tell when the program ends.)
            libc::poll(files.as_mut_ptr(), 2, if ended < 0 { 10 } else { 500 });
            loop {
                let mut status = 0;
                match libc::waitpid(-1, &raw mut status, libc::WNOHANG) {
                    0 | -1 => break,
                    pid if pid == program => return Some(status),
                    _ => {}
                }
            }
            // (Nobody writes to it: whatever is told of it is its end.)
            if files[0].revents != 0 {
                return None;
            }
        }
    }
}

/// Kills all children, and those that become children by it, until there are none.
unsafe fn kill_all(program: libc::pid_t) {
    // SAFETY: system calls that are given numbers, and memory of this function.
    unsafe {
        for _ in 0..KILLS_MAX {
            if !kill_children() {
                libc::kill(-program, libc::SIGKILL);
                libc::kill(program, libc::SIGKILL);
            }
            loop {
                let mut status = 0;
                match libc::waitpid(-1, &raw mut status, libc::WNOHANG) {
                    -1 => return,
                    0 => break,
                    _ => {}
                }
            }
            libc::poll(std::ptr::null_mut(), 0, 1);
        }
    }
}

/// So often it is tried to kill them, a millisecond apart: what the kernel does not let go of is left.
const KILLS_MAX: u32 = 5000;

/// Kills the children that the kernel lists; false if it lists none.
unsafe fn kill_children() -> bool {
    // SAFETY: system calls that are given numbers, and memory of this function.
    unsafe {
        let file = libc::open(c"/proc/thread-self/children".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        if file < 0 {
            return false;
        }
        let (mut number, mut is_any) = (0, false);
        let mut buffer = [0u8; 512];
        loop {
            let read = libc::read(file, buffer.as_mut_ptr().cast(), buffer.len());
            if read <= 0 {
                break;
            }
            for &byte in buffer.iter().take(read as usize) {
                if byte.is_ascii_digit() {
                    number = 10 * number + libc::pid_t::from(byte - b'0');
                } else if number > 0 {
                    libc::kill(number, libc::SIGKILL);
                    (number, is_any) = (0, true);
                }
            }
        }
        libc::close(file);
        is_any
    }
}

/// Ends this process as another one has ended.
unsafe fn end_like(status: Option<i32>) -> ! {
    // SAFETY: system calls that are given numbers, and memory of this function.
    unsafe {
        let Some(status) = status else { libc::_exit(0) };
        if libc::WIFSIGNALED(status) {
            let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
            libc::setrlimit(libc::RLIMIT_CORE, &raw const none);
            libc::signal(libc::WTERMSIG(status), libc::SIG_DFL);
            libc::kill(libc::getpid(), libc::WTERMSIG(status));
        }
        libc::_exit(if libc::WIFEXITED(status) { libc::WEXITSTATUS(status) } else { 1 })
    }
}
