// What .ci/nightly runs, part by part.

export interface Part {
  readonly name: string;
  /** The major release of Node that it runs on. */
  readonly node: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly command: readonly string[];
  /** Measures again what these sources gave figures of. Without it, the part has no figures of its own. */
  readonly again?: (sources: readonly string[]) => readonly string[];
}

const test = (name: string, ...words: readonly string[]): readonly string[] => [
  ...['npm', 'run', '--silent', name, '--', ...words],
];
const OTHER_SKIPS = { VULNDEX_TEST_SKIPS: '.ci/skips/others' };

/** What depends on the transport; `flood` and `idle` go over both by themselves. */
const OVER_NODE = ['amplification', 'crash', 'descriptors', 'faults-clients', 'faults-malformed', 'swap'];

/** Every test at its full volume; random ones from a seed that they print. */
function suiteOn(node: string): Part {
  return {
    name: `suite-${node}`,
    node,
    env: { VULNDEX_FIGURES: undefined }, // it has none, but tests what hands them over
    command: test('test', '--full', '--skips', `.ci/skips/node-${node}`),
  };
}

export const PARTS: readonly Part[] = [
  suiteOn('20'),
  suiteOn('22'),
  suiteOn('24'),
  suiteOn('26'),
  {
    name: 'soak',
    node: '20',
    env: OTHER_SKIPS,
    command: test('test:soak'),
    again: (files) => test('test:soak', ...files),
  },
  {
    name: 'soak-node',
    node: '24',
    env: { ...OTHER_SKIPS, VULNDEX_TRANSPORT: 'node' },
    command: test('test:soak', ...OVER_NODE),
    again: (files) => test('test:soak', ...files),
  },
  { name: 'clients', node: '20', env: OTHER_SKIPS, command: test('test:clients', '--install') },
  { name: 'mutants', node: '20', command: test('test:mutants', '--count', '40') },
  {
    name: 'speed',
    node: '20',
    command: ['bash', '.ci/bench'],
    again: (scenarios) => ['bash', '.ci/bench', ...scenarios],
  },
];
