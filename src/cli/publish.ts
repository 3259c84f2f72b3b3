// `publish`: puts a snapshot where replicas find it. Its options, what it prints, and its exit statuses.

import { type Command, InvalidArgumentError, Option } from 'commander';
import semver from 'semver';
import { shownLocation } from '../download/http-error.ts';
import type { Publication } from '../fleet/publication.ts';
import { CommandError, EXIT_BUSY, UsageError } from './command-error.ts';
import { startCommand } from './commands.ts';
import { counted, megabytes } from './figures.ts';
import { endHelp, groupOptions } from './help.ts';
import { duration, instant, type SettingParts, setting, wholeNumber } from './options.ts';
import { objectOption } from './publish/object-option.ts';
import type { PublishOptions } from './publish/run-publish.ts';
import { addQuietOption } from './verbosity.ts';

const MAX_EXPIRES_MS = 3650 * 86_400_000;
const DAY_MS = 86_400_000;

const published = (flags: string, help: string, parts: SettingParts = {}): Option =>
  setting(flags, help, { ...parts, scope: 'VULNDEX_PUBLISH' });

/** `version` is that of the program. */
export function addPublishCommand(program: Command, version: string): void {
  const command = startCommand(program, 'publish');
  addQuietOption(command, 'print nothing but warnings and errors')
    .argument('<snapshot>', 'the snapshot, or a folder: its newest one')
    .addOption(
      published('--to <place>', 'where replicas look: a folder or s3://BUCKET/PREFIX').makeOptionMandatory(),
    )
    .addOption(
      published('--key <file>', 'sign with this secret key of minisign; without it, nothing is signed'),
    )
    .addOption(published('--key-password-file <file>', 'file with the password of the key'))
    .addOption(
      published(
        '--expires <duration>',
        'replicas refuse the manifest after that long; publish again before',
        { parse: lifetime, default: 7 * DAY_MS, shown: '7d' },
      ),
    )
    .addOption(
      new Option(
        '--activate-at <time>',
        'when all replicas switch, such as 2026-04-21T08:00:00Z; at once by default',
      )
        .argParser((text) => instant(text) * 1000)
        .conflicts('activateIn'),
    )
    .addOption(
      new Option(
        '--activate-in <duration>',
        'the same, counted from the end of the upload: 90s, 5m',
      ).argParser(duration),
    )
    .addOption(
      published('--min-server-version <version>', 'servers older than this refuse the manifest', {
        parse: releaseVersion,
        default: version,
        shown: `this program's, ${version}`,
      }),
    )
    .addOption(
      new Option('--revoke-below <sequence>', 'replicas refuse every manifest below, for ever').argParser(
        wholeNumber({ min: 1, max: Number.MAX_SAFE_INTEGER }),
      ),
    )
    .addOption(
      new Option('--object <kind=file>', 'publish another file beside the snapshot; may be repeated')
        .default([], 'none')
        .argParser(objectOption),
    )
    .addOption(
      published(
        '--keep <count>',
        'remove snapshots older than the newest ones, and what belongs to them; all stay by default',
        { parse: wholeNumber({ min: 1, max: 10_000 }) },
      ),
    )
    .addOption(
      published(
        '--grace <duration>',
        'with --keep: leave what was served within that time, as a replica may still fetch it',
        { parse: duration, default: DAY_MS, shown: '1d' },
      ),
    )
    .addOption(published('--ca <file>', 'for s3: certificates in PEM to trust, besides the usual ones'))
    .option('--plain-http', 'for s3: send without encryption to other machines too', false)
    .option('--dry-run', 'check everything and say what would be sent, but change nothing', false)
    .option('--json', 'print the outcome as one JSON object', false)
    .action(async (name: string, options: PublishOptions, command: Command) => {
      const startMs = performance.now();
      const { writeOut, writeErr } = command.configureOutput();
      const print = (fields: object): void => {
        const took_ms = Math.round(performance.now() - startMs);
        writeOut?.(`${JSON.stringify({ ...fields, took_ms })}\n`);
      };
      try {
        const report = (line: string): void => writeErr?.(`${line}\n`);
        const { runPublish } = await import('./publish/run-publish.ts'); // not for --help
        const publication = await runPublish(name, options, report);
        if (options.json) print(describe(publication, options));
        else if (options.quiet !== true) writeOut?.(`${sentence(publication, options)}\n`);
      } catch (error) {
        if (options.json) {
          const isBusy = error instanceof CommandError && error.exitStatus === EXIT_BUSY;
          const outcome = error instanceof UsageError ? 'misused' : isBusy ? 'overtaken' : 'failed';
          print({ outcome, message: (error as Error).message });
        }
        throw error;
      }
    });
  groupOptions(command, {
    'What is published': [
      '--object',
      '--expires',
      '--activate-at',
      '--activate-in',
      '--min-server-version',
      '--revoke-below',
    ],
    'Where to': ['--to', '--ca', '--plain-http', '--keep', '--grace'],
    Signing: ['--key', '--key-password-file'],
    Other: ['*'],
  });
  endHelp(command, {
    notes: ['docs/fleet.md describes what is published, and how keys are made and replaced.'],
    examples: [
      'publish snapshots/ --to /srv/vulndex --key /etc/vulndex/minisign.key --keep 5',
      'publish snapshots/ --to s3://advisories/prod --activate-in 2m',
      'publish demo.vdx --to /srv/vulndex --dry-run',
    ],
    statuses: {
      0: 'published, or in a dry run would be',
      1: 'failed: one line says what; a later run continues from there',
      [EXIT_BUSY]: 'another publisher was faster; what replicas see is its manifest',
    },
  });
}

/** No manifest is for ever: a replica must notice when nobody publishes any more. */
function lifetime(text: string): number {
  const ms = duration(text);
  if (ms <= MAX_EXPIRES_MS) return ms;
  throw new InvalidArgumentError(`Got ${JSON.stringify(text)}, expected at most 3650d.`);
}

function releaseVersion(text: string): string {
  if (semver.valid(text) === text) return text;
  throw new InvalidArgumentError(`Got ${JSON.stringify(text)}, expected a version such as 1.2.3.`);
}

function sentence({ manifest, uploaded, removed }: Publication, { to, key, dryRun }: PublishOptions): string {
  const { sequence, snapshot, expires, activate_at } = manifest;
  const sent = uploaded.length === 0 ? 'nothing to upload' : `${counted(uploaded.length, 'object')} uploaded`;
  const facts = [
    `sequence ${sequence}`,
    megabytes(snapshot.size),
    dryRun ? `would be: ${sent}` : sent,
    key === undefined ? 'not signed' : 'signed',
    ...(activate_at === undefined ? [] : [`active at ${activate_at}`]),
    `until ${expires}`,
  ];
  const gone = removed.length === 0 ? '' : `; removed ${counted(removed.length, 'old object')}`;
  const verb = dryRun ? 'dry run: would publish' : 'published';
  return `${verb} snapshot ${snapshot.id} to ${shownLocation(to)} (${facts.join(', ')})${gone}`;
}

function describe(
  { manifest, uploaded, present, removed }: Publication,
  { dryRun, key }: PublishOptions,
): object {
  const outcome = dryRun ? 'would-publish' : 'published';
  return { outcome, manifest, signed: key !== undefined, uploaded, present, removed };
}
