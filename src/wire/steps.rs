//! A value written down for JavaScript: the steps that build it, beside one text that holds its texts.
//!
//! A text that crosses the boundary costs some 0.4 µs however short it is, nearly all of it the call of the browser's
//! decoder. A piece cut out of a text that has crossed costs a tenth. So the texts of a value cross as one, and what
//! builds the value stands apart from what serde compiles anew for each type.

use std::fmt::Display;

use serde::Serialize;
use serde::ser::{
    self, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple, SerializeTupleStruct,
    SerializeTupleVariant, Serializer,
};
use sidelight_stream::text::utf16_length;

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;

/// Longest text that goes with the others, in bytes. A longer one is worth a crossing of its own, and a short one cut
/// out of it would keep all of it in memory.
const MAX_SHARED: usize = 1024;
/// Whole numbers up to this are exact in JavaScript.
const MAX_EXACT: u64 = (1 << 53) - 1;

/// A value, as its steps and their text. In an object names (or texts) and values take turns.
#[derive(Debug)]
pub(crate) struct Steps {
    /// In order; what is open is ended in reverse.
    pub(crate) steps: Vec<Step>,
    /// The texts of the steps, one behind the other.
    pub(crate) text: String,
}

/// One step.
#[derive(Debug, PartialEq)]
pub(crate) enum Step {
    Null,
    Bool(bool),
    Number(f64),
    /// So many UTF-16 units of the text.
    Text(u32),
    /// A text of its own.
    Long(String),
    /// The name of a field or a variant, of which there are few.
    Name(&'static str),
    Array,
    Object,
    End,
}

/// Why a value is none of JavaScript's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum StepsError {
    #[error("a number is too large for JavaScript")]
    Number,
    /// No type of ours does that.
    #[error("a value refused to be written down")]
    Refused,
}

impl ser::Error for StepsError {
    fn custom<T: Display>(_: T) -> Self {
        Self::Refused
    }
}

impl Steps {
    /// Writes a value down: plain objects, arrays, `null` for what is missing.
    pub(crate) fn of<T: Serialize + ?Sized>(value: &T) -> Result<Self, StepsError> {
        // Room for a usual message.
        let mut steps = Self { steps: Vec::with_capacity(32), text: String::with_capacity(512) };
        value.serialize(&mut steps)?;
        Ok(steps)
    }

    #[expect(clippy::unnecessary_wraps, reason = "what a serializer answers")]
    fn push(&mut self, step: Step) -> Result<(), StepsError> {
        self.steps.push(step);
        Ok(())
    }

    /// Functions of their own, since every field of every type calls one and every type the other.
    #[inline(never)]
    fn push_name(&mut self, name: &'static str) {
        self.steps.push(Step::Name(name));
    }

    #[inline(never)]
    #[expect(clippy::unnecessary_wraps, reason = "what a serializer answers")]
    fn push_end(&mut self) -> Result<(), StepsError> {
        self.steps.push(Step::End);
        Ok(())
    }

    fn push_text(&mut self, text: &str) -> Result<(), StepsError> {
        if text.len() > MAX_SHARED {
            return self.push(Step::Long(text.to_owned()));
        }
        self.text.push_str(text);
        self.push(Step::Text(utf16_length(text)))
    }

    fn push_whole(&mut self, magnitude: u64, is_negative: bool) -> Result<(), StepsError> {
        if magnitude > MAX_EXACT {
            return Err(StepsError::Number);
        }
        #[expect(clippy::cast_precision_loss, reason = "exact, as was just checked")]
        let number = magnitude as f64;
        self.push(Step::Number(if is_negative { -number } else { number }))
    }

    /// Opens `{"variant": …`.
    fn push_variant(&mut self, variant: &'static str) {
        self.steps.extend([Step::Object, Step::Name(variant)]);
    }
}

/// Numbers that JavaScript knows as they are.
macro_rules! numbers {
    ($($name:ident($number:ty)),*) => {
        $(fn $name(self, number: $number) -> Result<(), StepsError> {
            self.push(Step::Number(number.into()))
        })*
    };
}

