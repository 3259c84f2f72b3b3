// One query, as sent alone or in a batch: its members are checked, in the order of the original, and what it
// asks for is worked out. Members that it does not know are ignored.

import { readJson } from '../../http/bodies/json-body.ts';
import type { Steps } from '../../http/work/steps.ts';
import { formComplaint } from '../../index/name-forms.ts';
import { MAX_PURL_CHARS, type PurlProblem, parsePurl } from '../../index/parse-purl.ts';
import { cursorCodec } from '../cursor.ts';
import { ecosystemOf, HELD_ECOSYSTEMS, type HeldEcosystem, productNamed } from './ecosystems.ts';
import { MESSAGES } from './problems.ts';

export type Query =
  | {
      readonly kind: 'package';
      /** All held ones if the query names none. */
      readonly ecosystems: readonly HeldEcosystem[];
      readonly suffix: string;
      readonly name: string;
      /** '' asks for all records of the package. */
      readonly version: string;
      /** Records below this id. */
      readonly position: number;
      /** Of a purl: what was not read. */
      readonly ignored?: string;
    }
  /** Sound, but about nothing that is held: `about` says what. */
  | { readonly kind: 'not-held'; readonly about: string }
  /** An ecosystem that does not exist in OSV. */
  | { readonly kind: 'no-ecosystem'; readonly about: string }
  | { readonly kind: 'bad'; readonly message: string };

type ParsedBody =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'bad'; readonly message: string };

/** A token means "records below this id": queries list them by descending id. */
export const { encode: encodePageToken, decode: decodePageToken } = cursorCodec('osv1:');
/** Above every id: the position of the first page. */
export const FIRST_POSITION = Number.MAX_SAFE_INTEGER;

type Json = Readonly<Record<string, unknown>>;

const BAD = { kind: 'bad', message: MESSAGES.badQuery } as const;
const NO_QUERY = { kind: 'bad', message: MESSAGES.noQuery } as const;
const HASH = /^(?:[0-9a-f]{2})+$/i;

/**
 * The body of a request; an empty one is a missing value. The content type is not looked at: clients send
 * others, or none.
 */
export function* parseBody(body: Uint8Array): Steps<ParsedBody> {
  if (body.length === 0) return { kind: 'json', value: undefined };
  const read = yield* readJson(body);
  switch (read.kind) {
    case 'json':
      return read;
    case 'not-json':
      return { kind: 'bad', message: 'the body must be a JSON object in UTF-8' };
    case 'too-complex':
      return { kind: 'bad', message: `the body may ${read.what}, got more` };
  }
}

export function readQuery(value: unknown): Query {
  if (value === undefined || value === null) return NO_QUERY;
  if (!isObject(value)) return BAD;
  const commit = textAt(value, 'commit');
  const version = textAt(value, 'version');
  // The canonical name in JSON of a protobuf member is in camel case; both are valid.
  const token = textAt(value, 'page_token') || textAt(value, 'pageToken');
  if (commit === undefined || version === undefined || token === undefined) return BAD;
  const position = token === '' ? FIRST_POSITION : decodePageToken(token);
  const named = value.package ?? undefined;
  if ((value.commit ?? undefined) !== undefined) {
    if ((value.version ?? undefined) !== undefined) return BAD;
    if (!HASH.test(commit)) return { kind: 'bad', message: MESSAGES.badHash };
    return position === undefined
      ? { kind: 'bad', message: MESSAGES.badCursor }
      : { kind: 'not-held', about: 'GIT' };
  }
  if (!isObject(named)) return BAD;
  const asked = readPackage(named, version);
  if (asked.kind !== 'bad' && position === undefined) return { kind: 'bad', message: MESSAGES.badCursor };
  return asked.kind === 'package' ? { ...asked, position: position ?? FIRST_POSITION } : asked;
}

function readPackage(named: Json, version: string): Query {
  const name = textAt(named, 'name');
  const ecosystem = textAt(named, 'ecosystem');
  const purl = textAt(named, 'purl');
  if (name === undefined || ecosystem === undefined || purl === undefined) return BAD;
  if (purl !== '') {
    if (name !== '') return { kind: 'bad', message: MESSAGES.purlAndName };
    if (ecosystem !== '') return { kind: 'bad', message: MESSAGES.purlAndEcosystem };
    return readPurl(purl, version);
  }
  const found = ecosystem === '' ? undefined : ecosystemOf(ecosystem);
  if (found?.kind === 'unknown') return { kind: 'no-ecosystem', about: found.name };
  if (name === '' || (found === undefined && version === '')) return BAD;
  if (found === undefined) {
    return {
      kind: 'package',
      ecosystems: HELD_ECOSYSTEMS,
      suffix: '',
      name,
      version,
      position: FIRST_POSITION,
    };
  }
  if (found.kind === 'other') return { kind: 'not-held', about: found.name };
  return packageIn(found.name, found.suffix, name, version);
}

/** A query about one ecosystem, where the name must have the form of its names. */
function packageIn(ecosystem: HeldEcosystem, suffix: string, name: string, version: string): Query {
  const named = productNamed(ecosystem, suffix, name);
  const misformed = named.kind === 'product' ? formComplaint(named.product.type, name) : undefined;
  if (misformed !== undefined) return { kind: 'bad', message: `invalid package name: ${misformed}` };
  return {
    kind: 'package',
    ecosystems: [ecosystem],
    suffix,
    name,
    version,
    position: FIRST_POSITION,
  };
}

const PURL_PROBLEMS: Readonly<Record<PurlProblem, string>> = {
  scheme: 'a purl begins with "pkg:"',
  length: `a purl has at most ${MAX_PURL_CHARS} characters before its qualifiers`,
  parts: 'a purl has a type and a name',
  type: 'the type of the purl is not valid',
  escape: 'the purl has a percent escape that is not valid',
};

function readPurl(text: string, version: string): Query {
  const purl = parsePurl(text);
  if (purl.kind === 'bad') return { kind: 'bad', message: `invalid PURL: ${PURL_PROBLEMS[purl.problem]}` };
  if (purl.version !== '' && version !== '') return { kind: 'bad', message: MESSAGES.purlAndVersion };
  if (purl.kind === 'other') return { kind: 'not-held', about: `pkg:${purl.type}` };
  const asked = purl.version === '' ? version : purl.version;
  const query = packageIn(purl.platform.ecosystem, '', purl.name, asked);
  return query.kind === 'package' ? { ...query, ignored: purl.ignored } : query;
}

/** '' for an absent member or null; undefined for another type. */
function textAt(value: Json, member: string): string | undefined {
  const text = value[member] ?? '';
  return typeof text === 'string' ? text : undefined;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
