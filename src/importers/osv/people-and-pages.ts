// Who is credited by an OSV record, and which pages it refers to. Entries that cannot be read are left out
// with a problem.

import type { FeedPerson, FieldProblem } from '../record/feed-schema.ts';
import { isObject, type JsonObject, MemberReader } from '../record/json.ts';

const REFERENCE_TITLES: { readonly [type: string]: string } = {
  ADVISORY: 'Advisory',
  ARTICLE: 'Article',
  DETECTION: 'Detection',
  DISCUSSION: 'Discussion',
  EVIDENCE: 'Evidence',
  FIX: 'Fix',
  GIT: 'Repository',
  INTRODUCED: 'Introduced by',
  PACKAGE: 'Package',
  REPORT: 'Report',
};

interface Reference {
  readonly url: string;
  readonly title?: string;
}

/** Without a title where the type says nothing (`WEB`). */
export function referencesOf(list: unknown, problems: FieldProblem[]): Reference[] {
  return objectsOf(list, 'references', problems).flatMap(([{ type, url }, field]): Reference[] => {
    if (typeof url !== 'string' || url === '') {
      readerOf(problems).mustBe('a URL', url ?? null, `${field}.url`);
      return [];
    }
    const title = typeof type === 'string' && Object.hasOwn(REFERENCE_TITLES, type) ? type : undefined;
    return [title === undefined ? { url } : { url, title: REFERENCE_TITLES[title] }];
  });
}

interface Credits {
  readonly credit: FeedPerson | null;
  readonly submitter: FeedPerson | null;
}

// In the order of who did most for the discovery; other types, and credits without one, come after.
const CREDIT_TYPES = ['FINDER', 'REPORTER', 'ANALYST'];
const LONGEST_NAME = 200;

/** The finder, else the next best; the reporter, if that is somebody else than the finder. */
export function creditsOf(list: unknown, problems: FieldProblem[]): Credits {
  const people = objectsOf(list, 'credits', problems).flatMap(([{ name, contact, type }, field]) => {
    if (typeof name !== 'string' || name.trim() === '') {
      readerOf(problems).mustBe('a name', name ?? null, `${field}.name`);
      return [];
    }
    const rank = CREDIT_TYPES.indexOf(typeof type === 'string' ? type : '');
    const person: FeedPerson = { name: name.trim().slice(0, LONGEST_NAME), url: pageOf(contact) };
    return [{ person, rank: rank === -1 ? CREDIT_TYPES.length : rank }];
  });
  const [best] = people.toSorted((a, b) => a.rank - b.rank); // stable: the first of its type
  if (best === undefined) return { credit: null, submitter: null };
  const reporter = people.find(({ rank, person }) => rank === 1 && person.name !== best.person.name);
  return { credit: best.person, submitter: best.rank === 0 ? (reporter?.person ?? null) : null };
}

/** The first contact that is a web page: mail addresses are not republished. */
function pageOf(contact: unknown): string {
  if (!Array.isArray(contact)) return '';
  const page: unknown = contact.find(
    (text: unknown) => typeof text === 'string' && /^https?:\/\//i.test(text),
  );
  return typeof page === 'string' ? page : '';
}

function objectsOf(
  list: unknown,
  field: string,
  problems: FieldProblem[],
): (readonly [JsonObject, string])[] {
  const reader = readerOf(problems);
  return reader.list(list, field).flatMap((value, at): (readonly [JsonObject, string])[] => {
    if (isObject(value)) return [[value, `${field}[${at}]`]];
    reader.mustBe('an object', value, `${field}[${at}]`);
    return [];
  });
}

/** What cannot be read is left out. */
function readerOf(problems: FieldProblem[]): MemberReader {
  return new MemberReader((field, message) => problems.push({ field, message: `${message}; left out` }));
}
