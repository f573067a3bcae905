// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Reads modules.

use std::collections::HashMap;

use super::decode::{Decoder, Operand};
use super::link::{self, Part};
use super::ops::Ty;
use super::{Code, Entry, Global, Param, Symbol};

/// Words, and marks of one character.
pub type Token<'a> = &'a str;

/// The bytes of a word, in which colons are in pairs, as in `shared::cluster`.
fn word(text: &str, is_word: impl Fn(u8) -> bool) -> usize {
    let mut length = 0;
    loop {
        let rest = &text[length..];
        length += rest.bytes().position(|byte| !is_word(byte)).unwrap_or(rest.len());
        match text[length..].starts_with("::") {
            true => length += 2,
            false => return length,
        }
    }
}

/// The tokens, and the line of each.
fn tokens(text: &str) -> (Vec<Token<'_>>, Vec<u32>) {
    let (mut all, mut lines, bytes, mut at) = (Vec::new(), Vec::new(), text.as_bytes(), 0);
    let (mut line, mut counted) = (1, 0);
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'%' | b'.');
    while at < bytes.len() {
        let rest = &text[at..];
        let length = if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        } else if rest.starts_with("/*") {
            at += rest.find("*/").map_or(rest.len(), |end| end + 2);
            continue;
        } else if bytes[at].is_ascii_whitespace() {
            at += 1;
            continue;
        } else if bytes[at] == b'"' {
            rest[1..].find('"').map_or(rest.len(), |end| end + 2)
        } else if is_word(bytes[at]) {
            word(rest, is_word)
        } else {
            rest.chars().next().map_or(1, char::len_utf8)
        };
        line += bytes[counted..at].iter().filter(|&&byte| byte == b'\n').count() as u32;
        counted = at;
        all.push(&text[at..at + length]);
        lines.push(line);
        at += length;
    }
    (all, lines)
}

/// Tokens that are read one by one.
pub struct Reader<'a> {
    tokens: Vec<Token<'a>>,
    lines: Vec<u32>,
    at: usize,
}

impl<'a> Reader<'a> {
    pub fn peek(&self) -> Token<'a> {
        self.tokens.get(self.at).copied().unwrap_or_default()
    }

    pub fn next(&mut self) -> Result<Token<'a>, String> {
        let token = self.tokens.get(self.at).copied().ok_or("the text ends too early")?;
        self.at += 1;
        Ok(token)
    }

    /// Takes a token if it is the next one.
    pub fn take(&mut self, token: &str) -> bool {
        let is = self.peek() == token;
        self.at += usize::from(is);
        is
    }

    /// The line of the next token.
    fn line(&self) -> u32 {
        self.lines.get(self.at).copied().unwrap_or_default()
    }

    pub fn expect(&mut self, token: &str) -> Result<(), String> {
        match self.next()? {
            found if found == token => Ok(()),
            found => Err(format!("there is {found:?} and not {token:?}")),
        }
    }

    pub fn number(&mut self) -> Result<i128, String> {
        let negative = self.take("-");
        let word = self.next()?;
        let value = immediate(word).ok_or_else(|| format!("{word:?} is no number"))?;
        Ok(if negative { -i128::from(value) } else { value.into() })
    }

    fn skip_to(&mut self, end: &str) -> Result<(), String> {
        while self.next()? != end {}
        Ok(())
    }
}

/// The bits of a number.
pub fn immediate(word: &str) -> Option<u64> {
    let digits = word.trim_end_matches('U');
    if let Some(hex) = word.strip_prefix("0f").or_else(|| word.strip_prefix("0F")) {
        return u32::from_str_radix(hex, 16).ok().map(u64::from);
    }
    if let Some(hex) = word.strip_prefix("0d").or_else(|| word.strip_prefix("0D")) {
        return u64::from_str_radix(hex, 16).ok();
    }
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    }
}

/// What names stand for.
#[derive(Default)]
pub struct Names {
    /// Variables by their places among [`Code::globals`].
    pub globals: HashMap<String, usize>,
    /// Offsets in shared memory; those that are dynamic begin behind all static ones.
    pub shared: HashMap<String, usize>,
    pub dynamic: Vec<String>,
}

/// A variable: name, alignment, bytes, and whether its size is open.
struct Declared {
    name: String,
    align: usize,
    bytes: Vec<u8>,
    symbols: Vec<(usize, Symbol)>,
    is_open: bool,
}

