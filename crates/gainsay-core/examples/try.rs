use gainsay_core::*;
fn main() {
    println!("{}", verdict_exhaustive(|a: bool, b: bool, c: bool| (a && (b || c)) == (a && b || a && c)));
    let v = settings().without_corpus().seed(3).verdict_for_all(|v: Vec<i64>| { let mut w = v.clone(); w.reverse(); v == w });
    println!("{v}");
    println!("{:?}", values::<Vec<bool>>().take(20).collect::<Vec<_>>());
    println!("{:?}", (0..20).map(|i| nth::<Vec<bool>>(i).unwrap()).collect::<Vec<_>>());
    println!("{:?}", values::<(i8,i8)>().take(12).collect::<Vec<_>>());
    println!("{:?}", values::<(u16,bool)>().count());
    println!("{:?}", values::<(bool,u16)>().count());
    println!("{:?}", values::<std::collections::BTreeSet<u8>>().take(20).collect::<Vec<_>>());
}
