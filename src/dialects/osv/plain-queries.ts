// The body of a batch in the form that clients write, read without JSON.parse, which takes a third of the
// time of all answers.

import { PlainJson, wordsOf } from '../../http/bodies/plain-json.ts';
import type { Steps } from '../../http/work/steps.ts';

/** The members that a query may have; undefined if absent. */
interface PlainQuery {
  package: PlainPackage | undefined;
  version: string | undefined;
  page_token: string | undefined;
  pageToken: string | undefined;
  commit: string | undefined;
}

interface PlainPackage {
  name: string | undefined;
  ecosystem: string | undefined;
  purl: string | undefined;
}

const LIST = wordsOf(['queries']);
const PACKAGE = 'package';
const MEMBERS = [PACKAGE, 'version', 'page_token', 'pageToken', 'commit'] as const;
const MEMBER_WORDS = wordsOf(MEMBERS);
const PACKAGE_MEMBERS = ['name', 'ecosystem', 'purl'] as const;
const PACKAGE_WORDS = wordsOf(PACKAGE_MEMBERS);
/** Read without a pause. */
const QUERIES_AT_ONCE = 256;

/**
 * The queries; undefined if the body has another form or more queries than `most`. No member may come twice.
 */
export function* readPlainQueries(body: Uint8Array, most: number): Steps<readonly PlainQuery[] | undefined> {
  const json = new PlainJson(body);
  const queries: PlainQuery[] = [];
  if (!json.openObject() || !json.string() || json.wordOf(LIST, 0) < 0) return undefined;
  if (!json.colon() || !json.openList()) return undefined;
  if (!json.closeList()) {
    do {
      const query = readQuery(json);
      if (query === undefined || queries.length === most) return undefined;
      if (queries.push(query) % QUERIES_AT_ONCE === 0) yield;
    } while (json.comma());
    if (!json.closeList()) return undefined;
  }
  return json.closeObject() && json.isDone() ? queries : undefined;
}

function readQuery(json: PlainJson): PlainQuery | undefined {
  const query: PlainQuery = {
    package: undefined,
    version: undefined,
    page_token: undefined,
    pageToken: undefined,
    commit: undefined,
  };
  if (!json.openObject()) return undefined;
  let hint = 0;
  do {
    if (!json.string()) return undefined;
    const place = json.wordOf(MEMBER_WORDS, hint);
    if (place < 0 || !json.colon()) return undefined;
    const member = MEMBERS[place];
    if (query[member] !== undefined) return undefined;
    if (member === PACKAGE) {
      query.package = readPackage(json);
      if (query.package === undefined) return undefined;
    } else {
      if (!json.string()) return undefined;
      query[member] = json.text;
    }
    hint = (place + 1) % MEMBERS.length;
  } while (json.comma());
  return json.closeObject() ? query : undefined;
}

function readPackage(json: PlainJson): PlainPackage | undefined {
  const named: PlainPackage = { name: undefined, ecosystem: undefined, purl: undefined };
  if (!json.openObject()) return undefined;
  let hint = 0;
  do {
    if (!json.string()) return undefined;
    const place = json.wordOf(PACKAGE_WORDS, hint);
    if (place < 0 || !json.colon() || !json.string()) return undefined;
    const member = PACKAGE_MEMBERS[place];
    if (named[member] !== undefined) return undefined;
    named[member] = json.text;
    hint = (place + 1) % PACKAGE_MEMBERS.length;
  } while (json.comma());
  return json.closeObject() ? named : undefined;
}
