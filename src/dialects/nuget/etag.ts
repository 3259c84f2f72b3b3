// The entity tag of this dialect's answers and files.

import { snapshotTags } from '../../http/replies/etag.ts';

/** Raised whenever answers from the same snapshot change their bytes. */
const RESPONSE_REVISION = 1;

export const etagOf = snapshotTags(RESPONSE_REVISION);
