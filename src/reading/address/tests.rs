use proptest::prelude::*;

use super::*;

#[test]
fn secrets_stay_out_of_addresses() {
    let check = |address: &str, expected: &str| assert_eq!(safe_url(address), expected, "{address}");
    check("https://a.example/x?q=bread&page=2", "https://a.example/x?q=bread&page=2");
    check("https://a.example/x?q=keyword+research", "https://a.example/x?q=keyword+research");
    check("https://a.example/x?keyword=code", "https://a.example/x?keyword=code");
    check(
        "https://a.example/x?ref=2024-11-30-how-to-bake-good-bread",
        "https://a.example/x?ref=2024-11-30-how-to-bake-good-bread",
    );
    check("https://a.example/x?id=12345678901234567890", "https://a.example/x?id=12345678901234567890");
    for secret in [
        "token=1",
        "access_token=1",
        "accessToken=1",
        "API-Key=1",
        "apikey=1",
        "key=1",
        "X-Amz-Signature=1",
        "sig=1",
        "auth=1",
        "session_id=1",
        "PHPSESSID=1",
        "password=1",
        "code=1",
        "%74oken=1",
        "email=a%40b.example",
        "q=9f86d081884c7d659a2feaa0c55ad015",
        "v=550e8400-e29b-41d4-a716-446655440000",
        "x=AbCdEfGhIjKlMnOpQrSt",
        "next=https%3A%2F%2Fb.example%2F%3Ftoken%3D1",
        "9f86d081884c7d659a2feaa0c55ad015",
    ] {
        check(&format!("https://a.example/x?q=1&{secret}&p=2"), "https://a.example/x?q=1&p=2");
    }
    check("https://jo:pw@a.example/x#access_token=1", "https://a.example/x");
    check("https://a.example/?token=1", "https://a.example/");
    check("file:///home/jo/page.html", "");
    check("javascript:alert(1)", "");
    check("not a url", "");
    check(&format!("https://a.example/p?q={}", "word+".repeat(1000)), "https://a.example/p");
    check(&format!("https://a.example/{}", "path/".repeat(1000)), "https://a.example/");
}

#[test]
fn only_the_web_is_an_address() {
    let check = |text: &str, expected: Option<&str>| {
        assert_eq!(web_address(text).as_ref().map(Url::as_str), expected, "{text}");
    };
    check("HTTPS://A.Example/Path", Some("https://a.example/Path"));
    check(" http:\\\\a.example", Some("http://a.example/"));
    check("https://BÜCHER.example/ä", Some("https://xn--bcher-kva.example/%C3%A4"));
    for text in [
        "javascript:alert(1)",
        "data:,x",
        "//a.example",
        "a.example",
        "https://",
        "https:///",
        "https://a b.example/",
        "",
    ] {
        check(text, None);
    }
}

proptest! {
    #[test]
    fn any_address_is_taken(address in "\\PC{0,80}", query in "\\PC{0,80}") {
        safe_url(&address);
        let safe = safe_url(&format!("https://a.example/?{query}&token=needle1"));
        prop_assert!(!safe.contains("needle1"));
    }

    #[test]
    fn any_host_is_survived(text in "[hH]ttps?:[/\\\\\t]{0,3}(\\PC|[A-Z%@:.\t\n]){0,20}") {
        if let Some(url) = web_address(&text) {
            prop_assert!(url.host_str().is_ascii() && !url.host_str().is_empty());
        }
    }
}
