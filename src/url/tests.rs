use proptest::prelude::*;

use super::*;

#[test]
fn the_parts_of_an_address_are_told_apart() {
    let url = Url::parse("HTTPS://jo:p%40w@News.Example:8443/a/../b;c?d=/?e#f?g#h").unwrap();
    assert_eq!(url.as_str(), "https://jo:p%40w@news.example:8443/b;c?d=/?e#f?g#h");
    assert_eq!((url.scheme(), url.host_str(), url.port()), ("https", "news.example", Some("8443")));
    assert_eq!((url.path(), url.query()), ("/b;c", Some("d=/?e")));
    assert_eq!((url.origin().as_str(), url.after_origin()), ("https://news.example:8443", "/b;c?d=/?e#f?g#h"));
    assert_eq!(url.before_fragment(), "https://jo:p%40w@news.example:8443/b;c?d=/?e");
    assert!(url.has_credentials());

    let url = Url::parse("http://a.example:80#?b@c").unwrap();
    assert_eq!(url.as_str(), "http://a.example/#?b@c");
    assert_eq!((url.path(), url.query(), url.port()), ("/", None, None));
    assert!(!url.has_credentials());
    assert_eq!(url.join("//b.example/c").unwrap().as_str(), "http://b.example/c");
    assert_eq!(url.join("mailto:jo@b.example"), None);
}

#[test]
fn a_host_is_a_name_or_a_number() {
    let url = Url::parse("http://[2001:DB8::1]:81/").unwrap();
    assert_eq!(url.host(), Host::Ipv6("2001:db8::1".parse().unwrap()));
    assert_eq!((url.host_str(), url.port()), ("[2001:db8::1]", Some("81")));
    assert_eq!(Url::parse("http://[::1]/").unwrap().port(), None);
    assert_eq!(Url::parse("http://0x7f.1/").unwrap().host(), Host::Ipv4(Ipv4Addr::LOCALHOST));
    assert_eq!(Url::parse("http://127.0.0.1.example/").unwrap().host(), Host::Domain("127.0.0.1.example"));
    assert_eq!(Url::parse("http://bücher.example/").unwrap().host(), Host::Domain("xn--bcher-kva.example"));
}

#[test]
fn only_the_web_is_parsed() {
    for address in
        ["", "a.example", "//a.example", "ftp://a.example/", "javascript:alert(1)", "blob:https://a.example/1"]
    {
        assert_eq!(Url::parse(address), None, "{address}");
    }
}

proptest! {
    /// The parts are those the library finds, and make the whole again.
    #[test]
    fn the_parts_are_the_librarys(address in "https?:[/\\\\]{0,3}(\\PC|[a-z0-9@:./?#\\[\\]%]){0,40}") {
        let library = ::url::Url::parse(&address).ok();
        let ours = Url::parse(&address);
        prop_assert_eq!(ours.as_ref().map(Url::as_str), library.as_ref().map(::url::Url::as_str));
        if let (Some(ours), Some(library)) = (ours, library) {
            prop_assert_eq!(Some(ours.host_str()), library.host_str());
            let is_same = match (ours.host(), library.host()) {
                (Host::Domain(ours), Some(::url::Host::Domain(theirs))) => ours == theirs,
                (Host::Ipv4(ours), Some(::url::Host::Ipv4(theirs))) => ours == theirs,
                (Host::Ipv6(ours), Some(::url::Host::Ipv6(theirs))) => ours == theirs,
                (_, _) => false,
            };
            prop_assert!(is_same, "{:?} is not {:?}", ours.host(), library.host());
            prop_assert_eq!(ours.port().map(str::to_owned), library.port().map(|port| port.to_string()));
            prop_assert_eq!(ours.path(), library.path());
            prop_assert_eq!(ours.query(), library.query());
            let has_credentials = !library.username().is_empty() || library.password().is_some();
            prop_assert_eq!(ours.has_credentials(), has_credentials);
            prop_assert_eq!(ours.scheme(), library.scheme());
            let whole = [ours.origin().as_str(), ours.after_origin()].concat();
            prop_assert_eq!(whole == ours.as_str(), !has_credentials);
            prop_assert!(whole.starts_with(library.origin().ascii_serialization().as_str()));
        }
    }
}
