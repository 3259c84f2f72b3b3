// `snapshots accept-shrink`, `rollback`, `end-rollback`: an operator's orders to a running server about the
// files in its folder. Each writes or removes a marker file next to the snapshots, which the server watches.

import { basename, dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { findBuiltAhead } from '../loader/live/guards.ts';
import { ACCEPT_SUFFIX, ROLL_BACK_FILE, writeMarker } from '../loader/live/markers.ts';
import { endRollBack, orderComplaint, orderRollBack } from '../loader/live/orders.ts';
import type { SnapshotAge } from '../loader/live/snapshot-age.ts';
import { isSnapshotName } from '../loader/live/snapshot-folder.ts';
import { readSnapshotHeader } from '../loader/snapshot/reader.ts';
import { CommandError } from './command-error.ts';
import { startCommand } from './commands.ts';
import { endHelp } from './help.ts';
import { setting } from './options.ts';
import { formatTime, readOrExplain } from './snapshot-report.ts';
import { isFolder, snapshotsIn } from './snapshots-in.ts';

const MOST_NAMED = 4;

export function addSnapshotsCommand(program: Command): void {
  const snapshots = startCommand(program, 'snapshots');

  const acceptShrink = snapshots
    .command('accept-shrink')
    .description('let a server load this snapshot although --max-shrink refused it')
    .argument('<file>', 'the snapshot, in the folder being served')
    .action(async (file: string, _options: object, command: Command) => {
      const age = await ageOf(file);
      explaining(file + ACCEPT_SUFFIX, () => writeMarker(file + ACCEPT_SUFFIX, `${age.id}\n`));
      print(command, `accepted ${describe(file, age)}: a running server loads it within seconds`);
    });

  const rollBack = snapshots
    .command('rollback')
    .description('serve this older snapshot until one arrives that is newer than all those in its folder now')
    .argument('<file>', 'the snapshot, in the folder being served')
    .action(async (file: string, _options: object, command: Command) => {
      const age = await ageOf(file);
      const folder = dirname(resolve(file));
      const marker = join(folder, ROLL_BACK_FILE);
      const { newerThan } = explaining(marker, () => orderRollBack(folder, basename(file), age, Date.now()));
      print(command, `rolled back to ${describe(file, age)}: a running server loads it within seconds`);
      print(
        command,
        `this lasts until a snapshot newer than ${describeAge(newerThan)} arrives, or until you run:`,
      );
      print(command, `  vulndex snapshots end-rollback --snapshots ${folder}`);
    });

  const endRollBackCommand = snapshots
    .command('end-rollback')
    .description('serve the newest snapshot again')
    .addOption(
      setting('--snapshots <dir>', 'folder to serve the newest snapshot from', { default: 'snapshots' }),
    )
    .action(({ snapshots: folder }: { readonly snapshots: string }, command: Command) => {
      const marker = join(folder, ROLL_BACK_FILE);
      explaining(marker, () => endRollBack(folder));
      print(command, `removed ${marker}: a running server loads the newest snapshot within seconds`);
    });

  const examples = {
    acceptShrink: 'snapshots accept-shrink /var/lib/vulndex/snapshots/2026-04-21.vdx',
    rollBack: 'snapshots rollback /var/lib/vulndex/snapshots/2026-04-20.vdx',
    endRollBack: 'snapshots end-rollback --snapshots /var/lib/vulndex/snapshots',
  };
  const statuses = { 0: 'ordered', 1: 'nothing was ordered: not a snapshot, no permission to write' };
  endHelp(acceptShrink, { examples: [examples.acceptShrink], statuses });
  endHelp(rollBack, { examples: [examples.rollBack], statuses });
  endHelp(endRollBackCommand, { examples: [examples.endRollBack], statuses });
  endHelp(snapshots, { examples: Object.values(examples), statuses });
}

/** Throws CommandError for a file that a server would ignore. */
async function ageOf(file: string): Promise<SnapshotAge> {
  const name = basename(file);
  if (!isSnapshotName(name)) {
    const names = isFolder(file) ? snapshotsIn(file, Date.now()).usable.map(({ path }) => path) : [];
    const advice =
      names.length > 0
        ? `a folder; name one of its snapshots, newest first: ${names.slice(0, MOST_NAMED).join(', ')}`
        : 'a server only looks at names that end in .vdx and do not start with a dot';
    throw new CommandError(`${file}: ${advice}`);
  }
  const { header, id } = await readOrExplain(file, readSnapshotHeader);
  const ahead = findBuiltAhead(header.builtAtMs, Date.now());
  if (ahead !== undefined) throw new CommandError(`${file}: ${ahead.message}`);
  return { builtAtMs: header.builtAtMs, id };
}

function explaining<Result>(marker: string, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    const complaint = orderComplaint(error);
    if (complaint === undefined) throw error;
    throw new CommandError(`${marker}: ${complaint}`);
  }
}

function describe(file: string, age: SnapshotAge): string {
  return `${file} (${describeAge(age)})`;
}

function describeAge({ id, builtAtMs }: SnapshotAge): string {
  return `id ${id}, built ${formatTime(builtAtMs)}`;
}

function print(command: Command, line: string): void {
  command.configureOutput().writeOut?.(`${line}\n`);
}
