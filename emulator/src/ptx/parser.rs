//! Tokens to statements and operands, by recursive descent.

use super::ast::{
    Address, Guard, Instruction, Module, Operand, RegisterDecl, SourceLine, Statement,
};
use super::lexer::{Lexer, Spanned, Token};
use super::{ParseError, Position};

/// Parses a PTX file; `path` is what errors call it.
pub fn parse<'a>(text: &'a str, path: &str) -> Result<Module<'a>, ParseError> {
    // Some editors begin a file with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut parser = Parser {
        lexer: Lexer::new(text),
        ahead: Spanned { token: Token::End, position: Position::default(), unsigned: false },
        calls: false,
        source: None,
    };
    parser.start().map_err(|(position, message)| ParseError {
        path: path.to_owned(),
        position,
        message,
    })
}

pub(super) type Fallible<T> = Result<T, (Position, String)>;

/// Deepest nesting of vectors, lists and scopes; real PTX needs two or three.
pub(super) const MOST_NESTING: u32 = 32;

/// Most statements of one function, so that text that says little cannot take
/// much memory; the largest kernels in use have a few hundred thousand.
const MOST_STATEMENTS: usize = 1 << 21;

/// Longest word that an error repeats in full.
const LONGEST_SHOWN: usize = 60;

/// As much of a word as an error shows.
fn shown(word: &str) -> String {
    match word.char_indices().nth(LONGEST_SHOWN) {
        Some((end, _)) => format!("{}…", &word[..end]),
        None => word.to_owned(),
    }
}

pub(super) struct Parser<'a> {
    lexer: Lexer<'a>,
    pub(super) ahead: Spanned<'a>,
    /// Whether parentheses are around lists, as in a call.
    pub(super) calls: bool,
    /// The last `.loc`.
    pub(super) source: Option<SourceLine>,
}

