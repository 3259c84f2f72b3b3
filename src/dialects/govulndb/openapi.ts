// This dialect's part of the OpenAPI document.

import type { OpenApiPart } from '../../http/dialect.ts';
import type { Operation, Response, Schema } from '../../http/openapi/model.ts';
import { errorObject, errorObjectResponses, unknownPath } from '../error-object.ts';
import {
  dataResponse,
  headerRef,
  inPath,
  KEY_SECURITY,
  limitHeaders,
  parameterRefs,
} from '../openapi-parts.ts';
import { notYetPrepared, refusal } from '../openapi-refusals.ts';
import * as s from '../schema-words.ts';
import { GZIP_TYPE } from './index-files.ts';

const TAG = 'Go vulnerability database';
const instant = s.matching('^\\d{4,}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$');

const record: Schema = {
  type: 'object',
  description:
    'In the OSV schema, with the entries of Go modules alone and without `last_affected`: a range ends with `fixed`, after its last affected version.',
  required: ['id', 'modified', 'affected', 'database_specific'],
  properties: {
    id: s.someText,
    modified: instant,
    withdrawn: instant,
    affected: s.list({
      type: 'object',
      required: ['package', 'ranges'],
      properties: {
        package: {
          type: 'object',
          required: ['ecosystem', 'name'],
          properties: { ecosystem: s.exactly('Go'), name: s.someText },
        },
        ranges: s.listOfAtLeast(1, {
          type: 'object',
          required: ['type', 'events'],
          properties: { type: s.exactly('SEMVER'), events: s.listOfAtLeast(1, { type: 'object' }) },
        }),
        ecosystem_specific: s.described(
          '`imports`: the affected packages and symbols, as the source has them.',
          { type: 'object' },
        ),
      },
    }),
    database_specific: {
      type: 'object',
      required: ['url'],
      properties: { url: s.described('The page of the advisory.', s.text) },
    },
  },
};

const noData = refusal(errorObject, 'The snapshot has no advisory about a Go module.', ['no_go_data'], {
  headers: { ...limitHeaders, 'Vulndex-Unknown-Ecosystems': headerRef('UnknownEcosystems') },
});

function operation(
  operationId: string,
  summary: string,
  description: string,
  more: Pick<Operation, 'responses'> & Partial<Pick<Operation, 'parameters'>>,
): Operation {
  const { parameters = [], responses } = more;
  return {
    operationId,
    summary,
    description,
    tags: [TAG],
    parameters: [...parameters, ...parameterRefs('IfNoneMatch', 'RequestId')],
    responses,
  };
}

interface IndexFile {
  /** Its path. */
  readonly file: string;
  readonly operation: Operation;
}

const MADE =
  'Made once per snapshot; after a swap, that of the previous snapshot is sent until the new one is ready.';

function indexFile(name: string, file: string, summary: string, answer: Response): IndexFile {
  const responses = { '200': answer, '404': noData, '503': notYetPrepared(errorObject) };
  return { file, operation: operation(`getGovulndb${name}`, summary, MADE, { responses }) };
}

function bothForms(name: string, file: string, summary: string, schema: Schema): readonly IndexFile[] {
  const compressed = dataResponse('The same, compressed: not as a content coding.', s.text, {
    mediaType: GZIP_TYPE,
  });
  return [
    indexFile(name, file, summary, dataResponse('The file.', schema)),
    indexFile(`${name}Gz`, `${file}.gz`, `${summary}, compressed`, compressed),
  ];
}

const fixed = s.described(
  'From here on no version is affected. Left out where a range stays open.',
  s.someText,
);
const vulns = s.listOfAtLeast(1, s.object({ id: s.someText, modified: instant, fixed }, ['fixed']));

export const INDEX_FILES: readonly IndexFile[] = [
  ...bothForms('Db', 'index/db.json', 'When the data was last modified', s.object({ modified: instant })),
  ...bothForms(
    'Modules',
    'index/modules.json',
    'All modules with their vulnerabilities',
    s.list(s.object({ path: s.someText, vulns })),
  ),
  ...bothForms(
    'Vulns',
    'index/vulns.json',
    'All vulnerabilities',
    s.list(s.object({ id: s.someText, modified: instant, aliases: s.texts }, ['aliases'])),
  ),
  indexFile(
    'LegacyIndex',
    'index.json',
    'All modules, for clients of 2023',
    dataResponse('By path: when its records were last modified.', {
      type: 'object',
      additionalProperties: instant,
    }),
  ),
];

const unknown = refusal(errorObject, 'There is no such record.', ['unknown_record']);

function recordAnswer(): Response {
  const answer = dataResponse('The record.', s.ref('GovulndbRecord'));
  return { ...answer, content: { ...answer.content, [GZIP_TYPE]: { schema: s.text } } };
}

export const getRecord = operation(
  'getGovulndbRecord',
  'One record',
  'By its own id alone, with `.json` after it, or with `.json.gz` for the same compressed: not as a content coding.',
  {
    parameters: [inPath('file', 'Such as `GO-2024-2611.json.gz`.')],
    responses: { '200': recordAnswer(), '404': unknown },
  },
);

export const getModule = operation(
  'getGovulndbModule',
  'All records about a module, for clients of 2023',
  'The module’s path with `.json` after it, its slashes bare or encoded, and `!a` for a capital A.',
  {
    parameters: [inPath('module', 'Such as `github.com/!burnt!sushi/toml.json`.')],
    responses: {
      '200': dataResponse('The records.', s.listOfAtLeast(1, s.ref('GovulndbRecord'))),
      '404': refusal(errorObject, 'There is no data.', ['unknown_record', 'no_go_data'], {
        headers: { ...limitHeaders, 'Vulndex-Unknown-Ecosystems': headerRef('UnknownEcosystems') },
      }),
    },
  },
);

export const openApi: OpenApiPart = {
  description:
    'Below `/govulndb` the vulnerability database of Go, for govulncheck. Errors there are `{"error", "code", "request_id"}`.',
  security: KEY_SECURITY,
  tags: [{ name: TAG, description: 'Files that govulncheck reads, and decides by itself.' }],
  sharedResponses: errorObjectResponses,
  components: {
    schemas: { GovulndbRecord: record },
    responses: { GovulndbNotFound: unknownPath },
  },
};
