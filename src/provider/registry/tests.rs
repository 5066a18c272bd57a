use super::*;

#[test]
fn every_provider_has_one_row_that_holds_together() {
    for id in [ProviderId::Anthropic, ProviderId::Openai, ProviderId::Gemini, ProviderId::Builtin, ProviderId::Rules] {
        assert_eq!(PROVIDERS.iter().filter(|row| row.id == id).count(), 1, "{id:?}");
        assert_eq!(provider(id).id, id);
        assert_eq!(by_name(id.as_str()).map(|row| row.id), Some(id));
    }
    for row in &PROVIDERS {
        assert!(!row.label().starts_with("provider_") && row.sends().ends_with('.'), "{:?}", row.id);
        let http = row.speaks_http();
        assert_eq!(http, !row.base_url.is_empty(), "{:?}", row.id);
        assert_eq!(http, !row.model.is_empty(), "{:?}", row.id);
        assert_eq!(row.needs_key, row.key_page.starts_with("https://"), "{:?}", row.id);
        assert_eq!(row.host_permission, if http { format!("{}/*", row.base_url) } else { String::new() });
    }
    assert_eq!(by_name("mistral").map(|row| row.id), None);
}
