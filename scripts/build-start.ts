// Bundles what a server starts with: each module below, with everything of ours that it imports, becomes one
// file, in the place of the one that tsc has made. Reading 298 and more files took a third of a start
// (docs/decisions/0024). Runs after tsc. With the path of a folder, bundles into that instead of dist.
//
// Packages stay outside, as their licences do. An address beside a module (`import.meta.url`) is written as
// one beside the bundle.

import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

/** Paths below src, without their extension: the supervisor, and its threads. */
const STARTED = [
  'serve/run',
  'serve/keys/keys-thread',
  'serve/limits/limits-thread',
  'serve/snapshots/loader-thread',
  'serve/snapshots/preparer-thread',
  'serve/snapshots/source-thread',
  'serve/workers/worker-thread',
  'loader/snapshot/load-helper-thread',
];

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'src');
const target = process.argv[2] ?? join(root, 'dist');

/** Outside, and left out where nothing of them is used. */
const packages: Plugin = {
  name: 'packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' ? undefined : { path, external: true, sideEffects: false },
    );
  },
};

for (const name of STARTED) {
  await build({
    entryPoints: [join(source, `${name}.ts`)],
    outfile: join(target, `${name}.js`),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    charset: 'utf8',
    sourcemap: 'linked',
    sourcesContent: false,
    plugins: [packages, addressesFrom(dirname(join(source, name)))],
    logLevel: 'warning',
  });
}

/**
 * Puts the address of each source in the place of its `import.meta.url`, relative to a bundle in that folder.
 */
function addressesFrom(folder: string): Plugin {
  return {
    name: 'addresses',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const text = readFileSync(path, 'utf8');
        if (!text.includes('import.meta.url')) return undefined;
        const place = JSON.stringify(relative(folder, path).replace(/\.ts$/, '.js'));
        const contents = text.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`);
        return { contents, loader: 'ts' };
      });
    },
  };
}
