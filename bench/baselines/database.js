// What many would build: Fastify over SQLite in memory, with every query prepared once, the searched columns indexed and the
// texts stored ready to send. Answers `exists`, advisories by id and the first page of /all, with our bytes and the headers of
// the reply in the file that is given; rows are those of bench/http/rows.ts:
//     node bench/baselines/database.js REPLY ROWS
// Needs `npm ci --prefix bench/baselines`, and Node 22 for better-sqlite3.

import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import Database from 'better-sqlite3';
import Fastify from 'fastify';
import { spanOf } from './affected.js';

const SCHEMA = `
  CREATE TABLE advisory (id INTEGER PRIMARY KEY, platform TEXT, listed TEXT, page TEXT);
  CREATE TABLE product (id INTEGER PRIMARY KEY, type TEXT, slug TEXT, UNIQUE (type, slug));
  CREATE TABLE span (
    product INTEGER, advisory INTEGER, position INTEGER, scheme TEXT,
    from_version TEXT, to_version TEXT, to_bound TEXT,
    PRIMARY KEY (product, advisory DESC, position)
  ) WITHOUT ROWID;
  CREATE INDEX by_platform ON advisory (platform, id DESC);`;

const [replyFile, rows] = process.argv.slice(2);
const { headers } = JSON.parse(readFileSync(replyFile, 'utf8'));
const database = new Database(':memory:');
database.exec(SCHEMA);
await fill();
const spansOf = database.prepare(
  `SELECT scheme, from_version, to_version, to_bound FROM span
   WHERE product = (SELECT id FROM product WHERE type = ? AND slug = ?) ORDER BY advisory DESC, position`,
);
const page = database.prepare('SELECT page FROM advisory WHERE id = ?').pluck();
const countOf = database.prepare('SELECT count(*) FROM advisory WHERE platform = ?').pluck();
const latest = database
  .prepare('SELECT listed FROM advisory WHERE platform = ? ORDER BY id DESC LIMIT ?')
  .pluck();
const total = countOf.get('wordpress');

const app = Fastify({ routerOptions: { maxParamLength: 1024 } });
app.addHook('onRequest', async (request, reply) => {
  if (request.headers.pskey !== 'bench') return reply.code(401).send();
  for (const [name, value] of headers) reply.header(name, value);
});
app.get('/product/:type/:slug/:version/exists', async ({ params }) => `{"vulnerable":${isAffected(params)}}`);
app.get('/vulnerability/:id', async ({ params }) => page.get(Number(params.id)));
app.get('/all', async ({ query }) => {
  const perPage = Number(query.per_page);
  const pages = Math.ceil(total / perPage);
  const pagination = {
    current_page: 1,
    per_page: perPage,
    total,
    total_pages: pages,
    has_next_page: pages > 1,
    has_previous_page: false,
    next_page: pages > 1 ? 2 : null,
    previous_page: null,
    from: 1,
    to: Math.min(perPage, total),
  };
  const items = latest.all('wordpress', perPage).join(',');
  return `{"vulnerabilities":[${items}],"pagination":${JSON.stringify(pagination)}}`;
});
console.log(`listening on ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
process.once('SIGTERM', () => process.exit(0));

async function fill() {
  const addAdvisory = database.prepare('INSERT INTO advisory VALUES (?, ?, ?, ?)');
  const addProduct = database.prepare('INSERT INTO product (type, slug) VALUES (?, ?)');
  const addSpan = database.prepare('INSERT INTO span VALUES (?, ?, ?, ?, ?, ?, ?)');
  const products = new Map();
  database.exec('BEGIN');
  for await (const line of createInterface({ input: createReadStream(rows) })) {
    const { id, platform, type, slug, scheme, listed, page, spans } = JSON.parse(line);
    const name = `${type} ${slug}`;
    if (!products.has(name)) products.set(name, addProduct.run(type, slug).lastInsertRowid);
    addAdvisory.run(id, platform, listed, page);
    for (const [position, { from_version, to_version, to_bound }] of spans.entries())
      addSpan.run(products.get(name), id, position, scheme, from_version, to_version, to_bound);
  }
  database.exec('COMMIT');
  database.exec('ANALYZE');
}

function isAffected({ type, slug, version }) {
  const spans = spansOf.all(type, slug);
  return spans.some((span) => spanOf(span.scheme, [span], version) !== undefined);
}
