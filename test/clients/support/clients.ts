// The clients under test, as one table: how each is started, what it finds in its project and its settings,
// which of its commands audit and install, and which of the server's endpoints an audit should ask.
// reports.ts reads what they print.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Severity } from './feed.ts';
import { bunLockfile } from './lockfiles/bun.ts';
import { denoLockfile } from './lockfiles/deno.ts';
import { npmLockfile } from './lockfiles/npm.ts';
import { pnpmLockfile } from './lockfiles/pnpm.ts';
import { yarnLockfile } from './lockfiles/yarn.ts';
import { type Reader, readBun, readDeno, readNpm, readPnpm, readYarn } from './reports.ts';
import { type Tree, withoutOptional } from './trees.ts';

/** The server as clients know it. */
export interface Target {
  /** The mount below which the whole namespace is npm's, with a slash at its end. */
  readonly registry: string;
  readonly key: string;
}

export interface Client {
  readonly name: string;
  /** The command, and the words before the client's own. */
  readonly program: readonly string[];
  readonly audit: readonly string[];
  /** Shows only what is at least this severe, and fails only then. */
  readonly auditFrom: (severity: string) => readonly string[];
  /** Installs what the lockfile says, and fails if it does not fit. */
  readonly install: readonly string[];
  /** The file of the project that says what is locked. */
  readonly lockfile: string;
  readonly lock: (tree: Tree, target: Target) => string;
  /**
   * The tree in the groups of dependencies that the client reads; all of them if there is no such function.
   */
  readonly regroup?: (tree: Tree) => Tree;
  /** Files that point the client at the server, by name. */
  readonly settings: (target: Target) => Readonly<Record<string, string>>;
  /** The label of the only route that an audit asks. */
  readonly asks: 'npm-bulk' | 'npm-quick';
  readonly sendsKey: boolean;
  /** The least severity that an audit shows and counts unless told otherwise. */
  readonly showsFrom: Severity;
  readonly read: Reader;
}

const PACKAGES = fileURLToPath(new URL('../../clients/node_modules', import.meta.url));

const installed = (path: string): string => join(PACKAGES, path);

/** The Node release that runs the clients, independent of the one that runs the tests. */
export const NODE = installed('node/bin/node');

/** Read by npm, pnpm, bun and deno. */
function npmrc({ registry, key }: Target): Readonly<Record<string, string>> {
  const address = registry.slice(registry.indexOf('//'));
  return { '.npmrc': `registry=${registry}\n${address}:_authToken=${key}\n` };
}

function yarnrc({ registry, key }: Target): Readonly<Record<string, string>> {
  const lines = [
    `npmRegistryServer: "${registry}"`,
    `npmAuthToken: "${key}"`,
    'npmAlwaysAuth: true',
    'unsafeHttpWhitelist: ["127.0.0.1"]',
    'enableTelemetry: false',
    'enableGlobalCache: false',
    'nodeLinker: node-modules',
  ];
  return { '.yarnrc.yml': `${lines.join('\n')}\n` };
}

const npm = {
  audit: ['audit', '--json'],
  auditFrom: (severity) => ['audit', '--json', `--audit-level=${severity}`],
  install: ['ci', '--no-audit', '--no-fund'],
  lockfile: 'package-lock.json',
  lock: (tree, { registry }) => npmLockfile(tree, registry),
  settings: npmrc,
  asks: 'npm-bulk',
  sendsKey: true,
  showsFrom: 'info',
  read: readNpm,
} satisfies Partial<Client>;

const pnpm = {
  audit: ['audit', '--json'],
  auditFrom: (severity) => ['audit', '--json', `--audit-level=${severity}`],
  install: ['install', '--frozen-lockfile'],
  lockfile: 'pnpm-lock.yaml',
  lock: pnpmLockfile,
  settings: npmrc,
  asks: 'npm-bulk',
  sendsKey: true,
  showsFrom: 'low',
  read: readPnpm,
} satisfies Partial<Client>;

export const CLIENTS: readonly Client[] = [
  { name: 'npm-10', program: [NODE, installed('npm-10/bin/npm-cli.js')], ...npm },
  { name: 'npm-11', program: [NODE, installed('npm-11/bin/npm-cli.js')], ...npm },
  { name: 'npm-12', program: [NODE, installed('npm-12/bin/npm-cli.js')], ...npm },
  { name: 'pnpm-10', program: [NODE, installed('pnpm-10/bin/pnpm.cjs')], ...pnpm, asks: 'npm-quick' },
  { name: 'pnpm-11', program: [NODE, installed('pnpm-11/bin/pnpm.mjs')], ...pnpm },
  { name: 'pnpm-12', program: [installed('pnpm-12/pnpm')], ...pnpm },
  {
    name: 'yarn',
    program: [NODE, installed('yarn/bin/yarn.js')],
    audit: ['npm', 'audit', '--all', '--recursive', '--json'],
    auditFrom: (severity) => ['npm', 'audit', '--all', '--recursive', '--json', '--severity', severity],
    install: ['install', '--immutable'],
    lockfile: 'yarn.lock',
    lock: yarnLockfile,
    settings: yarnrc,
    asks: 'npm-bulk',
    sendsKey: true,
    showsFrom: 'info',
    read: readYarn,
  },
  {
    name: 'bun',
    program: [installed('bun/bin/bun')],
    audit: ['audit', '--json'],
    auditFrom: (severity) => ['audit', '--json', `--audit-level=${severity}`],
    install: ['install', '--frozen-lockfile'],
    lockfile: 'bun.lock',
    lock: bunLockfile,
    settings: npmrc,
    asks: 'npm-bulk',
    sendsKey: true,
    showsFrom: 'info',
    read: readBun,
  },
  {
    name: 'deno',
    program: [installed('deno/deno')],
    audit: ['audit'],
    auditFrom: (severity) => ['audit', '--level', severity],
    install: ['install', '--frozen'],
    lockfile: 'deno.lock',
    lock: denoLockfile,
    regroup: withoutOptional,
    settings: npmrc,
    asks: 'npm-bulk',
    sendsKey: false,
    showsFrom: 'low',
    read: readDeno,
  },
];
