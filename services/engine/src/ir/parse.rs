//! Text to syntax tree.
use super::ast::{
    Binary, Block, Class, Constant, Element, End, Expr, Function, Kind, Literal, Operand, Param,
    Position, Step, Target, TypeName, Unary,
};
use super::lexer::{Token, tokens};

/// The longest text taken, bytes.
const TEXT_LIMIT: usize = 1 << 20;
/// The deepest nesting of a written type.
const TYPE_DEPTH: usize = 8;

/// What is wrong with a text, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}:{}: {message}", at.line, at.column)]
pub struct ParseError {
    /// Where.
    pub at: Position,
    /// What.
    pub message: String,
}

/// Reads one function. Registers, labels and types are not resolved yet.
pub fn parse(text: &str) -> Result<Function, ParseError> {
    if text.len() > TEXT_LIMIT {
        return Err(ParseError {
            at: Position { line: 1, column: 1 },
            message: format!("the text is longer than {TEXT_LIMIT} bytes"),
        });
    }
    let mut parser = Parser { tokens: tokens(text)?, next: 0 };
    let function = parser.function()?;
    match parser.peek() {
        Token::End => Ok(function),
        _ => parser.fail("the end"),
    }
}

struct Parser {
    /// Ends with [`Token::End`], which is never passed.
    tokens: Vec<(Position, Token)>,
    next: usize,
}

type Parsed<T> = Result<T, ParseError>;

impl Parser {
    fn peek(&self) -> &Token {
        &self.tokens[self.next].1
    }

    fn at(&self) -> Position {
        self.tokens[self.next].0
    }

    fn take(&mut self) -> Token {
        let token = self.peek().clone();
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        token
    }

    fn fail<T>(&self, expected: &str) -> Parsed<T> {
        Err(ParseError {
            at: self.at(),
            message: format!("expected {expected}, found {}", self.peek().describe()),
        })
    }

