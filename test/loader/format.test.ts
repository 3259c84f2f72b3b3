// Checks docs/snapshot-format.md against the code: its numbers, columns, keys and worked file. Readers are
// written from that page alone, so a wrong number on it is a bug like any other.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  ADVISORY_KINDS,
  BODY_BLOCK_BODIES,
  COLUMN_NAMES,
  COLUMNS,
  type ColumnFacts,
  type ColumnName,
  countThings,
  DETAIL_BLOCK_ADVISORIES,
  MAX_DICTIONARY_BYTES,
  TEXT_BLOCK_ADVISORIES,
  type Thing,
} from '../../src/index/columns.ts';
import { PRODUCT_TYPES } from '../../src/index/product-type.ts';
import {
  MAX_KEY_BYTES,
  MAX_VERSION_BYTES,
  SCHEME_REVISIONS,
  VERSION_SCHEMES,
  type VersionScheme,
  versionKey,
} from '../../src/index/versions/version-key.ts';
import { SNAPSHOT_ERROR_CODES } from '../../src/loader/errors.ts';
import { FORMAT, HEADER_BYTES, MAGIC } from '../../src/loader/format.ts';
import { blockOn, columnLines, headerLines, snakeCase } from '../support/answers/worked-page.ts';
import { WORKED_EXAMPLE } from '../support/oracles/pinned.ts';
import { copyColumns, readBytes } from '../support/snapshots/snapshots.ts';

const page = readFileSync(new URL('../../docs/snapshot-format.md', import.meta.url), 'utf8');

/** The text below a heading, up to the next heading of its level or above. */
function section(heading: string): string {
  const start = page.indexOf(`\n${heading}`);
  assert.ok(start >= 0, `the page has no ${heading}`);
  const [marks] = heading.split(' ');
  const end = page.slice(start + 1).search(new RegExp(`\n#{2,${marks.length}} `));
  return end < 0 ? page.slice(start) : page.slice(start, start + 1 + end);
}

/** The rows of all tables in a text as cells, without their headings. */
function rowsOf(text: string): string[][] {
  const lines = text.split('\n');
  return lines
    .filter(
      (line, i) => line.startsWith('|') && !/^\|[-|]+$/.test(line) && !/^\|[-|]+$/.test(lines[i + 1] ?? ''),
    )
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('hex')
    .replace(/..(?=.)/g, '$& ');
}

test('the header table matches the code', () => {
  const rows = new Map(
    rowsOf(section('## 3.')).map(([offset, , , field, content]) => [Number(offset), { field, content }]),
  );
  assert.equal(rows.get(0)?.content, `\`${hex(MAGIC)}\``);
  assert.equal(rows.get(8)?.content, String(FORMAT));
  assert.equal(rows.get(12)?.content, String(HEADER_BYTES));
  VERSION_SCHEMES.forEach((scheme, i) => {
    assert.deepEqual(rows.get(64 + 2 * i), {
      field: `revision of \`${scheme}\` keys`,
      content: String(SCHEME_REVISIONS[scheme]),
    });
  });
  assert.match(page, new RegExp(`^# The snapshot format, version ${FORMAT}$`, 'm'));
  assert.ok(section('### 5.1').includes(`\`format\` is not ${FORMAT} (`));
  const changes = rowsOf(section('## 15.'));
  const revisions = VERSION_SCHEMES.map((scheme) => `${scheme} ${SCHEME_REVISIONS[scheme]}`).join(', ');
  assert.deepEqual(changes.at(-1)?.slice(0, 2), [String(FORMAT), revisions]);
});

test('the columns match the code, in order, with their types', () => {
  const rows = rowsOf(section('## 4.')).filter(([number]) => /^\d+$/.test(number));
  assert.deepEqual(
    rows.map(([number, name, type]) => [Number(number), name, type]),
    Object.entries(COLUMNS).map(([name, { element }], i) => [i, `\`${snakeCase(name)}\``, element]),
  );
  assert.ok(section('## 4.').includes(`a table of ${rows.length}\nfields`));
});

