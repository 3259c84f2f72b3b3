// POST /oss-index/api/v3/component-report as its clients see it.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { handleReport } from '../../../src/dialects/oss-index/component-report.ts';
import { answerTooLarge } from '../../../src/dialects/oss-index/problems.ts';
import { MAX_TEXT_CHARS } from '../../../src/dialects/oss-index/vulnerability.ts';
import type { HandlerContext } from '../../../src/http/context.ts';
import { finish } from '../../../src/http/work/steps.ts';
import { ThreadMemory } from '../../../src/index/memory/thread-memory.ts';
import { feedRecord, npmProduct, span } from '../../support/feeds/advisories.ts';
import { PARTNER_KEY, startServer, type TestResponse } from '../../support/serving/server.ts';
import { coreAdvisory, coreProduct, generationOf } from '../../support/snapshots/generation.ts';

const CROWDED = 1200;
const VECTOR = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N';

const server = await startServer(
  { after },
  {
    records: [
      feedRecord(1, { source_id: 'GHSA-aaaa-bbbb-cccc', product: npmProduct('tidy-tree') }),
      feedRecord(2, {
        psid: '0123456789ab',
        product: npmProduct('tidy-tree'),
        affected: [span('1.0.0', '2.0.0')],
        cves: [],
        cvss: { score: null, vector: null },
        cwe: null,
        references: [
          { url: 'https://advisories.example/a b|c' },
          { url: 'no page' },
          { url: 'https://advisories.example/2' },
        ],
      }),
      feedRecord(3, { product: { id: 8, type: 'theme', slug: 'shared', name: 'Shared' } }),
      feedRecord(4, { product: { id: 9, type: 'plugin', slug: 'shared', name: 'Shared' } }),
      feedRecord(5, {
        product: npmProduct('wordy', 12),
        description: 'x'.repeat(5000),
        cves: ['CVE-2026-5', 'CVE-2026-55'],
        source_id: 'GHSA-dddd-eeee-ffff',
      }),
      feedRecord(6, { product: { id: 13, type: 'pypi', slug: 'torch', name: 'torch' } }),
      ...Array.from({ length: CROWDED }, (_, i) =>
        feedRecord(100 + i, { product: npmProduct('crowded', 20), description: 'y'.repeat(1500) }),
      ),
    ],
  },
);

interface Vulnerability {
  readonly [member: string]: unknown;
  readonly id: string;
  readonly description: string;
}
interface Report {
  readonly coordinates: string;
  readonly description: string;
  readonly reference: string;
  readonly vulnerabilities: readonly Vulnerability[];
}

function send(coordinates: readonly unknown[], headers: Record<string, string> = {}): Promise<TestResponse> {
  return server.request('/oss-index/api/v3/component-report', {
    method: 'POST',
    body: JSON.stringify({ coordinates }),
    headers,
  });
}

async function reportsOf(...coordinates: readonly string[]): Promise<readonly Report[]> {
  const response = await send(coordinates);
  assert.equal(response.status, 200, response.text);
  return response.json();
}

const idsOf = ({ vulnerabilities }: Report): readonly string[] => vulnerabilities.map(({ id }) => id);

test('a report has each vulnerability with its id, CVE, score and page', async () => {
  const [report] = await reportsOf('pkg:npm/tidy-tree@1.2.0');
  assert.deepEqual(report, {
    coordinates: 'pkg:npm/tidy-tree@1.2.0',
    description: '',
    reference: 'pkg:npm/tidy-tree@1.2.0',
    vulnerabilities: [
      {
        id: 'PSID-0123456789ab',
        displayName: 'PSID-0123456789ab',
        title: '[PSID-0123456789ab] Advisory 2',
        description:
          'What 2 is about.\n\nNo source gives a CVSS score: this one is the most that is possible.',
        cvssScore: 10,
        reference: 'https://advisories.example/2',
        externalReferences: ['https://advisories.example/a%20b%7Cc'],
      },
      {
        id: 'GHSA-aaaa-bbbb-cccc',
        displayName: 'CVE-2026-1',
        title: '[CVE-2026-1] Advisory 1',
        description: 'What 1 is about.\n\nAlso known as GHSA-aaaa-bbbb-cccc.',
        cvssScore: 7.5,
        cvssVector: VECTOR,
        cwe: 'CWE-89',
        cve: 'CVE-2026-1',
        reference: 'https://advisories.example/1',
        externalReferences: ['https://advisories.example/1/fix'],
      },
    ],
  });
});