/// A declaration behind its space, to the semicolon.
fn declared(reader: &mut Reader<'_>) -> Result<Declared, String> {
    let (mut align, mut ty) = (0, Ty::U8);
    while reader.peek().starts_with('.') {
        match reader.next()? {
            ".align" => align = reader.number()? as usize,
            ".attribute" => reader.skip_to(")")?,
            word => match Ty::of(&word[1..]) {
                Some(found) => ty = found,
                None => return Err(format!("a variable of {word}")),
            },
        }
    }
    let name = reader.next()?.to_owned();
    let (mut count, mut is_open) = (1, false);
    while reader.take("[") {
        is_open = reader.peek() == "]";
        if !is_open {
            count *= reader.number()? as usize;
        }
        reader.expect("]")?;
    }
    let mut bytes = vec![0; if is_open { 0 } else { count * ty.size() }];
    let mut symbols = Vec::new();
    if reader.take("=") {
        let mut at = 0;
        let in_braces = reader.take("{");
        loop {
            let value = initial(reader, at, &mut symbols)?;
            let place = bytes.get_mut(at..at + ty.size());
            let place = place.ok_or_else(|| format!("{name} has more values than room"))?;
            place.copy_from_slice(&value.to_le_bytes()[..ty.size()]);
            at += ty.size();
            if !in_braces || !reader.take(",") {
                break;
            }
        }
        if in_braces {
            reader.expect("}")?;
        }
    }
    reader.expect(";")?;
    Ok(Declared {
        name,
        align: align.max(ty.size()),
        bytes,
        symbols,
        is_open,
    })
}

/// A number that is in a variable at first, or the address of something, with what is added to it.
fn initial(reader: &mut Reader<'_>, at: usize, symbols: &mut Vec<(usize, Symbol)>) -> Result<u64, String> {
    let is_name = |word: &str| word.starts_with(|first: char| first.is_ascii_alphabetic() || "_$%".contains(first));
    if !is_name(reader.peek()) {
        return Ok(reader.number()? as u64);
    }
    let mut name = reader.next()?;
    if name == "generic" {
        reader.expect("(")?;
        name = reader.next()?;
        reader.expect(")")?;
    }
    symbols.push((at, Symbol::Named(name.to_owned())));
    match reader.take("+") {
        true => Ok(reader.number()? as u64),
        false => Ok(0),
    }
}

/// Reads a module.
pub fn module(text: &str) -> Result<Code, String> {
    let (tokens, lines) = tokens(text);
    let mut reader = Reader { tokens, lines, at: 0 };
    let (mut code, mut names) = (Code::default(), Names::default());
    let mut parts = Vec::new();
    while !reader.peek().is_empty() {
        match reader.next()? {
            ".version" | ".address_size" => {
                reader.next()?;
            }
            ".target" => {
                reader.next()?;
                while reader.take(",") {
                    reader.next()?;
                }
            }
            ".visible" | ".weak" | ".extern" | ".common" => {}
            ".global" | ".const" => {
                let variable = declared(&mut reader)?;
                names.globals.insert(variable.name.clone(), code.globals.len());
                code.globals.push(Global {
                    name: variable.name,
                    bytes: variable.bytes,
                    symbols: variable.symbols,
                });
            }
            ".shared" => shared(&mut reader, &mut code, &mut names)?,
            ".entry" => {
                let (mut entry, part) = entry(&mut reader, &mut code, &mut names)?;
                entry.routine = parts.len();
                parts.push(part);
                code.entries.push(entry);
            }
            ".func" => parts.extend(function(&mut reader, &mut code, &mut names)?),
            other => return Err(format!("{other} is not understood here")),
        }
    }
    link::link(&mut code, parts, &names.globals)?;
    for entry in &mut code.entries {
        entry.local_size = link::depth(&code.routines, entry.routine);
    }
    Ok(code)
}

fn shared(reader: &mut Reader<'_>, code: &mut Code, names: &mut Names) -> Result<(), String> {
    let variable = declared(reader)?;
    if variable.is_open {
        names.dynamic.push(variable.name);
        return Ok(());
    }
    let offset = code.static_shared.next_multiple_of(variable.align);
    code.static_shared = offset + variable.bytes.len();
    names.shared.insert(variable.name, offset);
    Ok(())
}