/** Counts as the page writes them, for things that it counts. */
const NOTATION: Readonly<Partial<Record<Thing, string>>> = {
  advisories: 'A',
  published: 'P',
  traits: 'F',
  spelledIds: 'D',
  wideNumbers: 'W',
  spanLists: 'H',
  spans: 'S',
  versions: 'V',
  terms: 'T',
  products: 'R',
  groups: 'G',
  bounds: 'B',
  intervals: 'I',
  clearVersions: 'C',
  aliases: 'N',
  sharedAliases: 'M',
  textBlocks: `ceil(A / ${TEXT_BLOCK_ADVISORIES})`,
  detailBlocks: `ceil(A / ${DETAIL_BLOCK_ADVISORIES})`,
  bodies: 'L',
  epssRatings: 'E',
  kevEntries: 'K',
  bodyBlocks: `ceil(L / ${BODY_BLOCK_BODIES})`,
  textDictionaryBytes: `0 to ${MAX_DICTIONARY_BYTES}`,
  detailDictionaryBytes: `0 to ${MAX_DICTIONARY_BYTES}`,
  bodyDictionaryBytes: `0 to ${MAX_DICTIONARY_BYTES}`,
};

/**
 * Things as the page calls them where a column of starts divides them; others by the column they stand in.
 */
const DIVIDED: Readonly<Partial<Record<Thing, string>>> = {
  spans: 'spans',
  versions: 'versions',
  groups: 'groups',
  bounds: 'bounds',
  intervals: 'intervals',
  clearVersions: 'clear versions',
  textSectionBytes: 'the bytes of the texts section',
  detailSectionBytes: 'the bytes of the details section',
  bodySectionBytes: 'the bytes of the bodies section',
};

/** The first column that has an element for each. */
function columnOf(thing: Thing): ColumnName {
  const name = COLUMN_NAMES.find((each) => COLUMNS[each].of === thing);
  assert.ok(name !== undefined, thing);
  return name;
}

test('each column has as many elements, starts and pointers as the code checks', () => {
  const columns = copyColumns(readBytes(WORKED_EXAMPLE));
  const counts = countThings(columns, { texts: 0, details: 0, bodies: 0 });
  const rows = rowsOf(section('## 4.')).filter(([number]) => /^\d+$/.test(number));
  COLUMN_NAMES.forEach((name, i) => {
    const [, , , elements, meaning] = rows[i];
    const facts: ColumnFacts = COLUMNS[name];
    const isFixed = facts.of === 'runs' || facts.of === 'schemes' || facts.of === 'fixCounts';
    const count = isFixed ? String(counts[facts.of] + (facts.kind === 'starts' ? 1 : 0)) : NOTATION[facts.of];
    const end = facts.kind === 'starts' && !isFixed ? ' + 1' : '';
    assert.equal(elements, count === undefined ? '' : `${count}${end}`, name);
    const divided =
      facts.kind === 'starts' ? (DIVIDED[facts.into] ?? `\`${snakeCase(columnOf(facts.into))}\``) : '';
    assert.equal(/^start column over ([^:]+)/.exec(meaning)?.[1] ?? '', divided, name);
    assert.equal(/\bNONE\b/.test(meaning), facts.kind === 'pointers' && facts.allowsNone, name);
  });
});

test('the page counts things by the columns that the code counts them by', () => {
  const measured = [...section('### 5.3').matchAll(/([A-Z])(?: is taken)? from\s+`(\w+)`/g)];
  assert.ok(measured.length >= 8);
  for (const [, letter, column] of measured) {
    const things = Object.entries(NOTATION).filter(([, notation]) => notation === letter);
    assert.equal(column, snakeCase(columnOf(things[0][0] as Thing)), letter);
  }
});

test('codes of schemes, types and errors match the code', () => {
  const schemes = VERSION_SCHEMES.map((scheme, code) => `${code} \`${scheme}\``).join(', ');
  assert.ok(section('### 4.1').includes(`Scheme codes: ${schemes}.`), schemes);
  const kinds = ADVISORY_KINDS.map((kind, code) => `${code} ${kind}`).join(', ');
  assert.ok(section('### 4.1').includes(`Kind codes: ${kinds}.`), kinds);
  const types = PRODUCT_TYPES.map((type, code) => `${code} ${type}`).join(', ');
  assert.ok(section('### 4.5').includes(types), types);
  const rejected = section('## 5.');
  for (const [, code] of rejected.matchAll(/\(`([a-z-]+)`\)/g)) {
    assert.ok((SNAPSHOT_ERROR_CODES as readonly string[]).includes(code), code);
  }
});

