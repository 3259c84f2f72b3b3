import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  MAX_COORDINATES,
  readCoordinate,
  readCoordinates,
} from '../../../src/dialects/oss-index/coordinates.ts';
import { finish } from '../../../src/http/work/steps.ts';
import { PLATFORM_TABLE, type Platform } from '../../../src/index/platforms.ts';

function read(body: unknown): string | number {
  const answer = finish(readCoordinates(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))));
  if (answer.kind === 'coordinates') return answer.list.length;
  const { status, code, detail } = answer.problem;
  return `${status} ${code} ${detail}`;
}

const purls = (count: number): string[] => Array.from({ length: count }, (_, i) => `pkg:npm/a${i}@1.0.0`);

test('purls of every platform are read, with name and version', () => {
  const written: Readonly<Partial<Record<Platform, readonly [inPurl: string, name: string]>>> = {
    wordpress: ['plugin/a', 'plugin/a'],
    npm: ['%40s/a', '@s/a'],
    composer: ['v/a', 'v/a'],
    golang: ['b.example/a', 'b.example/a'],
    maven: ['g.h/a', 'g.h:a'],
  };
  const pairs = PLATFORM_TABLE.map(({ name }) => written[name] ?? ['A', 'A']);
  const read = PLATFORM_TABLE.map(({ purlType }, i) => readCoordinate(`pkg:${purlType}/${pairs[i][0]}@1`));
  assert.deepEqual(
    read.map((each) =>
      typeof each === 'string' || each.kind !== 'package' ? each : each.query.ecosystems[0],
    ),
    PLATFORM_TABLE.map(({ ecosystem }) => ecosystem),
  );
  assert.deepEqual(
    read.map((each) => (typeof each === 'string' || each.kind !== 'package' ? each : each.query.name)),
    pairs.map(([, name]) => name),
  );
});

test('a type that is not held is told by its name', () => {
  assert.deepEqual(readCoordinate('pkg:deb/debian/curl@1?arch=amd64'), {
    kind: 'not-held',
    purl: 'pkg:deb/debian/curl@1?arch=amd64',
    about: 'pkg:deb',
  });
});

test('what is no purl, or one in the form of another type, is refused', () => {
  const complaints = {
    '': 'must not be empty',
    'lodash@1': 'invalid PURL: a purl begins with "pkg:"',
    'https://host.example/pkg:npm/a@1': 'invalid PURL: a purl begins with "pkg:"',
    'pkg:npm': 'invalid PURL: a purl has a type and a name',
    'pkg:npm/%zz@1': 'invalid PURL: the purl has a percent escape that is not valid',
    'pkg:maven/a@1': 'invalid package name: must be group:artifact or group/artifact',
    'pkg:composer/a@1': 'invalid package name: must be vendor/package',
    'pkg:wordpress/block/a@1': 'invalid package name: must be plugin/SLUG, theme/SLUG or wordpress',
  };
  for (const [purl, complaint] of Object.entries(complaints)) assert.equal(readCoordinate(purl), complaint);
});

test('a name that is a URL is a name', () => {
  for (const purl of [
    'pkg:npm/https://host.example/a.tgz@1.0.0',
    'pkg:golang/https%3A%2F%2Fhost.example/a@v1',
  ]) {
    const coordinate = readCoordinate(purl);
    assert.ok(typeof coordinate !== 'string' && coordinate.kind === 'package', purl);
  }
});

test('at most 128 coordinates are read, none and repeated ones too', () => {
  assert.equal(read({ coordinates: [] }), 0);
  assert.equal(read({ coordinates: ['pkg:npm/a@1', 'pkg:npm/a@1'], others: 1 }), 2);
  assert.equal(read({ coordinates: purls(MAX_COORDINATES) }), 128);
  assert.equal(
    read({ coordinates: purls(129) }),
    '400 invalid_coordinates coordinates: must be at most 128, got 129',
  );
});

test('a body of another form is refused, and each bad coordinate is named', () => {
  const notAList = '400 invalid_coordinates coordinates: must be a list of package URLs';
  for (const body of [{}, [], null, 'null', { coordinates: 'pkg:npm/a@1' }, ['pkg:npm/a@1']]) {
    assert.equal(read(body), notAList, JSON.stringify(body));
  }
  for (const body of ['', '{', '\u0000']) {
    assert.equal(read(body), '400 invalid_body The body must be a JSON object in UTF-8.', body);
  }
  assert.equal(
    read(`{"coordinates":${'['.repeat(2000)}`),
    '400 invalid_body The body may be nested 1000 levels deep, got more.',
  );
  assert.equal(
    read({ coordinates: ['pkg:npm/a@1', 7, 'pkg:npm/b@1', 'pkg:maven/a'] }),
    '400 invalid_coordinates coordinates[1]: must be a package URL, and 1 more',
  );
});
