// The table of routes: the API below /v1, and the files of a bucket beside it.

import type { Route } from '../../http/dialect.ts';
import { bucketFile, ecosystemFile, handleRecordFile } from './files.ts';
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

export const routes: readonly Route[] = [
  {
    ...body,
    pattern: '/v1/query',
    label: 'osv-query',
    answer: handleQuery,
  },
  {
    ...body,
    pattern: '/v1/querybatch',
    label: 'osv-querybatch',
    answer: handleQueryBatch,
  },
  {
    kind: 'read',
    pattern: '/v1/vulns/{id}',
    endpoint: 'osv',
    label: 'osv-vuln',
    answer: handleVuln,
  },
  {
    ...file,
    pattern: '/ecosystems.txt',
    answer: bucketFile('ecosystems.txt'),
  },
  {
    ...file,
    pattern: '/modified_id.csv',
    answer: bucketFile('modified_id.csv'),
  },
  {
    ...file,
    pattern: '/all.zip',
    answer: bucketFile('all.zip'),
  },
  {
    ...file,
    pattern: '/{ecosystem}/all.zip',
    answer: ecosystemFile('all.zip'),
  },
  {
    ...file,
    pattern: '/{ecosystem}/modified_id.csv',
    answer: ecosystemFile('modified_id.csv'),
  },
  {
    ...file,
    pattern: '/{ecosystem}/{file}',
    answer: handleRecordFile,
  },
];
