// The operations: what each endpoint takes, and the statuses that not every route of its kind has. Paths and
// methods are in routes.ts.

import type { Operation, Parameter } from '../../../http/openapi/model.ts';
import { PLATFORMS, PRODUCT_TYPES } from '../../../index/product-type.ts';
import {
  dataResponse,
  headerRef,
  inPath,
  inQuery,
  jsonBody,
  parameterRefs,
  responseRef,
  sharedParameters,
} from '../../openapi-parts.ts';
import * as s from '../../schema-words.ts';
import * as examples from './examples.ts';
import { openResponse } from './responses.ts';

export const parameters: { readonly [name: string]: Parameter } = {
  Platform: inQuery('platform', 'In any case.', { ...s.oneOfWords(PLATFORMS), default: PLATFORMS[0] }),
  Page: inQuery('page', 'From 1. Not together with `cursor`.', { type: 'integer', minimum: 1, default: 1 }),
  PerPage: inQuery('per_page', 'Items on a page.', {
    type: 'integer',
    minimum: 1,
    maximum: 500,
    default: 100,
  }),
  Cursor: inQuery(
    'cursor',
    'Empty for the first page, then `cursor.next_cursor` of the page before. Not together with `page`.',
    s.text,
    { allowEmptyValue: true },
  ),
  Include: inQuery('include', 'Adds `advisory_details` to each vulnerability.', s.oneOfWords(['details'])),
  Fix: inQuery(
    'fix',
    'Adds `update_to`, the version to update to. An addition of this server to the interface.',
    { ...s.oneOfWords(['true', 'false']), default: 'false' },
  ),
  Snapshot: inQuery(
    'snapshot',
    'The id of a snapshot, which is what an `ETag` begins with. The answer is from it as long as the server holds it, so that several requests agree; by default from the newest.',
    s.snapshotId,
  ),
  Since: inQuery('since', 'The id of the snapshot that the client has.', s.snapshotId, { required: true }),
  ...sharedParameters,
  ProductType: inPath('type', 'Kind of product.', s.oneOfWords(PRODUCT_TYPES)),
  ProductName: inPath(
    'name',
    'Plugin or theme slug, `wordpress`, or the name of a package. At most 256 bytes. A `/` in it may be sent as it is or as `%2F`.',
  ),
  TypeOfProducts: inQuery('type', 'Kind of products.', s.oneOfWords(PRODUCT_TYPES), { required: true }),
  NamePrefix: inQuery(
    'prefix',
    'What the names begin with, at most 256 bytes: in any case where the type’s names have none, else as given or lower-cased. Empty for all names.',
    { type: 'string', default: '' },
    { allowEmptyValue: true },
  ),
  MostNames: inQuery('limit', 'The most names to answer with.', {
    type: 'integer',
    minimum: 1,
    maximum: 20,
    default: 10,
  }),
  ProductVersion: inPath(
    'version',
    'A concrete version, at most 256 bytes, or `*` for everything on record. For npm what node-semver’s loose parser takes, or a short `1` or `1.2`; else any text with a letter or a digit.',
  ),
  ConcreteVersion: inPath('version', 'A concrete version, at most 256 bytes; not `*`.'),
  VulnerabilityId: inPath('id', 'Numeric id, PSID, CVE id (with or without `CVE-`) or GHSA id, in any case.'),
};

const pageExamples = {
  offset: { summary: 'Offset mode', value: examples.offsetPage },
  cursor: { summary: 'Cursor mode', value: examples.cursorPage },
};

function listing(operationId: string, summary: string, description: string): Operation {
  return {
    operationId,
    summary,
    description,
    tags: ['lists'],
    parameters: parameterRefs(
      ...['Platform', 'Page', 'PerPage', 'Cursor', 'Include', 'Snapshot', 'IfNoneMatch', 'RequestId'],
    ),
    responses: {
      '200': dataResponse('One page, by descending id.', s.ref('Page'), { examples: pageExamples }),
      '422': responseRef('InvalidListing'),
    },
  };
}

