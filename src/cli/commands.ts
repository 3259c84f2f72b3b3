// The commands by name, with the line that each has in the program's help: that help needs nothing else of
// them, and importing all of them takes half a second.

import type { Command } from 'commander';

const SERVE = 'Answer requests:';
const MAKE = 'Make snapshots:';
const LOOK = 'Look into snapshots:';
const MANAGE = 'Manage a server:';
const SHELL = 'Shell:';

/** In the order of the help. */
const COMMANDS = {
  serve: [SERVE, 'answer requests from the newest snapshot'],
  demo: [SERVE, 'serve invented advisories to try things out'],
  compile: [MAKE, 'compile sources into a snapshot'],
  refresh: [MAKE, 'fetch the sources of a configuration file, and publish a new snapshot if anything is new'],
  import: [MAKE, 'write the records of sources as one feed, which `compile --feed` reads'],
  generate: [MAKE, 'write a synthetic feed with real-world proportions'],
  lookup: [LOOK, 'show which advisories in a snapshot apply to a version of a product'],
  inspect: [LOOK, "show a snapshot's header, counts and sizes"],
  verify: [
    LOOK,
    'check a snapshot: everything a server checks before serving it, and that its index matches its records',
  ],
  diff: [
    LOOK,
    'show which advisories were added, changed, withdrawn, restored or removed between two snapshots',
  ],
  publish: [MANAGE, 'put a snapshot where the replicas of a fleet find it'],
  keys: [MANAGE, 'add, list and revoke the API keys in a keys file'],
  snapshots: [MANAGE, 'control which snapshot in its folder a running server uses'],
  completion: [SHELL, 'print a script with which bash, zsh or fish completes commands and options'],
} as const;

export type CommandName = keyof typeof COMMANDS;

export const COMMAND_NAMES = Object.keys(COMMANDS) as readonly CommandName[]; // a literal's own names

/** The command, with its name and description alone. */
export function startCommand(program: Command, name: CommandName): Command {
  const [group, description] = COMMANDS[name];
  return program.command(name).description(description).helpGroup(group);
}