impl Serializer for &mut Steps {
    type Ok = ();
    type Error = StepsError;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    numbers! {
        serialize_i8(i8), serialize_i16(i16), serialize_i32(i32), serialize_u8(u8), serialize_u16(u16), serialize_u32(u32),
        serialize_f32(f32), serialize_f64(f64)
    }

    fn serialize_i64(self, number: i64) -> Result<(), StepsError> {
        self.push_whole(number.unsigned_abs(), number < 0)
    }

    fn serialize_u64(self, number: u64) -> Result<(), StepsError> {
        self.push_whole(number, false)
    }

    fn serialize_bool(self, is_true: bool) -> Result<(), StepsError> {
        self.push(Step::Bool(is_true))
    }

    fn serialize_char(self, c: char) -> Result<(), StepsError> {
        self.push_text(c.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, text: &str) -> Result<(), StepsError> {
        self.push_text(text)
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<(), StepsError> {
        self.collect_seq(bytes)
    }

    fn serialize_none(self) -> Result<(), StepsError> {
        self.push(Step::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), StepsError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), StepsError> {
        self.push(Step::Null)
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<(), StepsError> {
        self.push(Step::Null)
    }

    fn serialize_unit_variant(self, _name: &'static str, _: u32, variant: &'static str) -> Result<(), StepsError> {
        self.push(Step::Name(variant))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), StepsError> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), StepsError> {
        self.push_variant(variant);
        value.serialize(&mut *self)?;
        self.push_end()
    }

    fn serialize_seq(self, _length: Option<usize>) -> Result<Self, StepsError> {
        self.push(Step::Array)?;
        Ok(self)
    }

    fn serialize_tuple(self, _length: usize) -> Result<Self, StepsError> {
        self.push(Step::Array)?;
        Ok(self)
    }

    fn serialize_tuple_struct(self, _name: &'static str, _length: usize) -> Result<Self, StepsError> {
        self.push(Step::Array)?;
        Ok(self)
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _length: usize,
    ) -> Result<Self, StepsError> {
        self.push_variant(variant);
        self.push(Step::Array)?;
        Ok(self)
    }

    fn serialize_map(self, _length: Option<usize>) -> Result<Self, StepsError> {
        self.push(Step::Object)?;
        Ok(self)
    }

    fn serialize_struct(self, _name: &'static str, _length: usize) -> Result<Self, StepsError> {
        self.push(Step::Object)?;
        Ok(self)
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _length: usize,
    ) -> Result<Self, StepsError> {
        self.push_variant(variant);
        self.push(Step::Object)?;
        Ok(self)
    }
}

/// What stands in an array: elements of a sequence, fields without a name.
macro_rules! elements {
    ($($kind:ident::$push:ident),*) => {
        $(impl $kind for &mut Steps {
            type Ok = ();
            type Error = StepsError;

            fn $push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), StepsError> {
                value.serialize(&mut **self)
            }

            fn end(self) -> Result<(), StepsError> {
                self.push_end()
            }
        })*
    };
}

elements!(SerializeSeq::serialize_element, SerializeTuple::serialize_element, SerializeTupleStruct::serialize_field);

impl SerializeTupleVariant for &mut Steps {
    type Ok = ();
    type Error = StepsError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), StepsError> {
        value.serialize(&mut **self)
    }

    fn end(self) -> Result<(), StepsError> {
        self.steps.extend([Step::End, Step::End]);
        Ok(())
    }
}

impl SerializeMap for &mut Steps {
    type Ok = ();
    type Error = StepsError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), StepsError> {
        key.serialize(&mut **self)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), StepsError> {
        value.serialize(&mut **self)
    }

    fn end(self) -> Result<(), StepsError> {
        self.push_end()
    }
}

impl SerializeStruct for &mut Steps {
    type Ok = ();
    type Error = StepsError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), StepsError> {
        self.push_name(name);
        value.serialize(&mut **self)
    }

    fn end(self) -> Result<(), StepsError> {
        self.push_end()
    }
}

impl SerializeStructVariant for &mut Steps {
    type Ok = ();
    type Error = StepsError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), StepsError> {
        SerializeStruct::serialize_field(self, name, value)
    }

    fn end(self) -> Result<(), StepsError> {
        self.steps.extend([Step::End, Step::End]);
        Ok(())
    }
}
