// The slow twins of the php and wordpress keys: one character per byte, the canonical form as a string, then
// part by part. PHP itself is a better oracle but not on every machine; php.test.ts checks this against its
// recorded answers.

import { spawnSync } from 'node:child_process';

export function normalise(version: string): string {
  const bytes = Buffer.from(version, 'utf8').toString('latin1');
  return bytes
    .replace(/^[ \t\n\v\r\0]+/, '')
    .replace(/[ \t\n\v\r\0]+$/, '')
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    .replace(/^v/, '');
}

export function canonical(version: string): string {
  if (version === '' || version.startsWith('#')) return version;
  let out = version[0];
  for (let i = 1; i < version.length; i++) {
    const before = version[i - 1];
    const here = version[i];
    const dot = out.endsWith('.') ? '' : '.';
    const wordToNumber = /[^0-9.]/.test(before) && /[0-9]/.test(here);
    const numberToWord = /[0-9]/.test(before) && /[^0-9.]/.test(here);
    if (/[-_+]/.test(here)) out += dot;
    else if (wordToNumber || numberToWord) out += dot + here;
    else if (/[a-z0-9]/.test(here)) out += here;
    else out += dot;
  }
  return out;
}

const FORMS: ReadonlyArray<readonly [string, number]> = [
  ['dev', 0],
  ['alpha', 1],
  ['a', 1],
  ['beta', 2],
  ['b', 2],
  ['rc', 3],
  ['pl', 6],
  ['p', 6],
];

/** Order of one part and, for numbers, its value. */
function rank(parts: readonly string[], i: number): readonly [number, bigint] {
  if (i >= parts.length) return [4, 0n];
  const part = parts[i];
  if (part === '' && i === parts.length - 1) return [-2, 0n];
  const digits = /^[0-9]+/.exec(part);
  if (digits !== null) {
    const value = BigInt(digits[0]);
    const most = 2n ** 63n - 1n;
    return [5, value < most ? value : most];
  }
  if (part.startsWith('#')) return [5, 0n];
  return [FORMS.find(([form]) => part.startsWith(form))?.[1] ?? -1, 0n];
}

/** Sign of a compared with b under the scheme `php`. */
export const comparePhp = (a: string, b: string): number => versionCompare(normalise(a), normalise(b));

/** PHP's version_compare, of texts in lower case. */
export function versionCompare(a: string, b: string): number {
  const left = canonical(a).split('.');
  const right = canonical(b).split('.');
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const [leftRank, leftValue] = rank(left, i);
    const [rightRank, rightValue] = rank(right, i);
    if (leftRank !== rightRank) return leftRank < rightRank ? -1 : 1;
    if (leftValue !== rightValue) return leftValue < rightValue ? -1 : 1;
    if (leftRank === -2) break;
  }
  return 0;
}

/** The parts that the scheme `wordpress` compares, as words and runs of digits. */
function wordpressParts(version: string): string[] {
  return normalise(version)
    .replace(/([a-z])(?=[0-9])|([0-9])(?=[a-z])/g, '$&.')
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== '');
}

/** Both versions padded with `0` to the length of the longer one: the scheme `wordpress` as specified. */
export function padded(a: string, b: string): readonly [string, string] {
  const left = wordpressParts(a);
  const right = wordpressParts(b);
  const length = Math.max(left.length, right.length, 1);
  const fill = (parts: readonly string[]): string =>
    Array.from({ length }, (_, i) => parts[i] ?? '0').join('.');
  return [fill(left), fill(right)];
}

/** Sign of a compared with b under the scheme `wordpress`. */
export const compareWordpress = (a: string, b: string): number => versionCompare(...padded(a, b));

/** Options for a test that runs PHP itself. */
export const phpOptions: { readonly skip: string | false } = {
  skip: spawnSync('php', ['-v']).status === 0 ? false : 'php is not installed',
};

const ASK_PHP = `
while (($line = fgets(STDIN)) !== false) {
  [$a, $b] = array_map('base64_decode', explode(' ', rtrim($line)));
  echo version_compare($a, $b), "\\n";
}`;

/** What PHP's version_compare returns for each pair. */
export function askPhp(pairs: readonly (readonly [string, string])[]): number[] {
  const input = pairs
    .map((pair) => pair.map((text) => Buffer.from(text).toString('base64')).join(' '))
    .join('\n');
  const { stdout, stderr, status } = spawnSync('php', ['-n', '-r', ASK_PHP], {
    input: `${input}\n`,
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  });
  if (status !== 0) throw new Error(`php failed: ${stderr}`);
  return stdout.trimEnd().split('\n').map(Number);
}
