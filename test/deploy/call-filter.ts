// Programs under a system call filter: what a unit's SystemCallFilter= allows, and the command that applies
// such a filter. Tests on a machine without systemd's tools, Python or libseccomp say so and skip.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const LAUNCHER = fileURLToPath(new URL('./seccomp-launch.py', import.meta.url));

/** The prefix that runs a command under the filter. */
export function underFilter(mode: 'allow' | 'deny', calls: Iterable<string>): readonly string[] {
  return ['python3', LAUNCHER, mode, [...calls].join(',')];
}

/** Why no filter can be applied here; undefined if one can. */
export function whyNoFilter(): string | undefined {
  const [command, ...words] = [...underFilter('deny', ['reboot']), 'true'];
  const { error, status, stderr } = spawnSync(command, words, { encoding: 'utf8' });
  if (error !== undefined) return 'python3 is not installed';
  return status === 0 ? undefined : stderr.trim();
}

/** The calls of a group such as `@resources`, including nested groups; undefined without systemd's tools. */
export function callsOf(group: string): ReadonlySet<string> | undefined {
  const { error, status, stdout } = spawnSync('systemd-analyze', ['syscall-filter', group], {
    encoding: 'utf8',
  });
  if (error !== undefined || status !== 0) return undefined;
  const calls = new Set<string>();
  for (const line of stdout.split('\n').slice(1)) {
    const word = line.trim();
    if (word === '' || word.startsWith('#')) continue;
    if (!word.startsWith('@')) calls.add(word);
    else for (const call of callsOf(word) ?? []) calls.add(call);
  }
  return calls;
}

/**
 * What the values of a unit's SystemCallFilter= lines allow, as systemd interprets them: the first line
 * starts the list of allowed calls, `~` removes from it, later lines add. Undefined without systemd's tools.
 */
export function allowedCalls(values: readonly string[]): ReadonlySet<string> | undefined {
  const allowed = new Set(callsOf('@default')); // systemd adds it to every list
  for (const value of values) {
    const takesAway = value.startsWith('~');
    for (const word of value.replace(/^~/, '').split(/\s+/)) {
      const calls = word.startsWith('@') ? callsOf(word) : [word];
      if (calls === undefined) return undefined;
      for (const call of calls) {
        if (takesAway) allowed.delete(call);
        else allowed.add(call);
      }
    }
  }
  return allowed;
}
