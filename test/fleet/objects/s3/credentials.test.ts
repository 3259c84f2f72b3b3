import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { HttpClient } from '../../../../src/download/client.ts';
import { CredentialChain } from '../../../../src/fleet/objects/s3/credentials.ts';
import type { AwsCredentials } from '../../../../src/fleet/objects/s3/settings.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { startWebServer } from '../../../support/serving/web-server.ts';
import { phrases } from '../../../support/words.ts';

const { signal } = new AbortController();

function chainOf(t: TestContext, environment: Record<string, string>, nowMs = () => 0): CredentialChain {
  const client = new HttpClient({ environment: {} });
  t.after(() => client.close());
  return new CredentialChain(environment, client, 'eu-test-1', nowMs);
}

async function find(
  t: TestContext,
  environment: Record<string, string>,
): Promise<AwsCredentials | undefined> {
  return chainOf(t, { HOME: '/nonexistent', ...environment }).find(signal);
}

test('keys in variables come before those of a file, and nothing at all is anonymous', async (t) => {
  const home = temporaryFolder(t);
  mkdirSync(join(home, '.aws'));
  writeFileSync(
    join(home, '.aws/credentials'),
    [
      ...phrases('# comment | [default] | aws_access_key_id = FILE | aws_secret_access_key=file/secret+='),
      '',
      ...phrases(`
        [ other ] | AWS_ACCESS_KEY_ID=OTHER | aws_secret_access_key = other-secret |
        aws_session_token = other-token | [half] | aws_access_key_id = HALF
      `),
    ].join('\r\n'),
  );
  const variables = { AWS_ACCESS_KEY_ID: 'VARIABLE', AWS_SECRET_ACCESS_KEY: 'variable-secret' };
  assert.deepEqual(await find(t, { HOME: home, ...variables }), {
    accessKeyId: 'VARIABLE',
    secretAccessKey: 'variable-secret',
  });
  assert.deepEqual(await find(t, { HOME: home }), { accessKeyId: 'FILE', secretAccessKey: 'file/secret+=' });
  assert.deepEqual(await find(t, { HOME: home, AWS_PROFILE: 'other' }), {
    accessKeyId: 'OTHER',
    secretAccessKey: 'other-secret',
    sessionToken: 'other-token',
  });
  assert.equal(await find(t, {}), undefined);
  await assert.rejects(
    find(t, { HOME: home, AWS_PROFILE: 'half' }),
    /profile half has no aws_secret_access_key/,
  );
  await assert.rejects(
    find(t, { HOME: home, AWS_PROFILE: 'none' }),
    /no keys for profile none; check AWS_PROFILE/,
  );
  await assert.rejects(find(t, { AWS_ACCESS_KEY_ID: 'x' }), /AWS_SECRET_ACCESS_KEY is not set/);
  await assert.rejects(find(t, { AWS_SECRET_ACCESS_KEY: 'secret-value' }), (error: Error) => {
    assert.match(error.message, /AWS_ACCESS_KEY_ID is not set/);
    assert.equal(error.message.includes('secret-value'), false);
    return true;
  });
});

test('a mounted token is exchanged for keys, which are kept until shortly before their end', async (t) => {
  const server = await startWebServer(t, (_, response, number) => {
    response.end(`<AssumeRoleWithWebIdentityResponse><Credentials><AccessKeyId>ROLE${number}</AccessKeyId>
      <SecretAccessKey>s</SecretAccessKey><SessionToken>a&amp;b</SessionToken>
      <Expiration>1970-01-01T01:00:00Z</Expiration></Credentials></AssumeRoleWithWebIdentityResponse>`);
  });
  const file = join(temporaryFolder(t), 'token');
  writeFileSync(file, 'the-token\n');
  let nowMs = 0;
  const environment = {
    AWS_ENDPOINT_URL_STS: server.url.href,
    AWS_WEB_IDENTITY_TOKEN_FILE: file,
    AWS_ROLE_ARN: 'arn:aws:iam::1:role/publisher',
  };
  const chain = chainOf(t, environment, () => nowMs);
  const first = { accessKeyId: 'ROLE1', secretAccessKey: 's', sessionToken: 'a&b' };
  assert.deepEqual(await chain.find(signal), first);
  nowMs = 54 * 60_000;
  assert.deepEqual(await chain.find(signal), first);
  nowMs = 56 * 60_000;
  assert.equal((await chain.find(signal))?.accessKeyId, 'ROLE2');
  const asked = new URLSearchParams(server.asked[0].body);
  assert.equal(asked.get('Action'), 'AssumeRoleWithWebIdentity');
  assert.equal(asked.get('WebIdentityToken'), 'the-token');
  assert.equal(asked.get('RoleArn'), 'arn:aws:iam::1:role/publisher');
});

test('a role that is refused is named, and the token is not shown', async (t) => {
  const server = await startWebServer(t, ({ body }, response) => {
    const message = `<Message>Not authorized</Message>${body}`;
    response
      .writeHead(403)
      .end(`<ErrorResponse><Error><Code>AccessDenied</Code>${message}</Error></ErrorResponse>`);
  });
  const file = join(temporaryFolder(t), 'token');
  writeFileSync(file, 'the-token');
  const environment = {
    AWS_ENDPOINT_URL_STS: server.url.href,
    AWS_WEB_IDENTITY_TOKEN_FILE: file,
    AWS_ROLE_ARN: 'arn:aws:iam::1:role/publisher',
  };
  await assert.rejects(find(t, environment), (error: Error) => {
    assert.match(error.message, /AWS_ROLE_ARN: status 403, AccessDenied: Not authorized/);
    assert.equal(error.message.includes('the-token'), false);
    return true;
  });
  await assert.rejects(
    find(t, { ...environment, AWS_WEB_IDENTITY_TOKEN_FILE: '/nonexistent' }),
    /cannot be read/,
  );
});
