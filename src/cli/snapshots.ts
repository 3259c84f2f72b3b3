// `snapshots accept-shrink`, `rollback`, `end-rollback`: what an operator may order a running server to do with the
// files in its folder. Each writes or removes a marker beside the snapshots, which the server follows.

import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { SnapshotError } from '../loader/errors.ts';
import { findBuiltAhead } from '../loader/guards.ts';
import { ACCEPT_SUFFIX, formatRollBack, ROLL_BACK_FILE, writeMarker } from '../loader/markers.ts';
import { readSnapshotHeader } from '../loader/reader.ts';
import { compareAge, type SnapshotAge } from '../loader/snapshot-age.ts';
import { isSnapshotName } from '../loader/snapshot-folder.ts';
import { CommandError } from './command-error.ts';
import { formatTime, readOrExplain } from './snapshot-report.ts';

export function addSnapshotsCommand(program: Command): void {
  const snapshots = program
    .command('snapshots')
    .description('tell a running server what to do with the snapshots in its folder');

  snapshots
    .command('accept-shrink')
    .description('let a server take this snapshot although --max-shrink refused it')
    .argument('<file>', 'the snapshot, in the folder that is served')
    .action(async (file: string, _options: object, command: Command) => {
      const age = await ageOf(file);
      explaining(file + ACCEPT_SUFFIX, () => writeMarker(file + ACCEPT_SUFFIX, `${age.id}\n`));
      print(command, `accepted ${describe(file, age)}: a running server takes it within seconds`);
    });

  snapshots
    .command('rollback')
    .description('serve this older snapshot until one newer than all that are in its folder now arrives')
    .argument('<file>', 'the snapshot, in the folder that is served')
    .action(async (file: string, _options: object, command: Command) => {
      const age = await ageOf(file);
      const folder = dirname(resolve(file));
      const newerThan = newestOf(folder, age);
      const order = { file: basename(file), id: age.id, newerThan, orderedAtMs: Date.now() };
      const marker = join(folder, ROLL_BACK_FILE);
      explaining(marker, () => writeMarker(marker, formatRollBack(order)));
      print(command, `rolled back to ${describe(file, age)}: a running server takes it within seconds`);
      print(command, `it holds until a snapshot newer than ${describeAge(newerThan)} arrives, or until:`);
      print(command, `  vulndex snapshots end-rollback --snapshots ${folder}`);
    });

  snapshots
    .command('end-rollback')
    .description('serve the newest snapshot again')
    .addOption(
      new Option('--snapshots <dir>', 'folder whose newest snapshot is served')
        .env('VULNDEX_SNAPSHOTS')
        .default('snapshots'),
    )
    .action(({ snapshots: folder }: { readonly snapshots: string }, command: Command) => {
      const marker = join(folder, ROLL_BACK_FILE);
      explaining(marker, () => rmSync(marker));
      print(command, `removed ${marker}: a running server takes the newest snapshot within seconds`);
    });
}

/** Throws CommandError for what a server would not look at. */
async function ageOf(file: string): Promise<SnapshotAge> {
  const name = basename(file);
  if (!isSnapshotName(name)) {
    throw new CommandError(`${file}: a server looks at names that end in .vdx and do not begin with a dot`);
  }
  const { header, id } = await readOrExplain(file, readSnapshotHeader);
  const ahead = findBuiltAhead(header.builtAtMs, Date.now());
  if (ahead !== undefined) throw new CommandError(`${file}: ${ahead.message}`);
  return { builtAtMs: header.builtAtMs, id };
}

/** The newest that a server may have in force: what is damaged or ahead of the clock is not. */
function newestOf(folder: string, first: SnapshotAge): SnapshotAge {
  let newest = first;
  for (const name of readdirSync(folder).filter(isSnapshotName)) {
    try {
      const { header, id } = readSnapshotHeader(join(folder, name));
      const age = { builtAtMs: header.builtAtMs, id };
      const isAhead = findBuiltAhead(age.builtAtMs, Date.now()) !== undefined;
      if (!isAhead && compareAge(age, newest) > 0) newest = age;
    } catch (error) {
      if (!(error instanceof SnapshotError)) throw error;
    }
  }
  return newest;
}

function explaining(marker: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === undefined || syscall === undefined) throw error;
    if (code === 'ENOENT' && syscall !== 'open') {
      throw new CommandError(`${marker}: there is no such file, so nothing is rolled back`);
    }
    throw new CommandError(
      `${marker}: cannot be changed (${syscall}: ${code}); it takes write access to the folder`,
    );
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
