// go.mod: the modules that a build may need, in the versions that the main module asks for.
// Its grammar: https://go.dev/ref/mod#go-mod-file
//
//   require example.com/a v1.2.3 // indirect
//   replace example.com/a v1.2.3 => ../a
//   replace example.com/b => example.com/fork v1.0.0

import { type Inventory, InventoryBuilder } from '../../inventory.ts';
import { placeAt, Refusal } from '../../refusal.ts';
import { GO_VERSION_UNKNOWN, goVersion } from './go-version.ts';

interface Line {
  readonly verb: string;
  readonly words: readonly string[];
  readonly isIndirect: boolean;
}

/** From this one on, go.mod lists what dependencies need too. */
const FIRST_WHOLE = 17;

export function looksLikeGoMod(head: string): boolean {
  return /^module[ \t]+\S/m.test(head) && /^(?:go|require|replace|toolchain)[ \t(]/m.test(head);
}

export function readGoMod(text: string): Inventory {
  const builder = new InventoryBuilder();
  const lines = [...linesOf(text)];
  const replaced = replacementsIn(lines);
  for (const { verb, words, isIndirect } of lines) {
    if (verb !== 'require') continue;
    const [path = '', version = ''] = words;
    const replacement = replaced.get(`${path}@${version}`) ?? replaced.get(path);
    const [name, used] = replacement ?? [path, version];
    if (used === '') builder.leaveOut('a local file or folder', path);
    else builder.add({ type: 'golang', name, version: used, direct: !isIndirect });
  }
  const language = wordAfter(lines, 'go') ?? '1.16';
  if (Number(/^1\.(\d+)/.exec(language)?.[1] ?? 0) < FIRST_WHOLE) {
    builder.remark(
      'A go.mod for Go before 1.17 lists only what the module itself needs: use the go.sum beside it.',
    );
  }
  const own = goVersion(wordAfter(lines, 'toolchain') ?? '') ?? goVersion(language);
  if (own === undefined) builder.remark(GO_VERSION_UNKNOWN);
  else
    builder.add({ type: 'golang', name: 'stdlib', version: own, place: 'the version of Go', direct: true });
  return builder.inventory('go.mod');
}

function* linesOf(text: string): Iterable<Line> {
  let block = '';
  for (let start = 0; start < text.length; ) {
    let end = text.indexOf('\n', start);
    if (end < 0) end = text.length;
    const [code, comment = ''] = split(text.slice(start, end), '//');
    const words = code
      .match(/"[^"]*"|`[^`]*`|[^\s"`]+/g)
      ?.map((word) => word.replace(/^["`](.*)["`]$/s, '$1'));
    if (words !== undefined) {
      const isIndirect = /^\s*indirect\b/.test(comment);
      if (block !== '' && words[0] === ')') block = '';
      else if (block !== '') yield { verb: block, words, isIndirect };
      else if (words[1] === '(') block = words[0];
      else yield { verb: words[0], words: words.slice(1), isIndirect };
    }
    start = end + 1;
  }
  if (block !== '') {
    throw new Refusal(
      `This go.mod ends too early, at ${placeAt(text, text.length)}: its block "${block}" is not closed. It was probably not copied completely.`,
    );
  }
}

function split(text: string, separator: string): readonly [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}

/** By `path` or `path@version`: the module that is used instead; without a version, it is a folder. */
function replacementsIn(lines: readonly Line[]): ReadonlyMap<string, readonly [string, string]> {
  const replaced = new Map<string, readonly [string, string]>();
  for (const { verb, words } of lines) {
    const arrow = words.indexOf('=>');
    if (verb !== 'replace' || arrow < 1) continue;
    const [path, version] = words.slice(0, arrow);
    const [name = '', used = ''] = words.slice(arrow + 1);
    replaced.set(version === undefined ? path : `${path}@${version}`, [name, used]);
  }
  return replaced;
}

function wordAfter(lines: readonly Line[], wanted: string): string | undefined {
  return lines.find(({ verb }) => verb === wanted)?.words[0];
}
