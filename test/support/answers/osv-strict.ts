// Reads an OSV record as clients with generated types do: a member that the schema does not have, a word that
// an enum does not have, a value of another type or a bad timestamp fails the whole record. Written from
// https://ossf.github.io/osv-schema/; it shares nothing with the writer.

import assert from 'node:assert/strict';

type Check = (value: unknown, path: string) => void;

const text: Check = (value, path) => {
  assert.equal(typeof value, 'string', `${path} must be a string`);
};
const struct: Check = (value, path) => {
  assert.ok(
    typeof value === 'object' && value !== null && !Array.isArray(value),
    `${path} must be an object`,
  );
};
/** RFC 3339 in UTC. */
const timestamp: Check = (value, path) => {
  assert.match(String(value), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/, path);
  assert.ok(!Number.isNaN(Date.parse(String(value))), `${path} must be a point in time`);
};

function oneOf(...words: string[]): Check {
  return (value, path) => {
    assert.ok(
      words.includes(String(value)),
      `${path} must be one of ${words.join(', ')} (got ${String(value)})`,
    );
  };
}

function listOf(check: Check): Check {
  return (value, path) => {
    assert.ok(Array.isArray(value), `${path} must be a list`);
    value.forEach((item, i) => {
      check(item, `${path}[${i}]`);
    });
  };
}

function message(members: Readonly<Record<string, Check>>, ...required: string[]): Check {
  return (value, path) => {
    struct(value, path);
    const object = value as Readonly<Record<string, unknown>>; // checked above
    for (const [name, member] of Object.entries(object)) {
      assert.ok(Object.hasOwn(members, name), `${path}.${name} is unknown`);
      members[name](member, `${path}.${name}`);
    }
    for (const name of required) assert.ok(Object.hasOwn(object, name), `${path}.${name} is missing`);
  };
}

const severity = message(
  { type: oneOf('CVSS_V2', 'CVSS_V3', 'CVSS_V4', 'Ubuntu'), score: text },
  ...['type', 'score'],
);
const EVENTS = ['introduced', 'fixed', 'last_affected', 'limit'];
const event: Check = (value, path) => {
  message(Object.fromEntries(EVENTS.map((name) => [name, text])))(value, path);
  assert.equal(Object.keys(value as object).length, 1, `${path} must have one member`);
};
const range: Check = (value, path) => {
  const members = { type: oneOf('GIT', 'SEMVER', 'ECOSYSTEM'), repo: text, events: listOf(event) };
  message({ ...members, database_specific: struct }, 'type', 'events')(value, path);
  const kinds = (value as { events: object[] }).events.flatMap((each) => Object.keys(each));
  assert.ok(kinds.includes('introduced'), `${path} must have an introduced event`);
  assert.ok(!(kinds.includes('fixed') && kinds.includes('last_affected')), `${path} has both kinds of ends`);
};
const affected = message({
  package: message({ ecosystem: text, name: text, purl: text }, 'ecosystem', 'name'),
  severity: listOf(severity),
  ranges: listOf(range),
  versions: listOf(text),
  ecosystem_specific: struct,
  database_specific: struct,
});
const reference = message(
  {
    type: oneOf(
      ...['ADVISORY', 'ARTICLE', 'DETECTION', 'DISCUSSION', 'REPORT', 'FIX', 'INTRODUCED', 'GIT', 'PACKAGE'],
      ...['EVIDENCE', 'WEB'],
    ),
    url: text,
  },
  ...['type', 'url'],
);
const credit = message(
  {
    name: text,
    contact: listOf(text),
    type: oneOf(
      ...['FINDER', 'REPORTER', 'ANALYST', 'COORDINATOR', 'REMEDIATION_DEVELOPER', 'REMEDIATION_REVIEWER'],
      ...['REMEDIATION_VERIFIER', 'TOOL', 'SPONSOR', 'OTHER'],
    ),
  },
  'name',
);
const record = message(
  {
    schema_version: text,
    id: text,
    modified: timestamp,
    published: timestamp,
    withdrawn: timestamp,
    aliases: listOf(text),
    related: listOf(text),
    upstream: listOf(text),
    summary: text,
    details: text,
    severity: listOf(severity),
    affected: listOf(affected),
    references: listOf(reference),
    credits: listOf(credit),
    database_specific: struct,
  },
  ...['id', 'modified'],
);

/** Throws an AssertionError that names the first member that a strict client would refuse. */
export function assertStrictRecord(value: unknown): void {
  record(value, 'record');
  const { severity: whole, affected: parts = [] } = value as { severity?: unknown; affected?: object[] };
  if (whole === undefined) return;
  for (const part of parts) assert.ok(!('severity' in part), 'severity must not be in two places');
}

/** The same for an answer to a query. */
export function assertStrictList(value: unknown): void {
  message({ vulns: listOf((each) => assertStrictRecord(each)), next_page_token: text })(value, 'answer');
}

/** The same for an answer to a batch. */
export function assertStrictBatch(value: unknown): void {
  const entry = message({ id: text, modified: timestamp }, 'id', 'modified');
  message({ results: listOf(message({ vulns: listOf(entry), next_page_token: text })) })(value, 'answer');
}
