// One product, one version: does any advisory apply, and which. For WordPress core and for a package with
// many advisories, compared with linear loops over the same spans.

import semver, { type SemVer } from 'semver';
import { preparedItems } from '../../src/dialects/patchstack/list-answer.ts';
import type { Generation } from '../../src/index/generation.ts';
import { completeSemver } from '../../src/index/items/affected-range.ts';
import { Matches } from '../../src/index/lookup/matches.ts';
import { compareWordpressParts, wordpressParts } from '../baselines/versions.js';
import type { Product, Question } from '../questions.ts';
import { applies, linearAdvisories } from './linear.ts';
import { askingAll, baseline, type Prepared, type Task } from './measure.ts';
import { type Subject, subjectsOf } from './subjects.ts';

const RANGE_OPTIONS = { includePrerelease: true };

export function prepareStab(generation: Generation): Prepared {
  const notes: string[] = [];
  const tasks = subjectsOf(generation).flatMap((subject): Task[] => {
    const { words, type, name, hits, misses } = subject;
    notes.push(`${words}: ${type} ${name}, ${hits.length} versions that hit, ${misses.length} that miss`);
    return [...tasksOf(generation, subject, 'hit', hits), ...tasksOf(generation, subject, 'miss', misses)];
  });
  return { notes, tasks };
}

function tasksOf(
  generation: Generation,
  subject: Subject,
  kind: string,
  questions: readonly Question[],
): Task[] {
  if (questions.length === 0) return [];
  const exists = `any advisory? ${subject.words}, ${kind}`;
  const list = `which ones? ${subject.words}, ${kind}`;
  const matches = new Matches();
  const isVulnerable = ({ type, name, version }: Question): boolean =>
    generation.isVulnerable(type, name, version) === true;
  const match = ({ type, name, version }: Question): number => {
    generation.match(type, name, version, matches);
    return matches.count;
  };
  const idsOf = (question: Question): string =>
    Array.from({ length: match(question) }, (_, i) => generation.idAt(matches.advisoryAt(i))).join(' ');
  const rivals = rivalsOf(generation, subject).flatMap(({ name, exists: decide, find }, i) => [
    asBaseline(
      i,
      askingAll(name, exists, questions, (each) => Number(decide(each)), textOf(decide)),
    ),
    asBaseline(
      i,
      askingAll(
        name,
        list,
        questions,
        (each) => find(each).length,
        (each) => find(each).join(' '),
      ),
    ),
  ]);
  return [
    askingAll('isVulnerable', exists, questions, (each) => Number(isVulnerable(each)), textOf(isVulnerable)),
    askingAll('match', list, questions, match, idsOf),
    ...rivals,
  ];
}

function textOf<Item>(decide: (item: Item) => boolean): (item: Item) => string {
  return (item) => String(decide(item));
}

/** The first rival is what the others are compared with. */
function asBaseline(position: number, task: Task): Task {
  return position === 0 ? baseline(task) : task;
}

interface Rival {
  readonly name: string;
  readonly exists: (question: Question) => boolean;
  readonly find: (question: Question) => readonly number[];
}

/** A loop over advisories for which `test` decides, having prepared the version once. */
function loop<Advisory extends { readonly id: number }, Version>(
  name: string,
  advisories: readonly Advisory[],
  prepare: (version: string) => Version,
  test: (advisory: Advisory, version: Version) => boolean,
): Rival {
  return {
    name: `linear loop, ${name}`,
    exists: (question) => {
      const version = prepare(question.version);
      return advisories.some((advisory) => test(advisory, version));
    },
    find: (question) => {
      const version = prepare(question.version);
      return advisories.filter((advisory) => test(advisory, version)).map(({ id }) => id);
    },
  };
}

/** Loops that parse versions for each comparison, and that have parsed the bounds in advance. */
function rivalsOf(generation: Generation, { ordinal, type }: Product): Rival[] {
  const asIs = (version: string): string => version;
  if (type !== 'npm') {
    const plain = linearAdvisories(generation, ordinal, asIs);
    const split = linearAdvisories(generation, ordinal, wordpressParts);
    const compare = (a: string, b: string): number =>
      compareWordpressParts(wordpressParts(a), wordpressParts(b));
    return [
      loop('parts compared', plain, asIs, (each, version) => applies(each, version, compare)),
      loop('parts compared, preparsed', split, wordpressParts, (each, version) =>
        applies(each, version, compareWordpressParts),
      ),
    ];
  }
  const parse = (version: string): SemVer => new semver.SemVer(completeSemver(version));
  const plain = linearAdvisories(generation, ordinal, completeSemver);
  const parsed = linearAdvisories(generation, ordinal, parse);
  const ranges = Array.from(generation.advisoriesOf(ordinal), (advisory) => ({
    id: generation.idAt(advisory),
    range: affectedOf(generation, advisory),
  }));
  return [
    loop('semver.compare', plain, completeSemver, (each, version) => applies(each, version, semver.compare)),
    loop('semver.compare, preparsed', parsed, parse, (each, version) =>
      applies(each, version, (a, b) => a.compare(b)),
    ),
    loop('semver.satisfies', ranges, completeSemver, ({ range }, version) =>
      semver.satisfies(version, range, RANGE_OPTIONS),
    ),
  ];
}

/** The range shown to clients, which for npm is a node-semver range. */
function affectedOf(generation: Generation, ordinal: number): string {
  const item = JSON.parse(Buffer.from(preparedItems(generation, ordinal, ordinal + 1)).toString());
  return item.version_info.affected;
}
