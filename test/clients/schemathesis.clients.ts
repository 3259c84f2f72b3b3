// schemathesis over the OpenAPI document of every mount: no 5xx but where the document has it for good
// reason, and no status, header, content type or body that the document does not describe.

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { DIALECTS } from '../../src/dialects/dialects.ts';
import { feedJson, inventedRecords } from '../support/feeds/invented-feed.ts';
import { temporaryFolder } from '../support/folder.ts';
import { writeAccess } from '../support/process/access.ts';
import { ServerProcess } from '../support/process/server-process.ts';
import { printedSeed } from '../support/seed.ts';
import { compileRecords } from '../support/snapshots/snapshots.ts';
import { foundProgram, run } from './support/programs.ts';

/** `npm run test:clients -- --install` puts it there. */
const OWN = fileURLToPath(new URL('.venv/bin/schemathesis', import.meta.url));
const SCHEMATHESIS = foundProgram(OWN, 'schemathesis');
const CHECKS = [
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];
const EXAMPLES = 30; // at most, of each operation
/** Its 503 is an answer: whether a replica is ready, and with which snapshot. */
const READINESS = '/readyz';

test('what the server answers is what its document says', {
  skip: SCHEMATHESIS === undefined ? 'schemathesis is not installed' : false,
}, async (t) => {
  const folder = temporaryFolder(t);
  const snapshots = join(folder, 'snapshots');
  mkdirSync(snapshots);
  await compileRecords(snapshots, inventedRecords(2_000, 5).map(feedJson));
  const access = writeAccess(join(folder, 'keys.json'));
  const server = await ServerProcess.start(t, {
    snapshots,
    keys: access.file,
    workers: 1,
    options: { mounts: DIALECTS.map(({ name }) => name) },
  });
  const words = [
    ...['run', `http://127.0.0.1:${server.port}/openapi.json`, '--header', `PSKey: ${access.free}`],
    ...['--phases', 'examples,coverage,fuzzing', '--max-examples', String(EXAMPLES), '--continue-on-failure'],
    ...['--seed', String(printedSeed(t) % 2 ** 31), '--no-color'],
  ];
  writeFileSync(join(folder, 'schemathesis.toml'), '');
  const conforming = await run(folder, SCHEMATHESIS!, [...words, '--checks', CHECKS.join(',')]); // not skipped
  assert.equal(conforming.status, 0, conforming.stdout + conforming.stderr);
  t.diagnostic(/^.*generated.*$/m.exec(conforming.stdout)?.[0].trim() ?? 'no figures');
  const sound = [...words, '--checks', 'not_a_server_error', '--exclude-path', READINESS];
  const { status, stdout, stderr } = await run(folder, SCHEMATHESIS!, sound); // not skipped
  assert.equal(status, 0, stdout + stderr);
  t.diagnostic(/^.*generated.*$/m.exec(stdout)?.[0].trim() ?? 'no figures');
});
