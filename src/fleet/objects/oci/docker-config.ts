// The credentials that `docker login` and its like have left for a registry in Docker's config.json. Helpers
// that it may name are not asked: the server starts no program of others.

import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
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
/** What Docker calls its own registry. */
const DOCKER_HUB = 'registry-1.docker.io';
const DOCKER_HUB_KEY = 'https://index.docker.io/v1/';

/** Read at each call, as they are changed by others. Throws ObjectError. */
export async function credentialsFor(registry: string, environment: Environment): Promise<Credentials> {
  const folder = environment.DOCKER_CONFIG ?? join(environment.HOME ?? homedir(), '.docker');
  const path = join(folder, 'config.json');
  const { auths = {}, credHelpers = {}, credsStore } = await readConfig(path);
  const names = registry === DOCKER_HUB ? [registry, 'docker.io', DOCKER_HUB_KEY] : [registry];
  const hosts = names.map(hostOf);
  const entry = Object.entries(auths).find(([name]) => hosts.includes(hostOf(name)))?.[1];
  const own = entry === undefined ? NONE : credentialsOf(entry, registry, path);
  if (own.kind !== 'none') return own;
  // A login that the store keeps leaves an empty entry; a registry without one may need none.
  const kept = entry === undefined ? undefined : credsStore;
  const helper = names.map((name) => credHelpers[name]).find((each) => each !== undefined) ?? kept;
  if (helper === undefined) return NONE;
  throw new ObjectError(
    `${path}: the login for ${registry} is kept by the helper ${JSON.stringify(helper)}, which is not asked; write ` +
      'it into "auths", such as with `docker login` and a config.json of its own in DOCKER_CONFIG',
    false,
  );
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

function hostOf(name: string): string {
  return name
    .replace(/^https?:\/\//, '')
    .replace(/\/.*$/, '')
    .toLowerCase();
}
