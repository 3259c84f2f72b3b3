// `verify`: whether a server would load the file, and whether its contents are consistent. Prints one line,
// or JSON.

import type { Command } from 'commander';
import { withdrawnCount } from '../index/lookup/id-list.ts';
import { SnapshotError } from '../loader/errors.ts';
import type { LoadedSnapshot } from '../loader/snapshot/load.ts';
import { type VerifyProgress, verifySnapshot } from '../loader/snapshot/verify-deep.ts';
import { startCommand } from './commands.ts';
import { withdrawnNote } from './figures.ts';
import { endHelp } from './help.ts';
import { type Progress, showProgress } from './progress.ts';
import { formatCount, formatTime, readOrExplain } from './snapshot-report.ts';
import { snapshotNamed } from './snapshots-in.ts';
import { addQuietOption, type Verbosity } from './verbosity.ts';

type VerifyOptions = Verbosity & { readonly json: boolean };

export function addVerifyCommand(program: Command): void {
  const command = startCommand(program, 'verify');
  addQuietOption(command, 'print nothing if the snapshot is sound, and no progress')
    .argument('<snapshot>', 'the snapshot, or a folder: its newest one; - for standard input')
    .option('--json', 'print one JSON object: `sound`, and either the facts or the fault', false)
    .action(async (name: string, { json, quiet }: VerifyOptions, command: Command) => {
      const file = snapshotNamed(name, (line) => command.configureOutput().writeErr?.(`${line}\n`));
      const print = (text: string): void => command.configureOutput().writeOut?.(`${text}\n`);
      const startMs = performance.now();
      try {
        const loaded = await verifyShowing(file);
        const tookMs = Math.round(performance.now() - startMs);
        if (json) print(JSON.stringify(describe(file, loaded, tookMs)));
        else if (quiet !== true) print(sentence(file, loaded, tookMs));
      } catch (error) {
        const { cause } = error as Error;
        if (json && cause instanceof SnapshotError) print(JSON.stringify(describeFault(file, cause)));
        throw error;
      }
    });
  endHelp(command, {
    examples: [
      'verify snapshots/demo.vdx',
      'verify --quiet new.vdx && mv new.vdx /var/lib/vulndex/snapshots/',
    ],
    statuses: { 0: 'the snapshot is sound', 1: 'it is not, or cannot be read; one line says what is wrong' },
  });
}

async function verifyShowing(file: string): Promise<LoadedSnapshot> {
  let progress: Progress | undefined;
  const onProgress: VerifyProgress = (_, total) => {
    progress ??= showProgress({ label: 'verifying', unit: 'checks', total });
    progress.advance(1);
  };
  try {
    return await readOrExplain(file, (path) => verifySnapshot(path, onProgress));
  } finally {
    progress?.end();
  }
}

function describe(file: string, { generation, fileBytes, format }: LoadedSnapshot, tookMs: number): object {
  return {
    file,
    sound: true,
    id: generation.id,
    format,
    built_at: formatTime(generation.parts.builtAtMs),
    advisories: generation.advisoryCount,
    withdrawn: withdrawnOf(generation),
    total_bytes: fileBytes,
    took_ms: tookMs,
  };
}

function describeFault(
  file: string,
  { message, code, section, offset, expected, got }: SnapshotError,
): object {
  return { file, sound: false, message, code, section, offset, expected, got };
}

function sentence(file: string, { generation, fileBytes, format }: LoadedSnapshot, tookMs: number): string {
  const facts = [
    `id ${generation.id}`,
    `format ${format}`,
    `built ${formatTime(generation.parts.builtAtMs)}`,
    `${formatCount(generation.advisoryCount)} advisories${withdrawnNote(withdrawnOf(generation))}`,
    `${formatCount(fileBytes)} bytes`,
    `${(tookMs / 1000).toFixed(1)} s`,
  ];
  return `ok: ${file} (${facts.join(', ')})`;
}

function withdrawnOf({ parts }: LoadedSnapshot['generation']): number {
  return withdrawnCount(parts.columns);
}
