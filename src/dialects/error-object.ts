// Errors as WordPress clients read them: a JSON object whose `error` is a sentence, which some of them print.
// The code is for programs.

import type { ErrorFormat, Schema } from '../http/openapi/model.ts';
import type { RenderError } from '../http/replies/problems.ts';

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

const text = { type: 'string', minLength: 1 };
const PARAMETER_ERRORS: Schema = {
  type: 'array',
  description: 'One entry per bad parameter.',
  minItems: 1,
  items: { type: 'object', properties: { parameter: text, message: text } },
};
const SNAPSHOTS: Schema = { type: 'array', description: 'Those that are held.', minItems: 1, items: text };

export const errorObject: ErrorFormat = {
  prefix: 'ErrorObject',
  mediaType: CONTENT_TYPE,
  schema(codes): Schema {
    const isParameter = codes.some((code) => code.startsWith('invalid_') || code === 'ambiguous_id');
    const isAmbiguous = codes.includes('ambiguous_id');
    const isSnapshot = codes.includes('unknown_snapshot');
    return {
      type: 'object',
      properties: {
        error: { ...text, description: 'One sentence, to be shown or logged.' },
        code: { type: 'string', enum: codes },
        request_id: text,
        ...(isParameter ? { errors: PARAMETER_ERRORS } : {}),
        ...(isAmbiguous
          ? { ids: { type: 'array', minItems: 2, items: { type: 'integer', minimum: 1 } } }
          : {}),
        ...(isSnapshot ? { snapshots: SNAPSHOTS } : {}),
      },
      required: ['error', 'code', 'request_id'],
      additionalProperties: false,
    };
  },
};
