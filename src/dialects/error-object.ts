// Errors as WordPress clients read them: a JSON object whose `error` is a sentence, which some of them print.
// The code is for programs.

import type { Operation, Schema } from '../http/openapi/model.ts';
import type { RenderError } from '../http/replies/problems.ts';
import { notModified } from './openapi-parts.ts';
import { type ErrorFormat, refusal, serviceRefusals } from './openapi-refusals.ts';
import * as s from './schema-words.ts';

const CONTENT_TYPE = 'application/json';

/**
 * `{"error":"…","code":"…","request_id":"…"}`, with `errors` for bad parameters and `ids` for an ambiguous
 * id.
 */
export const renderErrorObject: RenderError = ({ status, code, detail, errors, members }, requestId) => ({
  status,
  contentType: CONTENT_TYPE,
  body: JSON.stringify({ error: detail, code, request_id: requestId, errors, ...members }),
});

const PARAMETER_ERROR: Schema = {
  type: 'object',
  properties: { parameter: s.someText, message: s.someText },
  required: ['parameter', 'message'],
  additionalProperties: false,
};

export const errorObject: ErrorFormat = {
  mediaType: CONTENT_TYPE,
  schema(codes): Schema {
    const properties: { [name: string]: Schema } = {
      error: s.described('One sentence, to be shown or logged.', s.someText),
      code: s.oneOfWords(codes),
      request_id: s.someText,
    };
    const required = Object.keys(properties);
    if (codes.some((code) => code.startsWith('invalid_') || code === 'ambiguous_id')) {
      properties.errors = s.described('One entry per bad parameter.', s.listOfAtLeast(1, PARAMETER_ERROR));
    }
    if (codes.includes('ambiguous_id')) properties.ids = s.listOfAtLeast(2, s.positive);
    if (codes.includes('unknown_snapshot')) {
      properties.snapshots = s.described('Those that are held.', s.listOfAtLeast(1, s.someText));
    }
    return { type: 'object', properties, required, additionalProperties: false };
  },
};

/** What routes of the dialects with this format share. */
export const errorObjectResponses: Operation['responses'] = {
  '304': notModified,
  ...serviceRefusals(errorObject),
};

/** What any path below the mount that is not in the document answers. */
export const unknownPath = refusal(errorObject, 'No such path.', ['not_found'], { headers: {} });