    fn accept(&mut self, mark: char) -> bool {
        let found = *self.peek() == Token::Mark(mark);
        if found {
            self.take();
        }
        found
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Token::Word(found) if found == word);
        if found {
            self.take();
        }
        found
    }

    fn expect(&mut self, mark: char) -> Parsed<()> {
        match self.accept(mark) {
            true => Ok(()),
            false => self.fail(&Token::Mark(mark).describe()),
        }
    }

    fn word(&mut self, what: &str) -> Parsed<String> {
        match self.peek() {
            Token::Word(_) => match self.take() {
                Token::Word(word) => Ok(word),
                _ => self.fail(what),
            },
            _ => self.fail(what),
        }
    }

    /// `item, item` up to the mark, which is taken; a comma may stand before it.
    fn list<T>(&mut self, close: char, item: impl Fn(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        while !self.accept(close) {
            items.push(item(self)?);
            if !self.accept(',') {
                self.expect(close)?;
                break;
            }
        }
        Ok(items)
    }

    /// `class` and `constant` declarations before the function.
    fn declarations(&mut self) -> Parsed<(Vec<Class>, Vec<Constant>)> {
        let (mut classes, mut constants) = (Vec::new(), Vec::new());
        loop {
            let at = self.at();
            if self.accept_word("class") {
                let name = self.quoted("the class's name")?;
                if !self.accept_word("extends") {
                    return self.fail("`extends`");
                }
                let above = self.quoted("the name of the class above")?;
                self.expect('{')?;
                let fields = self.list('}', |parser| {
                    let name = parser.word("a field's name")?;
                    parser.expect(':')?;
                    Ok((name, parser.type_name(0)?))
                })?;
                classes.push(Class { at, name, above, fields });
            } else if self.accept_word("constant") {
                let param = self.param()?;
                self.expect('=')?;
                match self.operand()? {
                    Operand::Literal(Literal::Int(object)) => {
                        constants.push(Constant { param, object });
                    }
                    _ => return self.fail("the number of an object"),
                }
            } else {
                return Ok((classes, constants));
            }
        }
    }

    /// A text.
    fn quoted(&mut self, what: &str) -> Parsed<String> {
        match self.peek() {
            Token::Literal(Literal::Text(text)) => {
                let text = text.clone();
                self.take();
                Ok(text)
            }
            _ => self.fail(&format!("{what} in quotes")),
        }
    }

    fn function(&mut self) -> Parsed<Function> {
        let (classes, constants) = self.declarations()?;
        let kind = match self.peek() {
            Token::Word(word) => Kind::WORDS.iter().find(|(kind, _)| kind == word),
            _ => None,
        };
        let Some(&(_, kind)) = kind else {
            return self.fail("`map`, `flatmap`, `filter` or `timestamp`");
        };
        self.take();
        let at = self.at();
        let name = self.word("the function's name")?;
        self.expect('(')?;
        let param = self.param()?;
        self.expect(')')?;
        self.expect('-')?;
        let result = self.type_name(0)?;
        self.expect('{')?;
        let mut blocks = Vec::new();
        while !self.accept('}') {
            blocks.push(self.block()?);
        }
        Ok(Function { kind, name, at, param, result, classes, constants, blocks })
    }

    fn param(&mut self) -> Parsed<Param> {
        let at = self.at();
        let name = self.register()?;
        self.expect(':')?;
        let ty = self.type_name(0)?;
        Ok(Param { at, name, ty })
    }

    fn register(&mut self) -> Parsed<String> {
        if let Token::Register(name) = self.peek() {
            let name = name.clone();
            self.take();
            return Ok(name);
        }
        self.fail("a register")
    }

    fn type_name(&mut self, depth: usize) -> Parsed<TypeName> {
        if depth == TYPE_DEPTH {
            return self.fail("a type of less depth");
        }
        let name = self.word("a type")?;
        let ty = if name == "list" && self.accept('<') {
            let element = self.type_name(depth + 1)?;
            self.expect('>')?;
            TypeName::List(Box::new(element))
        } else {
            TypeName::Named(name)
        };
        Ok(match self.accept('?') {
            true => TypeName::Nullable(Box::new(ty)),
            false => ty,
        })
    }

    fn operand(&mut self) -> Parsed<Operand> {
        match self.peek() {
            Token::Register(_) => Ok(Operand::Register(self.register()?)),
            Token::Literal(literal) => {
                let operand = Operand::Literal(literal.clone());
                self.take();
                Ok(operand)
            }
            _ => self.fail("a register or a literal"),
        }
    }

    fn target(&mut self) -> Parsed<Target> {
        let at = self.at();
        let label = self.word("a block's label")?;
        let args = match self.accept('(') {
            true => self.list(')', Self::operand)?,
            false => Vec::new(),
        };
        Ok(Target { at, label, args })
    }

    fn block(&mut self) -> Parsed<Block> {
        let at = self.at();
        let label = self.word("a block's label or `}`")?;
        let params = match self.accept('(') {
            true => self.list(')', Self::param)?,
            false => Vec::new(),
        };
        self.expect(':')?;
        let mut steps = Vec::new();
        loop {
            let end_at = self.at();
            if let Some(end) = self.end()? {
                return Ok(Block { at, label, params, steps, end, end_at });
            }
            steps.push(self.step()?);
        }
    }

    /// The end of a block, if one stands here.
    fn end(&mut self) -> Parsed<Option<End>> {
        Ok(Some(if self.accept_word("jump") {
            End::Jump(self.target()?)
        } else if self.accept_word("branch") {
            let condition = self.operand()?;
            self.expect(',')?;
            let yes = self.target()?;
            self.expect(',')?;
            End::Branch(condition, yes, self.target()?)
        } else if self.accept_word("unpack") {
            let list = self.operand()?;
            self.expect(',')?;
            let label = self.word("a block's label")?;
            self.expect(',')?;
            End::Unpack(list, label, self.target()?)
        } else if self.accept_word("return") {
            End::Return(match self.peek() {
                Token::Register(_) | Token::Literal(_) => Some(self.operand()?),
                _ => None,
            })
        } else if self.accept_word("throw") {
            match self.operand()? {
                Operand::Literal(Literal::Text(text)) => End::Throw(text),
                _ => return self.fail("a text"),
            }
        } else if self.accept_word("throw_ref") {
            End::ThrowRef(self.operand()?)
        } else {
            return Ok(None);
        }))
    }

    fn step(&mut self) -> Parsed<Step> {
        let at = self.at();
        let result = match self.peek() {
            Token::Register(_) => {
                let name = self.register()?;
                self.expect('=')?;
                Some(name)
            }
            _ => None,
        };
        let expr = self.expr()?;
        let catch = match self.accept_word("catch") {
            true => Some(self.target()?),
            false => None,
        };
        Ok(Step { at, result, expr, catch })
    }

    fn expr(&mut self) -> Parsed<Expr> {
        const EXPECTED: &str =
            "an instruction, or the block's end (jump, branch, unpack, return, throw)";
        let Token::Word(word) = self.peek().clone() else {
            return self.fail(EXPECTED);
        };
        if let Some(op) = Unary::from_word(&word) {
            self.take();
            return Ok(Expr::Unary(op, self.operand()?));
        }
        if let Some(op) = Binary::from_word(&word) {
            self.take();
            let a = self.operand()?;
            self.expect(',')?;
            return Ok(Expr::Binary(op, a, self.operand()?));
        }
        if let Some(element) = word.strip_prefix("array_get_").and_then(Element::from_word) {
            self.take();
            let [array, index] = self.operands()?;
            return Ok(Expr::ArrayGet(element, array, index));
        }
        if let Some(element) = word.strip_prefix("array_set_").and_then(Element::from_word) {
            self.take();
            let [array, index, value] = self.operands()?;
            return Ok(Expr::ArraySet(element, array, index, value));
        }
        let start = self.next;
        self.take();
        Ok(match word.as_str() {
            "null" => Expr::Null(self.type_name(0)?),
            "new" => {
                let ty = self.type_name(0)?;
                Expr::New(ty, self.fields()?)
            }
            "with" => {
                let record = self.operand()?;
                Expr::With(record, self.fields()?)
            }
            "get" => {
                let record = self.operand()?;
                self.expect(',')?;
                Expr::Get(record, self.word("a field's name")?)
            }
            "call" => self.call()?,
            "string_concat" => {
                let recipe = self.quoted("the recipe")?;
                let descriptor = match self.accept(',') {
                    true => Some(self.quoted("the descriptor")?),
                    false => None,
                };
                Expr::Concat(recipe, descriptor, self.arguments()?)
            }
            "is" => self.with_text("the class").map(|(a, class)| Expr::Is(a, class))?,
            "cast" => self.with_text("the class").map(|(a, class)| Expr::Cast(a, class))?,
            "load" => self.with_text("the field").map(|(a, field)| Expr::Load(a, field))?,
            "store" => {
                let (object, field) = self.with_text("the field")?;
                self.expect(',')?;
                Expr::Store(object, field, self.operand()?)
            }
            "object" => Expr::Object(self.quoted("the class")?),
            "array" => {
                let descriptor = self.quoted("the descriptor")?;
                self.expect(',')?;
                Expr::Array(descriptor, self.operand()?)
            }
            "caught" => Expr::Caught,
            "exception" => {
                let class = self.quoted("the class")?;
                self.expect(',')?;
                Expr::Exception(class, self.operand()?)
            }
            "decode" => Expr::Decode(self.operand()?),
            "encode" => {
                let value = self.operand()?;
                if !self.accept_word("as") {
                    return self.fail("`as`");
                }
                Expr::Encode(value, self.type_name(0)?)
            }
            "emit" => Expr::Emit(self.operand()?),
            _ => {
                self.next = start;
                return self.fail(EXPECTED);
            }
        })
    }

    fn call(&mut self) -> Parsed<Expr> {
        if let Token::Literal(_) = self.peek() {
            let name = self.quoted("a method")?;
            return Ok(Expr::Library(name, self.arguments()?));
        }
        let name = self.word("a built-in's name, or a method")?;
        Ok(Expr::Call(name, self.arguments()?))
    }

    fn arguments(&mut self) -> Parsed<Vec<Operand>> {
        self.expect('(')?;
        self.list(')', Self::operand)
    }

    /// Operands between commas.
    fn operands<const COUNT: usize>(&mut self) -> Parsed<[Operand; COUNT]> {
        let mut operands = [const { Operand::Literal(Literal::Bool(false)) }; COUNT];
        for (at, operand) in operands.iter_mut().enumerate() {
            if at > 0 {
                self.expect(',')?;
            }
            *operand = self.operand()?;
        }
        Ok(operands)
    }

    /// An operand and a text.
    fn with_text(&mut self, what: &str) -> Parsed<(Operand, String)> {
        let operand = self.operand()?;
        self.expect(',')?;
        Ok((operand, self.quoted(what)?))
    }

    fn fields(&mut self) -> Parsed<Vec<(String, Operand)>> {
        self.expect('{')?;
        self.list('}', |parser| {
            let name = parser.word("a field's name")?;
            parser.expect(':')?;
            Ok((name, parser.operand()?))
        })
    }
}
