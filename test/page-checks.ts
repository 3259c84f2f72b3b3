// Finds what is wrong with pages of Markdown: links that lead nowhere, files, options and scripts that do not
// exist, and too many lines. Which pages there are, and what exists, is docs.test.ts's.

import { dirname, join, normalize } from 'node:path';

/** Options of other programs that the pages use, by the word that the command begins with. */
const FOREIGN: Readonly<Record<string, readonly string[]>> = {
  'apt-get': ['--no-install-recommends'],
  bundle: ['--conservative'],
  cargo: ['--precise'],
  composer: ['--with-all-dependencies'],
  curl: ['--compressed', '--create-dirs'],
  node: ['--test', '--test-isolation'],
  npx: ['--test'],
  'clickhouse-client': ['--queries-file'],
  docker: [
    ...['--cap-drop', '--init', '--read-only', '--restart', '--rm', '--stop-timeout', '--ulimit', '--user'],
  ],
  npm: ['--all', '--audit-level', '--force', '--json', '--omit', '--registry'],
  'osv-scanner': ['--offline-vulnerabilities'],
  'pip-audit': ['--osv-url'],
  auditjs: ['--server', '--user', '--password'],
  nancy: ['--ossindex-url'],
  pnpm: ['--json', '--registry'],
  scalibr: ['--plugin-config', '--plugins', '--result'],
  systemctl: ['--now', '--no-block'],
  uv: ['--service-url', '--upgrade-package'],
  useradd: ['--gid', '--no-create-home', '--shell', '--system'],
  vector: ['--config'],
  wordfence: ['--output-columns', '--output-format', '--wfi-url'],
  wp: ['--format'],
  yarn: ['--all', '--recursive'],
};

/** Options that the pages name alone, without the program they belong to. */
const FOREIGN_ALONE: Readonly<Record<string, string>> = {
  '--disable-pip': 'pip-audit',
  '--format': 'wp',
  '--frozen': 'uv',
  '--index-url': 'pip',
  '--init': 'docker',
  '--insecure-http-parser': 'node',
  '--level': 'deno',
  '--max-old-space-size': 'node',
  '--no-cache': 'wordfence',
  '--no-deps': 'pip-audit',
  '--offline-vulnerabilities': 'osv-scanner',
  '--service-url': 'uv',
  '--severity': 'yarn',
  '--wfi-url': 'wordfence',
};

export interface Page {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
}

export interface Tree {
  readonly pages: readonly Page[];
  readonly exists: (path: string) => boolean;
}

