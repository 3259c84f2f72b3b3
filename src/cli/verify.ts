// `verify`: whether a server would load the file, and whether what it holds adds up. One line either way.

import type { Command } from 'commander';
import { verifySnapshot } from '../loader/verify-deep.ts';
import { formatCount, formatTime, readOrExplain } from './snapshot-report.ts';

export function addVerifyCommand(program: Command): void {
  program
    .command('verify')
    .description(
      'check a snapshot: all that a server checks before it serves it, and whether its index follows from its records',
    )
    .argument('<file>', 'the snapshot')
    .addHelpText('after', '\nExit status: 0 when the file is sound, 1 with one line that says what is not.')
    .action((file: string, _options: object, command: Command) => {
      const startMs = performance.now();
      const { generation, fileBytes, format } = readOrExplain(file, verifySnapshot);
      const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
      const facts = [
        `id ${generation.id}`,
        `format ${format}`,
        `built ${formatTime(generation.parts.builtAtMs)}`,
        `${formatCount(generation.advisoryCount)} advisories`,
        `${formatCount(fileBytes)} bytes`,
        `${seconds} s`,
      ];
      command.configureOutput().writeOut?.(`ok: ${file} (${facts.join(', ')})\n`);
    });
}
