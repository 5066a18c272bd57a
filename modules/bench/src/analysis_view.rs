//! The analysis alone, for the benchmarks: see [`sidelight_browser::bench`].

use wasm_bindgen::prelude::*;

use crate::prose::Prose;
use sidelight::panel::Analysis;
use sidelight_browser::dom;

/// A growing analysis and its nodes in a document that holds `#prose` and `#section-template`.
#[wasm_bindgen]
pub struct AnalysisView {
    analysis: Analysis,
    prose: Prose,
}

#[wasm_bindgen]
impl AnalysisView {
    /// An empty one.
    ///
    /// # Errors
    /// When the document lacks an element.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Result<AnalysisView, JsValue> {
        Ok(Self {
            analysis: Analysis::default(),
            prose: Prose::new(dom::by_id("prose")?, Some(dom::by_id("section-template")?)),
        })
    }

    /// Takes the next piece of text and draws what is new.
    ///
    /// # Errors
    /// When the document was changed by somebody else.
    pub fn push(&mut self, text: &str) -> Result<(), JsValue> {
        self.analysis.push(text);
        self.prose.draw(&self.analysis, &|_| false, &|address| Some(address.to_owned()))?;
        Ok(())
    }

    /// Takes the end of the text.
    ///
    /// # Errors
    /// When the document was changed by somebody else.
    pub fn finish(&mut self) -> Result<(), JsValue> {
        self.analysis.finish();
        self.prose.draw(&self.analysis, &|_| false, &|address| Some(address.to_owned()))?;
        Ok(())
    }
}
