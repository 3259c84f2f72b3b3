// The page of the API: Swagger UI as its makers built it, with our page and script around it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { BUILD_OPTIONS, copyHashed, finish } from './bundle.js';
import { licenseTexts } from './licenses.js';

/** Of the package's files: the interface, its style and icon. */
const PARTS = ['swagger-ui-bundle.js', 'swagger-ui.css', 'favicon-32x32.png'];
const STYLE = 'docs.css';

export async function writeDocs(root, folder, licensesFile) {
  const source = join(root, 'src', 'console', 'docs');
  const swaggerUi = join(root, 'node_modules', 'swagger-ui-dist');
  mkdirSync(folder, { recursive: true });
  const renamed = new Map(PARTS.map((name) => [name, copyHashed(join(swaggerUi, name), folder)]));
  const { metafile } = await build({
    ...BUILD_OPTIONS,
    absWorkingDir: root,
    entryPoints: [join(source, 'docs.ts')],
    outdir: folder,
  });
  const [built] = Object.keys(metafile.outputs);
  renamed.set('docs.js', relative(folder, join(root, built)));
  renamed.set(STYLE, copyHashed(join(source, STYLE), folder));
  const html = readFileSync(join(source, 'index.html'), 'utf8');
  writeFileSync(join(folder, 'index.html'), finish(html, renamed, []));
  writeFileSync(join(folder, licensesFile), licenseTexts([swaggerUi]));
}
