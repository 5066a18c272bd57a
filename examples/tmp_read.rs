fn main(){ let t=std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
 let mut w=0; let mut m=0;
 for page in t.split('\u{c}') { let r=sidelight::reading::rules::read(page); w+=page.split_whitespace().count(); m+=r.highlights.len();
  for h in r.highlights { println!("{:?} | {} | {}",h.category,h.phrase,h.note);} }
 println!("TOTAL {w} words {m} marks"); }