/** The versions between backticks in a table cell; an empty pair is the empty version. */
function versionsIn(cell: string): string[] {
  if (cell.startsWith('`` (empty)')) return [''];
  return [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1]);
}

/** Section 8 without 8.1, by scheme. */
function schemeSections(): Map<string, { readonly revision: number; readonly text: string }> {
  const parts = section('## 8.').split('\n### 8.').slice(1);
  const headed = parts.flatMap((text) => {
    const heading = /^\d+ `([a-z0-9]+)`, revision (\d+)\n/.exec(text);
    return heading === null ? [] : [[heading[1], { revision: Number(heading[2]), text }] as const];
  });
  return new Map(headed);
}

test("every scheme has its rules on the page, at the code's revision", () => {
  const sections = schemeSections();
  assert.deepEqual([...sections.keys()].sort(), [...VERSION_SCHEMES].sort());
  for (const scheme of VERSION_SCHEMES)
    assert.equal(sections.get(scheme)?.revision, SCHEME_REVISIONS[scheme], scheme);
});

test('every version on the page has the key given there, or is not a version', () => {
  for (const [scheme, { text }] of schemeSections()) {
    const vectors = rowsOf(text).filter(([version, key]) => version.startsWith('`') && /^(`|no)/.test(key));
    assert.ok(vectors.length >= 8, `${scheme}: ${vectors.length} rows of versions`);
    let hasUpperCase = false;
    for (const [cell, expected] of vectors) {
      for (const version of versionsIn(cell)) {
        const key = versionKey(scheme as VersionScheme, version);
        const got = key === undefined ? 'no version' : `\`${hex(key)}\``;
        assert.equal(got, expected.replace('not a version', 'no version'), `${scheme} ${version}`);
        hasUpperCase ||= version !== version.toLowerCase();
      }
    }
    assert.ok(hasUpperCase, `${scheme}: no version with an upper-case letter`);
  }
});

test('the worked example of positions has the keys of its scheme', () => {
  const text = section('### 7.4');
  const scheme = VERSION_SCHEMES.find((each) => text.includes(`scheme \`${each}\``));
  assert.ok(scheme !== undefined);
  const vectors = rowsOf(text).filter((cells) => /^`[0-9a-f ]+`$/.test(cells[1]));
  assert.ok(vectors.length > 10);
  for (const [version, key] of vectors)
    assert.equal(`\`${hex(versionKey(scheme, version)!)}\``, key, version);
});

test('the worked file matches the page byte for byte', () => {
  const bytes = readBytes(WORKED_EXAMPLE);
  for (const lines of [headerLines(bytes), columnLines(bytes)]) assert.deepEqual(blockOn(page, lines), lines);
  assert.ok(section('## 14.').includes(`they make ${bytes.length} bytes`));
});

test('the limits match the code', () => {
  const limits = new Map(rowsOf(section('## 11.')).map(([what, limit]) => [what, limit]));
  assert.equal(limits.get('version text, slug'), `${MAX_VERSION_BYTES} bytes`);
  assert.match(section('## 8.'), new RegExp(`No key has more than ${MAX_KEY_BYTES} bytes`));
});

test('the PSID derived on the page is the one in the worked file', () => {
  const [, text, id, psid] =
    /over the text `(psid:)` and .*\n?.*Advisory (\d+) of section 14 gets `([0-9a-f]{12})`/.exec(page) ?? [];
  const derived = createHash('sha256').update(`${text}${id}`).digest('hex').slice(0, 12);
  assert.equal(psid, derived);
  const { advisoryId, advisoryPsid } = copyColumns(readBytes(WORKED_EXAMPLE));
  assert.equal(advisoryPsid[advisoryId.indexOf(Number(id))], Number.parseInt(psid, 16));
});

test('everything the page names in the repository exists', () => {
  const paths = [...page.matchAll(/`((?:src|test|scripts)\/[\w./-]+)`/g)].map((match) => match[1]);
  assert.ok(paths.length > 0);
  for (const path of paths) assert.ok(existsSync(new URL(`../../${path}`, import.meta.url)), path);
});
