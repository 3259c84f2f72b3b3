// The variables and files in which programs for S3 find keys and a region. Files are read for each request,
// since they are rotated. No message shows a value.

import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../../download/proxy.ts';
import { ObjectError } from '../objects.ts';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** The value of a variable; an empty one is none. */
export function setting(environment: Environment, ...names: readonly string[]): string | undefined {
  return names.map((name) => environment[name]?.trim()).find((value) => value !== undefined && value !== '');
}

/** The region that the profile names in the configuration file. */
export function profileRegion(environment: Environment): string | undefined {
  const file = fileOf(environment, 'AWS_CONFIG_FILE', 'config');
  const profile = setting(environment, 'AWS_PROFILE') ?? 'default';
  const sections = readSections(file);
  return (sections?.get(`profile ${profile}`) ?? sections?.get(profile))?.get('region');
}

export function profileCredentials(environment: Environment): AwsCredentials | undefined {
  const file = fileOf(environment, 'AWS_SHARED_CREDENTIALS_FILE', 'credentials');
  const named = setting(environment, 'AWS_PROFILE');
  const section = readSections(file)?.get(named ?? 'default');
  const found =
    section === undefined
      ? undefined
      : credentialsOf(
          {
            aws_access_key_id: section.get('aws_access_key_id'),
            aws_secret_access_key: section.get('aws_secret_access_key'),
            aws_session_token: section.get('aws_session_token'),
          },
          (missing) => `${file}: profile ${named ?? 'default'} has no ${missing}; add it`,
        );
  if (found === undefined && named !== undefined) {
    throw new ObjectError(`${file}: it has no keys for profile ${named}; check AWS_PROFILE`, false);
  }
  return found;
}

interface Stated {
  readonly aws_access_key_id: string | undefined;
  readonly aws_secret_access_key: string | undefined;
  readonly aws_session_token: string | undefined;
}

/** Undefined if neither half is stated. Throws ObjectError for one half. */
export function credentialsOf(
  stated: Stated,
  complaint: (missing: string) => string,
): AwsCredentials | undefined {
  const { aws_access_key_id: id, aws_secret_access_key: secret, aws_session_token: token } = stated;
  if (id === undefined && secret === undefined) return undefined;
  if (id === undefined) throw new ObjectError(complaint('aws_access_key_id'), false);
  if (secret === undefined) throw new ObjectError(complaint('aws_secret_access_key'), false);
  const keys = { accessKeyId: id, secretAccessKey: secret };
  return token === undefined ? keys : { ...keys, sessionToken: token };
}

function fileOf(environment: Environment, variable: string, name: string): string {
  return setting(environment, variable) ?? join(setting(environment, 'HOME') ?? homedir(), '.aws', name);
}

/** Undefined if there is no such file. */
function readSections(file: string): Map<string, Map<string, string>> | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new ObjectError(`${file}: it cannot be read (${code ?? message}); check who may read it`, false);
  }
  const sections = new Map<string, Map<string, string>>();
  let section: Map<string, string> | undefined;
  for (const line of text.split(/\r?\n/)) {
    const heading = /^\s*\[\s*(.*?)\s*\]/.exec(line);
    if (heading !== null) {
      section = new Map();
      sections.set(heading[1], section);
      continue;
    }
    const [, key, value] = /^\s*([^\s=#;][^\s=]*)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (key !== undefined && value !== '') section?.set(key.toLowerCase(), value);
  }
  return sections;
}
