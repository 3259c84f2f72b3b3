// The rows of a snapshot in an in-memory SQLite database, and the queries of the endpoints. Texts are
// ready to send; searched columns are indexed; every statement is prepared once.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import Database from 'better-sqlite3';

const SCHEMA = `
  CREATE TABLE advisory (
    id INTEGER PRIMARY KEY, platform TEXT, listed TEXT, looked_up TEXT, details TEXT, page TEXT
  );
  CREATE TABLE product (id INTEGER PRIMARY KEY, type TEXT, slug TEXT, UNIQUE (type, slug));
  CREATE TABLE span (
    product INTEGER, advisory INTEGER, position INTEGER, scheme TEXT,
    from_version TEXT, to_version TEXT, to_bound TEXT, fixed_in TEXT,
    PRIMARY KEY (product, advisory DESC, position)
  ) WITHOUT ROWID;`;

const BELOW = 'FROM advisory WHERE platform = ? AND id < ? ORDER BY id DESC LIMIT ?';
const FROM = 'FROM advisory WHERE platform = ? ORDER BY id DESC LIMIT ? OFFSET ?';

/** Fills a database with the file's lines. */
export async function openDatabase(path) {
  const db = new Database(':memory:');
  db.exec(SCHEMA);
  const addAdvisory = db.prepare('INSERT INTO advisory VALUES (?, ?, ?, ?, ?, ?)');
  const addProduct = db.prepare('INSERT INTO product (type, slug) VALUES (?, ?)');
  const addSpan = db.prepare('INSERT INTO span VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  const products = new Map();
  db.exec('BEGIN');
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    const row = JSON.parse(line);
    const name = `${row.type} ${row.slug}`;
    if (!products.has(name)) products.set(name, addProduct.run(row.type, row.slug).lastInsertRowid);
    const product = products.get(name);
    addAdvisory.run(row.id, row.platform, row.listed, row.looked_up, row.details, row.page);
    for (const [position, span] of row.spans.entries()) {
      const { from_version, to_version, to_bound, fixed_in } = span;
      addSpan.run(product, row.id, position, row.scheme, from_version, to_version, to_bound, fixed_in);
    }
  }
  db.exec('COMMIT');
  db.exec('CREATE INDEX by_platform ON advisory (platform, id DESC)');
  db.exec('ANALYZE');
  return {
    product: db.prepare('SELECT id FROM product WHERE type = ? AND slug = ?').pluck(),
    spans: db.prepare(
      `SELECT advisory, scheme, from_version, to_version, to_bound, fixed_in FROM span
       WHERE product = ? ORDER BY advisory DESC, position`,
    ),
    lookedUp: db.prepare('SELECT looked_up FROM advisory WHERE id = ?').pluck(),
    page: db.prepare('SELECT page FROM advisory WHERE id = ?').pluck(),
    total: new Map(db.prepare('SELECT platform, count(*) FROM advisory GROUP BY platform').raw().all()),
    below: db.prepare(`SELECT id, listed ${BELOW}`),
    belowDetailed: db.prepare(`SELECT id, listed, details ${BELOW}`),
    from: db.prepare(`SELECT id, listed ${FROM}`),
    fromDetailed: db.prepare(`SELECT id, listed, details ${FROM}`),
  };
}
