// The API of osv.dev and the files of its bucket, as one value, so that OSV clients and mirrors work with
// this server.

import { KEY_READING } from '../../http/callers/key-forms.ts';
import { describedIn } from '../../http/openapi/model.ts';
import type { Dialect, Route } from '../../http/routing/dialect.ts';
import { HELD_ECOSYSTEMS } from './ecosystems.ts';
import { bucketFile, ecosystemFile, handleRecordFile, prepareBucket } from './files.ts';
import { grpcError, renderError } from './problems.ts';
import { handleQuery } from './query.ts';
import { handleQueryBatch, MAX_BODY_BYTES } from './querybatch.ts';
import { handleVuln } from './vuln.ts';

const body = {
  kind: 'body',
  endpoint: 'osv',
  maxBodyBytes: MAX_BODY_BYTES,
  maxDecodedBytes: MAX_BODY_BYTES,
  tooLarge: `The body has at most ${MAX_BODY_BYTES} bytes, also when decoded.`,
} as const;
const file = { kind: 'read', endpoint: 'osv-files', label: 'osv-file' } as const;

const routes: readonly Route[] = [
  { ...body, pattern: '/v1/query', label: 'osv-query', answer: handleQuery },
  { ...body, pattern: '/v1/querybatch', label: 'osv-querybatch', answer: handleQueryBatch },
  { kind: 'read', pattern: '/v1/vulns/{id}', endpoint: 'osv', label: 'osv-vuln', answer: handleVuln },
  { ...file, pattern: '/ecosystems.txt', answer: bucketFile('ecosystems.txt') },
  { ...file, pattern: '/modified_id.csv', answer: bucketFile('modified_id.csv') },
  { ...file, pattern: '/all.zip', answer: bucketFile('all.zip') },
  { ...file, pattern: '/{ecosystem}/all.zip', answer: ecosystemFile('all.zip') },
  { ...file, pattern: '/{ecosystem}/modified_id.csv', answer: ecosystemFile('modified_id.csv') },
  { ...file, pattern: '/{ecosystem}/{file}', answer: handleRecordFile },
];

export const osv: Dialect = {
  name: 'osv',
  mounts: [{ path: '/osv', description: 'The API of osv.dev, and the files of its bucket.' }],
  keys: KEY_READING,
  routes,
  renderError,
  openApi: {
    describe: describedIn(new URL('./openapi.json', import.meta.url)),
    errors: grpcError,
    words: { OsvEcosystem: HELD_ECOSYSTEMS },
  },
  prepare: prepareBucket,
};
