// A batch of 50 through the service, for booleans and for full answers, compared with the same 50 as single requests.

import type { Reply } from '../src/http/responses.ts';
import type { BenchContext, Prepared } from './bench-context.ts';
import { FakeRequest } from './fake-request.ts';
import type { Task } from './measure.ts';
import { describeMix, zipfMix } from './questions.ts';
import { FREE, makeService, productPath, reply } from './service.ts';

const ITEMS = 50;
const BATCHES = 16;

export function prepareBatch({ generation }: BenchContext): Prepared {
  const service = makeService(generation);
  const mixed = zipfMix(generation, ITEMS * BATCHES);
  const request = new FakeRequest('POST', '/batch', '', FREE);
  const batches = Array.from({ length: BATCHES }, (_, i) => mixed.slice(i * ITEMS, (i + 1) * ITEMS));

  const send = (body: Uint8Array): Reply => {
    const wanted = service.handle(request);
    if (!('kind' in wanted)) throw new Error(`a batch got ${wanted.status} before its body`);
    return wanted.finish(body);
  };
  const tasks = [true, false].flatMap((exists): Task[] => {
    const asks = `batch of ${ITEMS}, ${exists ? 'exists' : 'full'}`;
    const bodies = batches.map((batch) =>
      Buffer.from(JSON.stringify(batch.map((item) => (exists ? { ...item, exists } : item)))),
    );
    const singles = batches.map((batch) =>
      batch.map((item) => new FakeRequest('GET', productPath(item, exists ? '/exists' : ''), '', FREE)),
    );
    let next = 0;
    return [
      {
        name: 'one batch',
        asks,
        questions: 1,
        run: () => {
          next = (next + 1) % bodies.length;
          return send(bodies[next]).status;
        },
        *answers() {
          for (const body of bodies) yield send(body).body;
        },
      },
      {
        name: `${ITEMS} single requests`,
        asks,
        isBaseline: true,
        questions: 1,
        run: () => {
          next = (next + 1) % singles.length;
          let sum = 0;
          for (const single of singles[next]) sum += reply(service, single).status;
          return sum;
        },
      },
    ];
  });
  return { notes: [describeMix(generation, mixed)], tasks };
}