const FENCE = /^( *)```(\w*)\n([\s\S]*?)^\1```$/gm;
const SPAN = /(`+)([\s\S]*?[^`])\1(?!`)/g;

/** The page's prose, with `code` in place of code. */
const proseOf = ({ text }: Page): string => text.replace(FENCE, '').replace(SPAN, 'code');

/** Each command of the page's shell blocks, where a backslash continues a line, and each span of code. */
function codeOf({ text }: Page): string[] {
  const blocks = [...text.matchAll(FENCE)].flatMap(([, , language, code]) => {
    const lines = code.replace(/\\\n\s*/g, ' ').split('\n');
    if (language === 'console') return lines.flatMap((line) => (line.startsWith('$ ') ? line.slice(2) : []));
    return ['', 'sh'].includes(language) ? lines : [];
  });
  const spans = [...text.replace(FENCE, '').matchAll(SPAN)].map(([, , code]) => code.replaceAll('\\|', ''));
  return [...blocks, ...spans];
}

/** As GitHub names the headings of a page. */
function anchorsOf({ text }: Page): Set<string> {
  const seen = new Map<string, number>();
  const headings = [...text.replace(FENCE, '').matchAll(/^#{1,6} +(.+?)\s*$/gm)].map(
    ([, heading]) => heading,
  );
  return new Set(
    headings.map((heading) => {
      const words = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
      const slug = words.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/ /g, '-');
      const count = seen.get(slug) ?? 0;
      seen.set(slug, count + 1);
      return count === 0 ? slug : `${slug}-${count}`;
    }),
  );
}

/** Where the page's links lead, from the root; links to other sites are left out. */
function linksOf(from: Page): { readonly target: string; readonly path: string; readonly anchor: string }[] {
  const targets = [...proseOf(from).matchAll(/\]\(([^()\s]+)\)/g)].map(([, target]) => target);
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path, anchor = ''] = target.split('#', 2);
      return { target, path: path === '' ? from.path : normalize(join(dirname(from.path), path)), anchor };
    });
}

export function brokenLinks({ pages, exists }: Tree): string[] {
  const anchors = new Map(pages.map((each) => [each.path, anchorsOf(each)]));
  return pages.flatMap((from) =>
    linksOf(from).flatMap(({ target, path, anchor }) => {
      if (path.startsWith('..') || path.startsWith('/') || !exists(path))
        return `${from.path}: ${target} does not exist`;
      const known = anchor === '' || anchors.get(path)?.has(anchor);
      return known ? [] : `${from.path}: ${target} has no such heading`;
    }),
  );
}

/** Pages that no chain of links from the README leads to; a link to a folder leads to the pages in it. */
export function unreachable({ pages }: Tree): string[] {
  const reached = new Set<string>(['README.md']);
  for (const path of reached) {
    for (const from of pages.filter((each) => each.path === path || each.path.startsWith(`${path}/`))) {
      reached.add(from.path);
      for (const link of linksOf(from)) reached.add(link.path.replace(/\/$/, ''));
    }
  }
  return pages.map(({ path }) => path).filter((path) => !reached.has(path));
}

/**
 * Files named in the page's code or prose, below the root or below src; `*` and `<name>` stand for many and
 * are left out.
 */
export function missingFiles({ pages, exists }: Tree): string[] {
  const named =
    /(?<![\w@./:<*-])([a-z][\w-]*(?:\/[\w.-]+)+\.(?:ts|tsx|js|md|yml|cfg|conf|service|timer|fbs))(?![\w*/])/g;
  return pages.flatMap(({ path, text }) =>
    [...text.matchAll(named)]
      .map(([, file]) => file)
      .filter((file) => exists(file.split('/')[0]) || exists(join('src', file.split('/')[0])))
      .filter((file) => !['', 'src', dirname(path)].some((folder) => exists(join(folder, file))))
      .filter((file) => !file.startsWith('dist/'))
      .map((file) => `${path}: ${file} does not exist`),
  );
}

/** By the words of each command, its long options; '' is the program itself. */
export type Options = ReadonlyMap<string, readonly string[]>;

export interface Known {
  readonly commands: Options;
  /** By name, the scripts of package.json, each with the text of whatever may read its options. */
  readonly scripts: ReadonlyMap<string, () => string>;
}

/**
 * The words after the program's name, as in `vulndex keys add`, or of a line that begins with a command, as
 * `keys add` does.
 */
function ownWords(words: readonly string[], commands: Options): readonly string[] | undefined {
  const [first, second] = words;
  if (first === 'vulndex') return words.slice(1);
  if (first === 'node' && second?.endsWith('cli.js')) return words.slice(2);
  if (first === 'npm' && second === 'start') return ['demo', ...words.slice(2)];
  return commands.has(first) && first !== '' ? words : undefined;
}

function optionsIn(words: readonly string[]): string[] {
  return words.flatMap((word) => /^[[(]?(--[a-z][\w-]*)/.exec(word)?.[1] ?? []);
}

/** What is wrong with the options of one command, or of a span such as `--port 80`. */
function wrongOptions(command: string, { commands, scripts }: Known): string[] {
  const words = command
    .trim()
    .replace(/^(?:\w+=\S* +)+/, '')
    .split(/\s+/);
  const own = ownWords(words, commands);
  if (own !== undefined) {
    const name =
      [2, 1, 0].map((count) => own.slice(0, count).join(' ')).find((each) => commands.has(each)) ?? '';
    const wrong = optionsIn(own).filter((option) => !commands.get(name)?.includes(option));
    return wrong.map((option) => `${option} is not an option of ${name}`);
  }
  const [first, second, third] = words;
  if (first === 'npm' && (second === 'run' || second === 'test')) {
    const name = second === 'test' ? 'test' : third;
    const sources = scripts.get(name);
    if (sources === undefined) return [`npm run ${name} is not a script`];
    const named = optionsIn(words);
    const text = named.length > 0 ? sources() : '';
    const wrong = named.filter((option) => !text.includes(option));
    return wrong.map((option) => `${option} is not an option of npm run ${name}`);
  }
  if (first.startsWith('--')) {
    const known = new Set([...commands.values()].flat());
    const wrong = optionsIn(words).filter((option) => !known.has(option) && !(option in FOREIGN_ALONE));
    return wrong.map((option) => `${option} is not an option of any command`);
  }
  const wrong = optionsIn(words).filter((option) => !FOREIGN[first]?.includes(option));
  return wrong.map((option) => `${option} is not a known option of ${first}`);
}

export function unknownOptions(pages: readonly Page[], known: Known): string[] {
  return pages.flatMap((from) => {
    const code = codeOf(from).flatMap((line) =>
      line
        .replace(/ # .*/, '')
        .replace(/ vulndex /, ' && vulndex ')
        .split(/ && | \| |; /),
    );
    const prose = proseOf(from).match(/(?<![\w<-])--[a-z][\w-]*/g) ?? [];
    return [...code, ...prose]
      .flatMap((each) => wrongOptions(each, known))
      .map((what) => `${from.path}: ${what}`);
  });
}

export function tooLong(pages: readonly Page[], most: Readonly<Record<string, number>>): string[] {
  return Object.entries(most).flatMap(([path, lines]) => {
    const found = pages.find((each) => each.path === path);
    if (found === undefined) return `${path} does not exist`;
    const count = found.text.split('\n').length - 1;
    return count > lines ? `${path} has ${count} lines, at most ${lines}` : [];
  });
}
