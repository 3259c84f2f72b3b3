// `completion`: prints a script with which a shell completes the words of this program.

import { Argument, type Command } from 'commander';
import { startCommand } from './commands.ts';
import { completionPoints } from './completion/completion-points.ts';
import { completionScript, SHELLS, type Shell } from './completion/scripts.ts';
import { endHelp } from './help.ts';

/** Requires: the program has all its commands when the command runs. */
export function addCompletionCommand(program: Command): void {
  const command = startCommand(program, 'completion')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .action((shell: Shell, _options: object, command: Command) => {
      command.configureOutput().writeOut?.(completionScript(shell, completionPoints(program)));
    });
  endHelp(command, {
    examples: [
      'completion bash > ~/.local/share/bash-completion/completions/vulndex',
      'completion zsh > ~/.zfunc/_vulndex',
      'completion fish > ~/.config/fish/completions/vulndex.fish',
    ],
    statuses: { 0: 'printed', 1: 'failed' },
  });
}
