//! STUB
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inline { Text(String), Code(String), Strong(Vec<Inline>), Emphasis(Vec<Inline>), Strike(Vec<Inline>), Link { href: String, host: String, content: Vec<Inline> }, LineBreak }
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block { Heading { level: u8, content: Vec<Inline> }, Paragraph(Vec<Inline>), Rule, Code { language: String, text: String }, Quote(Vec<Block>), List { start: Option<u64>, items: Vec<Vec<Block>> }, Table { head: Vec<Vec<Inline>>, rows: Vec<Vec<Vec<Inline>>> } }
#[derive(Debug, Default)]
pub struct Update { pub closed: Vec<Block>, pub tail: Vec<Block> }
#[derive(Debug, Default)]
pub struct Markdown { open: String }
fn block(t: &str) -> Block {
    if let Some(h) = t.strip_prefix("## ") { return Block::Heading { level: 2, content: vec![Inline::Text(h.to_owned())] } }
    if t.starts_with("- ") { return Block::List { start: None, items: t.split('\n').map(|l| vec![Block::Paragraph(vec![Inline::Text(l.trim_start_matches("- ").to_owned())])]).collect() } }
    Block::Paragraph(vec![Inline::Text(t.to_owned())])
}
impl Markdown {
    pub fn new() -> Self { Self::default() }
    pub fn push(&mut self, t: &str) -> Update {
        self.open.push_str(t);
        let mut closed = Vec::new();
        while let Some(at) = self.open.find("\n\n") { let b = self.open[..at].to_owned(); self.open.drain(..at + 2); if !b.trim().is_empty() { closed.push(block(b.trim())); } }
        let t = self.open.trim();
        Update { closed, tail: if t.is_empty() { vec![] } else { vec![block(t)] } }
    }
    pub fn finish(&mut self) -> Update { let mut u = self.push("\n\n"); u.tail.clear(); let _ = &mut u; u }
}
