// What is published, read and checked before anything is sent: the snapshot as a server checks it, further
// objects, the key.

import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { MinisignError, type SecretKey } from '../../fleet/minisign.ts';
import type { PublishedFile, PublishPlan } from '../../fleet/publication.ts';
import { parseSecretKey } from '../../fleet/secret-key.ts';
import { findBuiltAhead } from '../../loader/live/guards.ts';
import { loadChecked } from '../../loader/snapshot/load.ts';
import { CommandError } from '../command-error.ts';
import { readKeyFile } from '../key-file.ts';
import { explaining, readOrExplain } from '../snapshot-report.ts';
import type { ObjectOption } from './object-option.ts';

/** Hashed before it is checked: what is sent later must have that hash. Throws CommandError. */
export async function readSnapshotFile(path: string): Promise<PublishPlan['snapshot']> {
  return readOrExplain(path, async () => {
    const file = await readFileAt(path);
    const { generation } = explaining(path, () => loadChecked(path));
    const { builtAtMs } = generation.parts;
    const ahead = findBuiltAhead(builtAtMs, Date.now());
    if (ahead !== undefined) throw new CommandError(`${path}: ${ahead.message}`);
    return { ...file, id: generation.id, builtAtMs };
  });
}

/** Throws CommandError. */
export async function readObjects(objects: readonly ObjectOption[]): Promise<PublishPlan['objects']> {
  return Promise.all(objects.map(async ({ kind, path }) => ({ kind, ...(await readFileAt(path)) })));
}

/** Throws CommandError. */
export async function readSigningKey(path: string, passwordFile: string | undefined): Promise<SecretKey> {
  const password = passwordFile === undefined ? undefined : readKeyFile(passwordFile, '--key-password-file');
  try {
    return await parseSecretKey(readFileSync(path, 'utf8'), password);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const remedy = passwordFile === undefined ? ' (--key-password-file)' : '';
    const isPassword = error instanceof MinisignError && error.code === 'wrong-password';
    if (error instanceof MinisignError) {
      throw new CommandError(`--key ${path}: ${message}${isPassword ? remedy : ''}`, { cause: error });
    }
    throw new CommandError(`--key ${path}: cannot be read (${code})`, { cause: error });
  }
}

async function readFileAt(path: string): Promise<PublishedFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      hash.update(chunk);
      bytes += chunk.length;
    }
  } catch (error) {
    throw new CommandError(`${path}: cannot be read (${(error as NodeJS.ErrnoException).code})`, {
      cause: error,
    });
  }
  if (bytes === 0) throw new CommandError(`${path}: the file is empty; check that it is the right one`);
  return { path, bytes, sha256: hash.digest('hex') };
}
