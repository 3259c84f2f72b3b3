// Reads the members of a JSON document that somebody else wrote: each is what it should be, or is refused
// with its name, what was expected and what is there.

type ManifestErrorCode =
  /** Not JSON, or not an object. */
  | 'unreadable'
  /** Made for another server. */
  | 'format'
  | 'missing'
  | 'invalid'
  /** A URL that is absolute or leaves the folder of the manifest. */
  | 'url';

export class ManifestError extends Error {
  override readonly name = 'ManifestError';
  readonly code: ManifestErrorCode;
  /** As `snapshot.size`; undefined for the document. */
  readonly field: string | undefined;
  readonly expected: string;
  readonly got: string;
  readonly remedy: string;

  constructor(code: ManifestErrorCode, field: string | undefined, expected: string, got: string) {
    const remedy = REMEDIES[code];
    const where = field === undefined ? '' : ` in "${field}"`;
    super(`manifest rejected: ${code}${where} (expected ${expected}, got ${got}); ${remedy}`);
    this.code = code;
    this.field = field;
    this.expected = expected;
    this.got = got;
    this.remedy = remedy;
  }
}

const REMEDIES: Readonly<Record<ManifestErrorCode, string>> = {
  unreadable: 'check that the address is that of a manifest',
  format: 'install a server that knows this format',
  missing: 'publish again with `vulndex publish`',
  invalid: 'publish again with `vulndex publish`',
  url: 'publish again with `vulndex publish`',
};

const SHOWN_CHARACTERS = 60;
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

export class MemberReader {
  readonly #members: Readonly<Record<string, unknown>>;
  readonly #path: string;

  private constructor(members: Readonly<Record<string, unknown>>, path: string) {
    this.#members = members;
    this.#path = path;
  }

  /** Throws ManifestError. */
  static ofJson(content: Uint8Array | string, maxBytes: number): MemberReader {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    const refuse = (expected: string, got: string): ManifestError =>
      new ManifestError('unreadable', undefined, expected, got);
    if (bytes.length > maxBytes) throw refuse(`at most ${maxBytes} bytes`, `${bytes.length}`);
    let value: unknown;
    try {
      value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    } catch {
      throw refuse('JSON', 'another text'); // not quoted: a redirect may have led to it
    }
    if (!isObject(value)) throw refuse('a JSON object', 'another value');
    return new MemberReader(value, '');
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#members, name);
  }

  requireFormat(format: number): void {
    const got = this.count('format', 1);
    if (got !== format) throw this.refuse('format', 'format', `${format}`, got);
  }

  /** A text that fulfils a rule. */
  text(
    name: string,
    isRight: (text: string) => boolean,
    expected: string,
    code: ManifestErrorCode = 'invalid',
  ): string {
    const value = this.#get(name, expected);
    if (typeof value !== 'string' || !isRight(value)) throw this.refuse(code, name, expected, value);
    return value;
  }

  instant(name: string): string {
    const isInstant = (text: string): boolean => RFC_3339.test(text) && !Number.isNaN(Date.parse(text));
    return this.text(name, isInstant, 'a time such as 2026-04-21T08:38:34Z');
  }

  count(name: string, min: number): number {
    const expected = `a whole number from ${min}`;
    const value = this.#get(name, expected);
    if (!Number.isSafeInteger(value) || (value as number) < min) {
      throw this.refuse('invalid', name, expected, value);
    }
    return value as number; // isSafeInteger has seen to it
  }

  inside(name: string): MemberReader {
    const value = this.#get(name, 'an object');
    if (!isObject(value)) throw this.refuse('invalid', name, 'an object', value);
    return new MemberReader(value, `${this.#path}${name}.`);
  }

  /** The objects of a list. */
  list(name: string, max: number): readonly MemberReader[] {
    const expected = `a list of at most ${max} objects`;
    const value = this.#get(name, expected);
    if (!Array.isArray(value) || value.length > max) throw this.refuse('invalid', name, expected, value);
    return value.map((each: unknown, i) => {
      if (!isObject(each)) throw this.refuse('invalid', `${name}[${i}]`, 'an object', each);
      return new MemberReader(each, `${this.#path}${name}[${i}].`);
    });
  }

  refuse(code: ManifestErrorCode, name: string, expected: string, got: unknown): ManifestError {
    return new ManifestError(code, this.#path + name, expected, shown(got));
  }

  #get(name: string, expected: string): unknown {
    if (!this.has(name)) {
      throw new ManifestError('missing', this.#path + name, expected, 'nothing');
    }
    return this.#members[name];
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}…`;
}
