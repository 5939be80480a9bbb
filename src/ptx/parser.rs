//! Tokens to the syntax tree, by recursive descent.

use super::ast::{
    Address, Function, Guard, Instruction, Item, Module, Operand, Param, RegisterDecl, SourceLine,
    Space, Statement, Variable,
};
use super::lexer::{Lexer, Spanned, Token};
use super::{ParseError, Position};

/// Parses a PTX file; `path` is what errors call it.
pub fn parse<'a>(text: &'a str, path: &str) -> Result<Module<'a>, ParseError> {
    let mut parser = Parser {
        lexer: Lexer::new(text),
        ahead: Spanned { token: Token::End, position: Position::default() },
        source: None,
    };
    parser.start().map_err(|(position, message)| ParseError {
        path: path.to_owned(),
        position,
        message,
    })
}

type Fallible<T> = Result<T, (Position, String)>;

/// Deepest nesting of vectors, lists and scopes; real PTX needs two or three.
const MOST_NESTING: u32 = 32;

struct Parser<'a> {
    lexer: Lexer<'a>,
    ahead: Spanned<'a>,
    /// The last `.loc`.
    source: Option<SourceLine>,
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

    fn advance(&mut self) -> Fallible<Spanned<'a>> {
        let next = self.lexer.next()?;
        Ok(std::mem::replace(&mut self.ahead, next))
    }

    fn fail<T>(&self, expected: &str) -> Fallible<T> {
        let found = match self.ahead.token {
            Token::Word(word) => format!("`{word}`"),
            Token::Int(value) => format!("`{value}`"),
            Token::Float32(_) | Token::Float64(_) => "a float".to_owned(),
            Token::Text(text) => format!("\"{text}\""),
            Token::Punct(byte) => format!("`{}`", char::from(byte)),
            Token::End => "the end of the file".to_owned(),
        };
        Err((self.ahead.position, format!("expected {expected}, found {found}")))
    }

    fn at(&self, punct: u8) -> bool {
        self.ahead.token == Token::Punct(punct)
    }

    fn eat(&mut self, punct: u8) -> Fallible<bool> {
        let found = self.at(punct);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn expect(&mut self, punct: u8) -> Fallible<()> {
        if self.eat(punct)? { Ok(()) } else { self.fail(&format!("`{}`", char::from(punct))) }
    }

    fn word(&mut self, what: &str) -> Fallible<&'a str> {
        match self.ahead.token {
            Token::Word(word) => {
                self.advance()?;
                Ok(word)
            }
            _ => self.fail(what),
        }
    }

    fn int(&mut self, what: &str) -> Fallible<u64> {
        match self.ahead.token {
            Token::Int(value) => {
                self.advance()?;
                Ok(value)
            }
            _ => self.fail(what),
        }
    }

    fn u32(&mut self, what: &str) -> Fallible<u32> {
        let position = self.ahead.position;
        u32::try_from(self.int(what)?).map_err(|_| (position, format!("{what} is too large")))
    }

    fn item(&mut self, module: &mut Module<'a>) -> Fallible<()> {
        let position = self.ahead.position;
        let mut external = false;
        loop {
            let Token::Word(word) = self.ahead.token else {
                return self.fail("a directive such as `.entry`");
            };
            match word {
                ".extern" => {
                    external = true;
                    self.advance()?;
                }
                ".visible" | ".weak" | ".common" => {
                    self.advance()?;
                }
                ".version" => {
                    self.advance()?;
                    module.version = self.version()?;
                    return Ok(());
                }
                ".target" => {
                    self.advance()?;
                    module.target = self.word("a target such as `sm_50`")?;
                    while self.eat(b',')? {
                        self.word("a target option")?;
                    }
                    return Ok(());
                }
                ".address_size" => {
                    self.advance()?;
                    module.address_size = self.u32("the address size")?;
                    return Ok(());
                }
                ".file" => {
                    self.advance()?;
                    let number = self.u32("a file number")?;
                    let Token::Text(name) = self.ahead.token else {
                        return self.fail("a file name in quotes");
                    };
                    self.advance()?;
                    while self.eat(b',')? {
                        self.int("a time stamp or size")?;
                    }
                    module.files.push((number, name));
                    return Ok(());
                }
                ".section" => {
                    self.advance()?;
                    self.word("a section name")?;
                    return self.skip_braces();
                }
                ".pragma" => return self.skip_to_semicolon(),
                ".entry" | ".func" => {
                    let function = self.function(word == ".entry", position)?;
                    module.items.push(Item::Function(function));
                    return Ok(());
                }
                ".global" | ".shared" | ".const" => {
                    let variables = self.variables(external)?;
                    module.items.extend(variables.into_iter().map(Item::Variable));
                    return Ok(());
                }
                _ => return self.fail("a module-level directive"),
            }
        }
    }

    /// `7.8` lexes as a float; `8.0` too; keep digits exact by reading it back.
    fn version(&mut self) -> Fallible<(u32, u32)> {
        let version = match self.ahead.token {
            Token::Float64(bits) => {
                let text = format!("{:.1}", f64::from_bits(bits));
                text.split_once('.')
                    .and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)))
            }
            Token::Int(major) => u32::try_from(major).ok().map(|major| (major, 0)),
            _ => None,
        };
        let Some(version) = version else { return self.fail("a version such as `7.8`") };
        self.advance()?;
        Ok(version)
    }

    fn skip_braces(&mut self) -> Fallible<()> {
        self.expect(b'{')?;
        let mut depth = 1;
        while depth > 0 {
            match self.advance()?.token {
                Token::Punct(b'{') => depth += 1,
                Token::Punct(b'}') => depth -= 1,
                Token::End => return self.fail("`}`"),
                _ => {}
            }
        }
        Ok(())
    }

    fn skip_to_semicolon(&mut self) -> Fallible<()> {
        while !self.eat(b';')? {
            if self.ahead.token == Token::End {
                return self.fail("`;`");
            }
            self.advance()?;
        }
        Ok(())
    }

    fn function(&mut self, entry: bool, position: Position) -> Fallible<Function<'a>> {
        self.advance()?;
        let mut returns = Vec::new();
        if self.at(b'(') {
            returns = self.params()?;
        }
        let name = self.word("a function name")?;
        let params = if self.at(b'(') { self.params()? } else { Vec::new() };
        // Performance directives: `.maxntid 256, 1, 1`, `.minnctapersm 2`, `.noreturn`, …
        while let Token::Word(word) = self.ahead.token {
            if !word.starts_with('.') {
                return self.fail("`{` or `;`");
            }
            self.advance()?;
            while matches!(self.ahead.token, Token::Int(_)) || self.at(b',') {
                self.advance()?;
            }
        }
        let body = if self.eat(b';')? {
            None
        } else {
            self.expect(b'{')?;
            self.source = None;
            Some(self.body()?)
        };
        Ok(Function { name, entry, returns, params, body, position })
    }

    fn params(&mut self) -> Fallible<Vec<Param<'a>>> {
        self.expect(b'(')?;
        let mut params = Vec::new();
        while !self.at(b')') {
            match self.word("`.param` or `.reg`")? {
                ".param" | ".reg" => {}
                _ => return self.fail("`.param` or `.reg`"),
            }
            let (mut align, mut ty) = (None, "");
            while let Token::Word(word) = self.ahead.token {
                let Some(bare) = word.strip_prefix('.') else { break };
                self.advance()?;
                match bare {
                    "align" => align = Some(self.u32("an alignment")?),
                    "ptr" | "global" | "shared" | "const" | "local" => {}
                    _ => ty = bare,
                }
            }
            let name = self.word("a parameter name")?;
            let mut count = 1;
            if self.eat(b'[')? {
                count = if self.at(b']') { 0 } else { self.int("an array size")? };
                self.expect(b']')?;
            }
            params.push(Param { name, ty, align, count });
            if !self.eat(b',')? {
                break;
            }
        }
        self.expect(b')')?;
        Ok(params)
    }

    /// `.shared .align 4 .b8 name[16] = {1, 2}, other;`
    fn variables(&mut self, external: bool) -> Fallible<Vec<Variable<'a>>> {
        let position = self.ahead.position;
        let space = match self.word("a state space")? {
            ".global" => Space::Global,
            ".shared" => Space::Shared,
            ".const" => Space::Const,
            ".local" => Space::Local,
            ".param" => Space::Param,
            _ => return self.fail("a state space"),
        };
        let (mut align, mut ty, mut vector) = (None, "", 1);
        while let Token::Word(word) = self.ahead.token {
            let Some(bare) = word.strip_prefix('.') else { break };
            self.advance()?;
            match bare {
                "align" => align = Some(self.u32("an alignment")?),
                "v2" => vector = 2,
                "v4" => vector = 4,
                "attribute" => {
                    self.expect(b'(')?;
                    while !self.eat(b')')? {
                        if self.advance()?.token == Token::End {
                            return self.fail("`)`");
                        }
                    }
                }
                _ => ty = bare,
            }
        }
        let mut variables = Vec::new();
        loop {
            let name = self.word("a variable name")?;
            let mut count = Some(vector);
            while self.eat(b'[')? {
                if self.at(b']') {
                    count = None;
                } else {
                    let position = self.ahead.position;
                    let extent = self.int("an array size")?;
                    count = match count.map(|count: u64| count.checked_mul(extent)) {
                        Some(None) => return Err((position, "this array is too large".to_owned())),
                        Some(Some(count)) => Some(count),
                        None => None,
                    };
                }
                self.expect(b']')?;
            }
            let mut init = Vec::new();
            if self.eat(b'=')? {
                self.initializer(&mut init, 0)?;
                if count.is_none() {
                    count = Some(init.len() as u64);
                }
            }
            variables.push(Variable { space, name, ty, align, count, init, external, position });
            if !self.eat(b',')? {
                break;
            }
        }
        self.expect(b';')?;
        Ok(variables)
    }

    fn initializer(&mut self, init: &mut Vec<Operand<'a>>, depth: u32) -> Fallible<()> {
        if depth > MOST_NESTING {
            return self.fail("less nesting");
        }
        if !self.eat(b'{')? {
            init.push(self.operand(depth + 1)?);
            return Ok(());
        }
        while !self.at(b'}') {
            self.initializer(init, depth + 1)?;
            if !self.eat(b',')? {
                break;
            }
        }
        self.expect(b'}')
    }

    fn body(&mut self) -> Fallible<Vec<Statement<'a>>> {
        let mut statements = Vec::new();
        let mut depth = 0_u32;
        loop {
            let position = self.ahead.position;
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
                Token::Word(".pragma" | ".branchtargets" | ".callprototype" | ".calltargets") => {
                    self.skip_to_semicolon()?;
                }
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
        let mut ty = "";
        while let Token::Word(word) = self.ahead.token {
            let Some(bare) = word.strip_prefix('.') else { break };
            ty = bare;
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
            statements.push(Statement::Registers(RegisterDecl { ty, name, count, position }));
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

    fn operand(&mut self, depth: u32) -> Fallible<Operand<'a>> {
        if depth > MOST_NESTING {
            return self.fail("less nesting");
        }
        match self.ahead.token {
            Token::Punct(b'[') => {
                self.advance()?;
                let address = self.address()?;
                self.expect(b']')?;
                Ok(Operand::Address(address))
            }
            Token::Punct(b'{') => Ok(Operand::Vector(self.operands(b'}', depth)?)),
            Token::Punct(b'(') => Ok(Operand::List(self.operands(b')', depth)?)),
            Token::Punct(b'!') => {
                self.advance()?;
                Ok(Operand::Not(self.word("a predicate register")?))
            }
            Token::Punct(b'-') => {
                self.advance()?;
                match self.advance()?.token {
                    Token::Int(value) => Ok(Operand::Int(value.wrapping_neg())),
                    Token::Float32(bits) => Ok(Operand::Float32(bits ^ (1 << 31))),
                    Token::Float64(bits) => Ok(Operand::Float64(bits ^ (1 << 63))),
                    _ => self.fail("a number after `-`"),
                }
            }
            Token::Int(value) => {
                self.advance()?;
                Ok(Operand::Int(value))
            }
            Token::Float32(bits) => {
                self.advance()?;
                Ok(Operand::Float32(bits))
            }
            Token::Float64(bits) => {
                self.advance()?;
                Ok(Operand::Float64(bits))
            }
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

    /// `+8`, `+-8`, `-8`, or nothing.
    fn offset(&mut self) -> Fallible<i64> {
        let negative = if self.eat(b'+')? {
            self.eat(b'-')?
        } else if self.eat(b'-')? {
            true
        } else {
            return Ok(0);
        };
        let value = self.int("an offset")?.cast_signed();
        Ok(if negative { value.wrapping_neg() } else { value })
    }

    fn address(&mut self) -> Fallible<Address<'a>> {
        match self.ahead.token {
            Token::Word(base) => {
                self.advance()?;
                let offset = self.offset()?;
                Ok(Address { base: Some(base), offset })
            }
            Token::Int(value) => {
                self.advance()?;
                Ok(Address { base: None, offset: value.cast_signed() })
            }
            _ => self.fail("a register, a symbol or an address"),
        }
    }
}
