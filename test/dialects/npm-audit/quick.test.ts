// The older endpoints over a socket, with the requests that npm 10 and pnpm 10 send.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { MAX_NODES, MAX_PATH_PARTS, MAX_PATHS } from '../../../src/dialects/npm-audit/tree.ts';
import { MAX_LEVELS } from '../../../src/http/bodies/json-body.ts';
import { feedRecord, npmProduct, span } from '../../support/feeds/advisories.ts';
import { outcomeOf, startServer, type TestResponse } from '../../support/serving/server.ts';
import { words } from '../../support/words.ts';

const QUICK = '/npm/-/npm/v1/security/audits/quick';
const FULL = '/npm/-/npm/v1/security/audits';

const server = await startServer(
  { after },
  {
    records: [
      feedRecord(11, {
        title: 'NPM: Command Injection in lodash',
        product: npmProduct('lodash'),
        ghsa: 'GHSA-35jh-r3h4-6jhm',
        cves: ['CVE-2021-23337', 'CVE-2021-1'],
        severity: 'HIGH',
        affected: [span(null, '4.17.21', 'exclusive', '4.17.21')],
      }),
      feedRecord(12, {
        product: npmProduct('packages__x', 12),
        severity: 'low',
        affected: [span(null, null)],
      }),
      feedRecord(13, { product: npmProduct('.', 13), severity: 'low', affected: [span(null, null)] }),
      ...['__proto__', 'constructor', '7'].map((name, i) =>
        feedRecord(20 + i, {
          product: npmProduct(name, 20 + i),
          severity: 'critical',
          affected: [span(null, '1.0.0')],
        }),
      ),
    ],
  },
);

function post(
  body: RequestInit['body'],
  path = QUICK,
  headers: Record<string, string> = {},
): Promise<TestResponse> {
  return server.request(path, { method: 'POST', body: body ?? null, headers });
}

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body by asserting on it
async function report(tree: unknown): Promise<any> {
  const response = await post(JSON.stringify(tree));
  assert.equal(response.status, 200, response.text);
  return response.json();
}

/** As npm 10 sends it. */
function npmTree(dependencies: unknown): object {
  const metadata = { node_version: 'v22.0.0', npm_version: '10.9.9', platform: 'linux', arch: 'x64' };
  return { name: 'app', version: '1.0.0', requires: { lodash: '^4.0.0' }, dependencies, metadata };
}

/** As pnpm 10 sends it. */
function pnpmTree(importers: Readonly<Record<string, unknown>>): object {
  const dependencies = Object.fromEntries(
    Object.entries(importers).map(([name, packages]) => [
      name,
      { dependencies: packages, dev: false, requires: {}, version: '0.0.0' },
    ]),
  );
  return { dependencies, dev: false, install: [], metadata: {}, remove: [], requires: {} };
}

/** By id: versions with their paths. */
// biome-ignore lint/suspicious/noExplicitAny: the same
function findingsOf({ advisories }: any): Record<string, unknown> {
  const rows = Object.values(advisories) as {
    id: number;
    findings: { version: string; paths: string[] }[];
  }[];
  return Object.fromEntries(
    rows.map(({ id, findings }) => [
      id,
      findings.map(({ version, paths }) => `${version}: ${paths.join(' ')}`),
    ]),
  );
}