test('reports come in the order of the request, each coordinate as sent', async () => {
  const sent = [
    'pkg:npm/tidy-tree@2.1.0',
    'PKG:npm//tidy-tree@1.2.0?type=a b#"ü',
    'pkg:npm/tidy-tree@2.1.0',
    'pkg:npm/%74idy-tree@1.2.0',
    'pkg:npm/https://host.example/a.tgz@1.0.0',
  ];
  const reports = await reportsOf(...sent);
  assert.deepEqual(
    reports.map(({ coordinates }) => coordinates),
    sent,
  );
  assert.deepEqual(
    reports.map(({ vulnerabilities }) => vulnerabilities.length),
    [0, 2, 0, 2, 0],
  );
  for (const { reference } of reports) assert.match(reference, /^pkg:[\x21-\x7e]+$/i);
  assert.equal(reports[1].reference, 'PKG:npm//tidy-tree@1.2.0?type=a%20b#%22%C3%BC');
  assert.deepEqual(await reportsOf(), []);
});

test('what is not checked is said in the report and in a header', async () => {
  const response = await send([
    'pkg:deb/debian/curl@1',
    'pkg:cargo/serde@1.0.0',
    'pkg:npm/tidy-tree@2.1.0',
    'pkg:npm/unheard@1.0.0',
  ]);
  const reports: readonly Report[] = response.json();
  assert.deepEqual(
    reports.map(({ description }) => description),
    [
      'Not checked: this server knows nothing about packages of the type pkg:deb.',
      'Not checked: there is no advisory about crates.io at all.',
      '',
      '',
    ],
  );
  for (const { vulnerabilities } of reports) assert.deepEqual(vulnerabilities, []);
  assert.equal(response.headers.get('vulndex-unknown-ecosystems'), 'pkg:deb, crates.io');
});

test('a version that cannot be read counts as any version', async () => {
  const response = await send([
    'pkg:npm/tidy-tree@latest',
    'pkg:npm/tidy-tree@2.1.0',
    'pkg:npm/unheard@latest',
  ]);
  const [unread, clean, unheard]: readonly Report[] = response.json();
  assert.deepEqual(idsOf(unread), ['PSID-0123456789ab', 'GHSA-aaaa-bbbb-cccc']);
  assert.match(unread.description, /^The version cannot be read/);
  assert.deepEqual([...idsOf(clean), clean.description], ['']);
  assert.deepEqual(idsOf(unheard), []);
  assert.match(unheard.description, /^The version cannot be read/);
  assert.equal(
    response.headers.get('vulndex-unread-versions'),
    'pkg%3Anpm%2Ftidy-tree%40latest, pkg%3Anpm%2Funheard%40latest',
  );
});

test('without a version every advisory of the package is listed', async () => {
  const [report] = await reportsOf('pkg:npm/tidy-tree');
  assert.deepEqual(idsOf(report), ['PSID-0123456789ab', 'GHSA-aaaa-bbbb-cccc']);
  assert.equal(report.description, 'Without a version, every advisory of the package is listed.');
});

