// The console's files: scripts and styles through esbuild, index.html with their hashed names, the licences
// of what is bundled.
//
// index.html refers to files beside it, as `./main.js` (built from main.tsx), `./main.css` (the styles that
// main.tsx imports) and `./icon.svg` (copied); each such name is replaced by that of the built file. Styles:
// import every .css from main.tsx or what it imports at once, also those of parts that are loaded later,
// because a style sheet is loaded by index.html alone.
//
// Web workers: src/console/NAME/worker.ts becomes a file of its own, whose address code gets from a constant
// (declared in src/console/build-constants.d.ts), NAME in capitals:
//     new Worker(new URL(__INVENTORY_WORKER__, import.meta.url), { type: 'module' })
// All files are in one folder, so this is right wherever the call ends up. `worker-src 'self'` allows it;
// blob: is not allowed. Outside a bundle, as in tests, the constant does not exist.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, extname, join, relative } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { type MinifyOptions, minify } from 'terser';
import { bundledPackages, licenseTexts } from './licenses.ts';

// As esbuild's; the server knows an immutable file by them: src/serve/pages/open-pages.ts.
const HASH_DIGITS = 8;
/** In a page: a file beside it. */
const REFERENCE = /(\b(?:src|href)=")\.\/([\w.-]+)"/g;

const BUILD_OPTIONS = {
  bundle: true,
  format: 'esm',
  minify: true,
  target: 'es2022',
  charset: 'utf8',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none', // their texts are in licenses.txt
  metafile: true,
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  logLevel: 'silent', // failures are thrown
} satisfies BuildOptions;

/** Scripts are modules, and browsers that run what esbuild writes. */
const SHORTENING = { module: true, ecma: 2020, compress: { passes: 3 } } satisfies MinifyOptions;

/** A file that esbuild wrote. All names are relative to its folder, but `entry` to the root. */
interface Output {
  readonly file: string;
  readonly entry: string | undefined;
  readonly cssFile: string | undefined;
  /** What it loads at once. */
  readonly imports: readonly string[];
}

interface Bundle {
  readonly outputs: readonly Output[];
  /** The sources, relative to the root. */
  readonly inputs: readonly string[];
}

/** Builds each entry point, by the name of its file, into the folder. */
export async function bundle(
  root: string,
  folder: string,
  entryPoints: Readonly<Record<string, string>>,
  options: Pick<BuildOptions, 'splitting' | 'define'> = {},
): Promise<Bundle> {
  const { metafile } = await build({
    ...BUILD_OPTIONS,
    ...options,
    absWorkingDir: root,
    entryPoints,
    outdir: folder,
  });
  const inFolder = (path: string): string => relative(folder, join(root, path));
  const outputs = Object.entries(metafile.outputs).map(([path, { entryPoint, cssBundle, imports }]) => ({
    file: inFolder(path),
    entry: entryPoint,
    cssFile: cssBundle === undefined ? undefined : inFolder(cssBundle),
    imports: imports.filter(({ kind }) => kind === 'import-statement').map((each) => inFolder(each.path)),
  }));
  return { outputs, inputs: Object.keys(metafile.inputs) };
}

/**
 * Returns what a browser loads for the first view: the page and what it names, nothing that a view loads
 * later.
 */
export async function writeConsole(
  root: string,
  folder: string,
  licensesFile: string,
): Promise<readonly string[]> {
  const source = join(root, 'src', 'console');
  mkdirSync(folder, { recursive: true });
  const workers = await buildWorkers(root, source, folder);
  const html = readFileSync(join(source, 'index.html'), 'utf8');
  const names = referencesIn(html);
  const entries = new Map(names.flatMap((name) => sourceOf(source, name)));
  if (entries.size === 0) throw new Error('index.html loads no script: refer to one as ./main.js');
  const named = Object.fromEntries([...entries].map(([name, file]) => [stemOf(name), file]));
  const { outputs, inputs } = await bundle(root, folder, named, { splitting: true, define: workers.define });
  const renamed = new Map<string, string>();
  const preloads = new Set<string>();
  for (const [name, file] of entries) {
    // The entry was asked for, so it is among them.
    const { file: built, cssFile, imports } = outputs.find(({ entry }) => entry === relative(root, file))!;
    renamed.set(name, built);
    if (cssFile !== undefined) renamed.set(name.replace(/\.js$/, '.css'), cssFile);
    for (const each of imports) preloads.add(each);
  }
  for (const name of names) if (!renamed.has(name)) renamed.set(name, copyHashed(join(source, name), folder));
  const linked = [...renamed].flatMap(([name, file]) => (names.includes(name) ? file : []));
  const stray = outputs
    .map(({ file }) => file)
    .filter((file) => file.endsWith('.css') && !linked.includes(file));
  if (stray.length > 0)
    throw new Error(
      `nothing loads ${stray}: import every .css from main.tsx, and link main.css in index.html`,
    );
  const head = [...preloads].map((file) => `<link rel="modulepreload" href="./${file}">`);
  writeFileSync(join(folder, 'index.html'), finish(html, renamed, head));
  await shortenScripts(folder);
  const packages = bundledPackages(root, [...inputs, ...workers.inputs]);
  writeFileSync(join(folder, licensesFile), licenseTexts(packages));
  return ['index.html', ...linked, ...preloads];
}

/** Makes what esbuild has minified smaller by a 25th. Names stay, as imports have them. */
async function shortenScripts(folder: string): Promise<void> {
  const files = readdirSync(folder).filter((file) => extname(file) === '.js');
  await Promise.all(
    files.map(async (file) => {
      const path = join(folder, file);
      const { code } = await minify(readFileSync(path, 'utf8'), SHORTENING);
      if (code === undefined) throw new Error(`terser made nothing of ${file}`);
      writeFileSync(path, code);
    }),
  );
}

/**
 * The name in a page with the source that is built for it; nothing for a file that is copied, or a style
 * sheet of a script.
 */
function sourceOf(folder: string, name: string): [name: string, source: string][] {
  const stem = join(folder, stemOf(name));
  const found = extname(name) === '.js' ? [`${stem}.tsx`, `${stem}.ts`].find(existsSync) : undefined;
  return found === undefined ? [] : [[name, found]];
}

function stemOf(name: string): string {
  return basename(name, extname(name));
}

/** Puts a copy into the folder, with a hash of its bytes in its name, which is returned. */
export function copyHashed(file: string, folder: string): string {
  const bytes = readFileSync(file);
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, HASH_DIGITS).toUpperCase();
  const name = `${stemOf(file)}-${hash}${extname(file)}`;
  writeFileSync(join(folder, name), bytes);
  return name;
}

