// Errors as WordPress clients read them: a JSON object whose `error` is a sentence, which some of them print. The code is
// for programs.

import type { Schema } from '../http/openapi/model.ts';
import type { RenderError } from '../http/replies/problems.ts';
import { type ErrorFormat, refusal } from './openapi-refusals.ts';
import { described, listOfAtLeast, oneOfWords, positive, someText } from './schema-words.ts';

const CONTENT_TYPE = 'application/json';

/** `{"error":"…","code":"…","request_id":"…"}`, with `errors` for bad parameters and `ids` for an ambiguous id. */
export const renderErrorObject: RenderError = ({ status, code, detail, errors, members }, requestId) => ({
  status,
  contentType: CONTENT_TYPE,
  body: JSON.stringify({ error: detail, code, request_id: requestId, errors, ...members }),
});

const PARAMETER_ERROR: Schema = {
  type: 'object',
  properties: { parameter: someText, message: someText },
  required: ['parameter', 'message'],
  additionalProperties: false,
};

export const errorObject: ErrorFormat = {
  mediaType: CONTENT_TYPE,
  schema(codes): Schema {
    const properties: { [name: string]: Schema } = {
      error: described('One sentence, to be shown or logged.', someText),
      code: oneOfWords(codes),
      request_id: someText,
    };
    const required = Object.keys(properties);
    if (codes.some((code) => code.startsWith('invalid_') || code === 'ambiguous_id')) {
      properties.errors = described('One entry per bad parameter.', listOfAtLeast(1, PARAMETER_ERROR));
    }
    if (codes.includes('ambiguous_id')) properties.ids = listOfAtLeast(2, positive);
    if (codes.includes('unknown_snapshot')) {
      properties.snapshots = described('Those that are held.', listOfAtLeast(1, someText));
    }
    return { type: 'object', properties, required, additionalProperties: false };
  },
};

/** What any path below the mount that is not in the document answers. */
export const unknownPath = refusal(errorObject, 'No such path.', ['not_found'], { headers: {} });
