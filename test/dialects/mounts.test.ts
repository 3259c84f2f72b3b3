// What an operator can switch on, move and open, and what is refused with the choices.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ALL_DIALECTS, ALWAYS_ON, DIALECTS } from '../../src/dialects/dialects.ts';
import { type MountChoice, MountsError, type Selection, selectDialects } from '../../src/dialects/mounts.ts';
import { patchstack } from '../../src/dialects/patchstack/patchstack.ts';
import { openApiDocument } from '../../src/http/openapi/document.ts';
import { json } from '../../src/http/replies/responses.ts';
import type { Dialect, Mount } from '../../src/http/routing/dialect.ts';
import { RouteTable } from '../../src/http/routing/routes.ts';
import { pluck } from '../support/pluck.ts';
import { phrases } from '../support/words.ts';

/** A dialect with one route. */
function dialect(name: string, pattern: string, ...paths: readonly string[]): Dialect {
  return {
    ...patchstack,
    name,
    mounts: paths.map((path): Mount => ({ path, description: '' })),
    routes: [
      {
        kind: 'read',
        pattern,
        endpoint: 'all',
        label: name,
        answer: () => json('{}', null),
      },
    ],
    openApi: {
      ...patchstack.openApi,
      describe: () => {
        const { paths, ...all } = patchstack.openApi.describe();
        const get = { ...(paths['/all'].get ?? assert.fail()), operationId: name };
        return { ...all, info: { description: `About ${name}.` }, paths: { [pattern]: { get } } };
      },
    },
  };
}

const KNOWN = [
  patchstack,
  dialect('npm-audit', '/-/npm/v1/security/audits', '', '/npm'),
  dialect('osv', '/v1/query', '/osv'),
  dialect('feed', '/v3/feed', '/feed'),
];

function select(mounts: readonly string[] | undefined, more: Partial<MountChoice> = {}): Selection {
  return selectDialects({ mounts, anonymous: [], npmUpstream: undefined, console: false, ...more }, KNOWN);
}

/** Each dialect that was chosen, with its paths: not what every server has. */
function shown({ dialects }: Pick<Selection, 'dialects'>): string[] {
  const chosen = dialects.filter(({ name }) => !ALWAYS_ON.some((each) => each.name === name));
  return chosen.map(({ name, mounts }) => [name, ...mounts.map(({ path }) => path || '/')].join(' '));
}

const CONTRACT = 'patchstack / /database/api/npm /database/api/beta';

test('by default the contract and npm are on, where they always are', () => {
  assert.deepEqual(shown(select(undefined)), [CONTRACT, 'npm-audit / /npm']);
});

test('dialects are chosen by name, all of them by one word, and moved by a path', () => {
  for (const [words, expected] of [
    [
      ['osv', 'patchstack'],
      [CONTRACT, 'osv /osv'],
    ],
    [['all'], [CONTRACT, 'npm-audit / /npm', 'osv /osv', 'feed /feed']],
    [
      ['all', 'osv=/osv-api'],
      [CONTRACT, 'npm-audit / /npm', 'osv /osv-api', 'feed /feed'],
    ],
    [
      ['patchstack', 'osv', 'osv=/a/b.c'],
      [CONTRACT, 'osv /osv /a/b.c'],
    ],
    [
      ['patchstack=/', 'npm-audit=/npm'],
      ['patchstack /', 'npm-audit /npm'],
    ],
    [
      ['patchstack=/', 'npm-audit'],
      ['patchstack /', 'npm-audit / /npm'],
    ],
  ] as const) {
    assert.deepEqual(shown(select(words)), expected, words.join(' '));
  }
});

test('a selection with the contract at the root has the very dialects of the table', () => {
  const alone = openApiDocument([patchstack, ...ALWAYS_ON]);
  assert.deepEqual(openApiDocument(select(['patchstack']).dialects), alone);
  const both = openApiDocument(select(['osv', 'patchstack']).dialects);
  assert.deepEqual(
    Object.keys(both.paths),
    Object.keys(openApiDocument([patchstack, KNOWN[2], ...ALWAYS_ON]).paths),
  );
  assert.deepEqual(
    selectDialects({ mounts: ['all'], anonymous: [], npmUpstream: undefined, console: false }).dialects,
    ALL_DIALECTS,
  );
});

test('health, readiness and the document are at the root, whatever is on', () => {
  for (const words of [['patchstack'], ['osv'], ['all'], ['patchstack=/v1'], ['patchstack=/ps', 'osv=/']]) {
    const { dialects } = select(words);
    const table = new RouteTable(dialects);
    const document = openApiDocument(dialects);
    for (const path of ['/healthz', '/readyz', '/openapi.json']) {
      const found = table.find('GET', path);
      assert.equal(found.kind === 'route' ? found.bound.label : found.kind, path.slice(1).split('.')[0]);
      assert.ok(document.paths[path]?.get !== undefined, `${path} of ${words}`);
    }
  }
});

