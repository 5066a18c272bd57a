use proptest::prelude::*;

use super::*;

fn list(page: &[&str]) -> UrlAllowlist {
    with(OpenLinks::Always, page, "", 0)
}

fn with(policy: OpenLinks, page: &[&str], message: &str, earlier: usize) -> UrlAllowlist {
    let page: Vec<String> = page.iter().map(|url| (*url).to_owned()).collect();
    UrlAllowlist::new(policy, &page, message, earlier)
}

fn opens(list: &mut UrlAllowlist, url: &str) -> bool {
    list.decide(url) == Decision::Open
}

/// The hole: an address that is on the list with anything added, or in another spelling that is another request.
#[test]
fn an_address_is_opened_only_as_it_was_named() {
    let named = "http://host.example/one?id=1";
    for other in [
        "http://host.example/one?id=1&utm_content=the+reader's+question",
        "http://host.example/one?id=1&utm_source=x",
        "http://host.example/one?utm_medium=words&id=1",
        "http://host.example/one?id=1&gclid=words",
        "http://host.example/one?id=1&fbclid=words",
        "http://host.example/one?id=1&mc_cid=words",
        "http://host.example/one?id=1&msclkid=words",
        "http://host.example/one?id=1&",
        "http://host.example/one?id=1%20",
        "http://host.example/one?id=%31",
        "http://host.example/one?ID=1",
        "http://host.example/one?",
        "http://host.example/one",
        "http://host.example/one/?id=1",
        "http://host.example/One?id=1",
        "http://host.example//one?id=1",
        "http://host.example/one;words?id=1",
        "https://host.example/one?id=1",
        "http://host.example:8080/one?id=1",
        "http://host.example./one?id=1",
        "http://www.host.example/one?id=1",
        "http://words.host.example/one?id=1",
        "http://words@host.example/one?id=1",
        "http://host.example.evil.example/one?id=1",
        "http://xn--hst-sna.example/one?id=1",
        "http://hòst.example/one?id=1",
    ] {
        let mut list = list(&[named]);
        assert_eq!(list.decide(other), Decision::Refuse(UNKNOWN), "{other}");
        assert!(opens(&mut list, named));
    }
    for same in [
        "HTTP://HOST.example:80/one?id=1",
        "http://host.example/./one?id=1",
        "http://host.example/x/../one?id=1",
        "http://host.example/one?id=1#the+reader's+question",
        " http://host.example/one?id=1\n",
        "http:\\\\host.example\\one?id=1",
    ] {
        assert!(opens(&mut list(&[named]), same), "the request is the same: {same}");
    }
    assert!(opens(&mut list(&["https://bücher.example/ä"]), "https://xn--bcher-kva.example/%C3%A4"));
}

#[test]
fn what_leads_home_is_never_on_the_list() {
    let mut list = list(&["http://127.0.0.1/admin", "http://router/", "http://[::1]/", "http://2130706433/"]);
    list.add_search_results(&[Source { url: "http://10.0.0.1/".to_owned(), title: String::new() }]);
    assert!(!list.may_open(false));
    for url in ["http://127.0.0.1/admin", "http://router/", "http://[::1]/", "http://2130706433/", "http://10.0.0.1/"] {
        assert!(matches!(list.decide(url), Decision::Refuse(_)), "{url}");
    }
}

/// The hole: a page that lists an address for each letter lets a model spell.
#[test]
fn a_page_that_lists_an_alphabet_gets_three_letters_of_each_site() {
    let alphabet: Vec<String> = (0..256).map(|n| format!("http://evil.example/{n}")).collect();
    let mut list = UrlAllowlist::new(OpenLinks::Always, &alphabet, "", 0);
    let opened = alphabet.iter().filter(|url| list.decide(url) == Decision::Open).count();
    assert_eq!(opened, MAX_PER_SITE);
    assert_eq!(list.decide(&alphabet[0]), Decision::Refuse(SITE_FULL), "the same again tells something too");
    // Names below one owner's count as one site.
    for hosts in ["evil.example", "evil.co.uk"] {
        let spread: Vec<String> = (0..26).map(|n| format!("http://letter{n}.{hosts}/")).collect();
        let mut list = UrlAllowlist::new(OpenLinks::Always, &spread, "", 0);
        assert_eq!(spread.iter().filter(|url| list.decide(url) == Decision::Open).count(), MAX_PER_SITE, "{hosts}");
    }
    let owners: Vec<String> = (0..26).map(|n| format!("http://letter{n}.example/")).collect();
    let mut list = UrlAllowlist::new(OpenLinks::Always, &owners, "", 0);
    assert_eq!(owners.iter().filter(|url| list.decide(url) == Decision::Open).count(), MAX_PER_ANSWER);
}

