// Reads the YAML that lockfiles and SBOMs are written in: block and flow collections, plain, quoted and block
// scalars, several documents. A library for all of YAML takes a sixth of what this page may weigh. What is
// not read is refused with its place, never guessed: anchors and aliases (a few lines of them can stand for
// billions), tags, directives. All scalars are text, so a version `1.10` is not a number.

import { clip, placeAt, Refusal } from './refusal.ts';

const MAX_DEPTH = 100;
const ESCAPES: { readonly [char: string]: string } = {
  n: '\n',
  t: '\t',
  r: '\r',
  '0': '\0',
};

const DOUBLE_QUOTED =
  /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|\r?\n[ \t]*|(.?))|[ \t\r\n]+/gs;

/** Without the spaces, tabs and carriage returns at its end: other spaces belong to a text. */
function trimBlanks(text: string): string {
  let end = text.length;
  while (end > 0 && ' \t\r'.includes(text[end - 1])) end--;
  return text.slice(0, end);
}

/** All documents of the text. */
export function parseYaml(text: string): readonly unknown[] {
  return new YamlReader(text).documents();
}

class YamlReader {
  readonly #text: string;
  /** What comes next: after #next(), the first character of a line's content. */
  #at = 0;
  #lineStart = 0;
  /** Of what comes next in its line; -1 at the end of a document. */
  #column = 0;
  #depth = 0;
  /** Whether the last key began with `? `: a collection may begin in the line of its colon. */
  #isExplicit = false;

  constructor(text: string) {
    this.#text = text;
  }

