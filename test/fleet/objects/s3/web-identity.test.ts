// Where keys for a role are asked for. What is asked and answered is in credentials.test.ts.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { HttpClient } from '../../../../src/download/client.ts';
import { WebIdentity } from '../../../../src/fleet/objects/s3/web-identity.ts';
import { temporaryFolder } from '../../../support/folder.ts';

test('keys for a role are asked for in the region, and no other host is looked up', async (t) => {
  const hosts: string[] = [];
  const client = new HttpClient({
    environment: {},
    addresses: {
      lookup: (host, _, callback) => {
        hosts.push(host);
        callback(Object.assign(new Error('not known'), { code: 'ENOTFOUND' }), '');
      },
      isPrivate: () => false,
    },
  });
  t.after(() => client.close());
  const file = join(temporaryFolder(t), 'token');
  writeFileSync(file, 'the-token');
  const environment = { AWS_WEB_IDENTITY_TOKEN_FILE: file, AWS_ROLE_ARN: 'arn:aws:iam::1:role/publisher' };
  for (const region of ['eu-west-1', 'cn-north-1', 'cn-northwest-1']) {
    const identity = new WebIdentity(environment, client, region, () => 0);
    await assert.rejects(identity.find(AbortSignal.timeout(60_000)), /AWS_ROLE_ARN: POST .*no such host/);
  }
  assert.deepEqual(hosts, [
    'sts.eu-west-1.amazonaws.com',
    'sts.cn-north-1.amazonaws.com.cn',
    'sts.cn-northwest-1.amazonaws.com.cn',
  ]);
});
