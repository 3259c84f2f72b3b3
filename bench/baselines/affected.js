// Whether one of a record's spans holds a version, each bound parsed when it is compared, as one would write it first.
// The order of versions is that of the server.

import { compareKeys, versionKey } from '../../dist/index/versions/version-key.js';

export function spanOf(scheme, spans, text) {
  const version = versionKey(scheme, text);
  return spans.find(({ from_version: from, to_version: to, to_bound: bound }) => {
    if (from !== null && compareKeys(version, versionKey(scheme, from)) < 0) return false;
    if (to === null) return true;
    const order = compareKeys(version, versionKey(scheme, to));
    return order < 0 || (order === 0 && bound !== 'exclusive');
  });
}