/** The page with the names of built files where it refers to them, and more lines at the end of its head. */
export function finish(html: string, renamed: ReadonlyMap<string, string>, head: readonly string[]): string {
  const named = html.replace(
    REFERENCE,
    (_, before: string, name: string) => `${before}./${renamed.get(name)}"`,
  );
  if (!named.includes('</head>')) throw new Error('index.html has no </head>');
  return named.replace('</head>', `${head.join('')}</head>`);
}

/** The names of the files beside it that a page refers to. */
function referencesIn(html: string): string[] {
  return [...new Set([...html.matchAll(REFERENCE)].map(([, , name]) => name))];
}

async function buildWorkers(
  root: string,
  source: string,
  folder: string,
): Promise<{ define: Record<string, string>; inputs: string[] }> {
  const define: Record<string, string> = {};
  const inputs: string[] = [];
  for (const name of readdirSync(source)) {
    const file = join(source, name, 'worker.ts');
    if (!existsSync(file)) continue;
    const worker = await bundle(root, folder, { [`${name}-worker`]: file });
    const [{ file: built }] = worker.outputs;
    define[`__${name.replaceAll('-', '_').toUpperCase()}_WORKER__`] = JSON.stringify(`./${built}`);
    inputs.push(...worker.inputs);
  }
  return { define, inputs };
}
