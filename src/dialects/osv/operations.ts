// The operations of this dialect: what each route takes, and the statuses that not every route of its kind
// has.

import type { Operation, Parameter, Response } from '../../http/openapi/model.ts';
import { inPath, inQuery, jsonBody, parameterRefs, responseRef, sharedParameters } from '../openapi-parts.ts';
import * as s from '../schema-words.ts';
import { HELD_ECOSYSTEMS } from './ecosystems.ts';
import { dataAnswer, fileAnswer } from './openapi.ts';
import { MAX_RECORDS, PAGE_BYTES } from './query.ts';
import { MAX_BODY_BYTES, MAX_QUERIES } from './querybatch.ts';
import { MAX_ID_CHARS } from './records.ts';

const { IfNoneMatch, RequestId } = sharedParameters;
const SNAPSHOT = parameterRefs('Snapshot');
const ecosystem: Parameter = inPath(
  'ecosystem',
  'An ecosystem whose packages are held, as it is written.',
  s.oneOfWords(HELD_ECOSYSTEMS),
);

const BODY =
  `The body is JSON of at most ${MAX_BODY_BYTES} bytes, plain or with the content coding gzip or deflate; its content type ` +
  'is ignored, and so are unknown members.';

function asking(
  operationId: string,
  summary: string,
  description: string,
  takes: string,
  answers: Response,
  parameters: readonly Parameter[] = [],
): Operation {
  return {
    operationId,
    summary,
    description: `${description} ${BODY}`,
    tags: ['osv'],
    parameters: [...parameters, ...SNAPSHOT, RequestId],
    requestBody: jsonBody('The query.', s.ref(takes)),
    responses: {
      '200': answers,
      '400': responseRef('OsvInvalid'),
      '413': responseRef('OsvTooLarge'),
      '415': responseRef('OsvUnsupportedEncoding'),
    },
  };
}

export const queryAffected = asking(
  'osvQuery',
  'Find the records for a version of a package, or all of a package',
  `Without a version, all records of the package. A page has at most ${MAX_RECORDS} records and ends after ${PAGE_BYTES} bytes.`,
  'OsvQuery',
  dataAnswer('The records that apply; nothing is an empty object.', 'OsvList'),
);

export const queryAffectedBatch = asking(
  'osvQueryBatch',
  'Send many queries at once',
  `At most ${MAX_QUERIES} queries. Results come in their order, with ids and times of modification. Costs one request, or one ` +
    'for each query, but at most 50, where the key’s tier counts the items of a batch. A query for which there was no room ' +
    'has a page token.',
  'OsvBatchQuery',
  dataAnswer('One result for each query; without queries, an empty object.', 'OsvBatchList'),
  [
    inQuery(
      'full',
      'With `1`, results have whole records. An addition of this server to the interface.',
      s.oneOfWords(['0', '1', 'true', 'false']),
    ),
  ],
);

function reading(
  operationId: string,
  summary: string,
  description: string,
  parameters: readonly Parameter[],
  answers: Response,
  more: Operation['responses'] = {},
): Operation {
  return {
    operationId,
    summary,
    description,
    tags: ['osv'],
    parameters: [...parameters, ...SNAPSHOT, IfNoneMatch, RequestId],
    responses: { '200': answers, ...more },
  };
}

export const getRecord = reading(
  'osvGetRecord',
  'One record by id, or by another id of it',
  'In upper or lower case. If several records share it, the one whose own id it is, else the oldest.',
  [inPath('id', `At most ${MAX_ID_CHARS} characters.`)],
  dataAnswer('The record.', 'OsvRecord'),
  { '400': responseRef('OsvInvalid'), '404': responseRef('OsvNotFound') },
);

export const getEcosystems = reading(
  'osvGetEcosystems',
  'The ecosystems whose packages are held',
  'One per line.',
  [],
  fileAnswer('The names.', 'text/plain'),
);

export const getModified = reading(
  'osvGetModified',
  'All records, the most recently modified first',
  'Lines of `<modified>,<ecosystem>/<id>`.',
  [],
  fileAnswer('The list.', 'text/csv'),
);

export const getWholeArchive = reading(
  'osvGetWholeArchive',
  'All records',
  'A zip archive with `<id>.json` for each record of any ecosystem, withdrawn ones included. Made in the background after new data is loaded.',
  [],
  fileAnswer('The archive.', 'application/zip'),
);

export const getArchive = reading(
  'osvGetArchive',
  'All records of an ecosystem',
  'A zip archive with `<id>.json` for each record, withdrawn ones included. Made in the background after new data is loaded.',
  [ecosystem],
  fileAnswer('The archive.', 'application/zip'),
  { '404': responseRef('OsvNotFound') },
);

export const getEcosystemModified = reading(
  'osvGetEcosystemModified',
  'The records of an ecosystem, the most recently modified first',
  'Lines of `<modified>,<id>`.',
  [ecosystem],
  fileAnswer('The list.', 'text/csv'),
  { '404': responseRef('OsvNotFound') },
);

export const getRecordFile = reading(
  'osvGetRecordFile',
  'One record of an ecosystem, as in its archive',
  'By its id alone, with `.json` after it.',
  [ecosystem, inPath('file', 'The id, with `.json` after it.')],
  dataAnswer('The record.', 'OsvRecord'),
  { '404': responseRef('OsvNotFound') },
);