test('the document has what is on and nothing else, at its paths, and no reference leads nowhere', () => {
  for (const words of [
    ['osv'],
    ['patchstack=/v1'],
    ['feed', 'patchstack=/v1', 'osv=/osv-api'],
    ['npm-audit'],
  ]) {
    const document = openApiDocument(select(words).dialects);
    const text = JSON.stringify(document);
    for (const [, kind, name] of text.matchAll(/"\$ref":"#\/components\/(\w+)\/([\w.-]+)"/g)) {
      const part = (document.components as unknown as Record<string, Record<string, object>>)[kind];
      assert.ok(part[name] !== undefined, `${kind}/${name} of ${words}`);
    }
    assert.equal('/all' in document.paths, words.includes('patchstack=/v1'));
    assert.equal(document.tags.filter(({ name }) => name === 'service').length, 1);
  }
  const { servers, paths, info, components } = openApiDocument(select(['osv=/osv-api']).dialects);
  assert.deepEqual(pluck(servers, 'url'), ['/osv-api']);
  const always = ALWAYS_ON.flatMap(({ routes }) =>
    routes.flatMap((route) => ('endpoint' in route ? [route.pattern] : [])),
  );
  assert.deepEqual(Object.keys(paths), ['/v1/query', ...always, '/openapi.json', '/healthz', '/readyz']);
  assert.match(info.description, /^About osv\.\n\n/);
  assert.deepEqual(Object.keys(components.securitySchemes), ['PSKey', 'Bearer']);
});

