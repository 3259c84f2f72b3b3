// Page tokens: a position among the records of one query, by numeric id. Queries list records by descending
// id.

import { cursorCodec } from '../cursor.ts';

const { encode, decode } = cursorCodec('osv1:');

/** Above every id: the position of the first page. */
export const FIRST_POSITION = Number.MAX_SAFE_INTEGER;

/** The token for "records below this id". */
export const encodePageToken = encode;

/** The position, or undefined for a token that this dialect has not handed out. */
export const decodePageToken = decode;
