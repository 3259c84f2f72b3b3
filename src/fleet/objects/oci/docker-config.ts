// The credentials that `docker login` and its like have left for a registry: Docker's config.json, and the
// helpers that it names.

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Environment } from '../../../download/proxy.ts';
import { ObjectError } from '../objects.ts';

export type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'password'; readonly user: string; readonly password: string }
  /** To be exchanged for the registry's own tokens. */
  | { readonly kind: 'identity-token'; readonly token: string };

interface Entry {
  readonly auth?: unknown;
  readonly username?: unknown;
  readonly password?: unknown;
  readonly identitytoken?: unknown;
}

interface DockerConfig {
  readonly auths?: Readonly<Record<string, Entry>>;
  readonly credHelpers?: Readonly<Record<string, string>>;
  readonly credsStore?: string;
}

const NONE: Credentials = { kind: 'none' };
const HELPER_MS = 10_000;
const HELPER_BYTES = 64 << 10;
/** What Docker calls its own registry. */
const DOCKER_HUB = 'registry-1.docker.io';
const DOCKER_HUB_KEY = 'https://index.docker.io/v1/';
/** The user of a helper whose secret is an identity token. */
const TOKEN_USER = '<token>';

/** Read at each call, as they are changed by others. Throws ObjectError. */
export async function credentialsFor(registry: string, environment: Environment): Promise<Credentials> {
  const folder = environment.DOCKER_CONFIG ?? join(environment.HOME ?? homedir(), '.docker');
  const path = join(folder, 'config.json');
  const { auths = {}, credHelpers = {}, credsStore } = await readConfig(path);
  const names = registry === DOCKER_HUB ? [registry, 'docker.io', DOCKER_HUB_KEY] : [registry];
  const asked = registry === DOCKER_HUB ? DOCKER_HUB_KEY : registry;
  const helper = names.map((name) => credHelpers[name]).find((each) => each !== undefined);
  if (helper !== undefined) return askHelper(helper, asked, environment);
  const hosts = names.map(hostOf);
  const entry = Object.entries(auths).find(([name]) => hosts.includes(hostOf(name)))?.[1];
  const own = entry === undefined ? NONE : credentialsOf(entry, registry, path);
  if (own.kind !== 'none' || credsStore === undefined) return own;
  return askHelper(credsStore, asked, environment);
}

async function readConfig(path: string): Promise<DockerConfig> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return {};
    throw new ObjectError(`${path}: it cannot be read (${code}); check who may read it`, false);
  }
  try {
    const config: unknown = JSON.parse(text);
    if (typeof config === 'object' && config !== null) return config;
  } catch {
    // told below, without the text: it holds secrets
  }
  throw new ObjectError(`${path}: this is not JSON as \`docker login\` writes it; log in again`, false);
}

function credentialsOf(entry: Entry, registry: string, path: string): Credentials {
  const { auth, username, password, identitytoken } = entry;
  if (typeof identitytoken === 'string' && identitytoken !== '') {
    return { kind: 'identity-token', token: identitytoken };
  }
  if (typeof auth === 'string' && auth !== '') {
    const [, user, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(auth, 'base64').toString()) ?? [];
    if (secret !== undefined) return { kind: 'password', user, password: secret };
    throw new ObjectError(
      `${path}: "auth" of ${registry} is not base64 of USER:PASSWORD; log in again`,
      false,
    );
  }
  if (typeof username === 'string' && typeof password === 'string') {
    return { kind: 'password', user: username, password };
  }
  return NONE;
}

/** Asks `docker-credential-NAME`, as Docker does. */
async function askHelper(name: string, registry: string, environment: Environment): Promise<Credentials> {
  const program = `docker-credential-${name}`;
  if (!/^[\w.-]+$/.test(name)) throw new ObjectError(`${program}: this is not the name of a helper`, false);
  const env = environment as NodeJS.ProcessEnv;
  const running = promisify(execFile)(program, ['get'], { env, timeout: HELPER_MS, maxBuffer: HELPER_BYTES });
  running.child.stdin?.on('error', () => {}); // a helper that is not there, or does not read
  running.child.stdin?.end(registry);
  try {
    const { Username: user, Secret: secret } = JSON.parse((await running).stdout) as Record<string, unknown>;
    if (typeof user !== 'string' || typeof secret !== 'string') throw new TypeError('no credentials');
    if (user === TOKEN_USER) return { kind: 'identity-token', token: secret };
    return { kind: 'password', user, password: secret };
  } catch (error) {
    const { code, stdout } = error as NodeJS.ErrnoException & { readonly stdout?: string };
    if (stdout?.includes('credentials not found')) return NONE;
    // Not its output: it may be a secret.
    const problem = code === 'ENOENT' ? 'it is not installed' : 'it gave no credentials';
    throw new ObjectError(`${program}: ${problem} for ${registry}; log in, or see its own help`, true);
  }
}

function hostOf(name: string): string {
  return name
    .replace(/^https?:\/\//, '')
    .replace(/\/.*$/, '')
    .toLowerCase();
}
