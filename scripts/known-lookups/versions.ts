// The version order according to the tools that define it: PHP for WordPress, node-semver for npm. No server
// code is involved.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import semver from 'semver';

export type Scheme = 'wordpress' | 'php' | 'decimal' | 'semver';
export type Pair = readonly [scheme: Scheme, a: string, b: string];

const SCRIPT = fileURLToPath(new URL('compare.php', import.meta.url));
const MAX_BYTES = 256;
const MAX_OUTPUT_BYTES = 1 << 28;

export function hasPhp(): boolean {
  return spawnSync('php', ['-v']).status === 0;
}

/** What node-semver accepts in loose mode, plus the short forms `1` and `1.2`. */
function parse(version: string): semver.SemVer | null {
  const core = /^\s*[=v]?\s*(\d+(?:\.\d+)?)\s*$/.exec(version)?.[1];
  const full = core === undefined ? version : core + '.0'.repeat(3 - core.split('.').length);
  return semver.parse(full, { loose: true });
}

/**
 * Judged by the type alone: for npm what node-semver accepts, for WordPress any text with a letter or a
 * digit.
 */
export function isVersion(type: string, version: string): boolean {
  if (Buffer.byteLength(version) > MAX_BYTES) return false;
  return type === 'npm' ? parse(version) !== null : /[\p{L}\p{N}]/u.test(version);
}

/** Compares all pairs up front, so that PHP is started once. */
export class Order {
  readonly #signs = new Map<string, number>();

  constructor(pairs: Iterable<Pair>) {
    const php: Pair[] = [];
    for (const pair of pairs) {
      const [scheme, a, b] = pair;
      if (scheme === 'semver') this.#signs.set(keyOf(pair), semver.compare(parse(a)!, parse(b)!));
      else php.push(pair);
    }
    if (php.length === 0) return;
    const { status, stdout, stderr, error } = spawnSync('php', [SCRIPT], {
      input: JSON.stringify(php),
      encoding: 'utf8',
      maxBuffer: MAX_OUTPUT_BYTES,
    });
    if (status !== 0) throw new Error(`php failed: ${error?.message ?? stderr}`);
    const signs = JSON.parse(stdout) as number[]; // compare.php writes nothing else
    php.forEach((pair, i) => {
      this.#signs.set(keyOf(pair), signs[i]);
    });
  }

  /** Sign of a compared with b. Throws for a pair that was not passed to the constructor. */
  compare(...pair: Pair): number {
    const sign = this.#signs.get(keyOf(pair));
    if (sign === undefined) throw new Error(`not compared: ${pair.join(', ')}`);
    return sign;
  }
}

function keyOf(pair: Pair): string {
  return JSON.stringify(pair);
}