test('products of WordPress are named as on the OSV mount', async () => {
  const response = await send(wordpress('plugin/shared', 'theme/shared', 'shared', 'wordpress'));
  const reports: readonly Report[] = response.json();
  assert.deepEqual(
    reports.map(({ vulnerabilities }) => vulnerabilities.length),
    [1, 1, 2, 0],
  );
  assert.equal(response.headers.get('vulndex-ambiguous-slugs'), 'shared');
});

function wordpress(...names: readonly string[]): readonly string[] {
  return names.map((name) => `pkg:wordpress/${name}@1.0`);
}

test('the ignored parts of purls and versions are told', async () => {
  const response = await send(['pkg:pypi/Torch@1.0+cu118?file=a#b']);
  assert.equal(response.json()[0].vulnerabilities.length, 1);
  assert.equal(response.headers.get('vulndex-ignored-purl-parts'), '?file, #subpath');
  assert.equal(response.headers.get('vulndex-ignored-version-parts'), '+cu118');
});

test('a bad coordinate refuses the request and is named', async () => {
  const response = await send(['pkg:npm/tidy-tree@1.2.0', 'pkg:maven/a@1']);
  assert.equal(response.status, 400);
  const { code, error, errors } = response.json();
  assert.equal(code, 'invalid_coordinates');
  assert.match(error, /^coordinates\[1\]: invalid package name/);
  assert.equal(errors.length, 1);
  assert.equal((await send(Array.from({ length: 129 }, () => 'pkg:npm/a@1'))).status, 400);
});

test('a long text is cut, and other ids of a vulnerability are kept', async () => {
  const [{ vulnerabilities }] = await reportsOf('pkg:npm/wordy@1.0.0');
  const [{ description, cve, id }] = vulnerabilities;
  const [text, aliases] = description.split('\n\n');
  assert.equal(text.length, MAX_TEXT_CHARS);
  assert.equal(cve, 'CVE-2026-5');
  assert.equal(aliases, `Also known as ${id}, CVE-2026-55.`);
});

test('an answer that grows too large is refused, and the next one is answered', async () => {
  const [one] = await reportsOf('pkg:npm/crowded@1.0.0');
  assert.equal(one.vulnerabilities.length, CROWDED);
  const many = await send(Array.from({ length: 128 }, () => 'pkg:npm/crowded@1.0.0'));
  assert.equal(`${many.status} ${many.json().code}`, '413 answer_too_large');
  assert.equal((await reportsOf('pkg:npm/tidy-tree@1.2.0'))[0].vulnerabilities.length, 2);
});

test('the key comes as password of Basic, and the content type does not matter', async () => {
  const basic = (text: string) => ({
    PSKey: '',
    Authorization: `Basic ${Buffer.from(text).toString('base64')}`,
  });
  const type = { 'Content-Type': 'application/vnd.ossindex.component-report-request.v1+json' };
  const coordinates = ['pkg:npm/tidy-tree@1.2.0'];
  assert.equal(
    (await send(coordinates, { ...basic(`ci@shop.example:${PARTNER_KEY}`), ...type })).status,
    200,
  );
  assert.equal((await send(coordinates, basic('ci@shop.example:wrong'))).status, 401);
  const without = await send(coordinates, { PSKey: '' });
  assert.equal(without.status, 401);
  assert.match(without.json().error, /password or token/);
});

test('each coordinate counts, and a caller without quota gets no answer', (t) => {
  const counted: number[] = [];
  const body = Buffer.from(JSON.stringify({ coordinates: ['pkg:npm/a@1', 'pkg:npm/a@1', 'pkg:deb/b@1'] }));
  const generation = generationOf(t, [coreAdvisory(1, { product: coreProduct('npm', 'a') })]);
  const context = { generation, memory: new ThreadMemory(generation) } as unknown as HandlerContext; // all it reads
  const refusal = answerTooLarge();
  const answer = finish(
    handleReport('', [], body, context, (count) => {
      counted.push(count);
      return refusal;
    }),
  );
  assert.equal(answer, refusal);
  assert.deepEqual(counted, [3]);
});
