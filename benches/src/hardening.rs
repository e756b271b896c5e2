//! Runs that are aborted: no process may be left behind, and no failure be lost. With the figures of the other chores: fuzzing, advisories, and the
//! suite run again and again on a busy machine.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How many runs are aborted.
const RUNS: usize = 1000;
/// After this time nothing may be left.
const LEFT_MAX: Duration = Duration::from_secs(5);
/// How often the suite runs.
const SUITES: usize = 20;

/// Runs a part.
pub(crate) fn compare(part: &str) -> Result<(), String> {
    let result = match part {
        "aborted" => aborted()?,
        "fuzz" => chore("fuzz")?,
        "advisories" => chore("deny")?,
        "suite" => suite()?,
        _ => {
            return Err(format!("there is no part `{part}`; there are: aborted, fuzz, advisories, suite"));
        }
    };
    println!("result: {result}");
    Ok(())
}

/// Runs all parts.
pub(crate) fn compare_all() -> Result<(), String> {
    let parts = [aborted()?, chore("fuzz")?, chore("deny")?, suite()?];
    println!("result: {}", parts.join(" "));
    Ok(())
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// What `cargo xtask NAME` says in its line of results.
fn chore(name: &str) -> Result<String, String> {
    let output =
        Command::new("cargo").args(["xtask", name]).current_dir(root()).stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("failed to run `cargo xtask {name}`: {error}"))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    print!("{said}");
    let result = said.lines().find_map(|line| line.strip_prefix("result: "));
    result.map(String::from).ok_or_else(|| format!("`cargo xtask {name}` has said no result"))
}

/// The suite, while as many threads as there are processors keep the machine busy.
fn suite() -> Result<String, String> {
    let cargo = |arguments: &[&str]| {
        let mut command = Command::new("cargo");
        command.args(["test", "--workspace", "--all-features"]).args(arguments).current_dir(root());
        let done = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::inherit()).status();
        done.map(|status| status.success()).map_err(|error| format!("failed to run the tests: {error}"))
    };
    if !cargo(&["--no-run"])? {
        return Err("the tests do not compile".into());
    }
    let is_over = std::sync::atomic::AtomicBool::new(false);
    let processors = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..processors {
            scope.spawn(|| {
                while !is_over.load(Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let mut passed = 0;
        for run in 1..=SUITES {
            let begun = Instant::now();
            match cargo(&["--no-fail-fast"]) {
                Ok(good) => {
                    passed += usize::from(good);
                    let word = if good { "passed" } else { "failed" };
                    println!("suite {run}: {word} in {:.0} s", begun.elapsed().as_secs_f64());
                }
                Err(trouble) => println!("suite {run}: {trouble}"),
            }
        }
        is_over.store(true, Relaxed);
        Ok(format!("suite_runs={passed}/{SUITES}"))
    })
}

/// A system that does not want to end.
struct System {
    name: &'static str,
    /// A script in which the innermost process makes the file `there` once everything has been started.
    script: &'static str,
    on_mqtt: bool,
    /// Whether a failure has been seen when `there` is made.
    finds: bool,
}

const fn stubborn(name: &'static str, script: &'static str) -> System {
    System { name, script, on_mqtt: false, finds: false }
}

const SYSTEMS: [System; 10] = [
    stubborn(
        "ignores signals",
        "trap '' TERM INT HUP; echo '{\"idle\":true}'; : > there; while :; do sleep 1; done",
    ),
    stubborn("does not read", "echo '{\"idle\":true}'; : > there; exec sleep 600"),
    stubborn("is stopped", "echo '{\"idle\":true}'; : > there; kill -STOP $$; sleep 600"),
    stubborn(
        "in a session of its own",
        "echo '{\"idle\":true}'; setsid sh -c ': > there; while :; do sleep 1; done' & cat > /dev/null",
    ),
    stubborn(
        "forks twice",
        "echo '{\"idle\":true}'; (setsid sh -c ': > there; exec sleep 600' > /dev/null 2>&1 &) & cat > /dev/null",
    ),
    stubborn(
        "forks without an environment",
        "echo '{\"idle\":true}'; (env -i setsid sh -c ': > there; exec sleep 600' &) & cat > /dev/null",
    ),
    stubborn(
        "floods",
        ": > there; while :; do echo '{\"at_ms\":0,\"channel\":\"/out\",\"msg\":{\"n\":1}}'; done",
    ),
    stubborn("floods its errors", "echo '{\"idle\":true}'; : > there; yes >&2"),
    System {
        name: "on a broker",
        script: "(setsid sleep 600 &); trap '' TERM INT HUP; : > there; while :; do sleep 1; done",
        on_mqtt: true,
        finds: false,
    },
    // It answers wrongly in one run, and never ends when it is asked in another.
    System {
        name: "fails, then hangs",
        script: "[ -e first ] && again=1; echo '{\"idle\":true}'\nwhile read -r line; do case \"$line\" in\n\
                 *reset*) [ -e first ] && again=1; echo '{\"idle\":true}' ;;\n\
                 *channel*) if [ \"$again\" ]; then : > there; sleep 600; fi; \
                 : > first; echo \"${line%%,*},\\\"channel\\\":\\\"/out\\\",\\\"msg\\\":{\\\"n\\\":500}}\" ;;\n\
                 *) echo '{\"idle\":true}' ;; esac; done\n",
        on_mqtt: false,
        finds: true,
    },
];

const SIGNALS: [&str; 3] = ["INT", "TERM", "KILL"];
const FORMATS: [&str; 3] = ["text", "json", "junit"];

/// Aborts runs; how many left processes behind, and how many lost something.
fn aborted() -> Result<String, String> {
    let program = program()?;
    let folder = std::env::temp_dir().join(format!("gainsay-hardening-{}", std::process::id()));
    fs::create_dir(&folder).map_err(|error| format!("failed to make `{}`: {error}", folder.display()))?;
    let broker = Broker::start(&folder)?;
    let (next, orphans, lost) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let wrong: std::sync::Mutex<BTreeMap<String, usize>> = std::sync::Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let run = next.fetch_add(1, Relaxed);
                    if run >= RUNS {
                        return;
                    }
                    let found = one(&program, &folder.join(run.to_string()), run, &broker);
                    orphans.fetch_add(usize::from(found.is_left), Relaxed);
                    lost.fetch_add(usize::from(found.is_lost), Relaxed);
                    if let (Some(why), Ok(mut wrong)) = (found.why, wrong.lock()) {
                        *wrong.entry(why).or_default() += 1;
                    }
                }
            });
        }
    });
    drop(broker);
    let _ = fs::remove_dir_all(&folder);
    for (why, count) in wrong.into_inner().unwrap_or_default() {
        println!("{count} × {why}");
    }
    Ok(format!("orphans={}/{RUNS} lost={}", orphans.into_inner(), lost.into_inner()))
}

