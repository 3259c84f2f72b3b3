// The program: parses the command line, runs one command, and turns a failure into one line that starts with
// the program's name, and an exit status. Importing it runs it, which cli.ts does.

import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { CommandError, EXIT_USAGE, UsageError } from './cli/command-error.ts';
import { COMMAND_NAMES, type CommandName, startCommand } from './cli/commands.ts';
import { endHelp } from './cli/help.ts';
import type { ServeOptions } from './cli/serve.ts';
import { endWithReader } from './cli/standard-streams.ts';
import type { RunOptions } from './serve/run.ts';

const PREFIX = 'vulndex: ';
const SERVING: readonly string[] = ['serve', 'demo'];

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

const program = new Command('vulndex')
  .description('Answers "is this version vulnerable?" from memory.')
  .version(version, '-V, --version', 'print the version')
  .showSuggestionAfterError()
  .configureHelp({ showGlobalOptions: true })
  .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, PREFIX)) })
  .exitOverride()
  .hook('preAction', (_, command) => {
    // A server keeps running when its log reader is gone; any other command stops with its reader.
    if (!SERVING.includes(command.name())) endWithReader(process.stdout);
  });

// Help comes without an action, so without the hook above.
program.addHelpText('beforeAll', () => {
  endWithReader(process.stdout);
  return '';
});
endHelp(program, {
  notes: ['`vulndex COMMAND --help` has the options, examples and exit statuses of a command.'],
  examples: [
    'compile --osv all.zip --out snapshots/',
    'serve --snapshots snapshots',
    'lookup snapshots/demo.vdx npm lodash 4.17.20',
  ],
  statuses: {
    0: 'done',
    1: 'failed',
    '3-8': 'outcomes of `lookup`, `diff`, `refresh` and `publish`: see their help',
  },
});

/** Each imports what it needs when it is named. */
const ADD: Readonly<Record<CommandName, () => Promise<void>>> = {
  async completion() {
    (await import('./cli/completion.ts')).addCompletionCommand(program);
  },
  async compile() {
    (await import('./cli/compile.ts')).addCompileCommand(program);
  },
  async diff() {
    (await import('./cli/diff.ts')).addDiffCommand(program);
  },
  async generate() {
    (await import('./cli/generate.ts')).addGenerateCommand(program);
  },
  async import() {
    (await import('./cli/import.ts')).addImportCommand(program);
  },
  async inspect() {
    (await import('./cli/inspect.ts')).addInspectCommand(program);
  },
  async keys() {
    const { ENDPOINTS } = await import('./dialects/dialects.ts');
    (await import('./cli/keys.ts')).addKeysCommand(program, ENDPOINTS);
  },
  async lookup() {
    const { renderProduct } = await import('./dialects/patchstack/product.ts');
    const { renderExplanation } = await import('./dialects/patchstack/explain.ts');
    const answers = { product: renderProduct, explanation: renderExplanation };
    (await import('./cli/lookup.ts')).addLookupCommand(program, answers);
  },
  async publish() {
    (await import('./cli/publish.ts')).addPublishCommand(program, version);
  },
  async refresh() {
    (await import('./cli/refresh.ts')).addRefreshCommand(program, version);
  },
  async serve() {
    (await import('./cli/serve.ts')).addServeCommand(program, serve);
  },
  async demo() {
    (await import('./cli/demo.ts')).addDemoCommand(program, serve, clientProblem);
  },
  async snapshots() {
    (await import('./cli/snapshots.ts')).addSnapshotsCommand(program);
  },
  async verify() {
    (await import('./cli/verify.ts')).addVerifyCommand(program);
  },
};

// After `help`, or what was misspelt.
const named = process.argv.slice(2).find((word) => Object.hasOwn(ADD, word));
for (const name of COMMAND_NAMES) {
  if (name === named || named === 'completion') await ADD[name]();
  else startCommand(program, name);
}

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

/** A failure to start is the user's to mend. */
async function serve(options: ServeOptions & Pick<RunOptions, 'greet'>): Promise<void> {
  const { snapshots: folder, maxSnapshotBytes } = options;
  const [maxShrinkPercent, maxVerdictChangePercent] = [options.maxShrink, options.maxVerdictChange];
  const { followedSource } = await import('./cli/follow-options.ts'); // imported with the command
  const limits = (await import('./cli/limits-option.ts')).limitsChoice(options);
  const { Loader } = await import('./serve/snapshots/loader.ts');
  const from = await followedSource(options);
  const followsSource = from !== undefined;
  const loader = new Loader({
    folder,
    maxShrinkPercent,
    maxVerdictChangePercent,
    maxSnapshotBytes,
    followsSource,
  });
  const { run, START_ERRORS } = await import('./serve/run.ts'); // while the data loads: this takes long, too
  try {
    const problem = await clientProblem(options);
    if (problem !== undefined) throw new UsageError(problem);
    await run({ ...options, from, limits }, loader);
  } catch (error) {
    loader.abandon();
    const isUserError = error instanceof Error && START_ERRORS.some((kind) => error instanceof kind);
    throw isUserError ? new CommandError(error.message, { cause: error }) : error;
  }
}

/** What is wrong with the choice of dialects and proxies, or undefined. */
async function clientProblem(options: ServeOptions): Promise<string | undefined> {
  return (await import('./serve/run.ts')).clientProblem(options);
}

/** Prints a user error as one line and returns the exit status. Rethrows internal errors. */
function report(error: unknown): number {
  // Commander has already printed it; --help and --version also end up here.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
  if (!(error instanceof CommandError)) throw error;
  console.error(`${PREFIX}${error.message}`);
  return error.exitStatus;
}
