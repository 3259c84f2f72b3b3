import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { appendToRegistry, readRegistry, requireRegistry } from '../../../src/importers/ids/registry-file.ts';
import { formatLine, type RegistryLine } from '../../../src/importers/ids/registry-lines.ts';
import { failWith } from '../../support/failing-system.ts';
import { type FolderOwner, temporaryFolder } from '../../support/folder.ts';

const HEADER = 'vulndex-ids\t1\n';

function lines(...numbers: readonly number[]): Uint8Array[] {
  return numbers.map((number) => Buffer.from(line(number)));
}

function line(number: number): string {
  const names = { source: 'osv', sourceId: `GHSA-${number}`, type: 'npm', slug: 'left' };
  return `${formatLine({ kind: 'advisory', number, firstSeen: 0, ...names })}\n`;
}

function fileIn(t: FolderOwner, content?: string | Uint8Array): string {
  const file = join(temporaryFolder(t), 'ids.tsv');
  if (content !== undefined) writeFileSync(file, content);
  return file;
}

function read(file: string) {
  const lines: RegistryLine[] = [];
  const content = readRegistry(file, (each) => {
    lines.push(each);
    return undefined;
  });
  return { ...content, numbers: lines.map(({ number }) => number) };
}

test('a registry that does not exist, is empty, or whose header was torn has no lines', (t) => {
  for (const content of [undefined, '', 'vulndex-', HEADER.trimEnd()]) {
    const file = fileIn(t, content);
    const totalBytes = content?.length ?? 0;
    assert.deepEqual(read(file), { totalBytes, validBytes: 0, warnings: [], numbers: [] });
    appendToRegistry(file, { totalBytes, validBytes: 0, lines: lines(7) });
    assert.equal(readFileSync(file, 'utf8'), HEADER + line(7));
  }
});

test('a registry is appended to, and not created for nothing', (t) => {
  const file = fileIn(t);
  appendToRegistry(file, { ...read(file), lines: [] });
  assert.ok(!existsSync(file));
  appendToRegistry(file, { ...read(file), lines: lines(1, 2) });
  const content = read(file);
  assert.deepEqual(content.numbers, [1, 2]);
  appendToRegistry(file, { ...content, lines: lines(3) });
  assert.deepEqual(read(file).numbers, [1, 2, 3]);
});

const WHOLE = HEADER + line(1);
const ENDS: readonly (readonly [what: string, tail: string | Uint8Array, problem: RegExp])[] = [
  ['a line without its line feed', line(2).trimEnd(), /the last line has no line feed/],
  ['half a line', line(2).slice(0, 20), /has no line feed/],
  ['zero bytes', new Uint8Array(500), /has no line feed/],
  ['a line of zero bytes', Buffer.from('\0\0\0\n'), /the last line has zero bytes/],
];
for (const [what, tail, problem] of ENDS) {
  test(`a registry that a crash left with ${what} is reported, and the next write cuts that off`, (t) => {
    const file = fileIn(t, WHOLE);
    appendFileSync(file, tail);
    const { numbers, warnings, totalBytes, validBytes } = read(file);
    assert.deepEqual(numbers, [1]);
    assert.equal(validBytes, WHOLE.length);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0], /ids\.tsv:3: warning: .*it is cut off$/);
    assert.match(warnings[0], problem);
    assert.equal(readFileSync(file).length, WHOLE.length + tail.length); // reading changes nothing
    appendToRegistry(file, { totalBytes, validBytes, lines: lines(3) });
    assert.equal(readFileSync(file, 'utf8'), WHOLE + line(3));
  });
}

test('a registry that somebody else has written to since it was read is not changed', (t) => {
  const torn = WHOLE + line(2).trimEnd();
  for (const [before, after] of [
    [undefined, WHOLE],
    [WHOLE, WHOLE + line(2)],
    [torn, WHOLE],
  ]) {
    const file = fileIn(t, before);
    const content = read(file);
    writeFileSync(file, after ?? '');
    assert.throws(() => appendToRegistry(file, { ...content, lines: lines(3) }), {
      name: 'RegistryError',
      message:
        /another command has changed the registry of ids \(\d+ bytes, expected \d+\); nothing was written/,
    });
    assert.equal(readFileSync(file, 'utf8'), after);
  }
});

test('what cannot be written to disk leaves the file as it was', (t) => {
  const file = fileIn(t, HEADER + line(1));
  const failure = failWith(t, 'fsyncSync', 'ENOSPC');
  const change = { ...read(file), lines: lines(2, 3) };
  assert.throws(() => appendToRegistry(file, change), {
    name: 'RegistryError',
    message: /but the disk is full; /,
  });
  failure.end();
  assert.equal(readFileSync(file, 'utf8'), HEADER + line(1));
  appendToRegistry(file, change);
  assert.deepEqual(read(file).numbers, [1, 2, 3]);
});

test('a malformed line is refused with its number, even the last: a newer release may have written it', (t) => {
  for (const rest of ['', line(2)]) {
    const file = fileIn(t, `${HEADER}${line(1)}advisory\t12\n${rest}`);
    assert.throws(() => read(file), {
      name: 'RegistryError',
      message: /ids\.tsv:3: has 2 columns, not 7; .*restore it from a backup/,
    });
  }
});

test('a line that contradicts others is refused with its number, even the last', (t) => {
  const file = fileIn(t, `${HEADER}${line(1)}`);
  assert.throws(() => readRegistry(file, () => 'contradicts'), { message: /ids\.tsv:2: contradicts; / });
});

test('a folder, and a path without a folder, cannot be the registry and are refused before any work', (t) => {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'ids'));
  const cases: readonly (readonly [file: string, message: RegExp])[] = [
    [join(folder, 'ids'), /must be a file, but this is a folder; name another with --ids$/],
    [join(folder, 'none', 'ids'), /its folder does not exist; name another file with --ids$/],
    [join(fileIn(t, ''), 'ids'), /part of its path is not a folder/],
    ['/dev/null', /not a regular file/],
  ];
  for (const [file, message] of cases) {
    assert.throws(() => requireRegistry(file), { name: 'RegistryError', message }, file);
  }
});

test('a file or a folder without permission cannot be the registry and is refused before any work', (t) => {
  const [file, missing] = [fileIn(t, HEADER), fileIn(t)];
  const failure = failWith(t, 'accessSync', 'EACCES');
  for (const path of [file, missing]) {
    assert.throws(() => requireRegistry(path), {
      name: 'RegistryError',
      message: `${path}: the registry of ids must be read and written, but there is no permission for that; name another file with --ids`,
    });
  }
  assert.equal(failure.tries(), 2);
});

test('another file cannot be the registry, is refused before any work and stays as it is', (t) => {
  const foreign = ['{"id": 1}\n', 'vulndex-ids\n', '\n', 'VULNDEX-IDS\t1\n', new Uint8Array(20)];
  for (const content of foreign) {
    const file = fileIn(t, content);
    assert.throws(() => requireRegistry(file), { message: /is not a registry of ids .*--ids$/ });
    assert.deepEqual(readFileSync(file), Buffer.from(content));
  }
  const newer = fileIn(t, 'vulndex-ids\t2\n');
  assert.throws(() => requireRegistry(newer), { message: /a newer release wrote it/ });
});
