// gradle.lockfile: `group:artifact:version=configuration,configuration`, and the configurations without any.

import { type Inventory, InventoryBuilder } from '../../inventory.ts';
import { placeAt, Refusal } from '../../refusal.ts';

const LINE = /^([^\s:=]+:[^\s:=]+):([^\s:=]+)(?:=(\S*))?$/;

export function looksLikeGradleLockfile(head: string): boolean {
  return /^# This is a Gradle generated file/m.test(head) || /^[\w.-]+:[\w.-]+:[\w.+-]+=\w/m.test(head);
}

export function readGradleLockfile(text: string): Inventory {
  const builder = new InventoryBuilder();
  let start = 0;
  for (const line of text.split('\n')) {
    const trimmed = line.trim();
    if (trimmed !== '' && !trimmed.startsWith('#') && !trimmed.startsWith('empty=')) {
      const [, name, version, configurations] = LINE.exec(trimmed) ?? [];
      if (name === undefined) {
        throw new Refusal(
          `This looks like a gradle.lockfile, but ${placeAt(text, start)} is not group:artifact:version.`,
        );
      }
      builder.add({ type: 'maven', name, version, ...(configurations ? { place: configurations } : {}) });
    }
    start += line.length + 1;
  }
  return builder.inventory('gradle.lockfile');
}