/// The program `gainsay`, built like a user builds it.
fn program() -> Result<PathBuf, String> {
    let mut command = Command::new("cargo");
    command.args(["build", "--release", "--quiet", "-p", "gainsay-cli"]).current_dir(root());
    match command.status() {
        Ok(status) if status.success() => {}
        _ => return Err("failed to build gainsay-cli".into()),
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    Ok(target.join("release/gainsay"))
}

struct Broker {
    process: Child,
    address: String,
}

const PORT: u16 = 18_883;

impl Broker {
    /// A broker at an address that no other process has: it is made of this one's number.
    fn start(folder: &Path) -> Result<Broker, String> {
        let number = std::process::id();
        let address = format!("127.{}.{}.{}", 16 + (number >> 16) % 200, number >> 8 & 255, number & 255);
        let file = folder.join("broker.conf");
        let settings = format!("listener {PORT} {address}\nallow_anonymous true\n");
        fs::write(&file, settings).map_err(|error| error.to_string())?;
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new("mosquitto");
        command.arg("-c").arg(&file).env("PATH", format!("{path}:/usr/sbin"));
        let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let process = process.map_err(|error| format!("failed to start mosquitto: {error}"))?;
        let broker = Broker { process, address };
        let is_there = || std::net::TcpStream::connect((broker.address.as_str(), PORT)).is_ok();
        if in_time(Duration::from_secs(20), is_there) {
            Ok(broker)
        } else {
            Err("the broker does not answer".into())
        }
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn in_time(limit: Duration, mut is_so: impl FnMut() -> bool) -> bool {
    let begun = Instant::now();
    while !is_so() {
        if begun.elapsed() > limit {
            return false;
        }
        std::thread::park_timeout(Duration::from_millis(5));
    }
    true
}

/// The processes in this folder: what a run has started stays there, whatever its environment and session.
fn inside(folder: &Path) -> Vec<String> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten().map(|process| process.path());
    let is_inside = |path: &PathBuf| fs::read_link(path.join("cwd")).is_ok_and(|place| place == folder);
    let name =
        |path: PathBuf| fs::read_to_string(path.join("cmdline")).unwrap_or_default().replace('\0', " ");
    processes.filter(is_inside).map(name).collect()
}

/// What came of an aborted run.
#[derive(Default)]
struct Found {
    is_left: bool,
    is_lost: bool,
    why: Option<String>,
}

fn one(program: &Path, folder: &Path, run: usize, broker: &Broker) -> Found {
    let system = &SYSTEMS[run % SYSTEMS.len()];
    let signal = SIGNALS[run / SYSTEMS.len() % SIGNALS.len()];
    let format = FORMATS[run / (SYSTEMS.len() * SIGNALS.len()) % FORMATS.len()];
    let label = format!("{}, {signal}, {format}", system.name);
    let lost = |why: &str| Found { is_lost: true, why: Some(format!("{label}: {why}")), ..Found::default() };
    if let Err(error) = write(folder, system, broker) {
        return lost(&format!("failed to write: {error}"));
    }
    let arguments = ["test", "system.toml", "--seed", "1", "--corpus", "corpus", "--format", format];
    let gainsay = File::create(folder.join("out")).and_then(|out| {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(folder).env("XDG_RUNTIME_DIR", folder);
        command.stdin(Stdio::null()).stdout(out).stderr(Stdio::null()).spawn()
    });
    let mut gainsay = match gainsay {
        Ok(gainsay) => gainsay,
        Err(error) => return lost(&format!("failed to start: {error}")),
    };
    let is_reached = in_time(Duration::from_secs(60), || folder.join("there").exists());
    // At different moments of a run.
    std::thread::park_timeout(Duration::from_millis(run as u64 * 7 % 50));
    let was_running = gainsay.try_wait().is_ok_and(|status| status.is_none());
    let sent = Command::new("kill")
        .args([&format!("-{signal}"), &gainsay.id().to_string()])
        .stderr(Stdio::null())
        .status();
    let is_over = in_time(LEFT_MAX, || gainsay.try_wait().is_ok_and(|status| status.is_some()));
    let is_empty = in_time(LEFT_MAX, || inside(folder).is_empty());
    if !is_over || !is_empty {
        let left = inside(folder);
        let _ = gainsay.kill();
        return Found { is_left: true, is_lost: false, why: Some(format!("{label}: {left:?} left")) };
    }
    let code = gainsay.wait().ok().and_then(|status| status.code());
    let found = if !is_reached || !was_running || sent.is_err() {
        lost("the run was over before it was aborted")
    } else {
        match told(folder, system, signal, format, code) {
            Ok(()) => Found::default(),
            Err(why) => lost(&why),
        }
    };
    if !found.is_lost {
        let _ = fs::remove_dir_all(folder);
    }
    found
}

fn write(folder: &Path, system: &System, broker: &Broker) -> std::io::Result<()> {
    fs::create_dir(folder)?;
    let mut script = File::create(folder.join("system.sh"))?;
    script.write_all(system.script.as_bytes())?;
    let bus = if system.on_mqtt {
        format!(
            "bus = \"mqtt\"\nstart = [\"sh\", \"system.sh\"]\n\n[mqtt]\nhost = \"{}\"\nport = {PORT}",
            broker.address
        )
    } else {
        "bus = \"stdio\"\nstart = [\"sh\", \"system.sh\"]\ntime = \"virtual\"\nreset = true\nstart_ms = 60000\nanswer_ms = 60000".into()
    };
    fs::write(
        folder.join("system.toml"),
        format!(
            "[system]\nname = \"stubborn\"\n{bus}\n\n[types.Number]\nn = \"int32\"\n\n[channels]\n\
             \"/in\" = {{ type = \"Number\", direction = \"in\" }}\n\"/out\" = {{ type = \"Number\", direction = \"out\" }}\n\n\
             [properties]\ntext = '''\n# id: small\nglobally: no /out {{n > 100}}\n# id: answered\n\
             globally: /in causes /out within 60 s\n'''\n"
        ),
    )
}

/// Whether what was found by then is on disk, and was told if there was time for it.
fn told(folder: &Path, system: &System, signal: &str, format: &str, code: Option<i32>) -> Result<(), String> {
    let has_case = |folder: &Path| {
        let inner = fs::read_dir(folder.join("corpus")).into_iter().flatten().flatten();
        inner.map(|inner| inner.path()).any(|inner| fs::read_dir(inner).is_ok_and(|files| files.count() > 0))
    };
    if system.finds && !has_case(folder) {
        return Err("a failure that was found is not in the corpus".into());
    }
    if signal == "KILL" {
        return Ok(());
    }
    let wanted = if system.finds { [1, 1, 1] } else { [1, 3, 4] };
    if !wanted.map(Some).contains(&code) {
        return Err(format!("its exit code is {code:?}"));
    }
    let said = fs::read_to_string(folder.join("out")).unwrap_or_default();
    let parts = match format {
        "text" => ["small", "answered"],
        "json" => ["\"property\":\"small\"", "\"property\":\"answered\""],
        _ => ["name=\"answered\"", "</testsuites>"],
    };
    match parts.into_iter().chain(system.finds.then_some("falsified")).find(|part| !said.contains(part)) {
        Some(part) => Err(format!("it did not say `{part}`")),
        None => Ok(()),
    }
}
