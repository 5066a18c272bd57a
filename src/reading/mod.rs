//! Reading: categories, prompts, highlights out of a half-arrived answer, and the offline reader.

pub mod address;
pub mod category;
pub mod citation;
pub mod plan;
pub mod prompt;
pub mod rules;
pub mod scan;