fn params(reader: &mut Reader<'_>) -> Result<Vec<Param>, String> {
    let mut all: Vec<Param> = Vec::new();
    if !reader.take("(") {
        return Ok(all);
    }
    while !reader.take(")") {
        reader.take(",");
        reader.expect(".param")?;
        let (mut align, mut ty, mut count) = (0, Ty::U8, 1);
        while reader.peek().starts_with('.') {
            match reader.next()? {
                ".align" => align = reader.number()? as usize,
                // Of a pointer: what it points to.
                ".ptr" | ".global" | ".shared" | ".const" | ".local" => align = 8,
                word => ty = Ty::of(&word[1..]).ok_or_else(|| format!("a parameter of {word}"))?,
            }
        }
        let name = reader.next()?.to_owned();
        if reader.take("[") {
            count = reader.number()? as usize;
            reader.expect("]")?;
        }
        let end = all.last().map_or(0, |last| last.offset + last.size);
        // The alignment after `.ptr` is that of the memory.
        let align = if count == 1 { ty.size() } else { align.max(ty.size()) };
        all.push(Param {
            name,
            offset: end.next_multiple_of(align),
            size: count * ty.size(),
        });
    }
    Ok(all)
}

fn entry(reader: &mut Reader<'_>, code: &mut Code, names: &mut Names) -> Result<(Entry, Part), String> {
    let name = reader.next()?.to_owned();
    let params = params(reader)?;
    let (mut required, mut most, mut cluster) = (None, None, None);
    let three = |reader: &mut Reader<'_>| {
        let mut sizes = [1; 3];
        for (d, size) in sizes.iter_mut().enumerate() {
            if d == 0 || reader.take(",") {
                *size = reader.number()? as u32;
            }
        }
        Ok::<_, String>(sizes)
    };
    while !reader.take("{") {
        match reader.next()? {
            ".reqntid" => required = Some(three(reader)?),
            ".maxntid" => most = Some(three(reader)?.iter().product()),
            ".reqnctapercluster" => cluster = Some(three(reader)?),
            ".explicitcluster" => {}
            ".minnctapersm" | ".maxnreg" | ".maxclusterrank" => _ = reader.number()?,
            ".noreturn" => {}
            other => return Err(format!("{other} of {name} is not understood")),
        }
    }
    let mut decoder = Decoder::new(&params);
    body(reader, &mut decoder, code, names)?;
    let part = decoder.finish(&name, Vec::new(), Vec::new());
    let part = part.map_err(|wrong| format!("{name}: {wrong}"))?;
    let entry = Entry {
        params_size: params.last().map_or(0, |last| last.offset + last.size),
        name,
        params,
        required,
        most,
        cluster,
        routine: 0,
        local_size: 0,
    };
    Ok((
        entry,
        Part {
            is_kernel: true,
            ..part
        },
    ))
}

/// A function; `None` if it is only declared.
fn function(reader: &mut Reader<'_>, code: &mut Code, names: &mut Names) -> Result<Option<Part>, String> {
    let results = params(reader)?;
    let name = reader.next()?.to_owned();
    let params = params(reader)?;
    loop {
        match reader.next()? {
            "{" => break,
            ";" => return Ok(None),
            ".noreturn" => {}
            other => return Err(format!("{other} of {name} is not understood")),
        }
    }
    let mut decoder = Decoder::new(&[]);
    let mut pass = |all: Vec<Param>| -> Vec<_> {
        let each = all
            .into_iter()
            .map(|param| decoder.add_passed(param.name, 16, param.size));
        each.collect()
    };
    let (results, params) = (pass(results), pass(params));
    body(reader, &mut decoder, code, names)?;
    let part = decoder.finish(&name, params, results);
    part.map(Some).map_err(|wrong| format!("{name}: {wrong}"))
}

/// Instructions and declarations, behind the first brace.
fn body(reader: &mut Reader<'_>, decoder: &mut Decoder, code: &mut Code, names: &mut Names) -> Result<(), String> {
    let mut depth = 1;
    while depth != 0 {
        match reader.peek() {
            "{" => {
                reader.next()?;
                depth += 1;
            }
            "}" => {
                reader.next()?;
                depth -= 1;
            }
            ".reg" => registers(reader, decoder)?,
            ".local" => {
                reader.next()?;
                let variable = declared(reader)?;
                decoder.add_local(variable.name, variable.align, variable.bytes.len());
            }
            ".param" => {
                reader.next()?;
                let passed = declared(reader)?;
                decoder.add_passed(passed.name, passed.align, passed.bytes.len());
            }
            ".shared" => {
                reader.next()?;
                shared(reader, code, names)?;
            }
            ".pragma" => reader.skip_to(";")?,
            _ => statement(reader, decoder, names)?,
        }
    }
    Ok(())
}

