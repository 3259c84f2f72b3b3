// The standard tool for signatures, if it is installed, and what it once made.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export function minisignFixture(name: string): string {
  return readFileSync(fileURLToPath(new URL(`../fixtures/minisign/${name}`, import.meta.url)), 'utf8');
}

/** For the option `skip` of a test. */
export function whyNoMinisign(): string | false {
  return spawnSync('minisign', ['-v']).error === undefined ? false : 'minisign is not installed';
}

/** What it prints. Throws if it fails. */
export function minisign(folder: string, ...options: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('minisign', options, {
    cwd: folder,
    encoding: 'utf8',
    input: '',
  });
  if (status !== 0) throw new Error(`minisign ${options.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}
