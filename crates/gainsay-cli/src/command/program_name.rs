//! What a system is called, by the command that starts it: `python3 src/system.py --fast` is `system`.

/// What runs a script or a class that is named by its first argument, and options of it that take the next word.
const INTERPRETERS: [(&str, &[&str]); 17] = [
    ("python", &["-W", "-X"]),
    ("pypy", &["-W", "-X"]),
    ("sh", &["-o"]),
    ("bash", &["-o", "-O", "--rcfile", "--init-file"]),
    ("dash", &["-o"]),
    ("ksh", &["-o"]),
    ("zsh", &["-o"]),
    ("node", &["-r", "--require", "--import"]),
    ("bun", &[]),
    ("deno", &[]),
    ("ruby", &["-I", "-r"]),
    ("perl", &["-I"]),
    ("php", &["-d"]),
    ("lua", &["-l"]),
    ("go", &[]),
    ("dotnet", &[]),
    ("java", &["-cp", "-classpath", "--class-path", "-p", "--module-path", "--add-modules"]),
];

/// Options after which there is no script, but its text.
const TEXTS: [&str; 5] = ["-c", "-e", "-r", "--eval", "--command"];

/// The name of a system that is started by these words; nothing if there are none, or they name none.
pub(crate) fn program_name(words: &[String]) -> Option<String> {
    let words = without_environment(words);
    let (first, rest) = words.split_first()?;
    let name = match interpreter(first) {
        Some((name, options)) => script(rest, name, options),
        None => Some(stem(first)),
    };
    name.filter(|name| !name.is_empty())
}

/// The words after `env`, its options, and what it sets.
fn without_environment(words: &[String]) -> &[String] {
    let Some((first, mut rest)) = words.split_first() else { return words };
    if file_name(first) != "env" {
        return words;
    }
    while let Some((word, after)) = rest.split_first() {
        rest = match word.as_str() {
            "-u" | "--unset" | "-C" | "--chdir" => after.get(1..).unwrap_or_default(),
            word if word.starts_with('-') || word.contains('=') => after,
            _ => break,
        };
    }
    rest
}

/// What a program is among the interpreters, whatever its version is: `python3.12`.
fn interpreter(program: &str) -> Option<&'static (&'static str, &'static [&'static str])> {
    let name = file_name(program);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    INTERPRETERS.iter().find(|(known, _)| *known == name)
}

/// The name of the script that an interpreter is told to run.
fn script(mut words: &[String], interpreter: &str, options: &[&str]) -> Option<String> {
    let is_java = interpreter == "java";
    // (Shells take several options in one word: `bash -lc`.)
    let is_text = |word: &str| {
        TEXTS.contains(&word)
            || interpreter.ends_with("sh")
                && word.starts_with('-')
                && !word.starts_with("--")
                && word.ends_with('c')
    };
    while let Some((word, after)) = words.split_first() {
        words = match word.as_str() {
            "run" => after,
            "-jar" => return after.first().map(|file| stem(file)),
            "-m" | "--module" => return after.first().map(|module| last_part(module)),
            word if options.contains(&word) => after.get(1..).unwrap_or_default(),
            word if is_text(word) => return None,
            word if word.starts_with('-') => after,
            class if is_java && !class.ends_with(".java") => return Some(last_part(class)),
            file => return Some(stem(file)),
        };
    }
    None
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The name of a file without its ending, if it has one that begins with a letter (`app-1.2` has none).
fn stem(path: &str) -> String {
    let name = file_name(path);
    match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && ending.starts_with(|c: char| c.is_ascii_alphabetic()) => {
            stem
        }
        _ => name,
    }
    .into()
}

/// The last part of the name of a module or a class.
fn last_part(name: &str) -> String {
    name.rsplit(['.', '/']).next().unwrap_or(name).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_are_called_like_what_is_run() {
        for (command, name) in [
            ("./rover", "rover"),
            ("/opt/rover/bin/rover-1.2 --fast", "rover-1.2"),
            ("./start.sh", "start"),
            ("python3 system.py", "system"),
            ("/usr/bin/python3.12 -u -W ignore src/my_system.py --port 7", "my_system"),
            ("python -m rover.server x", "server"),
            ("bash x.sh y.sh", "x"),
            ("sh -eu -o pipefail ./run/x", "x"),
            ("node --inspect -r dotenv x.js", "x"),
            ("deno run --allow-net x.ts", "x"),
            ("java -Xmx1g -jar build/x-1.0.jar", "x-1.0"),
            ("java -cp a:b com.example.Lamp on", "Lamp"),
            ("java Lamp.java", "Lamp"),
            ("env FOO=1 ./x", "x"),
            ("/usr/bin/env -i -u HOME A=b python3 system.py", "system"),
            ("ruby -I lib x.rb", "x"),
            ("./.hidden", ".hidden"),
        ] {
            let words: Vec<String> = command.split(' ').map(String::from).collect();
            assert_eq!(program_name(&words).as_deref(), Some(name), "{command}");
        }
        for command in
            ["python3", "sh -c read", "bash -lc read", "perl -e 1", "env A=b", "node", "java -jar", ""]
        {
            let words: Vec<String> = command.split_whitespace().map(String::from).collect();
            assert_eq!(program_name(&words), None, "{command}");
        }
    }
}
