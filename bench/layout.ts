// The alternatives for the snapshot's layout: size and read time of texts and details, plain and deflated, in
// blocks of several sizes, and what interning repeated values saves. docs/decisions/0002 quotes its output.

import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { Packr } from 'msgpackr/pack';
import { type Corpus, feedLines } from './corpus.ts';

const packr = new Packr({ useRecords: false });
const BLOCK_SIZES = [1, 8, 32, 128];
const INFLATED_BLOCKS = 2_000;
const BATCH_LINES = 10_000;

interface Row {
  readonly listed: readonly unknown[];
  readonly interned: readonly unknown[];
  readonly detail: readonly unknown[];
}

export function benchLayout(corpus: Corpus): void {
  const { advisories, feedBytes } = corpus;
  console.log(
    `layout: ${advisories} advisories, bytes per advisory; the feed has ${(feedBytes / advisories).toFixed(0)}`,
  );
  const rows: Row[] = [];
  for (const lines of feedLines(corpus, BATCH_LINES)) {
    for (const line of lines) rows.push(rowOf(JSON.parse(line)));
  }
  weigh(
    'listed texts',
    rows.map((row) => row.listed),
  );
  weigh(
    'interned values, if stored each time',
    rows.map((row) => row.interned),
  );
  const distinct = new Set(rows.flatMap((row) => row.interned.map((value) => JSON.stringify(value))));
  const once = [...distinct].reduce((sum, json) => sum + packr.pack(JSON.parse(json)).length, 0);
  console.log(
    `  interned values, stored once: ${(once / advisories).toFixed(1)}, plus 24 for the references to them`,
  );
  weigh(
    'details',
    rows.map((row) => row.detail),
  );
}

/** Size of the rows in blocks, plain and deflated, and the time to open one block. */
function weigh(name: string, rows: readonly (readonly unknown[])[]): void {
  for (const size of BLOCK_SIZES) {
    const plain: Buffer[] = [];
    for (let at = 0; at < rows.length; at += size)
      plain.push(Buffer.from(packr.pack(rows.slice(at, at + size))));
    const deflated = plain.map((block) => deflateRawSync(block));
    const perRow = (blocks: readonly Buffer[]): string =>
      (blocks.reduce((sum, block) => sum + block.length, 0) / rows.length).toFixed(0).padStart(4);
    const openPlain = microseconds(plain, (block) => packr.unpack(block));
    const openDeflated = microseconds(deflated, (block) => packr.unpack(inflateRawSync(block)));
    console.log(
      `  ${name.padEnd(44)} blocks of ${String(size).padStart(3)}: plain ${perRow(plain)} (${openPlain} us per block), ` +
        `deflated ${perRow(deflated)} (${openDeflated} us)`,
    );
  }
}

function microseconds(blocks: readonly Buffer[], open: (block: Buffer) => unknown): string {
  const startMs = performance.now();
  for (let i = 0; i < INFLATED_BLOCKS; i++) open(blocks[(i * 37) % blocks.length]);
  return (((performance.now() - startMs) * 1000) / INFLATED_BLOCKS).toFixed(1);
}

// biome-ignore lint/suspicious/noExplicitAny: a feed record as returned by JSON.parse
function rowOf(record: any): Row {
  const { product, cvss, cwe, capec, owasp, vuln_type } = record;
  return {
    listed: [
      record.title,
      record.url,
      record.cves?.[0] ?? '',
      record.ghsa ?? '',
      record.references.map((r: { url: string }) => r.url),
    ],
    interned: [
      [product.id, product.name],
      [cvss?.score, cvss?.vector],
      [cwe?.id, cwe?.name],
      [capec?.id, capec?.name],
      owasp ?? '',
      vuln_type,
    ],
    detail: [
      record.description ?? '',
      record.details ?? '',
      record.cves ?? [],
      record.credit ?? null,
      record.submitter ?? null,
    ],
  };
}
