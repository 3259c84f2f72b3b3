// The entity tag of this dialect's answers, which names their snapshot.

import { snapshotTags } from '../../http/replies/etag.ts';

/** Raised whenever answers from the same snapshot change their bytes. */
export const RESPONSE_REVISION = 2;

export const etagOf = snapshotTags(RESPONSE_REVISION);
