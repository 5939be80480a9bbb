//! What stands at module level: directives, variables, functions and their
//! parameters.

use super::Position;
use super::ast::{Cluster, Function, Item, Module, Operand, Param, Space, Variable};
use super::lexer::Token;
use super::parser::{Fallible, MOST_NESTING, Parser};

impl<'a> Parser<'a> {
    pub(super) fn item(&mut self, module: &mut Module<'a>) -> Fallible<()> {
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

    pub(super) fn skip_to_semicolon(&mut self) -> Fallible<()> {
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
        let cluster = self.directives()?;
        let body = if self.eat(b';')? {
            None
        } else {
            self.expect(b'{')?;
            self.source = None;
            Some(self.body()?)
        };
        Ok(Function { name, entry, returns, params, cluster, body, position })
    }

    /// Performance directives: `.maxntid 256, 1, 1`, `.minnctapersm 2`,
    /// `.noreturn`, …; gives what they say about clusters.
    fn directives(&mut self) -> Fallible<Option<Cluster>> {
        let mut cluster: Option<Cluster> = None;
        while let Token::Word(word) = self.ahead.token {
            if !word.starts_with('.') {
                return self.fail("`{` or `;`");
            }
            let position = self.advance()?.position;
            let (mut numbers, mut count) = ([1_u32; 3], 0);
            loop {
                if let Token::Int(number) = self.ahead.token {
                    if let Some(place) = numbers.get_mut(count) {
                        *place = u32::try_from(number).unwrap_or(u32::MAX);
                    }
                    count += 1;
                } else if !self.at(b',') {
                    break;
                }
                self.advance()?;
            }
            let none = Cluster { blocks: None, explicit: false, most: None, position };
            match word {
                ".reqnctapercluster" => cluster.get_or_insert(none).blocks = Some(numbers),
                ".explicitcluster" => cluster.get_or_insert(none).explicit = true,
                ".maxclusterrank" => cluster.get_or_insert(none).most = Some(numbers[0]),
                _ => {}
            }
        }
        Ok(cluster)
    }

    fn params(&mut self) -> Fallible<Vec<Param<'a>>> {
        self.expect(b'(')?;
        let mut params = Vec::new();
        while !self.at(b')') {
            let register = match self.word("`.param` or `.reg`")? {
                ".param" => false,
                ".reg" => true,
                _ => return self.fail("`.param` or `.reg`"),
            };
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
                count = if self.at(b']') { 0 } else { self.integer()? };
                self.expect(b']')?;
            }
            params.push(Param { name, ty, align, count, register });
            if !self.eat(b',')? {
                break;
            }
        }
        self.expect(b')')?;
        Ok(params)
    }

    /// `.shared .align 4 .b8 name[16] = {1, 2}, other;`
    pub(super) fn variables(&mut self, external: bool) -> Fallible<Vec<Variable<'a>>> {
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
                    let extent = self.integer()?;
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
}
