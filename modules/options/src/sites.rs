//! The section on sites: what is allowed for longer than a page.

use std::rc::Rc;

use wasm_bindgen::prelude::*;
use web_sys::{Element, HtmlElement, HtmlTemplateElement};

use super::outcome::Outcome;
use super::{Manifest, Origins, Page};
use sidelight::options::{EVERY_SITE, Site, covers_every_site, sites};
use sidelight::words;
use sidelight_browser::boundary::{from_js, to_js};
use sidelight_browser::chrome;
use sidelight_browser::dom::{self, clear, set_text, show};
use sidelight_browser::task::spawn;

pub(super) struct SiteList {
    template: HtmlTemplateElement,
    list: HtmlElement,
    none: HtmlElement,
    every_site: HtmlElement,
}

impl SiteList {
    pub(super) fn new() -> Result<Self, JsValue> {
        Ok(Self {
            template: dom::by_id("site-template")?,
            list: dom::by_id("site-list")?,
            none: dom::by_id("no-sites")?,
            every_site: dom::by_id("every-site")?,
        })
    }

    async fn draw(&self) -> Result<(), JsValue> {
        let manifest: Manifest = from_js(chrome::runtime::manifest())?;
        let granted: Origins = from_js(chrome::permissions::all().await?)?;
        let listed = sites(&granted.origins, &manifest.host_permissions);
        clear(&self.list);
        for site in &listed {
            self.list.append_child(&*self.row(site)?)?;
        }
        show(&self.none, listed.is_empty());
        show(&self.every_site, !covers_every_site(&granted.origins));
        Ok(())
    }

    fn row(&self, site: &Site) -> Result<HtmlElement, JsValue> {
        let row = dom::instance(&self.template)?;
        set_text(&dom::find(&row, ".label")?, &site.label);
        set_text(&dom::find(&row, ".state")?, site.provider);
        let remove: HtmlElement = dom::find(&row, "button")?;
        remove.set_attribute("value", &site.pattern)?;
        remove.set_attribute("aria-label", &words::say("options_site_remove_one", &[&site.label]))?;
        Ok(row)
    }
}

impl Page {
    pub(super) fn listen_to_sites(self: &Rc<Self>) -> Result<(), JsValue> {
        self.on(&dom::by_id("site-list")?, "click", |page, event| {
            let button = event.target().and_then(|target| target.dyn_into::<Element>().ok());
            let Some(pattern) = button.and_then(|button| button.get_attribute("value")) else { return };
            page.start(|page| &page.sites, |page| async move { page.remove_site(pattern).await });
        })?;
        self.on(&dom::by_id("allow-every-site")?, "click", |page, _| {
            page.start(|page| &page.sites, |page| async move { page.allow_every_site().await });
        })?;
        chrome::permissions::ON_ADDED.with(|event| self.subscribe(event, Page::draw_sites));
        chrome::permissions::ON_REMOVED.with(|event| self.subscribe(event, Page::draw_sites));
        self.draw_sites();
        Ok(())
    }

    fn draw_sites(self: &Rc<Self>) {
        let page = self.clone();
        spawn(async move {
            if page.site_list.draw().await.is_err() {
                page.sites.say(&Outcome::bad("options_sites_unknown"));
            }
        });
    }

    async fn remove_site(self: Rc<Self>, pattern: String) -> Outcome {
        let Ok(origins) = to_js(&Origins { origins: vec![pattern] }) else { return Outcome::bad("options_not_asked") };
        match chrome::permissions::remove(&origins).await.ok().and_then(|removed| removed.as_bool()) {
            Some(true) => Outcome::good("options_site_removed"),
            Some(false) | None => Outcome::bad("options_site_not_removed"),
        }
    }

    async fn allow_every_site(self: Rc<Self>) -> Outcome {
        let origins = EVERY_SITE.map(str::to_owned).to_vec();
        let Ok(origins) = to_js(&Origins { origins }) else { return Outcome::bad("options_not_asked") };
        match chrome::permissions::request(&origins).await.ok().and_then(|granted| granted.as_bool()) {
            Some(true) => Outcome::good("options_sites_allowed"),
            Some(false) | None => Outcome::good("options_sites_not_allowed"),
        }
    }
}
