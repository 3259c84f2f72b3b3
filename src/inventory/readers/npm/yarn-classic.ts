// yarn.lock of yarn 1: its own notation, read line by line.
//   "alias@npm:name@^1.0.0", name@^1.1.0:
//     version "1.1.3"
//     resolved "https://…"

import { type Inventory, InventoryBuilder } from '../../inventory.ts';
import { placeAt, Refusal } from '../../refusal.ts';
import { refuseOrigin, splitAt } from './origin.ts';

export function readYarnClassic(text: string): Inventory {
  const builder = new InventoryBuilder();
  let block: { readonly patterns: string; version: string; resolved: string } | undefined;
  const close = (): void => {
    if (block !== undefined) addBlock(block.patterns, block.version, block.resolved, builder);
  };
  for (let start = 0; start < text.length; ) {
    let end = text.indexOf('\n', start);
    if (end < 0) end = text.length;
    const line = text.slice(start, end).trimEnd();
    if (line !== '' && !line.startsWith('#')) {
      if (!/^\s/.test(line)) {
        if (!line.endsWith(':')) {
          throw new Refusal(
            `This looks like a yarn.lock, but ${placeAt(text, start)} is neither a package nor a property.`,
          );
        }
        close();
        block = { patterns: line.slice(0, -1), version: '', resolved: '' };
      } else if (block !== undefined) {
        const property = /^ {2}"?(version|resolved)"? "?([^"]*)"?$/.exec(line);
        if (property?.[1] === 'version') block.version = property[2];
        else if (property) block.resolved = property[2];
      }
    }
    start = end + 1;
  }
  close();
  return builder.inventory('yarn.lock of yarn 1', 'yarn-classic');
}

function addBlock(patterns: string, version: string, resolved: string, builder: InventoryBuilder): void {
  const names = new Set<string>();
  for (const pattern of patterns.split(/,\s*/)) {
    const text = pattern.replace(/^"|"$/g, '');
    const pair = splitAt(text);
    const alias = pair?.rest.startsWith('npm:') ? splitAt(pair.rest.slice(4)) : undefined;
    const name = alias?.name ?? pair?.name ?? text;
    const reason = refuseOrigin(resolved) ?? (resolved === '' ? refuseOrigin(pair?.rest ?? '') : undefined);
    if (reason !== undefined) {
      builder.leaveOut(reason, name);
      return; // one entry, however many ranges it satisfies
    }
    names.add(name);
  }
  for (const name of names) builder.add({ type: 'npm', name, version });
}
