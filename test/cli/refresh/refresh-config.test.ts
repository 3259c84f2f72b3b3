import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type RefreshConfig, readRefreshConfig } from '../../../src/cli/refresh/refresh-config.ts';
import { feed, mirror, osv, wordfence } from '../../../src/importers/source-kinds.ts';
import { temporaryFolder } from '../../support/folder.ts';

const folder = temporaryFolder({ after });
const file = join(folder, 'refresh.json');

function read(config: unknown): RefreshConfig {
  writeFileSync(file, typeof config === 'string' ? config : JSON.stringify(config));
  return readRefreshConfig(file);
}

const MINIMAL = { sources: [{ feed: 'feed.ndjson' }], snapshots: 'snapshots' };

test('a configuration needs sources and a folder; paths are relative to its own folder', () => {
  assert.deepEqual(read(MINIMAL), {
    sources: [{ kind: feed, location: join(folder, 'feed.ndjson'), key: undefined }],
    snapshots: join(folder, 'snapshots'),
    ids: join(folder, 'snapshots', 'vulndex-ids.tsv'),
    cache: join(folder, 'cache'),
    prefer: [],
    malwareOfWithdrawn: 'origins',
    osvInformational: 'skip',
    maxWithdrawn: 10,
    maxShrink: 20,
    maxReject: 1,
    keep: 3,
    republishAfterMs: undefined,
    limits: { maxBytes: 4_294_967_296, maxMs: 2 * 3_600_000 },
    caFile: undefined,
  });
});

test('a configuration may set everything', () => {
  const config = read({
    sources: [
      { osv: 'https://osv.example/npm/all.zip' },
      { wordfence: 'HTTPS://wordfence.example/v3', key_env: 'WORDFENCE_KEY' },
      { mirror: 'http://10.0.0.7:8080', key_file: 'keys/mirror' },
      { feed: '/srv/own.ndjson' },
    ],
    snapshots: '/srv/snapshots',
    ids: 'ids.tsv',
    cache: '/var/cache/vulndex',
    prefer: ['osv,wordfence', 'cvss=wordfence'],
    malware_of_withdrawn: 'stays',
    osv_informational: 'include',
    guards: { max_withdrawn: 0, max_shrink: 100, max_reject: 5 },
    keep: 1,
    republish_after: '36h',
    max_download_bytes: 1000,
    max_download_time: '30s',
    ca_file: 'ca.pem',
  });
  assert.deepEqual(config, {
    sources: [
      { kind: osv, location: 'https://osv.example/npm/all.zip', key: undefined },
      {
        kind: wordfence,
        location: 'HTTPS://wordfence.example/v3',
        key: { kind: 'variable', name: 'WORDFENCE_KEY' },
      },
      {
        kind: mirror,
        location: 'http://10.0.0.7:8080',
        key: { kind: 'file', path: join(folder, 'keys/mirror') },
      },
      { kind: feed, location: '/srv/own.ndjson', key: undefined },
    ],
    snapshots: '/srv/snapshots',
    ids: join(folder, 'ids.tsv'),
    cache: '/var/cache/vulndex',
    prefer: ['osv,wordfence', 'cvss=wordfence'],
    malwareOfWithdrawn: 'stays',
    osvInformational: 'include',
    maxWithdrawn: 0,
    maxShrink: 100,
    maxReject: 5,
    keep: 1,
    republishAfterMs: 36 * 3_600_000,
    limits: { maxBytes: 1000, maxMs: 30_000 },
    caFile: join(folder, 'ca.pem'),
  });
});

test('a configuration keeps ids and downloads beside the snapshots, unless it says where', () => {
  const { ids, cache } = read({ ...MINIMAL, snapshots: '/srv/data/snapshots' });
  assert.deepEqual([ids, cache], ['/srv/data/snapshots/vulndex-ids.tsv', '/srv/data/cache']);
});

