// A lookup end to end without socket and request: product, key, search, and the answer's bytes, over a Zipf
// mix of products. The mix is much larger than the processor's caches.

import { writeMatches } from '../../src/dialects/patchstack/list-answer.ts';
import type { Generation } from '../../src/index/generation.ts';
import { Matches } from '../../src/index/lookup/matches.ts';
import { ThreadMemory } from '../../src/index/memory/thread-memory.ts';
import { isVulnerable, match } from '../../test/support/answers/verdicts.ts';
import { lookupsWhere, type Question, zipfMix } from '../questions.ts';
import { askingAll, type Prepared, type Task } from './measure.ts';

const MIX = 8192;
const MATCH_COUNTS = [0, 1, 3, 60]; // the same kinds of questions at every size, to see the cost of growth
const QUESTIONS = 512;
const PER_PRODUCT = 20;

export function prepareLookup(generation: Generation): Prepared {
  const notes: string[] = [];
  const tasksAbout = (words: string, questions: readonly Question[]): Task[] => {
    const products = new Set(questions.map(({ type, name }) => `${type}/${name}`)).size;
    notes.push(`${words}: ${questions.length} questions about ${products} products`);
    return questions.length === 0 ? [] : tasksOf(generation, words, questions);
  };
  const tasks = [
    ...tasksAbout('Zipf mix', zipfMix(generation, MIX)),
    ...MATCH_COUNTS.flatMap((found) => {
      const questions = lookupsWhere(generation, (count) => count === found, QUESTIONS, PER_PRODUCT);
      return tasksAbout(found === 1 ? '1 match' : `${found} matches`, questions);
    }),
  ];
  return { notes, tasks };
}

function tasksOf(generation: Generation, words: string, questions: readonly Question[]): Task[] {
  const memory = new ThreadMemory(generation);
  const { out, matches } = memory;
  const write = ({ type, name, version }: Question): number => {
    out.restart();
    if (match(generation, type, name, version, matches)) writeMatches(memory, generation, false);
    return out.length;
  };
  return [
    existsTask(generation, `exists, ${words}`, questions),
    matchTask(generation, `product, ids only, ${words}`, questions),
    askingAll('match and writeMatches', `product, ${words}`, questions, write, (question) => {
      write(question);
      return out.view();
    }),
  ];
}

/** Whether any advisory applies. */
export function existsTask(generation: Generation, asks: string, questions: readonly Question[]): Task {
  return askingAll(
    'isVulnerable',
    asks,
    questions,
    ({ type, name, version }) => isVulnerable(generation, type, name, version) === true,
  );
}

/** Which ones apply; the answer is their ids. */
export function matchTask(generation: Generation, asks: string, questions: readonly Question[]): Task {
  const matches = new Matches();
  const count = ({ type, name, version }: Question): number => {
    match(generation, type, name, version, matches);
    return matches.count;
  };
  return askingAll('match', asks, questions, count, (question) =>
    Array.from({ length: count(question) }, (_, i) => generation.idAt(matches.advisoryAt(i))).join(' '),
  );
}
