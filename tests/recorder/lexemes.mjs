// JSON as it is written: numbers and strings keep their source text, so that `1.50` and `1.5` differ, and so do `ö` and `\u00f6`.

const TOKENS = /[\s]+|[{}[\]:,]|"(?:[^"\\]|\\.)*"|[^\s{}[\]:,"]+/gy;

/** A number, a string or a literal, as its source text. */
export class Lexeme {
  constructor(source) {
    this.source = source;
  }
  /** Returns the value that the text stands for. */
  get value() {
    return JSON.parse(this.source);
  }
}

/** Returns the value of a JSON text: objects and arrays, with lexemes in them. */
export function readLexemes(text) {
  const tokens = [...text.matchAll(TOKENS)].map(([token]) => token).filter((token) => token.trim() !== "");
  let at = 0;
  const value = () => {
    const token = tokens[at++];
    if (token === "{") {
      const object = {};
      while (tokens[at] !== "}") {
        const key = JSON.parse(tokens[at]);
        at += 2;
        object[key] = value();
        if (tokens[at] === ",") at++;
      }
      at++;
      return object;
    }
    if (token === "[") {
      const array = [];
      while (tokens[at] !== "]") {
        array.push(value());
        if (tokens[at] === ",") at++;
      }
      at++;
      return array;
    }
    if (token === undefined) throw new SyntaxError(`the JSON ends too early: ${text}`);
    return new Lexeme(token);
  };
  return value();
}
