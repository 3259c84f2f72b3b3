import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { sweepTemporaryFiles, temporaryPath } from '../../src/files/temporary-file.ts';
import { temporaryFolder } from '../support/folder.ts';

const UUID = '0a1b2c3d-0000-4000-8000-0123456789ab';
const HOUR_MS = 3_600_000;

/** The id of a process that has ended. */
function deadProcess(): number {
  const { pid } = spawnSync(process.execPath, ['--version']);
  return pid;
}

test('files of dead processes are removed, files that may still be written to are kept', (t) => {
  const folder = temporaryFolder(t);
  const nowMs = Date.now();
  const machine = hostname().replace(/[^\w.-]/g, '_');
  const [, host = ''] =
    /^\.compiling-(.+)-\d+-[0-9a-f]{8}-/.exec(basename(temporaryPath(folder, 'compiling'))) ?? [];
  const dead = deadProcess();
  const put = (name: string, ageHours = 0): string => {
    writeFileSync(join(folder, name), '');
    const seconds = (nowMs - ageHours * HOUR_MS) / 1000;
    utimesSync(join(folder, name), seconds, seconds);
    return name;
  };
  const kept = [
    put(basename(temporaryPath(folder, 'compiling'))),
    put(`.compiling-${host}-${process.ppid}-${UUID}.tmp`),
    put(`.compiling-another-host-${dead}-${UUID}.tmp`, 23),
    put(`.compiling-${machine}.pid__1_-${dead}-${UUID}.tmp`, 23), // a container with the host's name
    put(`.compiling-${UUID}.tmp`, 23), // the old form, without host and process
    put(`.mine-${host}-${dead}-${UUID}.tmp`, 100),
    put(`compiling-${host}-${dead}-${UUID}.tmp`, 100),
    put('x.vdx', 100),
  ];
  for (const name of [
    ...['compiling', 'rejects', 'generating', 'mirroring', 'fetching'].map(
      (kind) => `.${kind}-${host}-${dead}-${UUID}.tmp`,
    ),
    `.compiling-another-host-${dead}-${UUID}.tmp`.replace(/ab\.tmp$/, 'ac.tmp'),
    `.compiling-${UUID}.tmp`.replace(/ab\.tmp$/, 'ac.tmp'),
  ]) {
    put(name, name.endsWith('ac.tmp') ? 25 : 0);
  }
  const nested = `.compiling-${host}-${dead}-${UUID}.tmp`.replace(/ab\.tmp$/, 'ad.tmp');
  mkdirSync(join(folder, nested)); // a folder with such a name is not a temporary file
  sweepTemporaryFiles(folder, nowMs);
  assert.deepEqual(readdirSync(folder).sort(), [...kept, nested].sort());
  assert.doesNotThrow(() => sweepTemporaryFiles(join(folder, 'nothing'), nowMs));
});