impl<'a> Parser<'a> {
    fn start(&mut self) -> Fallible<Module<'a>> {
        self.advance()?;
        let mut module = Module { address_size: 64, ..Module::default() };
        while self.ahead.token != Token::End {
            self.item(&mut module)?;
        }
        if module.version == (0, 0) {
            return Err((
                Position { line: 1, column: 1 },
                "there is no `.version`: not a PTX file".to_owned(),
            ));
        }
        Ok(module)
    }

    pub(super) fn advance(&mut self) -> Fallible<Spanned<'a>> {
        let next = self.lexer.next()?;
        Ok(std::mem::replace(&mut self.ahead, next))
    }

    pub(super) fn fail<T>(&self, expected: &str) -> Fallible<T> {
        let found = match self.ahead.token {
            Token::Word(word) => format!("`{}`", shown(word)),
            Token::Int(value) => format!("`{value}`"),
            Token::Float32(_) | Token::Float64(_) => "a float".to_owned(),
            Token::Text(text) => format!("\"{}\"", shown(text)),
            Token::Punct(byte) => format!("`{}`", char::from(byte)),
            Token::End => "the end of the file".to_owned(),
        };
        Err((self.ahead.position, format!("expected {expected}, found {found}")))
    }

    pub(super) fn at(&self, punct: u8) -> bool {
        self.ahead.token == Token::Punct(punct)
    }

    pub(super) fn eat(&mut self, punct: u8) -> Fallible<bool> {
        let found = self.at(punct);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub(super) fn expect(&mut self, punct: u8) -> Fallible<()> {
        if self.eat(punct)? { Ok(()) } else { self.fail(&format!("`{}`", char::from(punct))) }
    }

    pub(super) fn word(&mut self, what: &str) -> Fallible<&'a str> {
        match self.ahead.token {
            Token::Word(word) => {
                self.advance()?;
                Ok(word)
            }
            _ => self.fail(what),
        }
    }

    pub(super) fn int(&mut self, what: &str) -> Fallible<u64> {
        match self.ahead.token {
            Token::Int(value) => {
                self.advance()?;
                Ok(value)
            }
            _ => self.fail(what),
        }
    }

    pub(super) fn u32(&mut self, what: &str) -> Fallible<u32> {
        let position = self.ahead.position;
        u32::try_from(self.int(what)?).map_err(|_| (position, format!("{what} is too large")))
    }

    pub(super) fn body(&mut self) -> Fallible<Vec<Statement<'a>>> {
        let mut statements = Vec::new();
        let mut depth = 0_u32;
        loop {
            let position = self.ahead.position;
            if statements.len() >= MOST_STATEMENTS {
                return Err((
                    position,
                    format!("the function has more than {MOST_STATEMENTS} statements"),
                ));
            }
            match self.ahead.token {
                Token::Punct(b'}') => {
                    self.advance()?;
                    if depth == 0 {
                        return Ok(statements);
                    }
                    depth -= 1;
                    statements.push(Statement::ScopeEnd);
                }
                Token::Punct(b'{') => {
                    if depth >= MOST_NESTING {
                        return self.fail("less nesting");
                    }
                    self.advance()?;
                    depth += 1;
                    statements.push(Statement::ScopeStart);
                }
                Token::Punct(b';') => {
                    self.advance()?;
                }
                Token::Punct(b'@') => {
                    self.advance()?;
                    let negated = self.eat(b'!')?;
                    let register = self.word("a predicate register")?;
                    let guard = Some(Guard { register, negated });
                    let word = self.word("an instruction")?;
                    let instruction = self.instruction(word, guard, position)?;
                    statements.push(Statement::Instruction(instruction));
                }
                Token::Word(".loc") => self.loc()?,
                Token::Word(".reg") => self.registers(&mut statements)?,
                Token::Word(".shared" | ".local" | ".global" | ".const" | ".param") => {
                    let variables = self.variables(false)?;
                    statements.extend(variables.into_iter().map(Statement::Variable));
                }
                Token::Word(".branchtargets") => {
                    self.advance()?;
                    let mut targets = vec![self.word("a label")?];
                    while self.eat(b',')? {
                        targets.push(self.word("a label")?);
                    }
                    self.expect(b';')?;
                    statements.push(Statement::BranchTargets(targets));
                }
                Token::Word(".pragma") => {
                    self.advance()?;
                    if let Token::Text(text) = self.ahead.token {
                        statements.push(Statement::Pragma(text));
                    }
                    self.skip_to_semicolon()?;
                }
                Token::Word(".callprototype" | ".calltargets") => self.skip_to_semicolon()?,
                Token::Word(word) => {
                    self.advance()?;
                    if self.at(b':') {
                        self.advance()?;
                        statements.push(Statement::Label(word, position));
                    } else {
                        let instruction = self.instruction(word, None, position)?;
                        statements.push(Statement::Instruction(instruction));
                    }
                }
                _ => return self.fail("an instruction, a label or `}`"),
            }
        }
    }

    /// `.loc 1 79 25, function_name $L__info_string0, inlined_at 1 79 25`: the
    /// first line is the innermost one, where the operation is written.
    fn loc(&mut self) -> Fallible<()> {
        self.advance()?;
        let file = self.u32("a file number")?;
        let line = self.u32("a line number")?;
        self.int("a column")?;
        while self.eat(b',')? {
            match self.word("`function_name` or `inlined_at`")? {
                "function_name" => {
                    self.word("a label")?;
                    if self.eat(b'+')? {
                        self.int("an offset")?;
                    }
                }
                "inlined_at" => {
                    for what in ["a file number", "a line number", "a column"] {
                        self.int(what)?;
                    }
                }
                _ => return self.fail("`function_name` or `inlined_at`"),
            }
        }
        // Line 0 means that the compiler cannot say; keep the last known line.
        if line != 0 {
            self.source = Some(SourceLine { file, line });
        }
        Ok(())
    }

    fn registers(&mut self, statements: &mut Vec<Statement<'a>>) -> Fallible<()> {
        self.advance()?;
        let (mut ty, mut elements) = ("", 1);
        while let Token::Word(word) = self.ahead.token {
            let Some(bare) = word.strip_prefix('.') else { break };
            match bare {
                "v2" => elements = 2,
                "v4" => elements = 4,
                _ if ty.is_empty() => ty = bare,
                _ => return self.fail("a register name"),
            }
            self.advance()?;
        }
        loop {
            let position = self.ahead.position;
            let name = self.word("a register name")?;
            let mut count = None;
            if self.eat(b'<')? {
                count = Some(self.u32("a number of registers")?);
                self.expect(b'>')?;
            }
            statements.push(Statement::Registers(RegisterDecl {
                ty,
                elements,
                name,
                count,
                position,
            }));
            if !self.eat(b',')? {
                break;
            }
        }
        self.expect(b';')
    }

    fn instruction(
        &mut self,
        word: &'a str,
        guard: Option<Guard<'a>>,
        position: Position,
    ) -> Fallible<Instruction<'a>> {
        let mut operands = Vec::with_capacity(4);
        self.calls = word.starts_with("call");
        if !self.at(b';') {
            operands.push(self.operand(0)?);
            while self.eat(b',')? {
                operands.push(self.operand(0)?);
            }
        }
        self.expect(b';')?;
        let opcode = word.split('.').next().unwrap_or(word);
        Ok(Instruction { guard, opcode, word, operands, position, source: self.source })
    }

    pub(super) fn operand(&mut self, depth: u32) -> Fallible<Operand<'a>> {
        if depth > MOST_NESTING {
            return self.fail("less nesting");
        }
        match self.ahead.token {
            Token::Punct(b'[') => {
                self.advance()?;
                let address = self.address()?;
                if self.at(b',') {
                    // A texture or tensor and coordinates in it.
                    let mut parts = vec![Operand::Address(address)];
                    while self.eat(b',')? {
                        parts.push(self.operand(depth + 1)?);
                    }
                    self.expect(b']')?;
                    return Ok(Operand::List(parts));
                }
                self.expect(b']')?;
                Ok(Operand::Address(address))
            }
            Token::Punct(b'{') => {
                let mut parts = self.operands(b'}', depth)?;
                // A vector of one register, as Triton writes it, is the register.
                let only = if parts.len() == 1 { parts.pop() } else { None };
                Ok(only.unwrap_or(Operand::Vector(parts)))
            }
            Token::Punct(b'(') if self.calls => Ok(Operand::List(self.operands(b')', depth)?)),
            Token::Punct(b'!') => {
                self.advance()?;
                match self.ahead.token {
                    Token::Word(_) => Ok(Operand::Not(self.word("a predicate register")?)),
                    _ => self.negated(depth),
                }
            }
            Token::Punct(b'-' | b'+' | b'~' | b'(')
            | Token::Int(_)
            | Token::Float32(_)
            | Token::Float64(_) => self.constant(depth),
            Token::Word(word) => {
                self.advance()?;
                if self.eat(b'|')? {
                    return Ok(Operand::Pair(word, self.word("a second destination")?));
                }
                if word == "generic" && self.eat(b'(')? {
                    let name = self.word("a symbol")?;
                    self.expect(b')')?;
                    let offset = self.offset()?;
                    return Ok(Operand::Symbol { name, offset, generic: true });
                }
                if self.at(b'+') || self.at(b'-') {
                    let offset = self.offset()?;
                    return Ok(Operand::Symbol { name: word, offset, generic: false });
                }
                Ok(Operand::Name(word))
            }
            _ => self.fail("an operand"),
        }
    }

    fn operands(&mut self, close: u8, depth: u32) -> Fallible<Vec<Operand<'a>>> {
        self.advance()?;
        let mut operands = Vec::new();
        while !self.at(close) {
            operands.push(self.operand(depth + 1)?);
            if !self.eat(b',')? {
                break;
            }
        }
        self.expect(close)?;
        Ok(operands)
    }

    fn address(&mut self) -> Fallible<Address<'a>> {
        match self.ahead.token {
            Token::Word(base) => {
                self.advance()?;
                let offset = self.offset()?;
                Ok(Address { base: Some(base), offset })
            }
            Token::Int(_) => {
                let value = self.integer()?;
                Ok(Address { base: None, offset: value.cast_signed() })
            }
            _ => self.fail("a register, a symbol or an address"),
        }
    }
}
