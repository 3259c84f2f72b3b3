// What one would write first, over records in OSV's shape: a map by package, the package's records read one by one, each
// bound parsed when it is compared. Answers `exists` alone, with our verdicts and the headers of the reply in the file that
// is given:
//     node bench/baselines/linear.js REPLY FEED
// The addon and the order of versions are those that the server uses.

import { App, us_socket_local_port } from 'uWebSockets.js';
import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { productTypeFacts } from '../../dist/index/product-type.js';
import { spanOf } from './affected.js';

const [replyFile, feed] = process.argv.slice(2);
const { headers } = JSON.parse(readFileSync(replyFile, 'utf8'));
const recordsByProduct = new Map();

for await (const line of createInterface({ input: createReadStream(feed) })) {
  const record = JSON.parse(line);
  if (record.withdrawn_at) continue;
  const { product, version_scheme: named, affected = [], affected_versions: exact = [] } = record;
  const scheme = named ?? productTypeFacts(product.type).scheme;
  const spans = [...affected, ...exact.map((version) => ({ from_version: version, to_version: version }))];
  const key = keyOf(product.type, product.slug);
  const records = recordsByProduct.get(key);
  if (records === undefined) recordsByProduct.set(key, [{ scheme, spans }]);
  else records.push({ scheme, spans });
}

function keyOf(type, slug) {
  return `${type}/${slug.toLowerCase()}`;
}

function isVulnerable(type, slug, text) {
  const records = recordsByProduct.get(keyOf(type, slug)) ?? [];
  return records.some(({ scheme, spans }) => spanOf(scheme, spans, text) !== undefined);
}

App()
  .get('/product/:type/:slug/:version/exists', (res, req) => {
    const [type, slug, version] = [0, 1, 2].map((i) => decodeURIComponent(req.getParameter(i)));
    const body = `{"vulnerable":${isVulnerable(type, slug, version)}}`;
    for (const [name, value] of headers) res.writeHeader(name, value);
    res.end(body);
  })
  .listen('127.0.0.1', 0, (socket) => {
    if (socket) console.log(`listening on http://127.0.0.1:${us_socket_local_port(socket)}`);
  });
process.once('SIGTERM', () => process.exit(0));
