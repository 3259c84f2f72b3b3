// The alternatives for the snapshot's layout: size and read time of texts and details, plain and deflated, in
// blocks of several sizes, and what interning repeated values saves. docs/decisions/0002 quotes its output.

import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { Packr } from 'msgpackr/pack';
import { type Corpus, feedLines } from '../corpus.ts';
import { askingAll, baseline, type Prepared, type Task } from './measure.ts';

const packr = new Packr({ useRecords: false });
const BLOCK_SIZES = [1, 8, 32, 128];
const OPENED = 64; // blocks of each size

type Row = Readonly<
  Record<'listed texts' | 'interned values, if stored each time' | 'details', readonly unknown[]>
>;

export function prepareLayout({ feed }: Corpus): Prepared {
  const { advisories } = feed;
  const rows: Row[] = [];
  for (const lines of feedLines(feed)) {
    for (const line of lines) rows.push(rowOf(JSON.parse(line)));
  }
  const interned = rows.flatMap((row) => row['interned values, if stored each time']);
  const distinct = new Set(interned.map((value) => JSON.stringify(value)));
  const once = [...distinct].reduce((sum, json) => sum + packr.pack(JSON.parse(json)).length, 0);
  const notes = [
    `bytes per advisory; the feed has ${(feed.bytes / advisories).toFixed(0)}`,
    `interned values, stored once: ${(once / advisories).toFixed(1)}, plus 24 for the references to them`,
  ];
  const tasks = (Object.keys(rows[0]) as (keyof Row)[]).flatMap((part) =>
    BLOCK_SIZES.flatMap((size): Task[] => {
      const plain: Buffer[] = [];
      for (let at = 0; at < rows.length; at += size) {
        plain.push(Buffer.from(packr.pack(rows.slice(at, at + size).map((row) => row[part]))));
      }
      const deflated = plain.map((block) => deflateRawSync(block));
      const perRow = (blocks: readonly Buffer[]): string =>
        (blocks.reduce((sum, block) => sum + block.length, 0) / advisories).toFixed(0);
      const asks = `${part}, open a block of ${size}`;
      const open = (block: Buffer): number => packr.unpack(block).length;
      const inflate = (block: Buffer): number => open(inflateRawSync(block));
      return [
        baseline(askingAll(`plain, ${perRow(plain)} bytes`, asks, plain.slice(0, OPENED), open)),
        askingAll(`deflated, ${perRow(deflated)} bytes`, asks, deflated.slice(0, OPENED), inflate),
      ];
    }),
  );
  return { notes, tasks };
}

// biome-ignore lint/suspicious/noExplicitAny: a feed record as returned by JSON.parse
function rowOf(record: any): Row {
  const { title, url, cves = [], ghsa = '', references, description = '', details = '' } = record;
  const { product, cvss, cwe, capec, owasp = '', vuln_type, credit = null, submitter = null } = record;
  const pairs = [cwe, capec].map((each) => [each?.id, each?.name]);
  return {
    'listed texts': [title, url, cves[0] ?? '', ghsa, references.map((each: { url: string }) => each.url)],
    'interned values, if stored each time': [
      [product.id, product.name],
      [cvss?.score, cvss?.vector],
      ...pairs,
      owasp,
      vuln_type,
    ],
    details: [description, details, cves, credit, submitter],
  };
}
