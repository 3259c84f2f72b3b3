// Errors as WordPress clients read them: a JSON object whose `error` is a sentence, which some of them print. The code is
// for programs.

import type { RenderError } from '../http/replies/problems.ts';

/** `{"error":"…","code":"…","request_id":"…"}`, with `errors` for bad parameters and `ids` for an ambiguous id. */
export const renderErrorObject: RenderError = ({ status, code, detail, errors, members }, requestId) => ({
  status,
  contentType: 'application/json',
  body: JSON.stringify({ error: detail, code, request_id: requestId, errors, ...members }),
});