function lookup(
  operationId: string,
  summary: string,
  description: string,
  parameterNames: readonly string[],
  responses: Operation['responses'],
): Operation {
  return {
    operationId,
    summary,
    description,
    tags: ['lookups'],
    parameters: parameterRefs(...parameterNames, 'Snapshot', 'IfNoneMatch', 'RequestId'),
    responses,
  };
}

export const checkBatch: Operation = {
  operationId: 'checkBatch',
  summary: 'Check up to 50 products at once',
  description:
    'Takes a JSON array of at most 50 items in at most 64 KiB, whatever its content type. Costs one request, or one for each item where the key’s tier says so. A text that is not a version is an error of its item alone. Answers have at most 8 MiB together: an item whose answer does not fit gets the error `batch_too_large`.',
  tags: ['lookups'],
  parameters: parameterRefs('Include', 'Fix', 'Snapshot', 'RequestId'),
  requestBody: jsonBody('The products to check.', s.ref('BatchRequest'), {
    mixed: { value: examples.batchRequest },
  }),
  responses: {
    '200': dataResponse('One result per item, in the order sent.', s.ref('BatchResult'), {
      examples: { mixed: { value: examples.batchResult } },
      isTagged: false,
    }),
    '400': responseRef('InvalidBody'),
    '413': responseRef('BodyTooLarge'),
    '422': responseRef('InvalidBatch'),
  },
};

function keylessOperation(
  operationId: string,
  summary: string,
  description: string,
  responses: Operation['responses'],
  parameters: Operation['parameters'] = [],
): Operation {
  return {
    operationId,
    summary,
    description,
    tags: ['service'],
    security: [],
    parameters: [...parameters, ...parameterRefs('RequestId')],
    responses,
  };
}

export const listAll = listing(
  'listVulnerabilities',
  'List all vulnerabilities of a platform',
  'To copy everything, start with an empty `cursor` and follow `cursor.next_cursor` while `cursor.has_more`: nothing is repeated or skipped, however long it takes. `page` can jump, but its rows shift when new vulnerabilities arrive.',
);

export const listLatest = listing(
  'listLatestVulnerabilities',
  'List the vulnerabilities added within the last 24 hours',
  'Filters on `created_at`, not on the disclosure date. Pages as `/all` does.',
);

export const listChanges: Operation = {
  operationId: 'listChanges',
  summary: 'List what changed on a platform since a snapshot',
  description:
    'For clients that keep a copy of `/all`: walk that once, remember the snapshot’s id, and from then on ask for what changed since, by descending id. Send the `snapshot` of the first page with the further ones. `changed` means any difference in the record, also one that only `/vulnerability/{id}` shows; a record that changed and changed back may be listed. A page may have fewer items than `per_page`, or none, and still not be the last. If the server no longer holds the snapshot (412), walk `/all` again.',
  tags: ['lists'],
  parameters: parameterRefs(
    ...['Since', 'Platform', 'PerPage', 'Cursor', 'Include', 'Snapshot', 'IfNoneMatch', 'RequestId'],
  ),
  responses: {
    '200': dataResponse('One page, by descending id.', s.ref('Changes'), {
      examples: { changes: { value: examples.changesPage } },
    }),
    '422': responseRef('InvalidListing'),
    '503': responseRef('NotListedYet'),
  },
};

export const findProduct = lookup(
  'findProductVulnerabilities',
  'Find the vulnerabilities of a product’s version',
  'An unknown product has none: the list is empty. `matched_range.fixed_in` fixes one vulnerability, `update_to` leaves none.',
  ['ProductType', 'ProductName', 'ProductVersion', 'Include', 'Fix'],
  {
    '200': dataResponse(
      'The vulnerabilities that affect the version, by descending id.',
      s.ref('ProductVulnerabilities'),
      {
        examples: {
          affected: { summary: 'An affected version', value: examples.productVulnerabilities },
          clean: { summary: 'Nothing known', value: { vulnerabilities: [] } },
        },
      },
    ),
    '422': responseRef('InvalidParameter'),
  },
);

