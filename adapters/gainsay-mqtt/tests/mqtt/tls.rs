//! Connections that nobody else can read.

use crate::broker::{Broker, Folder, own_host};
use crate::{await_seen, begin, bus, data, input, options, output, shown};
use gainsay_msg::{Bus, Message, TroubleKind};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

fn openssl(folder: &Path, arguments: &str) {
    let made = Command::new("openssl").args(arguments.split(' ')).current_dir(folder).output();
    let made = made.expect("openssl (Debian: openssl)");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}

/// A certificate of somebody who vouches for others, one for the broker, and one of somebody else.
fn certificates(folder: &Path) {
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    for (name, who) in [("ca", "we"), ("other", "others")] {
        openssl(
            folder,
            &format!("req -x509 {key} -days 2 -subj /CN={who} -keyout {name}.key -out {name}.pem"),
        );
    }
    openssl(folder, &format!("req {key} -subj /CN=broker -keyout broker.key -out broker.csr"));
    std::fs::write(folder.join("names"), format!("subjectAltName=IP:{}\n", own_host()))
        .expect("a writable folder");
    openssl(
        folder,
        "x509 -req -in broker.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out broker.pem",
    );
}

#[test]
fn a_broker_is_trusted_if_somebody_vouches_for_it() {
    let folder = Folder::new();
    let path = folder.file("");
    certificates(&path);
    let settings = format!(
        "allow_anonymous true\ncertfile {}\nkeyfile {}",
        path.join("broker.pem").display(),
        path.join("broker.key").display()
    );
    let broker = Broker::with(folder, &settings);
    let channels = [input("/in", "loop/in", "text"), output("/out", "loop/out", "text")];
    let mut trusting = options(&broker);
    trusting.tls = true;
    trusting.ca = Some("ca.pem".into());
    let trusting = trusting.in_folder(&path);
    let mut heard = bus(trusting.clone(), &channels, None);
    begin(&mut heard).expect("a broker that is trusted");
    // Somebody else who is let in says what is heard.
    let mut speaker = bus(trusting.clone(), &[input("/out", "loop/out", "text")], None);
    begin(&mut speaker).expect("a broker that is trusted");
    let mut seen = Vec::new();
    speaker.publish(&Arc::new(Message::at_ms(0, "/out", data("psst"))), &mut Vec::new()).expect("no trouble");
    await_seen(&mut heard, 1, &mut seen);
    assert_eq!(shown(&seen), [r#"/out {data: "psst"}"#]);

    let mut other = trusting.clone();
    other.ca = Some(path.join("other.pem"));
    let trouble = begin(&mut bus(other, &channels, None)).expect_err("nobody vouches for it");
    assert_eq!(trouble.kind, TroubleKind::Start);
    let address = broker.address();
    assert!(trouble.what.starts_with(&format!("the broker at {address} is not trusted: ")), "{trouble}");
    assert!(trouble.what.ends_with("; set `ca` in `[mqtt]` to the file of who vouches for it"), "{trouble}");

    let mut missing = trusting;
    missing.ca = Some(path.join("missing.pem"));
    let trouble = begin(&mut bus(missing, &channels, None)).expect_err("no such file");
    assert!(trouble.what.contains("missing.pem"), "{trouble}");

    let trouble = begin(&mut bus(options(&broker), &channels, None)).expect_err("it is not spoken with so");
    assert!(trouble.what.ends_with("does it need `tls = true` in `[mqtt]`?"), "{trouble}");
}
