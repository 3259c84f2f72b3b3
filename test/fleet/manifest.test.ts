import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Manifest, parseManifest, writeManifest } from '../../src/fleet/manifest.ts';

const SHA256 = 'ab'.repeat(32);
const MANIFEST: Manifest = {
  format: 1,
  sequence: 8,
  published_at: '2026-04-21T08:00:00.000Z',
  expires: '2026-04-28T08:00:00.000Z',
  activate_at: '2026-04-21T08:05:00.000Z',
  min_server_version: '0.1.0',
  revoked_sequence_below: 3,
  snapshot: {
    url: `snapshots/${SHA256}.vdx`,
    size: 1000,
    sha256: SHA256,
    id: '0123456789abcdef',
    built_at: '2026-04-21T07:00:00.000Z',
  },
  objects: [{ kind: 'overlay', url: `objects/${SHA256}`, size: 10, sha256: SHA256 }],
};

/** The manifest with another value at a path, or without it. */
function edited(path: string, value: unknown): string {
  const copy = structuredClone(MANIFEST) as unknown as Record<string, unknown>;
  const parts = path.split('.');
  let inside: Record<string, unknown> = copy;
  for (const part of parts.slice(0, -1)) inside = inside[part] as Record<string, unknown>;
  const last = parts.at(-1) ?? '';
  if (value === undefined) delete inside[last];
  else inside[last] = value;
  return JSON.stringify(copy);
}

test('what is written is read', () => {
  assert.deepEqual(parseManifest(writeManifest(MANIFEST)), MANIFEST);
  const { activate_at: _, revoked_sequence_below: __, ...least } = { ...MANIFEST, objects: [] };
  assert.deepEqual(parseManifest(writeManifest(least)), least);
});

test('members that are unknown are ignored, and so are kinds', () => {
  const text = edited('objects.0', { ...MANIFEST.objects[0], kind: 'of-next-year', more: 1 });
  const manifest = parseManifest(text.replace('{', '{"more": {"a": []},'));
  assert.deepEqual(manifest.objects, [{ ...MANIFEST.objects[0], kind: 'of-next-year' }]);
});

test('a member that is missing or not what it should be is refused by name', () => {
  const cases: readonly (readonly [string, unknown, string])[] = [
    ['format', 2, 'format'],
    ['format', undefined, 'missing'],
    ['sequence', undefined, 'missing'],
    ['sequence', 0, 'invalid'],
    ['sequence', 1.5, 'invalid'],
    ['sequence', '8', 'invalid'],
    ['published_at', '2026-13-41T08:00:00Z', 'invalid'],
    ['expires', undefined, 'missing'],
    ['expires', 'tomorrow', 'invalid'],
    ['expires', MANIFEST.published_at, 'invalid'],
    ['activate_at', MANIFEST.expires, 'invalid'],
    ['activate_at', null, 'invalid'],
    ['min_server_version', 'latest', 'invalid'],
    ['revoked_sequence_below', -1, 'invalid'],
    ['snapshot', undefined, 'missing'],
    ['snapshot', [], 'invalid'],
    ['snapshot.size', 0, 'invalid'],
    ['snapshot.size', undefined, 'missing'],
    ['snapshot.sha256', SHA256.toUpperCase(), 'invalid'],
    ['snapshot.id', '../../etc', 'invalid'],
    ['snapshot.built_at', 5, 'invalid'],
    ['objects', undefined, 'missing'],
    ['objects', {}, 'invalid'],
    ['objects.0', 'overlay', 'invalid'],
    ['objects.0.kind', 'Over lay', 'invalid'],
    ['objects.0.sha256', undefined, 'missing'],
  ];
  for (const [path, value, code] of cases) {
    const field = path.replace('objects.0', 'objects[0]');
    assert.throws(() => parseManifest(edited(path, value)), { name: 'ManifestError', code, field }, path);
  }
  assert.throws(() => parseManifest(edited('snapshot.size', -1)), {
    message:
      'manifest rejected: invalid in "snapshot.size" (expected a whole number from 1, got -1); publish again with `vulndex publish`',
  });
});

test('a URL that is absolute or could leave the folder is refused, in every spelling', () => {
  const urls = [
    ...['', '/etc/passwd', '//other.example/x', 'https://other.example/x', 'file:x', 's3://b/x', 'C:\\x'],
    ...['..', '../x', 'a/../../x', 'a/..', './x', 'a//b', 'a/', '.hidden', 'a/.b'],
    ...['%2e%2e/x', 'a%2fb', 'a\\b', 'a?b', 'a#b', 'a\nb', 'a\0b', 'a b', '@a', 'ä', 'a'.repeat(600)],
  ];
  for (const url of urls) {
    assert.throws(() => parseManifest(edited('snapshot.url', url)), { code: 'url' }, JSON.stringify(url));
    assert.throws(() => parseManifest(edited('objects.0.url', url)), {
      code: 'url',
      field: 'objects[0].url',
    });
  }
});

test('what is not a manifest at all is unreadable, and shown in part', () => {
  const cases: readonly (string | Uint8Array)[] = [
    ...['', '<!doctype html>', '[]', 'null', '"x"', '{', `{"a": "${'x'.repeat(70_000)}"}`],
    Buffer.from([0x7b, 0xff, 0x7d]),
  ];
  for (const content of cases) {
    assert.throws(
      () => parseManifest(content),
      (error: Error & { code?: string }) => {
        assert.equal(error.code, 'unreadable');
        assert.ok(error.message.length < 300);
        return true;
      },
    );
  }
});

test('of what is not JSON nothing is shown: a redirect may have led to it', () => {
  for (const text of ['a secret of this network', '["a secret"]', '"a secret"']) {
    assert.throws(
      () => parseManifest(text),
      (error: Error) => {
        assert.doesNotMatch(error.message, /secret/);
        return /expected (?:JSON|a JSON object), got another/.test(error.message);
      },
    );
  }
});
