// From real records whose ids osv.dev has mixed up to what a client is told: which CVE a version of lodash is
// affected by does not depend on the order of the sources, or on which of them is preferred.

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { addCompileCommand } from '../../src/cli/compile.ts';
import { addLookupCommand } from '../../src/cli/lookup.ts';
import { renderExplanation } from '../../src/dialects/patchstack/explain.ts';
import { renderProduct } from '../../src/dialects/patchstack/product.ts';
import { runCommand } from '../support/command.ts';
import { npmEntry, type OsvJson, osvRecord } from '../support/feeds/osv.ts';
import {
  readKnownLookups,
  readOsvSample,
  realDataOptions,
  realFeedPath,
} from '../support/feeds/real-data.ts';
import { type FolderOwner, temporaryFolder } from '../support/folder.ts';
import { isFull } from '../support/volume.ts';

const CODE_INJECTION = { ghsa: 'GHSA-35jh-r3h4-6jhm', cve: 'CVE-2021-23337' };
const LATER_INJECTION = { ghsa: 'GHSA-r5fr-rjxr-66jc', cve: 'CVE-2026-4800' };

interface Found {
  readonly id: number;
  readonly cve: string;
  readonly ghsa: string;
}

interface Compiled {
  readonly summary: string;
  lookUp(name: string, version: string): Promise<{ readonly text: string; readonly found: readonly Found[] }>;
}

async function compiled(t: FolderOwner, ...words: readonly string[]): Promise<Compiled> {
  const file = join(temporaryFolder(t), 'x.vdx');
  const { error, out, err } = await runCommand(addCompileCommand, 'compile', ...words, '--out', file);
  assert.equal(error, undefined, err);
  const answers = { product: renderProduct, explanation: renderExplanation };
  return {
    summary: out,
    async lookUp(name, version) {
      const words = ['lookup', file, 'npm', name, version, '--json'];
      const ran = await runCommand((program) => addLookupCommand(program, answers), ...words);
      assert.equal(ran.error, undefined, ran.err);
      return { text: ran.out, found: JSON.parse(ran.out).vulnerabilities };
    },
  };
}

function written(t: FolderOwner, records: readonly OsvJson[]): string {
  const folder = temporaryFolder(t);
  const tree = join(folder, 'osv');
  mkdirSync(tree);
  for (const record of records) writeFileSync(join(tree, `${record.id}.json`), JSON.stringify(record));
  return tree;
}

const cvesOf = (found: readonly Found[]): string[] => found.map(({ cve }) => cve).filter((cve) => cve !== '');

/** As osv.dev publishes the two: each has every id of both. */
function closedPair(): OsvJson[] {
  const ids = [CODE_INJECTION, LATER_INJECTION].flatMap(({ ghsa, cve }) => [ghsa, cve]);
  const record = (id: string, published: string, fixed: string): OsvJson =>
    osvRecord({
      id,
      published,
      aliases: ids.filter((each) => each !== id),
      affected: [npmEntry('lodash', [{ introduced: '0' }, { fixed }])],
    });
  return [
    record(CODE_INJECTION.ghsa, '2021-05-06T16:05:51Z', '4.17.21'),
    record(LATER_INJECTION.ghsa, '2026-04-01T23:51:12Z', '4.18.0'),
  ];
}

// The sample has only the earlier of the two records.
const COUNTERPARTS: Readonly<Record<string, readonly OsvJson[]>> = {
  'without its counterpart': [],
  ...(isFull && { 'beside its counterpart': closedPair().slice(1) }),
};
for (const [beside, counterpart] of Object.entries(COUNTERPARTS)) {
  for (const order of [
    ['osv', 'feed'],
    ['feed', 'osv'],
  ]) {
    for (const preferred of ['osv', 'feed']) {
      const title = `real lodash ${beside} has each CVE once, with ${order.join(' before ')} and ${preferred} preferred`;
      test(title, realDataOptions, async (t) => {
        const sources: Readonly<Record<string, readonly string[]>> = {
          osv: ['--osv', written(t, [...readOsvSample('osv.dev'), ...counterpart])],
          feed: ['--feed', realFeedPath('npm')],
        };
        const words = order.flatMap((source) => sources[source]);
        const { lookUp } = await compiled(t, ...words, '--prefer', preferred);
        const later = await lookUp('lodash', '4.17.22');
        assert.deepEqual(
          cvesOf(later.found).filter((cve) => cve === '2026-4800'),
          ['2026-4800'],
        );
        assert.ok(!later.text.includes('2021-23337'), later.text);
        const earlier = await lookUp('lodash', '4.17.20');
        for (const { ghsa, cve } of [CODE_INJECTION, LATER_INJECTION]) {
          assert.deepEqual(
            earlier.found.filter((each) => each.ghsa === ghsa).map((each) => each.cve),
            [cve.slice(4)],
          );
          assert.equal(cvesOf(earlier.found).filter((each) => each === cve.slice(4)).length, 1);
        }
      });
    }
  }
}

test('two records of one database that name each other stay two, each with its own CVE', async (t) => {
  const { lookUp, summary } = await compiled(t, '--osv', written(t, closedPair()));
  assert.match(summary, /2 read = 2 accepted, 0 merged/);
  const idsAt = async (version: string): Promise<string[]> => {
    const { found } = await lookUp('lodash', version);
    return found.map(({ ghsa, cve }) => `${ghsa} ${cve}`).sort();
  };
  const later = `${LATER_INJECTION.ghsa} 2026-4800`;
  assert.deepEqual(await idsAt('4.17.20'), [`${CODE_INJECTION.ghsa} 2021-23337`, later]);
  assert.deepEqual(await idsAt('4.17.22'), [later]);
});

test(
  'the known answers of the npm feed are the same beside the OSV records, but for what those say',
  realDataOptions,
  async (t) => {
    // Where the two sources differ on spans, the preferred one decides: the feed, so that nothing may change.
    const words = ['--feed', realFeedPath('npm'), '--osv', written(t, readOsvSample('osv.dev'))];
    const { lookUp } = await compiled(t, ...words);
    const names = new Set(
      readOsvSample('osv.dev').flatMap(({ affected }) => affected.map((entry) => entry.package.name)),
    );
    let asked = 0;
    const unexpected: string[] = [];
    for (const { q, expect = [], invalid } of readKnownLookups('npm')) {
      if (!names.has(q.name) || invalid === true) continue;
      asked++;
      const { found } = await lookUp(q.name, q.version);
      const ids = found.map(({ id }) => id).filter((id) => id < 1_000_000_000);
      if (ids.join() !== expect.map(({ id }) => id).join()) unexpected.push(`${q.name} ${q.version}: ${ids}`);
    }
    assert.ok(asked > 0);
    assert.deepEqual(unexpected, []);
  },
);
