// The cursors of /all. Only tokens that this dialect has handed out are accepted.

import { cursorCodec } from '../cursor.ts';

export const { encode: encodeCursor, decode: decodeCursor } = cursorCodec('v1:');
