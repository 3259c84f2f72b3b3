// One product, one version: does any advisory apply, and which. For WordPress core and for a package with
// many advisories, compared with linear loops over the same spans: every advisory of the product,
// every span, compared with the version one by one.

import semver, { type SemVer } from 'semver';
import { preparedItems } from '../../src/dialects/patchstack/list-answer.ts';
import type { Generation } from '../../src/index/generation.ts';
import { completeSemver } from '../../src/index/items/affected-range.ts';
import { holdsUpperBound, upperBoundOf } from '../../src/index/lookup/interval.ts';
import { compareWordpressParts, wordpressParts } from '../baselines/versions.js';
import { type Product, type Question, spansOf } from '../questions.ts';
import { existsTask, matchTask } from './lookup.ts';
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
  const rivals = rivalsOf(generation, subject).flatMap(({ name, exists: decide, find }, i) => {
    const idsOf = (question: Question): string => find(question).join(' ');
    const tasks = [
      askingAll(name, exists, questions, decide),
      askingAll(name, list, questions, (question) => find(question).length, idsOf),
    ];
    return i === 0 ? tasks.map(baseline) : tasks;
  });
  return [
    existsTask(generation, exists, questions),
    matchTask(generation, list, questions),
    ...rivals,
  ].toSorted((a, b) => (a.asks === b.asks ? 0 : a.asks === exists ? -1 : 1));
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

/** A bound is what `prepare` returns for a version: the string itself, or a preparsed form. */
export interface LinearAdvisory<Bound> {
  readonly id: number;
  readonly spans: readonly {
    readonly from: Bound | null;
    readonly to: Bound | null;
    readonly holdsTo: boolean;
  }[];
}

/** The published advisories of a product, by descending id. */
function linearAdvisories<Bound>(
  generation: Generation,
  product: number,
  prepare: (version: string) => Bound,
): LinearAdvisory<Bound>[] {
  const bound = (version: string | null): Bound | null => (version === null ? null : prepare(version));
  return Array.from(generation.advisoriesOf(product), (ordinal) => ({
    id: generation.idAt(ordinal),
    spans: spansOf(generation, ordinal).map(({ from, to, toBound }) => ({
      from: bound(from),
      to: bound(to),
      holdsTo: holdsUpperBound(upperBoundOf(toBound)),
    })),
  }));
}

/** Whether an advisory applies to the version. */
export function applies<Bound>(
  { spans }: LinearAdvisory<Bound>,
  version: Bound,
  compare: (version: Bound, bound: Bound) => number,
): boolean {
  return spans.some(({ from, to, holdsTo }) => {
    if (from !== null && compare(version, from) < 0) return false;
    if (to === null) return true;
    const order = compare(version, to);
    return order < 0 || (order === 0 && holdsTo);
  });
}

/** The range shown to clients, which for npm is a node-semver range. */
function affectedOf(generation: Generation, ordinal: number): string {
  const item = JSON.parse(Buffer.from(preparedItems(generation, ordinal, ordinal + 1)).toString());
  return item.version_info.affected;
}
