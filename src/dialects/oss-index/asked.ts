// What a request asks about, for an access log that names products: the packages of types that are held.

import type { AskedProducts } from '../../http/asked-products.ts';
import type { Steps } from '../../http/work/steps.ts';
import { addPackage } from '../osv/asked.ts';
import { readCoordinates } from './coordinates.ts';

export function* askedByReport(body: Uint8Array, products: AskedProducts): Steps<void> {
  const read = yield* readCoordinates(body);
  if (read.kind === 'problem') return;
  for (const coordinate of read.list) {
    if (coordinate.kind === 'package') addPackage(coordinate.query, products);
  }
}