fn registers(reader: &mut Reader<'_>, decoder: &mut Decoder) -> Result<(), String> {
    // The type: registers hold the bits of any.
    reader.next()?;
    reader.next()?;
    loop {
        let name = reader.next()?;
        if reader.take("<") {
            let count = reader.number()?;
            reader.expect(">")?;
            for number in 0..count {
                decoder.add_register(format!("{name}{number}"));
            }
        } else {
            decoder.add_register(name.to_owned());
        }
        if !reader.take(",") {
            return reader.expect(";");
        }
    }
}

fn statement(reader: &mut Reader<'_>, decoder: &mut Decoder, names: &Names) -> Result<(), String> {
    let line = reader.line();
    let first = reader.next()?;
    if reader.take(":") {
        let name = first.to_owned();
        match reader.peek() {
            ".branchtargets" => decoder.add_targets(name, list(reader)?),
            ".calltargets" => decoder.add_call_targets(name, list(reader)?),
            ".callprototype" => {
                reader.next()?;
                let sizes = |all: Vec<Param>| all.into_iter().map(|param| param.size).collect();
                let results = sizes(params(reader)?);
                reader.expect("_")?;
                let params = sizes(params(reader)?);
                reader.take(".noreturn");
                reader.expect(";")?;
                decoder.add_prototype(name, results, params);
            }
            _ => decoder.label(name),
        }
        return Ok(());
    }
    let (mut guard, mut name) = (None, first);
    if first == "@" {
        let negated = reader.take("!");
        guard = Some((decoder.register(reader.next()?)?, negated));
        name = reader.next()?;
    }
    let mut operands = Vec::new();
    while !reader.take(";") {
        operands.push(operand(reader, decoder, names)?);
        // A second result.
        while reader.take("|") {
            operands.push(operand(reader, decoder, names)?);
        }
        if !reader.take(",") && reader.peek() != ";" {
            return Err(format!("{:?} after an operand of {name}", reader.peek()));
        }
    }
    decoder.add(line, guard, name, operands)
}

/// Names behind a word, to the semicolon.
fn list(reader: &mut Reader<'_>) -> Result<Vec<String>, String> {
    reader.next()?;
    let mut names = Vec::new();
    while !reader.take(";") {
        names.push(reader.next()?.to_owned());
        reader.take(",");
    }
    Ok(names)
}

fn operand(reader: &mut Reader<'_>, decoder: &Decoder, names: &Names) -> Result<Operand, String> {
    let end = match reader.peek() {
        "{" => "}",
        // Of a call.
        "(" => ")",
        _ => "",
    };
    if !end.is_empty() {
        reader.next()?;
        let mut all = Vec::new();
        while !reader.take(end) {
            all.push(operand(reader, decoder, names)?);
            reader.take(",");
        }
        return Ok(Operand::Vector(all));
    }
    if reader.take("[") {
        let base = operand(reader, decoder, names)?;
        let mut offset = 0;
        while !reader.take("]") {
            let sign = match reader.next()? {
                "+" => 1,
                "-" => -1,
                other => return Err(format!("{other} in an address")),
            };
            offset += sign * reader.number()? as i64;
        }
        return Ok(Operand::Memory(Box::new(base), offset));
    }
    if reader.take("!") {
        return Ok(Operand::Not(decoder.register(reader.next()?)?));
    }
    if reader.take("-") {
        let value = reader.number()?;
        return Ok(Operand::Immediate((-value) as u64));
    }
    let word = reader.next()?;
    if word == "_" {
        return Ok(Operand::Nothing);
    }
    if word.starts_with(|first: char| first.is_ascii_digit()) {
        return immediate(word)
            .map(Operand::Immediate)
            .ok_or_else(|| format!("{word} is no number"));
    }
    let found = decoder.operand(word, names)?;
    Ok(match found {
        // An address of a variable, and bytes behind it.
        Operand::Global(at, _) if reader.take("+") => Operand::Global(at, reader.number()? as u64),
        other => other,
    })
}
