// A bucket of OpenStack Swift, a real server for S3, if it is installed.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { AwsClient } from 'aws4fetch';
import { type FolderOwner, temporaryFolder } from '../folder.ts';

const PYTHON = '/usr/bin/python3'; // Debian's own, which has Debian's packages
const PROGRAM = fileURLToPath(new URL('./swift-server.py', import.meta.url));
const ACCOUNT = 'fleet';
const SECRET = 'a-secret-of-a-test';
const REGION = 'eu-test-1';
const BUCKET = 'data';

/** For the option `skip` of a test. */
export function whyNoSwift(): string | false {
  return spawnSync(PYTHON, ['-c', 'import swift.common']).status === 0
    ? false
    : 'python3-swift is not installed';
}

export interface SwiftBucket {
  readonly location: string;
  /** The variables that name its place and its keys. */
  readonly environment: Readonly<Record<string, string>>;
}

/** An empty bucket; the server ends with the test. */
export async function startSwift(owner: FolderOwner): Promise<SwiftBucket> {
  const folder = temporaryFolder(owner);
  const child = spawn(PYTHON, [PROGRAM, folder, ACCOUNT, SECRET, REGION], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const exit = once(child, 'exit');
  owner.after(async () => {
    child.kill('SIGKILL');
    await exit;
  });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text;
  });
  const [address] = (await Promise.race([once(createInterface(child.stdout), 'line'), exit])) as [unknown];
  if (typeof address !== 'string') throw new Error(`swift did not start: ${complaint}`);
  const keys = { accessKeyId: `${ACCOUNT}:user`, secretAccessKey: SECRET };
  const made = await new AwsClient({ ...keys, service: 's3', region: REGION }).fetch(`${address}/${BUCKET}`, {
    method: 'PUT',
    headers: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
  });
  if (!made.ok) throw new Error(`swift makes no bucket: ${await made.text()}`);
  return {
    location: `s3://${BUCKET}/fleet`,
    environment: {
      AWS_ENDPOINT_URL: address,
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: keys.accessKeyId,
      AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
    },
  };
}
