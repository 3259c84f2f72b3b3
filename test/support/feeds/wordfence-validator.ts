// What a strict client demands of a Wordfence feed: each member with its type, none missing. Written from the
// description of the format, and knows nothing of the writer.

export type FeedVariant = 'production' | 'scanner';

type Check = (value: unknown, at: string) => string[];

function is(type: 'string' | 'boolean' | 'number'): Check {
  return (value, at) =>
    typeof value === type ? [] : [`${at} must be a ${type}, is ${JSON.stringify(value)}`];
}

function orNull(check: Check): Check {
  return (value, at) => (value === null ? [] : check(value, at));
}

function matches(pattern: RegExp): Check {
  return (value, at) =>
    typeof value === 'string' && pattern.test(value)
      ? []
      : [`${at} must match ${pattern}, is ${JSON.stringify(value)}`];
}

function listOf(check: Check): Check {
  return (value, at) =>
    Array.isArray(value)
      ? value.flatMap((item, i) => check(item, `${at}[${i}]`))
      : [`${at} must be a list, is ${JSON.stringify(value)}`];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Exactly these members. */
function object(members: Readonly<Record<string, Check>>): Check {
  return (value, at) => {
    if (!isObject(value)) return [`${at} must be an object, is ${JSON.stringify(value)}`];
    const extra = Object.keys(value).filter((name) => !(name in members));
    return [
      ...extra.map((name) => `${at}.${name} is not a member of the format`),
      ...Object.entries(members).flatMap(([name, check]) =>
        Object.hasOwn(value, name) ? check(value[name], `${at}.${name}`) : [`${at}.${name} is missing`],
      ),
    ];
  };
}

/** Any names. */
function mapOf(check: Check, isEmptyAllowed: boolean): Check {
  return (value, at) => {
    if (!isObject(value)) return [`${at} must be an object, is ${JSON.stringify(value)}`];
    const entries = Object.entries(value);
    if (entries.length === 0 && !isEmptyAllowed) return [`${at} must not be empty`];
    return entries.flatMap(([name, item]) => check(item, `${at}[${JSON.stringify(name)}]`));
  };
}

const text = is('string');
const flag = is('boolean');
const instant = matches(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);

const range = object({ from_version: text, from_inclusive: flag, to_version: text, to_inclusive: flag });
const software = {
  type: matches(/^(?:core|plugin|theme)$/),
  name: text,
  slug: matches(/./),
  affected_versions: mapOf(range, false),
  patched: flag,
  patched_versions: listOf(text),
};
const notice = object({ notice: text, license: text, license_url: text });

const copyrights: Check = (value, at) => {
  if (!isObject(value)) return [`${at} must be an object, is ${JSON.stringify(value)}`];
  if (Object.keys(value).length === 0) return [];
  const { message, ...holders } = value;
  return [...text(message, `${at}.message`), ...mapOf(notice, true)(holders, at)];
};

const uuid = matches(/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i);

const common = {
  id: uuid,
  title: text,
  informational: flag,
  references: listOf(text),
  published: orNull(instant),
  copyrights,
};

const RECORDS: Readonly<Record<FeedVariant, Check>> = {
  scanner: object({ ...common, software: listOf(object(software)) }),
  production: object({
    ...common,
    software: listOf(object({ ...software, remediation: text })),
    description: text,
    cwe: orNull(object({ id: is('number'), name: text, description: text })),
    cvss: orNull(object({ vector: text, score: is('number'), rating: text })),
    cve: orNull(matches(/^CVE-\d{4}-\d+$/)),
    cve_link: orNull(text),
    researchers: listOf(text),
    updated: orNull(instant),
  }),
};

/** What is wrong with a feed, a line for each; empty if nothing is. */
export function complaintsAboutFeed(feed: unknown, variant: FeedVariant): string[] {
  if (!isObject(feed)) return ['the feed must be an object'];
  return Object.entries(feed).flatMap(([name, record]) => [
    ...uuid(name, 'the name of a record'),
    ...RECORDS[variant](record, name),
    ...(isObject(record) && record.id === name ? [] : [`${name} must have its name as id`]),
  ]);
}
