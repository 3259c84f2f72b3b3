// The page of the API: Swagger UI as its makers built it, with our page and script around it.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle, copyHashed, finish } from './bundle.ts';
import { licenseTexts } from './licenses.ts';

/** Of the package's files: the interface, its style and icon. */
const PARTS = ['swagger-ui-bundle.js', 'swagger-ui.css', 'favicon-32x32.png'];
const STYLE = 'docs.css';

export async function writeDocs(root: string, folder: string, licensesFile: string): Promise<void> {
  const source = join(root, 'src', 'console', 'docs');
  const swaggerUi = join(root, 'node_modules', 'swagger-ui-dist');
  mkdirSync(folder, { recursive: true });
  const renamed = new Map(PARTS.map((name) => [name, copyHashed(join(swaggerUi, name), folder)]));
  const { outputs } = await bundle(root, folder, { docs: join(source, 'docs.ts') });
  renamed.set('docs.js', outputs[0].file);
  renamed.set(STYLE, copyHashed(join(source, STYLE), folder));
  const html = readFileSync(join(source, 'index.html'), 'utf8');
  writeFileSync(join(folder, 'index.html'), finish(html, renamed, []));
  writeFileSync(join(folder, licensesFile), licenseTexts([swaggerUi]));
}