#[test]
fn a_conversation_has_a_bound_over_all_its_answers() {
    let many: Vec<String> = (0..20).map(|n| format!("http://site{n}.example/")).collect();
    for (earlier, expected) in [(0, 8), (16, 8), (20, 4), (24, 0), (usize::MAX / 2, 0)] {
        let mut list = UrlAllowlist::new(OpenLinks::Always, &many, "", earlier);
        assert_eq!(many.iter().filter(|url| list.decide(url) == Decision::Open).count(), expected, "{earlier}");
    }
}

#[test]
fn sites_that_the_reader_or_a_search_named_have_the_room_of_the_answer() {
    let message = (0..9).map(|n| format!("https://a.example/{n} ")).collect::<Vec<_>>().concat();
    let mut list = with(OpenLinks::Always, &[], &message, 0);
    let opened = (0..9).filter(|n| list.decide(&format!("https://a.example/{n}")) == Decision::Open).count();
    assert_eq!(opened, MAX_PER_ANSWER);
    let mut list = with(OpenLinks::Always, &["https://b.example/0"], "", 0);
    let found = |n: usize| Source { url: format!("https://b.example/{n}"), title: String::new() };
    list.add_search_results(&(0..5).map(found).collect::<Vec<_>>());
    assert_eq!((0..5).filter(|n| list.decide(&format!("https://b.example/{n}")) == Decision::Open).count(), 5);
}

#[test]
fn the_readers_setting_decides_about_all_but_their_own_words() {
    let (page, own) = ("https://page.example/", "https://own.example/");
    let mut always = with(OpenLinks::Always, &[page], own, 0);
    assert!(opens(&mut always, page) && opens(&mut always, own));
    let mut never = with(OpenLinks::Never, &[page], own, 0);
    assert_eq!(never.decide(page), Decision::Refuse(NEVER));
    assert!(opens(&mut never, own) && never.may_open(false));
    assert!(!with(OpenLinks::Never, &[page], "", 0).may_open(true));
    let mut ask = with(OpenLinks::Ask, &[page], own, 0);
    assert_eq!(ask.decide(page), Decision::Ask);
    assert!(opens(&mut ask, own));
    ask.handle_reply(page, true);
    assert!(opens(&mut ask, page));
    ask.handle_reply(page, false);
    assert!(opens(&mut ask, page), "what was agreed to holds for this answer");
}

#[test]
fn no_more_is_asked_about_than_could_be_opened() {
    let many: Vec<String> = (0..20).map(|n| format!("http://site{n}.example/")).collect();
    let mut list = UrlAllowlist::new(OpenLinks::Ask, &many, "", 0);
    assert_eq!(many.iter().filter(|url| list.decide(url) == Decision::Ask).count(), MAX_PER_ANSWER);
    list.handle_reply(&many[0], false);
    assert_eq!(list.decide(&many[15]), Decision::Ask, "a refusal makes room");
    list.handle_reply(&many[1], true);
    assert!(opens(&mut list, &many[1]));
}

proptest! {
    /// Whatever a model adds to an address that is named, it is another one.
    #[test]
    fn an_addition_is_never_opened(more in "[ -~]{1,20}", at in 0_usize..40) {
        let named = "http://host.example/one?id=1";
        let at = at.min(named.len());
        let asked = format!("{}{more}{}", &named[..at], &named[at..]);
        let mut list = list(&[named]);
        if opens(&mut list, &asked) {
            let url = Url::parse(&asked).unwrap();
            prop_assert_eq!(url.before_fragment(), named, "{}", asked);
        }
    }
}