export const productExists = lookup(
  'isProductVulnerable',
  'Say whether a product’s version is vulnerable',
  'An unknown product is not.',
  ['ProductType', 'ProductName', 'ConcreteVersion'],
  {
    '200': dataResponse('The answer.', s.ref('ProductVulnerable'), {
      examples: { affected: { value: { vulnerable: true } } },
    }),
    '422': responseRef('InvalidParameter'),
  },
);

export const getVulnerability = lookup(
  'getVulnerability',
  'Get everything on one vulnerability',
  'A withdrawn vulnerability still answers, with `withdrawn_at`.',
  ['VulnerabilityId'],
  {
    '200': dataResponse('The vulnerability.', s.ref('VulnerabilityRecord'), {
      examples: { plugin: { value: examples.vulnerabilityRecord } },
    }),
    '404': responseRef('UnknownVulnerability'),
    '422': responseRef('InvalidId'),
  },
);

export const explainVersion = lookup(
  'explainVersion',
  'Explain a lookup',
  'Lists every published vulnerability of the product, with whether it applies to the version, the ranges that were compared, and the sources of its fields. Says how the version was read, and which versions are free of vulnerabilities. An unknown product has an empty list. At most 10,000 ranges are listed: `omitted_ranges` counts the others, and a range that decides is never left out. An addition of this server to the interface.',
  ['ProductType', 'ProductName', 'ConcreteVersion'],
  {
    '200': dataResponse('The explanation.', s.ref('Explanation'), {
      examples: { affected: { summary: 'An affected version', value: examples.explanation } },
    }),
    '422': responseRef('InvalidParameter'),
  },
);

export const suggestProducts = lookup(
  'suggestProducts',
  'List products whose names begin with a text',
  'For suggestions while someone types. The name that is the text comes first, then those with the most advisories, then the order of their bytes; of more than 5,000 names, the first are considered. An addition of this server to the interface.',
  ['TypeOfProducts', 'NamePrefix', 'MostNames'],
  {
    '200': dataResponse('The names.', s.ref('ProductNames'), {
      examples: { two: { summary: 'The names that begin with `imaginary-`', value: examples.productNames } },
    }),
    '422': responseRef('InvalidParameter'),
  },
);

export const getStatistics: Operation = {
  operationId: 'getStatistics',
  summary: 'Count what the data has',
  description:
    'Counts by type, severity, month and source, of published vulnerabilities where nothing else is said. They are made once for each snapshot, so for a moment after a new one they still describe the one before: see `snapshot`. An addition of this server to the interface.',
  tags: ['lists'],
  parameters: parameterRefs('Snapshot', 'IfNoneMatch', 'RequestId'),
  responses: {
    '200': dataResponse('The counts.', s.ref('Statistics'), {
      examples: { small: { value: examples.statistics } },
    }),
    '422': responseRef('InvalidParameter'),
    '503': responseRef('NotCountedYet'),
  },
};

export const getDocument: Operation = {
  ...keylessOperation('getOpenApiDocument', 'Get this document', 'Needs no key.', {
    '200': openResponse('This document.', s.ref('OpenApiDocument'), { ETag: headerRef('ETag') }),
    '304': responseRef('DocumentNotModified'),
  }),
  parameters: parameterRefs('IfNoneMatch', 'RequestId'),
};

export const getHealth = keylessOperation('getHealth', 'Say whether the process answers', 'Needs no key.', {
  '200': openResponse('It does.', s.ref('Health')),
});

export const getReadiness = keylessOperation(
  'getReadiness',
  'Say whether requests should be sent here',
  'Needs no key.',
  {
    '200': openResponse('Data is loaded and the server is not shutting down.', s.ref('Readiness')),
    '422': responseRef('InvalidParameter'),
    '503': responseRef('NotReady'),
  },
  [
    inQuery(
      'snapshot',
      'Ready only if the snapshot with this id is the live one: for roll-outs, which go on when it is.',
      s.snapshotId,
    ),
  ],
);
