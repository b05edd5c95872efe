//! Text to tokens.
use super::ast::{Literal, Position};
use super::parse::ParseError;

/// A token.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// `%name`.
    Register(String),
    /// A word: letters, digits, `_`, `.`, `$`.
    Word(String),
    /// A number or a text.
    Literal(Literal),
    /// One of `( ) { } < > , : = ?` or `->` (as `-`).
    Mark(char),
    /// The end of the text.
    End,
}

impl Token {
    /// How messages call it.
    pub(super) fn describe(&self) -> String {
        match self {
            Token::Register(name) => format!("%{name}"),
            Token::Word(word) => format!("`{word}`"),
            Token::Literal(literal) => literal.to_string(),
            Token::Mark('-') => "`->`".to_owned(),
            Token::Mark(mark) => format!("`{mark}`"),
            Token::End => "the end".to_owned(),
        }
    }
}

/// Splits a text into tokens with their places; the last is [`Token::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<(Position, Token)>, ParseError> {
    let mut lexer = Lexer { rest: text, at: Position { line: 1, column: 1 } };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blank();
        let at = lexer.at;
        let token = lexer.token().map_err(|message| ParseError { at, message })?;
        let end = token == Token::End;
        tokens.push((at, token));
        if end {
            return Ok(tokens);
        }
    }
}

struct Lexer<'a> {
    rest: &'a str,
    at: Position,
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$')
}

impl<'a> Lexer<'a> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.rest = &self.rest[c.len_utf8()..];
        if c == '\n' {
            self.at.line += 1;
            self.at.column = 1;
        } else {
            self.at.column += 1;
        }
        Some(c)
    }

    fn take_while(&mut self, take: impl Fn(char) -> bool) -> &'a str {
        let text = self.rest;
        while self.peek().is_some_and(&take) {
            self.next();
        }
        &text[..text.len() - self.rest.len()]
    }

    fn skip_blank(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            if self.peek() != Some('#') {
                return;
            }
            self.take_while(|c| c != '\n');
        }
    }

    fn token(&mut self) -> Result<Token, String> {
        let Some(c) = self.peek() else {
            return Ok(Token::End);
        };
        match c {
            '%' => {
                self.next();
                match self.take_while(is_word) {
                    "" => Err("a register needs a name".to_owned()),
                    name => Ok(Token::Register(name.to_owned())),
                }
            }
            '"' => self.text().map(|text| Token::Literal(Literal::Text(text))),
            '0'..='9' => self.number("").map(Token::Literal),
            '-' => {
                self.next();
                match self.peek() {
                    Some('>') => {
                        self.next();
                        Ok(Token::Mark('-'))
                    }
                    _ => self.number("-").map(Token::Literal),
                }
            }
            '(' | ')' | '{' | '}' | '<' | '>' | ',' | ':' | '=' | '?' => {
                self.next();
                Ok(Token::Mark(c))
            }
            c if is_word(c) => Ok(match self.take_while(is_word) {
                "true" => Token::Literal(Literal::Bool(true)),
                "false" => Token::Literal(Literal::Bool(false)),
                "NaN" => Token::Literal(Literal::Double(f64::NAN)),
                "NaNf" => Token::Literal(Literal::Float(f32::NAN)),
                "Infinity" => Token::Literal(Literal::Double(f64::INFINITY)),
                "Infinityf" => Token::Literal(Literal::Float(f32::INFINITY)),
                word => Token::Word(word.to_owned()),
            }),
            c => Err(format!("unexpected {c:?}")),
        }
    }

    fn number(&mut self, sign: &str) -> Result<Literal, String> {
        let mut digits = self.take_while(is_word).to_owned();
        // An exponent's sign is no word character.
        if digits.ends_with('e') && matches!(self.peek(), Some('-' | '+')) {
            digits.extend(self.next());
            digits.push_str(self.take_while(is_word));
        }
        let text = format!("{sign}{digits}");
        let literal = match text.trim_start_matches('-') {
            "Infinity" => Some(Literal::Double(f64::NEG_INFINITY)),
            "Infinityf" => Some(Literal::Float(f32::NEG_INFINITY)),
            plain if !plain.starts_with(|c: char| c.is_ascii_digit()) => None,
            _ => match text.as_bytes().last() {
                Some(b'L') => text[..text.len() - 1].parse().ok().map(Literal::Long),
                Some(b'f') => text[..text.len() - 1].parse().ok().map(Literal::Float),
                _ if text.contains(['.', 'e']) => text.parse().ok().map(Literal::Double),
                _ => text.parse().ok().map(Literal::Int),
            },
        };
        literal.ok_or_else(|| format!("`{text}` is no int, long (L), float (f) or double"))
    }

    fn text(&mut self) -> Result<String, String> {
        self.next();
        let mut text = String::new();
        loop {
            let c = match self.next() {
                None | Some('\n') => return Err("a text without its closing quote".to_owned()),
                Some('"') => return Ok(text),
                Some('\\') => self.escape()?,
                Some(c) => c,
            };
            text.push(c);
        }
    }

    fn escape(&mut self) -> Result<char, String> {
        match self.next() {
            Some('n') => Ok('\n'),
            Some('r') => Ok('\r'),
            Some('t') => Ok('\t'),
            Some(c @ ('"' | '\\')) => Ok(c),
            Some('u') if self.peek() == Some('{') => {
                self.next();
                let digits = self.take_while(|c| c.is_ascii_hexdigit());
                let c = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
                match (c, self.next()) {
                    (Some(c), Some('}')) => Ok(c),
                    _ => Err("\\u{...} needs the hexadecimal number of a character".to_owned()),
                }
            }
            _ => Err("an escape is one of \\\" \\\\ \\n \\r \\t \\u{...}".to_owned()),
        }
    }
}
