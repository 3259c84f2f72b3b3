// Gemfile.lock: sections by where gems come from, each with its specifications, two spaces a level:
//
//   GEM
//     remote: https://rubygems.org/
//     specs:
//       rack (2.2.3)                 a gem; below it what it needs, two spaces further in
//         other (>= 1.0)
//   DEPENDENCIES
//     rack (~> 2.2)                  what the project itself declares, `!` behind those not of a GEM section

import { type Inventory, InventoryBuilder } from '../inventory.ts';
import { refuseRegistry } from './registries.ts';

const HEADING = /^[A-Z][A-Z ]*$/;
const REMOTE = /^ {2}remote: (.*)$/;
const SPECIFICATION = /^ {4}(\S+) \(([^()]*)\)$/;
const DEPENDENCY = /^ {2}([^\s!]+)/;
const FOREIGN: Readonly<Record<string, string>> = {
  GIT: 'a git repository',
  PATH: 'a local file or folder',
  'PLUGIN SOURCE': 'a package of an unknown registry',
};

export function looksLikeGemfileLock(head: string): boolean {
  return /^(?:GEM|GIT|PATH)\r?\n {2}(?:remote: |specs:)/m.test(head);
}

export function readGemfileLock(text: string): Inventory {
  const builder = new InventoryBuilder();
  const lines = text.split(/\r?\n/);
  const declared = declaredIn(lines);
  let section = '';
  let reason: string | undefined;
  for (const line of lines) {
    if (HEADING.test(line)) {
      section = line;
      reason = FOREIGN[section];
    } else if (section === 'GEM' && REMOTE.test(line)) {
      // Of several remotes, nothing says which a gem is from.
      reason ??= refuseRegistry('gem', REMOTE.exec(line)?.[1] ?? '');
    } else if (section === 'GEM' || Object.hasOwn(FOREIGN, section)) {
      const [, name, number] = SPECIFICATION.exec(line) ?? [];
      if (name === undefined) continue;
      if (reason !== undefined) builder.leaveOut(reason, name);
      // What follows a dash is the platform that the gem was built for.
      else builder.add({ type: 'gem', name, version: number.split('-', 1)[0], direct: declared.has(name) });
    }
  }
  return builder.inventory('Gemfile.lock');
}

function declaredIn(lines: readonly string[]): ReadonlySet<string> {
  const names = new Set<string>();
  let isDependencies = false;
  for (const line of lines) {
    if (HEADING.test(line)) isDependencies = line === 'DEPENDENCIES';
    const name = isDependencies ? DEPENDENCY.exec(line)?.[1] : undefined;
    if (name !== undefined) names.add(name);
  }
  return names;
}