test('every dialect can be the only one: its part of the document stands alone', () => {
  for (const { name } of DIALECTS) {
    const { dialects } = selectDialects({
      mounts: [name],
      anonymous: [name],
      npmUpstream: undefined,
      console: false,
    });
    const document = openApiDocument(dialects);
    const components = document.components as unknown as Record<string, Record<string, object>>;
    for (const [, kind, part] of JSON.stringify(document).matchAll(/#\/components\/(\w+)\/([\w.-]+)"/g))
      assert.ok(components[kind][part] !== undefined, `${name}: ${kind}/${part}`);
    const operations = Object.values(document.paths).flatMap(({ get, post }) => [get, post]);
    const tags = new Set(document.tags.map((tag) => tag.name));
    const schemes = Object.keys(document.components.securitySchemes);
    assert.equal(tags.size, document.tags.length);
    for (const operation of operations) {
      for (const tag of operation?.tags ?? []) assert.ok(tags.has(tag), `${name}: ${tag}`);
      for (const scheme of (operation?.security ?? document.security).flatMap(Object.keys))
        assert.ok(schemes.includes(scheme), `${name}: ${scheme}`);
    }
    assert.equal(new RouteTable(dialects).find('GET', '/healthz').kind, 'route', name);
  }
});

test('the same dialects that are on can be anonymous, and no others', () => {
  const selection = select(['patchstack', 'osv=/x'], { anonymous: ['osv'] });
  assert.deepEqual(selection.anonymous, [selection.dialects[1]]);
  assert.throws(() => select(['patchstack'], { anonymous: ['osv'] }), {
    name: 'MountsError',
    message: '--anonymous osv: this mount is off; add osv to --mounts',
  });
  assert.throws(() => select(['all'], { anonymous: ['all'] }), {
    message: '--anonymous: there is no dialect "all": choose among patchstack, npm-audit, osv, feed',
  });
});

test('a path of a mount that is off says so, in its own format, and hides nothing that is on', () => {
  const find = (words: readonly string[] | undefined, path: string, more: Partial<MountChoice> = {}) => {
    const { dialects, off } = select(words, more);
    return new RouteTable(dialects, off).find('GET', path);
  };
  const said = "The mount osv is off: see the server's option --mounts.";
  for (const path of ['/osv/', '/osv/v1/query', '/osv//v1/query']) {
    assert.deepEqual(find(undefined, path), { kind: 'not-found', dialect: KNOWN[2], detail: said }, path);
  }
  for (const [words, path] of [
    [['osv=/api'], '/osv/v1/query'],
    [['all'], '/osv/v2'],
    [['patchstack'], '/osvx'],
    [['patchstack'], '/'],
  ] as const) {
    const found = find(words, path);
    assert.equal(found.kind === 'not-found' ? found.detail : found.kind, undefined, path);
  }
  const upstream = { npmUpstream: 'https://registry.example' };
  assert.equal(find(['npm-audit=/'], '/osv/latest', upstream).kind, 'rest');
  const wide = dialect('wide', '/{any}/{more}', '/wide');
  const { dialects, off } = selectDialects(
    { mounts: ['wide=/'], anonymous: [], npmUpstream: undefined, console: false },
    [...KNOWN, wide],
  );
  assert.equal(new RouteTable(dialects, off).find('GET', '/osv/v1').kind, 'route');
});

test('a registry behind npm answers the rest of its mounts, but not of a root that others share', () => {
  const npmUpstream = 'https://registry.example';
  for (const [words, paths] of [
    [undefined, '/npm'],
    [['patchstack', 'npm-audit=/a', 'npm-audit=/b'], '/a /b'],
    [['osv', 'npm-audit=/'], '/'],
  ] as const) {
    const { dialects } = select(words, { npmUpstream });
    assert.equal(shown({ dialects }).at(-1), `npm-upstream ${paths}`);
    const table = new RouteTable(dialects);
    for (const path of paths.split(' ')) {
      const found = table.find('GET', `${path}/lodash`.replace('//', '/'));
      assert.equal(found.kind === 'rest' ? found.below : found.kind, '/lodash');
    }
    assert.equal(table.find('GET', '/healthz').kind, 'route');
  }
  const { dialects } = select(undefined, { npmUpstream });
  assert.equal(new RouteTable(dialects).find('GET', '/lodash').kind, 'not-found');
});

test('a registry behind npm needs npm', () => {
  const npmUpstream = 'https://registry.example';
  assert.throws(() => select(['osv'], { npmUpstream }), {
    message: '--npm-upstream has no effect while npm-audit is off: add npm-audit to --mounts',
  });
});

test('an unknown name, and what is not a path, is refused with what can be written', () => {
  assert.throws(() => select(['OSV']), {
    message: '--mounts: there is no dialect "OSV": choose among patchstack, npm-audit, osv, feed, all',
  });
  assert.throws(() => select(['/osv']), /there is no dialect "\/osv"/);
  for (const path of [
    '',
    ...phrases('osv | /osv/ | // | /a//b | /a b | /.. | /a/./b | /é | /a?b | /{a} | /a=b | /%41'),
  ])
    assert.throws(() => select([`osv=${path}`]), /is not a path for a mount: write it as \/osv-api/, path);
  assert.throws(() => select([`osv=/${'a'.repeat(200)}`]), MountsError);
});

test('docs/serving.md lists every dialect with its paths', () => {
  const page = readFileSync(new URL('../../docs/serving.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `([\w-]+)` \| [^|]+ \| (.*`?\/?.*) \|$/gm)].filter(([, name]) =>
    DIALECTS.some((each) => each.name === name),
  );
  assert.deepEqual(
    rows.map(([, name]) => name),
    DIALECTS.map(({ name }) => name),
  );
  for (const [i, { mounts }] of DIALECTS.entries()) {
    for (const { path } of mounts) {
      const shown = path === '' ? 'the root' : `\`${path}\``;
      assert.ok(rows[i][2].includes(shown), `${rows[i][1]}: ${shown}`);
    }
  }
});

test('two dialects at one path are refused, and so is one that hides a route of another', () => {
  for (const [words, message] of [
    [['patchstack', 'osv=/'], '--mounts osv=/: patchstack answers at /: choose a path of its own'],
    [['feed', 'osv=/feed'], '--mounts osv=/feed: feed answers at /feed: choose a path of its own'],
    [['osv=/x', 'feed=/x'], '--mounts osv=/x: feed answers at /x: choose a path of its own'],
    [
      ['patchstack', 'osv=/product/plugin'],
      '--mounts osv=/product/plugin: patchstack answers at /product/{type}/{name}/{version}: choose a path of its own',
    ],
    [
      ['feed', 'osv=/healthz/x'],
      '--mounts osv=/healthz/x: service answers at /healthz: choose a path of its own',
    ],
    [['all', 'osv=/npm/osv'], '--mounts osv=/npm/osv: npm-audit answers at /npm: choose a path of its own'],
    [
      ['osv=/operations'],
      '--mounts osv=/operations: operations answers at /operations: choose a path of its own',
    ],
    [['osv', 'osv'], '--mounts: osv is listed twice at /osv: leave one out'],
    [['osv=/x', 'osv=/x'], '--mounts: osv is listed twice at /x: leave one out'],
  ] as const) {
    assert.throws(() => select(words), { name: 'MountsError', message });
  }
});

test('a dialect cannot be moved to where the pages are, unless they are off', () => {
  for (const path of ['/console', '/docs', '/console/osv']) {
    const place = `/${path.split('/')[1]}`;
    assert.throws(() => select(['patchstack', `osv=${path}`], { console: true }), {
      name: 'MountsError',
      message: `--mounts osv=${path}: service answers at ${place}: choose a path of its own, or add --no-console`,
    });
    assert.deepEqual(shown(select(['patchstack', `osv=${path}`])), [CONTRACT, `osv ${path}`]);
  }
  assert.deepEqual(shown(select(['osv=/consoles'], { console: true })).slice(0, 1), ['osv /consoles']);
  const atRoot = select(['osv=/'], { console: true }).dialects.map(({ name }) => name);
  assert.deepEqual(atRoot, ['osv', 'operations', 'service', 'service']);
});
