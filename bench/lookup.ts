// A lookup end to end without socket and request: product, key, search, and the answer's bytes, over a Zipf
// mix of products. The mix is much larger than the processor's caches.

import { writeMatches } from '../src/dialects/patchstack/list-answer.ts';
import type { Generation } from '../src/index/generation.ts';
import { ThreadMemory } from '../src/index/memory/thread-memory.ts';
import { isVulnerable, match } from '../test/support/verdicts.ts';
import type { BenchContext, Prepared } from './bench-context.ts';
import type { Task } from './measure.ts';
import { describeMix, type Question, questionsFinding, zipfMix } from './questions.ts';

const MIX = 8192;
const MATCH_COUNTS = [0, 1, 3, 60]; // the same kinds of questions at every size, to see the cost of growth
const QUESTIONS = 512;

export function prepareLookup({ generation }: BenchContext): Prepared {
  const mixed = zipfMix(generation, MIX);
  const notes = [describeMix(generation, mixed)];
  const tasks = tasksOf(generation, 'Zipf mix', mixed);
  for (const found of MATCH_COUNTS) {
    const questions = questionsFinding(generation, found, QUESTIONS);
    const products = new Set(questions.map(({ type, name }) => `${type}/${name}`)).size;
    const words = found === 1 ? '1 match' : `${found} matches`;
    notes.push(`${words}: ${questions.length} questions about ${products} products`);
    if (questions.length > 0) tasks.push(...tasksOf(generation, words, questions));
  }
  return { notes, tasks };
}

function tasksOf(generation: Generation, words: string, questions: readonly Question[]): Task[] {
  const memory = new ThreadMemory(generation);
  const { out, matches } = memory;
  const answer = ({ type, name, version }: Question): number => {
    out.restart();
    if (match(generation, type, name, version, matches)) writeMatches(memory, generation, false);
    return out.length;
  };
  return [
    {
      name: 'isVulnerable',
      asks: `exists, ${words}`,
      questions: questions.length,
      run: () => {
        let hits = 0;
        for (const { type, name, version } of questions) {
          if (isVulnerable(generation, type, name, version) === true) hits++;
        }
        return hits;
      },
      answers: () =>
        questions.map(({ type, name, version }) => String(isVulnerable(generation, type, name, version))),
    },
    {
      name: 'match',
      asks: `product, ids only, ${words}`,
      questions: questions.length,
      run: () => {
        let found = 0;
        for (const { type, name, version } of questions) {
          match(generation, type, name, version, matches);
          found += matches.count;
        }
        return found;
      },
    },
    {
      name: 'match and writeMatches',
      asks: `product, ${words}`,
      questions: questions.length,
      run: () => {
        let bytes = 0;
        for (const question of questions) bytes += answer(question);
        return bytes;
      },
      *answers() {
        for (const question of questions) {
          answer(question);
          yield out.view();
        }
      },
    },
  ];
}
