// go.sum: a hash of each module that was downloaded, and of each go.mod that was read. Only the first are
// code that a build may contain: `example.com/a v1.2.3 h1:…`, not `example.com/a v1.2.3/go.mod h1:…`.

import { type Inventory, InventoryBuilder } from '../../inventory.ts';
import { placeAt, Refusal } from '../../refusal.ts';
import { GO_VERSION_UNKNOWN } from './go-version.ts';

const LINE = /^(\S+) (v[^\s/]+)(\/go\.mod)? h1:[\w+/=]+$/;

export function looksLikeGoSum(head: string): boolean {
  return /^\S+ v\d[^\s/]*(?:\/go\.mod)? h1:/m.test(head);
}

export function readGoSum(text: string): Inventory {
  const builder = new InventoryBuilder();
  let start = 0;
  for (const line of text.split('\n')) {
    const trimmed = line.trim();
    const match = LINE.exec(trimmed);
    if (match === null && trimmed !== '') {
      throw new Refusal(
        `This looks like a go.sum, but ${placeAt(text, start)} is not a module, a version and a hash: it was probably not copied completely.`,
      );
    }
    if (match !== null && match[3] === undefined)
      builder.add({ type: 'golang', name: match[1], version: match[2] });
    start += line.length + 1;
  }
  builder.remark('A go.sum may list versions that the build no longer uses: `go mod tidy` removes them.');
  builder.remark(GO_VERSION_UNKNOWN);
  return builder.inventory('go.sum');
}
