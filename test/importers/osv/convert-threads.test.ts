import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { osvRecords } from '../../../bench/osv-export.ts';
import { convertBatches } from '../../../src/importers/osv/convert-threads.ts';
import { NOT_INFORMATIONAL } from '../../../src/importers/osv/informational.ts';
import { convertedFile, type NewFile } from '../../../src/importers/osv/pack-files.ts';
import { packEntry } from '../../../src/importers/packed-draft.ts';
import { builtProgram } from '../../support/process/built-program.ts';

const BATCHES = 30;
const FILES = 20;

/**
 * Among the records of each batch: one that is not JSON, one that is no record, one that could not be read.
 */
function batchesOf(): NewFile[][] {
  const records = [...osvRecords({ records: BATCHES * FILES, seed: 1, malwareShare: 0.9 })];
  return Array.from({ length: BATCHES }, (_, batch) =>
    Array.from({ length: FILES }, (_, i): NewFile => {
      const place = { file: 'all.zip', entry: `${batch}-${i}.json` };
      if (i === 3) return { kind: 'skipped', place, reason: 'not a .json file' };
      if (i === 5) return { kind: 'unreadable', place, problem: 'is damaged' };
      const record = {
        ...records[batch * FILES + i],
        ...(i === 9 ? { severity: [{ type: 'CVSS_V3', score: '?' }] } : {}),
      };
      return { kind: 'record', place, bytes: Buffer.from(i === 7 ? '{' : JSON.stringify(record)) };
    }),
  );
}

const batches = batchesOf();

/** What one thread makes of them, with nothing in between; rows as text, wherever they are stored. */
const expected = batches.map((files) => ({
  files,
  entries: files.flatMap((file) => convertedFile(file, NOT_INFORMATIONAL)).map(packEntry),
}));

async function collected(convert: typeof convertBatches, helpedBatches?: number): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const batch of convert(batches, undefined, helpedBatches)) all.push(batch);
  return all;
}

/** Buffers and plain arrays of the same bytes are equal. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, inner) => {
      if (inner instanceof Uint8Array) return Buffer.from(inner).toString('latin1');
      return inner?.type === 'Buffer' ? Buffer.from(inner.data).toString('latin1') : inner;
    }),
  );
}

test('the invented records are different ones of every kind, and sound', () => {
  const counts: Record<string, number> = {};
  const ids = new Set<string>();
  for (const record of osvRecords({ records: 600, seed: 1, malwareShare: 0.9 })) {
    ids.add(record.id);
    const file: NewFile = {
      kind: 'record',
      place: { file: 'all.zip', entry: 'a.json' },
      bytes: Buffer.from(JSON.stringify(record)),
    };
    for (const entry of convertedFile(file, NOT_INFORMATIONAL)) {
      const what = entry.kind === 'draft' ? (entry.draft.record.kind ?? 'vulnerability') : entry.kind;
      counts[what] = (counts[what] ?? 0) + 1;
      if (entry.kind === 'draft') assert.deepEqual(entry.warnings, []);
    }
  }
  const { malware, vulnerability, skipped, ...others } = counts;
  assert.equal(ids.size, 600);
  assert.equal(malware + vulnerability, 600);
  assert.ok(malware > 500 && vulnerability > 50, JSON.stringify(counts));
  assert.deepEqual(others, {});
});

test('batches come converted and in order, without helpers', async () => {
  assert.deepEqual(plain(await collected(convertBatches)), plain(expected));
});

test('helpers that cannot start or end at once are not missed', async () => {
  // From sources, Node 20 cannot run them.
  assert.deepEqual(plain(await collected(convertBatches, 0)), plain(expected));
});

test('helper threads convert the same, in the same order, and end when the reader leaves early', async () => {
  const entry = builtProgram();
  const built: { readonly convertBatches: typeof convertBatches } = await import(
    new URL('./importers/osv/convert-threads.js', pathToFileURL(entry)).href
  );
  assert.deepEqual(plain(await collected(built.convertBatches, 0)), plain(expected));
  for await (const { files } of built.convertBatches(batches, undefined, 0)) {
    assert.equal(files[0].place.entry, '0-0.json');
    break;
  }
});