test('a report has all that the clients read', async () => {
  const tree = npmTree({
    lodash: { version: '4.17.20', resolved: 'https://r.example/lodash.tgz', integrity: 'sha512-x' },
    mocha: {
      version: '1.0.0',
      dev: true,
      requires: { lodash: '1' },
      dependencies: { lodash: { version: '4.17.20', dev: true } },
    },
    fsevents: { version: '2.0.0', optional: true },
  });
  assert.deepEqual(await report(tree), {
    actions: [],
    advisories: {
      11: {
        id: 11,
        findings: [{ version: '4.17.20', paths: ['lodash', 'mocha>lodash'], dev: false, optional: false }],
        title: 'Command Injection in lodash',
        module_name: 'lodash',
        vulnerable_versions: '<4.17.21',
        patched_versions: '>=4.17.21',
        severity: 'high',
        url: 'https://github.com/advisories/GHSA-35jh-r3h4-6jhm',
        github_advisory_id: 'GHSA-35jh-r3h4-6jhm',
        cves: ['CVE-2021-23337', 'CVE-2021-1'],
        cwe: ['CWE-89'],
        cvss: { score: 7.5, vectorString: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N' },
        overview: 'What 11 is about.',
        recommendation: 'Upgrade to a version in >=4.17.21.',
        references: '- https://advisories.example/11/fix',
        created: '2026-01-03T03:04:05+00:00',
        updated: '2026-01-03T03:04:05+00:00',
      },
    },
    muted: [],
    metadata: {
      vulnerabilities: { info: 0, low: 0, moderate: 0, high: 1, critical: 0 },
      dependencies: 1,
      devDependencies: 1,
      optionalDependencies: 1,
      totalDependencies: 3,
    },
  });
});

test('both paths answer the same, plain and coded', async () => {
  const body = JSON.stringify(npmTree({ lodash: { version: '4.0.0' } }));
  const { text, headers } = await post(body);
  assert.equal((await post(gzipSync(body), FULL, { 'Content-Encoding': 'gzip' })).text, text);
  assert.equal((await post(body, FULL.slice('/npm'.length))).text, text);
  assert.match(headers.get('etag') ?? '', /^"[0-9a-f]{16}\.\d+"$/);
});

test('the packages of pnpm’s workspace are part of paths, and not audited', async () => {
  const lodash = { dev: false, integrity: 'sha512-x', version: '4.17.20' };
  const tree = pnpmTree({
    '.': { lodash },
    packages__x: { a: { version: '1.0.0', dependencies: { lodash } } },
  });
  const answer = await report(tree);
  assert.deepEqual(findingsOf(answer), { 11: ['4.17.20: .>lodash packages__x>a>lodash'] });
  assert.equal(answer.metadata.totalDependencies, 2);
  // The same names below another root, or deeper, are packages.
  assert.deepEqual(findingsOf(await report(npmTree({ packages__x: { version: '0.0.0' } }))), {
    12: ['0.0.0: packages__x'],
  });
  assert.deepEqual(findingsOf(await report(pnpmTree({ '.': { packages__x: lodash } }))), {
    12: ['4.17.20: .>packages__x'],
  });
});

test('an alias is audited under its own name', async () => {
  const tree = npmTree({
    'old-lodash': { version: 'npm:lodash@3.0.0' },
    scoped: { version: 'npm:@a/b@1.0.0' },
  });
  assert.deepEqual(findingsOf(await report(tree)), { 11: ['3.0.0: old-lodash'] });
});

test('what is not a version is ignored, and what is not a package', async () => {
  const odd = ['git+ssh://git@host/a.git#1', 'file:../a', '', '^4.0.0', null, 4, ['1'], {}];
  const dependencies = Object.fromEntries(
    odd.map((version, i) => [`d${i}`, { version, dependencies: { lodash: { version } } }]),
  );
  const tree = npmTree({
    ...dependencies,
    a: null,
    b: 'x',
    c: [],
    d: 4,
    lodash: { version: '4.0.0', dependencies: [] },
  });
  assert.deepEqual(findingsOf(await report(tree)), { 11: ['4.0.0: lodash'] });
});

test('names that mean something in JavaScript are names like any other', async () => {
  const body =
    '{"dependencies":{"__proto__":{"version":"1.0.0"},"constructor":{"version":"1.0.0"},"7":{"version":"1.0.0"},"toString":{"version":"1.0.0"}}}';
  const answer = (await post(body)).json();
  assert.deepEqual(findingsOf(answer), {
    20: ['1.0.0: __proto__'],
    21: ['1.0.0: constructor'],
    22: ['1.0.0: 7'],
  });
  assert.equal(answer.metadata.vulnerabilities.critical, 3);
});

test('a tree may be as deep as any body; a deeper one is refused before it is parsed', async () => {
  const treeOf = (depth: number): string =>
    `${'{"dependencies":{"a":'.repeat(depth)}{"dependencies":{"lodash":{"version":"4.0.0"}}}${'}}'.repeat(depth)}`;
  const findings = findingsOf((await post(treeOf(MAX_LEVELS / 2 - 2))).json()) as Record<string, string[]>;
  assert.match(findings[11][0], /^4\.0\.0: (a>)+…(>a)+>lodash$/);
  assert.equal(findings[11][0].split('>').length, MAX_PATH_PARTS + 1);
  for (const deep of [treeOf(MAX_LEVELS / 2 - 1), treeOf(60_000), '['.repeat(400_000)]) {
    assert.equal(outcomeOf(await post(deep)), '413 too_many_packages');
  }
  assert.equal(outcomeOf(await post('{"dependencies":'.repeat(MAX_LEVELS))), '400 invalid_body');
});

test('each version is counted once, with a few of its paths, the shortest first', async () => {
  const nested = Object.fromEntries(
    Array.from({ length: 50 }, (_, i) => [
      `p${i}`,
      { version: '1.0.0', dependencies: { lodash: { version: '4.0.0' } } },
    ]),
  );
  const answer = await report(
    npmTree({
      ...nested,
      lodash: { version: '4.0.0' },
      b: { version: '1.0.0', dependencies: { lodash: { version: '3.0.0' } } },
    }),
  );
  const [{ findings }] = Object.values(answer.advisories) as [
    { findings: { version: string; paths: string[] }[] },
  ];
  assert.deepEqual(
    findings.map(({ version, paths }) => [version, paths.length, paths[0]]),
    [
      ['4.0.0', MAX_PATHS, 'lodash'],
      ['3.0.0', 1, 'b>lodash'],
    ],
  );
  assert.equal(answer.metadata.totalDependencies, 50 + 3);
  assert.equal(answer.metadata.vulnerabilities.high, 1);
});

test('a tree without dependencies is clean; one that was left out is refused', async () => {
  for (const tree of [{}, { requires: {} }, { dependencies: {} }, pnpmTree({}), pnpmTree({ '.': {} })]) {
    assert.deepEqual((await report(tree)).advisories, {});
  }
  // npm 10 with a lockfile of version 3.
  const refused = await post(
    JSON.stringify({ name: 'app', version: '1.0.0', requires: { lodash: '^4.0.0' }, metadata: {} }),
  );
  assert.equal(outcomeOf(refused), '400 invalid_body');
  assert.match(refused.json().error, /lockfile of version 3/);
});

test('what is not a tree is refused, and a tree that is too large', async () => {
  for (const body of [
    '',
    ...words('[] null { {"dependencies":[]} {"dependencies":null} {"dependencies":"a"}'),
  ]) {
    assert.equal(outcomeOf(await post(body)), '400 invalid_body', body);
  }
  const wide = (count: number, version: (i: number) => string): string =>
    `{"dependencies":{${Array.from({ length: count }, (_, i) => `"n${i}":${version(i)}`).join(',')}}}`;
  assert.equal(outcomeOf(await post(wide(MAX_NODES, () => '{}'))), '200');
  assert.equal(outcomeOf(await post(wide(MAX_NODES + 1, () => '{}'))), '413 too_many_packages');
  assert.equal(
    outcomeOf(await post(`{"dependencies":{${'"a":{},'.repeat(400_000)}`)),
    '413 too_many_packages',
  );
  assert.equal(outcomeOf(await post(wide(20_001, () => '{"version":"1"}'))), '413 too_many_packages');
  assert.equal(
    outcomeOf(await post(wide(50_001, (i) => `{"version":"npm:a@1.0.${i}"}`))),
    '413 too_many_packages',
  );
});
