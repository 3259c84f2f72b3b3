// Pages of /all as their handler assembles them, with and without details, compared with JSON.stringify of the same
// records kept as objects.

import { handleAll } from '../src/dialects/patchstack/listing.ts';
import { ThreadMemory } from '../src/index/memory/thread-memory.ts';
import type { BenchContext, Prepared } from './bench-context.ts';
import { FakeRequest } from './fake-request.ts';
import type { Task } from './measure.ts';

const PAGES = 8; // spread over the whole list; the baseline has all their records in memory
const SIZES = [100, 500];
const FORMS = [
  { words: '', platform: 'wordpress', query: '' },
  { words: ' with details', platform: 'wordpress', query: '&include=details' },
  // Hardly any WordPress advisory has details; nearly every npm advisory does.
  { words: ' of npm with details', platform: 'npm', query: '&platform=npm&include=details' },
] as const;
const NOW_MS = Date.UTC(2026, 0, 1);

export function preparePage({ generation }: BenchContext): Prepared {
  const context = {
    generation,
    nowMs: NOW_MS,
    latestAnchor: 'clock',
    memory: new ThreadMemory(generation),
  } as const;
  const pageOf = (request: FakeRequest): Uint8Array => {
    const answer = handleAll(request, [], context);
    if (answer.kind !== 'json' || typeof answer.body === 'string') throw new Error(request.query);
    return answer.body;
  };
  const notes: string[] = [];
  const tasks = FORMS.flatMap(({ words, platform, query }) =>
    SIZES.flatMap((perPage): Task[] => {
      const { start, end } = generation.published(platform);
      const last = Math.max(1, Math.floor((end - start) / perPage));
      const numbers = Array.from({ length: Math.min(PAGES, last) }, (_, i) =>
        Math.max(1, Math.round((last * (i + 1)) / Math.min(PAGES, last))),
      );
      const requests = numbers.map(
        (page) => new FakeRequest('GET', '/all', `per_page=${perPage}&page=${page}${query}`),
      );
      const objects: unknown[] = requests.map((request) =>
        JSON.parse(Buffer.from(pageOf(request)).toString()),
      );
      const bytes = requests.reduce((sum, request) => sum + pageOf(request).length, 0) / requests.length;
      const asks = `page of ${perPage}${words}`;
      notes.push(`${asks}: ${requests.length} pages of ${(bytes / 1e3).toFixed(0)} kB on average`);
      return [
        {
          name: 'handleAll',
          asks,
          questions: 1,
          run: inTurn(requests, pageOf),
          *answers() {
            for (const request of requests) yield pageOf(request);
          },
        },
        {
          name: 'JSON.stringify of records in memory',
          asks,
          isBaseline: true,
          questions: 1,
          run: inTurn(objects, (page) => Buffer.from(JSON.stringify(page))),
          *answers() {
            for (const page of objects) yield JSON.stringify(page);
          },
        },
      ];
    }),
  );
  return { notes, tasks };
}

/** Each run answers the next question, so that p99 is over single answers. */
function inTurn<Question>(questions: readonly Question[], answer: (question: Question) => unknown) {
  let next = 0;
  return (): unknown => {
    next = (next + 1) % questions.length;
    return answer(questions[next]);
  };
}