  documents(): unknown[] {
    const documents: unknown[] = [];
    this.#next();
    while (this.#at < this.#text.length) {
      if (this.#column < 0) {
        // `---` or `...`: what follows in its line would be a document of one line.
        this.#at += 3;
        this.#endLine();
        continue;
      }
      documents.push(this.#block(this.#column));
      if (this.#column >= 0) this.#fail('unexpected text');
    }
    return documents;
  }

  /** Goes to the content of the next line that has any; from within a line, of what is left of it. */
  #next(): void {
    const text = this.#text;
    const start = this.#at;
    for (;;) {
      while (text[this.#at] === ' ') this.#at++;
      const char = text[this.#at];
      if (char === '\t') this.#at++;
      else if (char === '#') this.#at = this.#lineEnd();
      else if (char === '\n' || char === '\r') {
        this.#at++;
        this.#lineStart = this.#at;
      } else break;
    }
    const isIndented = this.#lineStart >= start && this.#at < text.length;
    if (isIndented && text.slice(this.#lineStart, this.#at).includes('\t'))
      this.#fail('a tab as indentation');
    this.#column = this.#at - this.#lineStart;
    if (
      this.#at >= text.length ||
      (this.#column === 0 && /^(?:---|\.\.\.)[ \t\r\n]?$/.test(text.slice(this.#at, this.#at + 4)))
    ) {
      this.#column = -1;
    }
  }

  /** Goes on to the next line. Nothing but a comment may be left of this one. */
  #endLine(): void {
    const start = this.#at;
    const line = this.#lineStart;
    this.#next();
    if (this.#lineStart !== line || this.#at >= this.#text.length) return;
    if (this.#column >= 0 || start !== this.#at) this.#fail('unexpected text');
  }

  #lineEnd(): number {
    const end = this.#text.indexOf('\n', this.#at);
    return end < 0 ? this.#text.length : end;
  }

  #fail(what: string): never {
    const rest = clip(this.#text.slice(this.#at, this.#lineEnd()).trimEnd(), 20);
    const found = rest === '' ? '' : `, ${JSON.stringify(rest)}`;
    throw new Refusal(`This looks like YAML, but has ${what}${found}, at ${placeAt(this.#text, this.#at)}.`);
  }

  #deeper<Value>(read: () => Value): Value {
    if (++this.#depth > MAX_DEPTH) this.#fail(`more than ${MAX_DEPTH} levels`);
    const value = read();
    this.#depth--;
    return value;
  }

  /** The collection or scalar that begins here, in that column. Afterwards at the next line's content. */
  #block(column: number): unknown {
    return this.#deeper(() => {
      if (this.#isDash()) return this.#sequence(column);
      const key = this.#key();
      return key === undefined ? this.#scalar(column - 1) : this.#mapping(column, key);
    });
  }

  #isDash(): boolean {
    return /^-[ \t\r\n]?$/.test(this.#text.slice(this.#at, this.#at + 2));
  }

  #sequence(column: number): unknown[] {
    const items: unknown[] = [];
    while (this.#column === column && this.#isDash()) {
      this.#at++;
      const line = this.#lineStart;
      this.#next();
      // `- key: value` begins a mapping in the column of its key, `- ` and the end of the line one below.
      const isInLine = this.#lineStart === line;
      items.push(isInLine || this.#column > column ? this.#block(this.#column) : '');
    }
    if (this.#column > column) this.#fail('unexpected text');
    return items;
  }

  #mapping(column: number, first: string): object {
    const entries = new Map<string, unknown>();
    for (let key: string | undefined = first; ; ) {
      if (entries.has(key)) this.#fail(`the key ${JSON.stringify(clip(key, 40))} twice, before`);
      entries.set(key, this.#value(column));
      if (this.#column !== column) break;
      key = this.#key();
      if (key === undefined) this.#fail('a line without a key');
    }
    if (this.#column > column) this.#fail('unexpected text');
    return Object.fromEntries(entries); // also of a key such as __proto__
  }

  /** What follows a key: in its line, or below it. */
  #value(column: number): unknown {
    const line = this.#lineStart;
    this.#next();
    if (this.#lineStart === line && this.#at < this.#text.length) {
      return this.#isExplicit ? this.#block(this.#column) : this.#scalar(column);
    }
    if (this.#column > column || (this.#column === column && this.#isDash()))
      return this.#block(this.#column);
    return '';
  }

  /**
   * The key that begins here, with everything up to its colon; undefined, at the same place, if there is
   * none.
   */
  #key(): string | undefined {
    const text = this.#text;
    const start = this.#at;
    const char = text[start];
    this.#isExplicit = char === '?' && text[start + 1] === ' ';
    if (this.#isExplicit) {
      const column = this.#column;
      this.#at += 2;
      const key = /[ \t\r\n#]/.test(text[this.#at] ?? '\n') ? undefined : this.#scalar(column);
      const isColon = this.#column === column && /^:[ \t\r\n]?$/.test(text.slice(this.#at, this.#at + 2));
      if (typeof key !== 'string' || !isColon) this.#fail('a key that is not text');
      this.#at++;
      this.#isExplicit = true; // the key may have been one too
      return key;
    }
    if (char === '"' || char === "'") {
      const key = this.#quoted();
      const end = this.#at;
      if (/^[ \t]*:(?:[ \t\r\n]|$)/.test(text.slice(end, end + 8))) {
        this.#at = text.indexOf(':', end) + 1;
        return key;
      }
      this.#at = start;
      return undefined;
    }
    if (char === '[' || char === '{') return undefined;
    const line = trimBlanks(text.slice(start, this.#lineEnd()));
    const colon = /:(?:[ \t]|$)/.exec(line)?.index ?? -1;
    const comment = line.search(/[ \t]#/);
    if (colon < 0 || (comment >= 0 && comment < colon)) return undefined;
    this.#checkPlain();
    this.#at = start + colon + 1;
    return trimBlanks(line.slice(0, colon));
  }

  /**
   * A scalar or flow collection that begins here, and continues in lines that are indented more than the
   * column.
   */
  #scalar(column: number): unknown {
    const char = this.#text[this.#at];
    if (char === '|' || char === '>') return this.#blockScalar(column);
    let value: unknown;
    if (char === '"' || char === "'") value = this.#quoted();
    else if (char === '[' || char === '{') value = this.#flow();
    else return this.#plain(column);
    this.#endLine();
    return value;
  }

  #checkPlain(): void {
    const char = this.#text[this.#at];
    if (char === '&' || char === '*') this.#fail('an anchor or alias');
    if (/[!%@`|>,\]}]/.test(char) || /^[-?:][ \t\r\n]?$/.test(this.#text.slice(this.#at, this.#at + 2)))
      this.#fail('a text that is not supported here');
  }

  #plain(column: number): string {
    this.#checkPlain();
    const parts: string[] = [];
    do {
      const line = this.#text.slice(this.#at, this.#lineEnd());
      const comment = line.search(/[ \t]#/);
      const part = trimBlanks(comment < 0 ? line : line.slice(0, comment));
      if (/:(?:[ \t]|$)/.test(part)) this.#fail('a colon within a text');
      parts.push(part);
      this.#at += part.length;
      this.#next();
    } while (this.#column > column && this.#column >= 0);
    return parts.join(' ');
  }

  /** Its lines as they are, without their indentation: no reader uses them. */
  #blockScalar(column: number): string {
    if (!/^[|>][-+1-9]{0,2}[ \t\r]*(?:[ \t]#.*)?$/.test(this.#text.slice(this.#at, this.#lineEnd())))
      this.#fail('unexpected text');
    const lines: string[] = [];
    for (this.#at = this.#lineEnd() + 1; this.#at < this.#text.length; this.#at = this.#lineEnd() + 1) {
      const line = this.#text.slice(this.#at, this.#lineEnd());
      const indent = line.search(/[^ \r]/);
      if (indent >= 0 && indent <= column) break;
      lines.push(line.trim());
    }
    this.#lineStart = this.#at;
    this.#next();
    return lines.join('\n');
  }

  #quoted(): string {
    const text = this.#text;
    const quote = text[this.#at];
    let end = this.#at + 1;
    for (; text[end] !== quote || (quote === "'" && text[end + 1] === "'"); end++) {
      if (end >= text.length) this.#fail('a quote that does not end');
      if (text[end] === quote || (quote === '"' && text[end] === '\\')) end++; // the next belongs to this one
    }
    const raw = text.slice(this.#at + 1, end);
    const value = raw.replace(
      quote === "'" ? /''|[ \t\r\n]+/g : DOUBLE_QUOTED,
      (found, x, u, long, char: string | undefined) => {
        if (found === "''") return "'";
        if (found[0] !== '\\') return found.includes('\n') ? ' ' : found; // a line break and what surrounds it
        const code = Number.parseInt(x ?? u ?? long, 16);
        if (code <= 0x10ffff) return String.fromCodePoint(code);
        if (char === undefined) return ''; // a line break that is not part of the text
        if ('"\\/ '.includes(char)) return char;
        return ESCAPES[char] ?? this.#fail('a text that is not supported here');
      },
    );
    const last = raw.lastIndexOf('\n');
    if (last >= 0) this.#lineStart = this.#at + 2 + last;
    this.#at = end + 1;
    return value;
  }

  /** A flow collection, of which JSON is one. Afterwards behind its bracket. */
  #flow(): unknown {
    return this.#deeper(() => {
      const isList = this.#text[this.#at++] === '[';
      const end = isList ? ']' : '}';
      const items: unknown[] = [];
      const entries = new Map<string, unknown>();
      for (this.#next(); this.#text[this.#at] !== end; this.#next()) {
        const key = this.#flowItem();
        this.#next();
        if (isList) items.push(key);
        else {
          if (typeof key !== 'string' || entries.has(key))
            this.#fail('a key that is not text or there twice, before');
          let value: unknown = '';
          if (this.#text[this.#at] === ':') {
            this.#at++;
            this.#next();
            value = /[,}]/.test(this.#text[this.#at]) ? '' : this.#flowItem();
            this.#next();
          }
          entries.set(key, value);
        }
        if (this.#text[this.#at] === ',') this.#at++;
        else if (this.#text[this.#at] !== end) this.#fail(`no comma or ${end}`);
      }
      this.#at++;
      return isList ? items : Object.fromEntries(entries);
    });
  }

  #flowItem(): unknown {
    const char = this.#text[this.#at];
    if (char === '[' || char === '{') return this.#flow();
    if (char === '"' || char === "'") return this.#quoted();
    if (char === undefined) this.#fail('a list that does not end');
    this.#checkPlain();
    // Up to a comma, a bracket, a colon that ends a key, or a comment.
    const plain = /(?:[^,[\]{}:\r\n#]|:(?![ \t\r\n,[\]{}]|$)|(?<![ \t])#)+/y;
    plain.lastIndex = this.#at;
    const match = plain.exec(this.#text);
    if (match === null) this.#fail('unexpected text');
    this.#at = plain.lastIndex;
    return trimBlanks(match[0]);
  }
}
