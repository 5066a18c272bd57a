//! Takes the `Origin` header off our own requests to hosts that refuse browser extensions.
//!
//! One session rule, which names those hosts for as long as a request to one of them is under way. It touches nothing
//! but POST requests of this extension.

use std::cell::RefCell;
use std::rc::Rc;

use sidelight::url::Url;
use sidelight_browser::chrome;
use sidelight_browser::task::spawn;

const RULE: u32 = 1;

/// The hosts, one entry for each request under way.
#[derive(Clone, Default)]
pub(super) struct OriginRule(Rc<RefCell<Vec<String>>>);

/// Keeps the rule for one request.
pub(super) struct Lift {
    rule: OriginRule,
    host: String,
}

impl OriginRule {
    /// The rule covers the host of `url` once this is through, until the result is dropped.
    pub(super) async fn lift(&self, url: &str) -> Lift {
        let host = Url::parse(url).map(|url| url.host_str().to_owned()).unwrap_or_default();
        self.0.borrow_mut().push(host.clone());
        self.apply().await;
        Lift { rule: self.clone(), host }
    }

    /// Brings Chrome's rule in line with the hosts; a rule that a worker before this one left behind goes too.
    pub(super) async fn apply(&self) {
        let hosts = self.0.borrow().iter().map(|host| format!("{host:?}")).collect::<Vec<_>>().join(",");
        let own = chrome::runtime::ID.with(Clone::clone);
        let rule = format!(
            r#"{{"id":{RULE},"condition":{{"initiatorDomains":["{own}"],"requestDomains":[{hosts}],"requestMethods":["post"],"resourceTypes":["xmlhttprequest"]}},"action":{{"type":"modifyHeaders","requestHeaders":[{{"header":"origin","operation":"remove"}}]}}}}"#
        );
        let rules = if hosts.is_empty() { "" } else { &rule };
        let change = format!(r#"{{"removeRuleIds":[{RULE}],"addRules":[{rules}]}}"#);
        let Ok(change) = js_sys::JSON::parse(&change) else { return };
        // Without the rule the host refuses again, which is an answer.
        drop(chrome::net_rules::update_session_rules(&change).await);
    }
}

impl Drop for Lift {
    fn drop(&mut self) {
        let rule = self.rule.clone();
        {
            let mut hosts = rule.0.borrow_mut();
            if let Some(at) = hosts.iter().position(|host| *host == self.host) {
                hosts.swap_remove(at);
            }
        }
        spawn(async move { rule.apply().await });
    }
}
