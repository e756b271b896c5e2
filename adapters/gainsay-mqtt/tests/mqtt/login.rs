//! Brokers that want to know who we are.

use crate::broker::{Broker, Folder};
use crate::peer::Peer;
use crate::{begin, bus, options, output};
use gainsay_msg::{Bus, TroubleKind};
use std::process::Command;

#[test]
fn a_user_is_let_in_by_the_password() {
    let folder = Folder::new();
    let file = folder.file("passwords");
    let made =
        Command::new("mosquitto_passwd").arg("-b").arg("-c").arg(&file).args(["lab", "secret"]).output();
    let made = made.expect("mosquitto_passwd (Debian: mosquitto)");
    assert!(made.status.success(), "{made:?}");
    let broker = Broker::with(folder, &format!("allow_anonymous false\npassword_file {}", file.display()));
    let channels = [output("/out", "out", "text")];
    let mut known = options(&broker);
    known.user = Some("lab".into());
    known.password = Some("secret".into());
    begin(&mut bus(known.clone(), &channels, None)).expect("a broker that lets us in");
    known.password = Some("guess".into());
    let trouble = begin(&mut bus(known, &channels, None)).expect_err("a wrong password");
    assert_eq!(trouble.kind, TroubleKind::Start);
    let what = format!(
        "the broker at {} refuses `lab`: NotAuthorized; set `user` and `password` in `[mqtt]`",
        broker.address()
    );
    assert_eq!(trouble.what, what);
}

#[test]
fn what_may_not_be_read_is_told() {
    let folder = Folder::new();
    let file = folder.file("rights");
    std::fs::write(&file, "topic readwrite in\n").expect("a writable folder");
    let broker = Broker::with(folder, &format!("allow_anonymous true\nacl_file {}", file.display()));
    // (This broker lets everybody subscribe, and then sends nothing.)
    let mut bus = bus(options(&broker), &[output("/out", "out", "text")], None);
    begin(&mut bus).expect("a broker");
    Peer::new(&broker).publish("out", "x");
    let mut seen = Vec::new();
    bus.pass(50_000_000, true, &mut seen).expect("no trouble");
    assert!(seen.is_empty());
}
