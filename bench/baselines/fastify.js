// The same endpoints on Fastify and SQLite: keys checked, tags compared, texts read from the database and joined.
// Arguments: the rows, the key and the tag.
import Fastify from 'fastify';
import { openDatabase } from './database.js';
import { comparerOf, containingSpan } from './versions.js';

const [, , rows, key, etag] = process.argv;
const keys = new Map([[key, { name: 'bench' }]]);
const database = await openDatabase(rows);
const app = Fastify({ logger: false, routerOptions: { maxParamLength: 1024 } });

const UNAUTHORIZED = JSON.stringify({
  type: 'about:blank',
  title: 'Unauthorized',
  status: 401,
  detail: 'Send your API key in the PSKey header.',
  code: 'missing_key',
});

app.addHook('onRequest', (request, reply, done) => {
  reply.header('cache-control', 'private, no-cache').header('etag', etag).type('application/json');
  if (!keys.has(request.headers.pskey)) reply.code(401).send(UNAUTHORIZED);
  else if (request.headers['if-none-match'] === etag) reply.code(304).send();
  else done();
});

app.get('/all', (request, reply) => {
  const { platform = 'wordpress', page, cursor, include, per_page } = request.query;
  const perPage = Number(per_page ?? 100);
  const isDetailed = include === 'details';
  if (cursor !== undefined) {
    const below =
      cursor === '' ? Number.MAX_SAFE_INTEGER : Number(Buffer.from(cursor, 'base64url').toString().slice(3));
    const statement = isDetailed ? database.belowDetailed : database.below;
    const found = statement.all(platform, below, perPage + 1);
    const hasMore = found.length > perPage;
    if (hasMore) found.pop();
    const next = hasMore ? Buffer.from(`v1:${found.at(-1).id}`).toString('base64url') : null;
    const block = JSON.stringify({ next_cursor: next, has_more: hasMore, per_page: perPage });
    reply.send(`{"vulnerabilities":[${joined(found, isDetailed)}],"cursor":${block}}`);
    return;
  }
  const number = Number(page ?? 1);
  const offset = (number - 1) * perPage;
  const found = (isDetailed ? database.fromDetailed : database.from).all(platform, perPage, offset);
  const block = pagination(database.total.get(platform), number, perPage, found.length);
  reply.send(`{"vulnerabilities":[${joined(found, isDetailed)}],"pagination":${block}}`);
});

app.get('/product/:type/:name/:version', (request, reply) => {
  const { type, name, version } = request.params;
  reply.send(`{"vulnerabilities":[${matching(type, name, version).join(',')}]}`);
});

app.get('/product/:type/:name/:version/exists', (request, reply) => {
  const { type, name, version } = request.params;
  reply.send(isVulnerable(type, name, version) ? '{"vulnerable":true}' : '{"vulnerable":false}');
});

app.get('/vulnerability/:id', (request, reply) => {
  reply.send(database.page.get(Number(request.params.id)));
});

app.post('/batch', (request, reply) => {
  const results = request.body.map(({ type, name, version, exists }) => {
    const echo = JSON.stringify({ type, name, version }).slice(0, -1);
    return exists === true
      ? `${echo},"vulnerable":${isVulnerable(type, name, version)}}`
      : `${echo},"vulnerabilities":[${matching(type, name, version).join(',')}]}`;
  });
  reply.send(`[${results.join(',')}]`);
});
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', { parseAs: 'string' }, (_, body, done) => done(null, JSON.parse(body)));

console.log(`listening on ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
process.once('SIGTERM', () => process.exit(0));

function spansByAdvisory(type, name) {
  const slug = type === 'npm' ? name : name.toLowerCase();
  const product = database.product.get(type, slug);
  return product === undefined ? [] : database.spans.all(product);
}

function isVulnerable(type, name, version) {
  const comparers = new Map();
  return spansByAdvisory(type, name).some(
    (span) => containingSpan([span], comparer(comparers, span.scheme, version)) !== undefined,
  );
}

/** The texts of the matching advisories, by descending id, each with its matched range. */
function matching(type, name, version) {
  const comparers = new Map();
  const texts = [];
  const spans = spansByAdvisory(type, name);
  for (let at = 0; at < spans.length; ) {
    const { advisory, scheme } = spans[at];
    let end = at + 1;
    while (end < spans.length && spans[end].advisory === advisory) end++;
    const span = containingSpan(spans.slice(at, end), comparer(comparers, scheme, version));
    at = end;
    if (span === undefined) continue;
    const { from_version, to_version, to_bound, fixed_in } = span;
    const range = JSON.stringify({ from_version, to_version, to_bound, fixed_in });
    texts.push(`${database.lookedUp.get(advisory).slice(0, -1)},"matched_range":${range}}`);
  }
  return texts;
}

function comparer(comparers, scheme, version) {
  let compare = comparers.get(scheme);
  if (compare === undefined) {
    compare = comparerOf(scheme, version);
    comparers.set(scheme, compare);
  }
  return compare;
}

function joined(found, isDetailed) {
  if (!isDetailed) return found.map(({ listed }) => listed).join(',');
  return found
    .map(({ listed, details }) => `${listed.slice(0, -1)},"advisory_details":${JSON.stringify(details)}}`)
    .join(',');
}

function pagination(total, page, perPage, count) {
  const pages = Math.ceil(total / perPage);
  const previous = Math.min(page - 1, pages);
  return JSON.stringify({
    current_page: page,
    per_page: perPage,
    total,
    total_pages: pages,
    has_next_page: page < pages,
    has_previous_page: previous > 0,
    next_page: page < pages ? page + 1 : null,
    previous_page: previous > 0 ? previous : null,
    from: count > 0 ? (page - 1) * perPage + 1 : 0,
    to: (page - 1) * perPage + count,
  });
}
