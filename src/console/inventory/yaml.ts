// Reads the YAML that package managers write. A complete YAML parser is as large as half of the page, so this one reads what
// they write and refuses the rest by line: anchors, aliases, tags, flow collections and quoted scalars over several lines.
// All scalars are text: a version `1.10` is not a number. Tests compare it with js-yaml.

import { clip, Refusal } from './refusal.ts';

/** A mapping has no prototype, so `__proto__` is a key like others. */
export type Yaml = string | readonly Yaml[] | { readonly [key: string]: Yaml };

const MAX_DEPTH = 100;
const ESCAPES: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  _: '\u00a0',
  N: '\u0085',
  L: '\u2028',
  P: '\u2029',
  '"': '"',
  '/': '/',
  '\\': '\\',
};

/** All documents of the text. Throws Refusal. */
export function parseYaml(text: string): readonly Yaml[] {
  return new YamlReader(text).documents();
}

class YamlReader {
  readonly #lines: string[];
  /** The line that is read next. */
  #at = 0;

  constructor(text: string) {
    this.#lines = text.split(/\r?\n/);
  }

  documents(): Yaml[] {
    const documents: Yaml[] = [];
    for (;;) {
      while (/^(---|\.\.\.)[ \t]*(#.*)?$/.test(this.#content() ?? '')) this.#at++;
      if (this.#content() === undefined) return documents;
      documents.push(this.#block(this.#indent(), 0));
      const next = this.#content();
      if (next !== undefined && !/^(---|\.\.\.)([ \t]|$)/.test(next))
        this.#refuse('is indented less than it should be');
    }
  }

  /** The next line that is neither empty nor a comment; undefined at the end. */
  #content(): string | undefined {
    while (this.#at < this.#lines.length && /^[ \t]*(#|$)/.test(this.#lines[this.#at])) this.#at++;
    return this.#lines[this.#at];
  }

  /** The indentation of the next content line; -1 at the end of a document. */
  #indent(): number {
    const line = this.#content();
    if (line === undefined || /^(---|\.\.\.)([ \t]|$)/.test(line)) return -1;
    const indent = indentOf(line);
    if (line.slice(0, indent).includes('\t')) this.#refuse('is indented with tabs');
    return indent;
  }

  /** The node that begins in the next line. A scalar continues below `outer`. Requires: `indent` is the line's. */
  #block(indent: number, depth: number, outer = indent - 1): Yaml {
    if (depth > MAX_DEPTH) this.#refuse(`is nested more than ${MAX_DEPTH} levels deep`);
    const line = this.#lines[this.#at].slice(indent);
    if (isItem(line)) return this.#sequence(indent, depth);
    if (line.startsWith('? ') || this.#keyOf(line) !== undefined) return this.#mapping(indent, depth);
    this.#at++;
    return this.#inline(line, outer, depth);
  }

  #sequence(indent: number, depth: number): Yaml[] {
    const items: Yaml[] = [];
    while (this.#indent() === indent && isItem(this.#lines[this.#at].slice(indent))) {
      items.push(this.#afterMark(indent, depth));
    }
    return items;
  }

  #mapping(indent: number, depth: number): Yaml {
    const members: { [key: string]: Yaml } = Object.create(null);
    while (this.#indent() === indent) {
      const line = this.#lines[this.#at].slice(indent);
      if (isItem(line)) break;
      const isExplicit = line.startsWith('? ');
      const { key, rest } = isExplicit
        ? { key: this.#explicitKey(line, indent), rest: '' }
        : (this.#keyOf(line) ?? this.#refuse('is not `key: value`'));
      if (key in members) this.#refuse(`has the key ${JSON.stringify(clip(key))} again`);
      if (isExplicit) {
        members[key] = this.#afterMark(indent, depth);
        continue;
      }
      this.#at++;
      members[key] = /^(#|$)/.test(rest)
        ? this.#below(indent, depth, true)
        : this.#inline(rest, indent, depth);
    }
    return members;
  }

  /** Keys of more than 1,024 characters are written `? KEY`, with the colon at the beginning of the next line. */
  #explicitKey(line: string, indent: number): string {
    const key = this.#scalar(trimmed(line.slice(2)));
    this.#at++;
    const next = this.#lines[this.#at]?.slice(indent) ?? '';
    if (!/^:([ \t]|$)/.test(next)) this.#refuse('should begin with the colon of the key above');
    return key;
  }

  /** What follows a dash, or the colon of an explicit key, at `indent` in the next line. */
  #afterMark(indent: number, depth: number): Yaml {
    const line = this.#lines[this.#at];
    const rest = line.slice(indent + 1).replace(/^[ \t]+/, '');
    if (/^(#|$)/.test(rest)) {
      this.#at++;
      return this.#below(indent, depth);
    }
    // It is a block of its own, as if the mark were a space.
    const start = line.length - rest.length;
    this.#lines[this.#at] = ' '.repeat(start) + rest;
    return this.#block(start, depth + 1, indent);
  }

  /** Undefined if the line has no key. */
  #keyOf(line: string): { readonly key: string; readonly rest: string } | undefined {
    if (/^["']/.test(line)) {
      const end = endOfQuoted(line, 0);
      if (end < 0 || !/^[ \t]*:([ \t]|$)/.test(line.slice(end))) return undefined;
      return {
        key: this.#scalar(line.slice(0, end)),
        rest: trimmed(line.slice(line.indexOf(':', end) + 1)),
      };
    }
    const [, key, rest] =
      /^((?!:(?:[ \t]|$))[^ \t{}[\]#&*!|>%@`,].*?|)[ \t]*:(?:[ \t]+(.*))?$/.exec(line) ?? [];
    return key === undefined ? undefined : { key, rest: trimmed(rest ?? '') };
  }

  /** What lies deeper than a key or a dash; the items of a key's sequence may be as deep as the key. */
  #below(indent: number, depth: number, isValue = false): Yaml {
    const next = this.#indent();
    if (next > indent) return this.#block(next, depth + 1);
    if (isValue && next === indent && isItem(this.#lines[this.#at].slice(indent)))
      return this.#sequence(indent, depth + 1);
    return '';
  }

  /** A value that begins in the line before the next, at `text`; its further lines are deeper than `indent`. */
  #inline(text: string, indent: number, depth: number): Yaml {
    if (/^[|>]/.test(text)) return this.#blockScalar(text, indent);
    if (/^[[{"']/.test(text)) {
      const flow = new FlowReader(text, MAX_DEPTH - depth, (problem) => this.#refuse(problem, this.#at - 1));
      return flow.whole();
    }
    let value = this.#scalar(text, this.#at - 1);
    while (this.#indent() > indent) {
      value += ` ${this.#scalar(trimmed(this.#lines[this.#at]))}`;
      this.#at++;
    }
    return value;
  }

  #blockScalar(header: string, indent: number): string {
    const [, style, width, chomping] = /^([|>])([1-9]?)([+-]?)[ \t]*(?:#.*)?$/.exec(header) ?? [];
    if (style === undefined) this.#refuse('has a block scalar of an unknown kind', this.#at - 1);
    const lines: string[] = [];
    let own = width === '' ? -1 : Math.max(indent, 0) + Number(width); // -1: as deep as its first line
    for (; this.#at < this.#lines.length; this.#at++) {
      const line = this.#lines[this.#at];
      const isEmpty = trimmed(line) === '';
      const depth = indentOf(line);
      if (!isEmpty && own < 0) own = depth;
      if (!isEmpty && (depth <= indent || depth < own)) break;
      lines.push(isEmpty ? line.slice(own < 0 ? line.length : own) : line.slice(own));
    }
    let end = lines.length;
    while (end > 0 && lines[end - 1] === '') end--;
    const body = lines.slice(0, end);
    const text = style === '|' ? body.join('\n') : folded(body);
    if (chomping === '-' || (end === 0 && chomping !== '+')) return text;
    return text + (chomping === '+' ? '\n'.repeat(lines.length - end + (end > 0 ? 1 : 0)) : '\n');
  }

  /** A plain or quoted scalar in one line, with a comment after it. */
  #scalar(text: string, at = this.#at): string {
    if (/^["']/.test(text)) return unquoted(text, (problem) => this.#refuse(problem, at));
    if (/^([[{]|[:?]([ \t]|$))/.test(text)) this.#refuse('has a key that is not a text', at);
    if (/^[&*!%@`]/.test(text)) {
      this.#refuse(
        `has ${JSON.stringify(text[0])} (an anchor, an alias or a tag), which no lockfile has`,
        at,
      );
    }
    const value = trimmed(text.replace(/[ \t]+#.*$/, ''));
    if (/:([ \t]|$)/.test(value)) this.#refuse('has a colon that should be quoted, or a second key', at);
    return value;
  }

  #refuse(problem: string, at = this.#at): never {
    const line = clip((this.#lines[at] ?? '').trim(), 60);
    throw new Refusal(
      `This looks like a YAML lockfile, but line ${at + 1} ${problem}: ${JSON.stringify(line)}.`,
    );
  }
}

/** Flow collections in one line: `{a: b, c: [d, "e"]}`. */
class FlowReader {
  readonly #text: string;
  readonly #levels: number;
  readonly #refuse: (problem: string) => never;
  #at = 0;

  constructor(text: string, levels: number, refuse: (problem: string) => never) {
    this.#text = text;
    this.#levels = levels;
    this.#refuse = refuse;
  }

  /** The value that is the whole text, but for a comment. */
  whole(): Yaml {
    const value = this.#value(0);
    const rest = this.#text.slice(this.#at);
    if (/[^ \t]/.test(rest) && !/^[ \t]+#/.test(rest))
      this.#refuse(`has ${JSON.stringify(clip(rest.trim(), 20))} after a value`);
    return value;
  }

  #value(level: number): Yaml {
    if (level > this.#levels) this.#refuse(`is nested more than ${MAX_DEPTH} levels deep`);
    switch (this.#next()) {
      case '{':
        return this.#collection('}', (add) => {
          const key = this.#scalar();
          const hasValue = this.#take(':');
          const isEmpty = /[,}]/.test(this.#next());
          add(key, hasValue && !isEmpty ? this.#value(level + 1) : '');
        });
      case '[':
        return Object.values(this.#collection(']', (add, i) => add(String(i), this.#value(level + 1))));
      default:
        return this.#scalar();
    }
  }

  #collection(
    end: string,
    read: (add: (key: string, value: Yaml) => void, i: number) => void,
  ): { readonly [key: string]: Yaml } {
    const members: { [key: string]: Yaml } = Object.create(null);
    const add = (key: string, value: Yaml): void => {
      if (key in members) this.#refuse(`has the key ${JSON.stringify(clip(key))} again`);
      members[key] = value;
    };
    this.#at++;
    for (let i = 0; !this.#take(end); i++) {
      if (i > 0 && !this.#take(','))
        this.#refuse('has a collection that does not end in it, or lacks a comma');
      if (this.#take(end)) break;
      read(add, i);
    }
    return members;
  }

  #scalar(): string {
    const start = this.#at;
    if (/["']/.test(this.#next())) {
      const from = this.#at;
      const end = endOfQuoted(this.#text, from);
      if (end < 0) this.#refuse('has a quoted text that does not end in it');
      this.#at = end;
      return unquoted(this.#text.slice(from, end), this.#refuse);
    }
    const plain = /[^,{}[\]]*?(?=[ \t]*(?:[,{}[\]]|:(?:[ \t]|[,{}[\]]|$)|$))/y;
    plain.lastIndex = this.#at;
    const [text = ''] = plain.exec(this.#text) ?? [];
    if (text === '' || /^[&*!%@`]/.test(text))
      this.#refuse(`cannot be read at column ${start + 1} of its value`);
    this.#at += text.length;
    return text;
  }

  /** The next character that is not a space; '' at the end. */
  #next(): string {
    while (/[ \t]/.test(this.#text.charAt(this.#at))) this.#at++;
    return this.#text.charAt(this.#at);
  }

  #take(character: string): boolean {
    const isThere = this.#next() === character;
    if (isThere) this.#at++;
    return isThere;
  }
}

/** Not `trim`: other spaces of Unicode are text in YAML. */
function trimmed(text: string): string {
  return text.replace(/^[ \t]+|[ \t]+$/g, '');
}

function indentOf(line: string): number {
  return line.length - line.replace(/^[ \t]+/, '').length;
}

function isItem(line: string): boolean {
  return /^-([ \t]|$)/.test(line);
}

/** The end of the quoted scalar at `start`, after its quote; -1 if it does not end in the text. */
function endOfQuoted(text: string, start: number): number {
  const pattern = text[start] === '"' ? /"(?:[^"\\]|\\.)*"/y : /'(?:[^']|'')*'/y;
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

function unquoted(text: string, refuse: (problem: string) => never): string {
  const end = endOfQuoted(text, 0);
  if (end < 0 || !/^([ \t]*|[ \t]+#.*)$/.test(text.slice(end)))
    refuse('has a quoted text that does not end in it, or text after it');
  const inner = text.slice(1, end - 1);
  if (text[0] === "'") return inner.replaceAll("''", "'");
  return inner.replace(
    /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|(.))/g,
    (whole, x?: string, u?: string, long?: string, short?: string) => {
      const code = x ?? u ?? long;
      if (code !== undefined) {
        const point = Number.parseInt(code, 16);
        return point <= 0x10ffff ? String.fromCodePoint(point) : refuse(`has the escape ${whole}`);
      }
      return ESCAPES[short ?? ''] ?? refuse(`has the escape ${whole}`);
    },
  );
}

/** Lines of a folded scalar: a line break becomes a space, but for empty and deeper lines. */
function folded(lines: readonly string[]): string {
  let text = '';
  lines.forEach((line, i) => {
    if (i === 0) {
      text = line;
      return;
    }
    const before = lines[i - 1];
    const isKept = line === '' || /^[ \t]/.test(line) || /^[ \t]/.test(before);
    if (isKept) text += '\n';
    else if (before !== '') text += ' ';
    text += line;
  });
  return text;
}
