// One product, one version: does any advisory apply, and which. For a plugin with one span, for WordPress core and for
// the package with the most advisories, compared with linear loops over the same spans.

import semver, { type SemVer } from 'semver';
import type { Generation } from '../src/index/generation.ts';
import { completeSemver } from '../src/index/items/affected-range.ts';
import { preparedItem } from '../src/index/items/prepared-items.ts';
import { isStabbed, positionOf } from '../src/index/lookup/interval-index.ts';
import { Matches } from '../src/index/lookup/matches.ts';
import { VERSION_SCHEMES, versionKey } from '../src/index/versions/version-key.ts';
import type { BenchContext, Prepared } from './bench-context.ts';
import { linearAdvisories, linearExists, linearMatches } from './linear-spans.ts';
import { compareWordpress, compareWordpressParts, wordpressParts } from './linear-wordpress.ts';
import type { Task } from './measure.ts';
import { type Question, type Subject, subjectsOf } from './questions.ts';

type Finder = (question: Question) => readonly number[];
type Decider = (question: Question) => boolean;

const RANGE_OPTIONS = { includePrerelease: true };

export function prepareStab({ generation }: BenchContext): Prepared {
  const notes: string[] = [];
  const tasks = subjectsOf(generation).flatMap((subject): Task[] => {
    const { words, type, name, hits, misses } = subject;
    notes.push(`${words}: ${type} ${name}, ${hits.length} versions that hit, ${misses.length} that miss`);
    return [
      ...(hits.length > 0 ? tasksOf(generation, subject, 'hit', hits) : []),
      ...(misses.length > 0 ? tasksOf(generation, subject, 'miss', misses) : []),
    ];
  });
  return { notes, tasks };
}

function tasksOf(
  generation: Generation,
  subject: Subject,
  kind: string,
  questions: readonly Question[],
): Task[] {
  const exists = `any advisory? ${subject.words}, ${kind}`;
  const list = `which ones? ${subject.words}, ${kind}`;
  const rivals =
    subject.type === 'npm' ? semverRivals(generation, subject) : wordpressRivals(generation, subject);
  return [
    ...readyKeyTask(generation, subject, exists, questions),
    deciding('isVulnerable', exists, questions, ({ type, name, version }) =>
      Boolean(generation.isVulnerable(type, name, version)),
    ),
    ...rivals.map(({ name, exists: decide, isBaseline }) => ({
      ...deciding(name, exists, questions, decide),
      isBaseline,
    })),
    matchTask(generation, list, questions),
    ...rivals.map(({ name, find, isBaseline }) => ({ ...finding(name, list, questions, find), isBaseline })),
  ];
}

/** The search alone. Left out for a product whose versions use two schemes, which takes two searches. */
function readyKeyTask(
  generation: Generation,
  { product }: Subject,
  asks: string,
  questions: readonly Question[],
): Task[] {
  const { columns } = generation.parts;
  const group = columns.productGroupStart[product];
  if (columns.productGroupStart[product + 1] !== group + 1) return [];
  const scheme = VERSION_SCHEMES[columns.groupScheme[group]];
  const keys = questions.flatMap(({ version }) => versionKey(scheme, version) ?? []);
  if (keys.length !== questions.length) return [];
  const decide = (key: Uint8Array): boolean =>
    isStabbed(columns, group, positionOf(columns, group, key, key.length));
  return [
    {
      name: 'positionOf and isStabbed, key given',
      asks,
      questions: keys.length,
      run: () => {
        let hits = 0;
        for (const key of keys) if (decide(key)) hits++;
        return hits;
      },
      answers: () => keys.map((key) => String(decide(key))),
    },
  ];
}

function deciding(name: string, asks: string, questions: readonly Question[], decide: Decider): Task {
  return {
    name,
    asks,
    questions: questions.length,
    run: () => {
      let hits = 0;
      for (const question of questions) if (decide(question)) hits++;
      return hits;
    },
    answers: () => questions.map((question) => String(decide(question))),
  };
}

function finding(name: string, asks: string, questions: readonly Question[], find: Finder): Task {
  return {
    name,
    asks,
    questions: questions.length,
    run: () => {
      let found = 0;
      for (const question of questions) found += find(question).length;
      return found;
    },
    answers: () => questions.map((question) => find(question).join(' ')),
  };
}

function matchTask(generation: Generation, asks: string, questions: readonly Question[]): Task {
  const matches = new Matches();
  const find: Finder = ({ type, name, version }) => {
    generation.match(type, name, version, matches);
    return Array.from({ length: matches.count }, (_, i) => generation.idAt(matches.advisoryAt(i)));
  };
  return {
    ...finding('match', asks, questions, find),
    run: () => {
      let found = 0;
      for (const { type, name, version } of questions) {
        generation.match(type, name, version, matches);
        found += matches.count;
      }
      return found;
    },
  };
}

interface Rival {
  readonly name: string;
  readonly isBaseline: boolean;
  readonly exists: Decider;
  readonly find: Finder;
}

function wordpressRivals(generation: Generation, { product }: Subject): Rival[] {
  const plain = linearAdvisories(generation, product, (version) => version);
  const split = linearAdvisories(generation, product, wordpressParts);
  return [
    {
      name: 'linear loop, parts compared',
      isBaseline: true,
      exists: ({ version }) => linearExists(plain, version, compareWordpress),
      find: ({ version }) => linearMatches(plain, version, compareWordpress),
    },
    {
      name: 'linear loop, parts compared, preparsed',
      isBaseline: false,
      exists: ({ version }) => linearExists(split, wordpressParts(version), compareWordpressParts),
      find: ({ version }) => linearMatches(split, wordpressParts(version), compareWordpressParts),
    },
  ];
}

function semverRivals(generation: Generation, { product }: Subject): Rival[] {
  const plain = linearAdvisories(generation, product, completeSemver);
  const parsed = linearAdvisories(generation, product, (version) => parse(version));
  const ranges = Array.from(generation.advisoriesOf(product), (ordinal) => ({
    id: generation.idAt(ordinal),
    range: affectedOf(generation, ordinal),
  }));
  const compare = (a: SemVer, b: SemVer): number => a.compare(b);
  return [
    {
      name: 'linear loop, semver.compare',
      isBaseline: true,
      exists: ({ version }) => linearExists(plain, completeSemver(version), semver.compare),
      find: ({ version }) => linearMatches(plain, completeSemver(version), semver.compare),
    },
    {
      name: 'linear loop, semver.compare, preparsed',
      isBaseline: false,
      exists: ({ version }) => linearExists(parsed, parse(version), compare),
      find: ({ version }) => linearMatches(parsed, parse(version), compare),
    },
    {
      name: 'linear loop, semver.satisfies',
      isBaseline: false,
      exists: ({ version }) => {
        const complete = completeSemver(version);
        return ranges.some(({ range }) => semver.satisfies(complete, range, RANGE_OPTIONS));
      },
      find: ({ version }) => {
        const complete = completeSemver(version);
        return ranges
          .filter(({ range }) => semver.satisfies(complete, range, RANGE_OPTIONS))
          .map(({ id }) => id);
      },
    },
  ];
}

function parse(version: string): SemVer {
  return new semver.SemVer(completeSemver(version));
}

/** The range shown to clients, which for npm is a node-semver range. */
function affectedOf(generation: Generation, ordinal: number): string {
  const item = JSON.parse(Buffer.from(preparedItem(generation.parts.items, ordinal)).toString());
  return item.version_info.affected;
}
