//! The command `highwater`.
fn main() {
    let files: Vec<_> = std::env::args().skip(1).map(Into::into).collect();
    println!("{:?}", highwater::conform::conform(&files, || ()));
}
