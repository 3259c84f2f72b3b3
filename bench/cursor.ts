// Cursor tokens of the snapshot's own ids, written and read.

import { decodeCursor, encodeCursor } from '../src/dialects/patchstack/cursor.ts';
import type { BenchContext, Prepared } from './bench-context.ts';

const CURSORS = 1024;

export function prepareCursor({ generation }: BenchContext): Prepared {
  const total = generation.advisoryCount;
  const count = Math.min(CURSORS, total);
  const ids = Array.from({ length: count }, (_, i) => generation.idAt(Math.floor((i * total) / count)));
  const tokens = ids.map(encodeCursor);
  return {
    notes: [`${count} ids, spread over the snapshot`],
    tasks: [
      {
        name: 'encodeCursor',
        asks: 'encode a cursor',
        questions: count,
        run: () => {
          let chars = 0;
          for (const id of ids) chars += encodeCursor(id).length;
          return chars;
        },
        answers: () => ids.map(encodeCursor),
      },
      {
        name: 'decodeCursor',
        asks: 'decode a cursor',
        questions: count,
        run: () => {
          let sum = 0;
          for (const token of tokens) sum += decodeCursor(token) ?? 0;
          return sum;
        },
        answers: () => tokens.map((token) => String(decodeCursor(token))),
      },
    ],
  };
}