const source = (entry: unknown): unknown => ({ ...MINIMAL, sources: [{ feed: 'a' }, entry] });
const ONE_OF = 'must name exactly one of osv, wordfence, mirror, feed';
const BAD: readonly (readonly [title: string, config: unknown, message: string | RegExp])[] = [
  ['not JSON', '{"sources": [', /^the configuration is not JSON: /],
  ['a list', [], 'the configuration must be an object (got [])'],
  ['nothing in it', {}, 'sources: is required; snapshots: is required'],
  ['no source', { ...MINIMAL, sources: [] }, 'sources: must be a list of at least one source (got [])'],
  ['one source without a list', { ...MINIMAL, sources: { feed: 'a' } }, /^sources: must be a list of/],
  [
    'an unknown field',
    { ...MINIMAL, gards: {} },
    /^gards: is not a field of the configuration; use one of sources, snapshots, .*guards/,
  ],
  [
    'an unknown guard',
    { ...MINIMAL, guards: { max_withdraw: 3 } },
    'guards.max_withdraw: is not a field of the configuration; use one of max_withdrawn, max_shrink, max_reject',
  ],
  ['an unknown kind of source', source({ nvd: 'x' }), /^sources\[1\]\.nvd: is not a field/],
  ['a source without a kind', source({ key_env: 'K' }), `sources[1]: ${ONE_OF} (got none)`],
  ['a source of two kinds', source({ osv: 'a', feed: 'b' }), `sources[1]: ${ONE_OF} (got osv and feed)`],
  ['an empty path', source({ osv: ' ' }), 'sources[1].osv: must be a text that is not empty (got " ")'],
  ['a number as a path', source({ osv: 7 }), 'sources[1].osv: must be a text that is not empty (got 7)'],
  [
    'another scheme',
    source({ osv: 'ftp://a/b' }),
    'sources[1].osv: must be a path or an http or https URL (got "ftp://a/b")',
  ],
  ['a broken URL', source({ osv: 'https://' }), 'sources[1].osv: is not a valid URL (got "https://")'],
  [
    'a broken URL with a secret',
    source({ osv: 'https://?token=s3cret' }),
    'sources[1].osv: is not a valid URL (got "https://")',
  ],
  [
    'a mirror that is a path',
    source({ mirror: 'here' }),
    'sources[1].mirror: must be an http or https URL (got "here")',
  ],
  [
    'a mirror without a key',
    source({ mirror: 'http://a' }),
    'sources[1]: a mirror needs a key; name it with key_file or key_env',
  ],
  [
    'two keys',
    source({ mirror: 'http://a', key_file: 'k', key_env: 'K' }),
    'sources[1]: must have key_file or key_env, not both',
  ],
  [
    'a key for a path',
    source({ osv: 'a', key_env: 'K' }),
    'sources[1]: a key is for a URL, and "a" is a path',
  ],
  [
    'a key itself',
    source({ mirror: 'http://a', key: 'secret' }),
    /^sources\[1\]\.key: is not a field of the configuration; use one of .*key_file, key_env$/,
  ],
  [
    'a name that is not a variable',
    source({ mirror: 'http://a', key_env: 'A B' }),
    'sources[1].key_env: must be the name of an environment variable (got "A B")',
  ],
  [
    'a percentage above 100',
    { ...MINIMAL, guards: { max_shrink: 101 } },
    'guards.max_shrink: must be a whole number from 0 to 100 (got 101)',
  ],
  ['a percentage as text', { ...MINIMAL, guards: { max_reject: '1' } }, /^guards\.max_reject: must be a/],
  ['a fraction', { ...MINIMAL, guards: { max_withdrawn: 0.5 } }, /^guards\.max_withdrawn: must be a whole/],
  ['nothing kept', { ...MINIMAL, keep: 0 }, 'keep: must be a whole number from 1 to 1000000 (got 0)'],
  [
    'a duration without a unit',
    { ...MINIMAL, republish_after: '36' },
    'republish_after: must be a duration such as 90s, 15m, 36h or 2d (got "36")',
  ],
  ['a duration of nothing', { ...MINIMAL, republish_after: '0h' }, /^republish_after: must be a duration/],
  ['no time for downloads', { ...MINIMAL, max_download_time: 90 }, /^max_download_time: must be a duration/],
  ['no room for downloads', { ...MINIMAL, max_download_bytes: 0 }, /^max_download_bytes: must be a whole/],
  ['a preference that is no list', { ...MINIMAL, prefer: 'osv' }, /^prefer: must be a list of texts/],
  [
    'several faults at once',
    { sources: [{ osv: 1 }], snapshots: '', keep: 'x' },
    /^sources\[0\]\.osv: .*; snapshots: .*; keep: /,
  ],
];
for (const [title, config, message] of BAD) {
  test(`a bad configuration is refused with what is expected: ${title}`, () => {
    assert.throws(
      () => read(config),
      (error: Error) => {
        assert.equal(error.name, 'UsageError');
        assert.ok(error.message.startsWith(`${file}: `));
        const problem = error.message.slice(file.length + 2);
        if (typeof message === 'string') assert.equal(problem, message);
        else assert.match(problem, message);
        return true;
      },
    );
  });
}

test('a password in a URL is refused, and not repeated', () => {
  assert.throws(
    () => read(source({ osv: 'https://me:hunter2@osv.example/' })),
    ({ message }: Error) =>
      message.includes('sources[1].osv: must not contain a user or password') && !message.includes('hunter2'),
  );
});

test('a missing configuration file is refused', () => {
  assert.throws(() => readRefreshConfig(join(folder, 'nothing.json')), {
    name: 'UsageError',
    message: `${join(folder, 'nothing.json')}: the configuration cannot be read (ENOENT); check --config`,
  });
});
