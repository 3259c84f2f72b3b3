// Runs the tests with real package managers. Given names (parts of paths), only the files that contain one of
// them. With --install, installs those of npm, PyPI, Go's proxy, Maven Central and Debian first; tests whose
// programs are missing are skipped.
// VULNDEX_CLIENT_TREES is the number of projects that each of them audits.

import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { longTests, runLongTests } from './long-tests.ts';
import { fail, npm } from './processes.ts';

const INSTALL = ['--prefix', 'test/clients', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'];
const JARS = ['mvn', '--quiet', '--batch-mode', '--file', 'test/clients/dependency-check.pom.xml'];
const GO_PROGRAMS = [
  'golang.org/x/vuln/cmd/govulncheck@v1.9.0',
  'github.com/google/osv-scanner/v2/cmd/osv-scanner@v2.2.4',
];
/** The govulncheck of 2023 and a Go that it knows, and Maven for the jars of Dependency-Check. */
const DEBIAN =
  'apt-get update && apt-get install -y --no-install-recommends govulncheck golang-1.19-go maven';
const TREES = Number(process.env.VULNDEX_CLIENT_TREES ?? 0);
const LIMIT_MS = 300_000 + TREES * 20_000; // for a test; a tree takes all clients about four seconds

const words = process.argv.slice(2);
const files = longTests(
  'clients',
  words.filter((word) => word !== '--install'),
);
if (words.includes('--install')) {
  await npm(INSTALL).catch((error: Error) => fail(error.message));
  installOthers();
}
await runLongTests(files, LIMIT_MS);

/** Those that are not on npm; tests of what cannot be installed are skipped. */
function installOthers(): void {
  const python = 'test/clients/.venv';
  const go = { GOBIN: resolve('test/clients/.go'), GOFLAGS: '-mod=mod' };
  const commands: readonly (readonly [readonly string[], NodeJS.ProcessEnv?])[] = [
    [['python3', '-m', 'venv', python]],
    [[`${python}/bin/pip`, 'install', '--quiet', '--requirement', 'test/clients/requirements.txt']],
    ...GO_PROGRAMS.map((program) => [['go', 'install', program], go] as const),
    [['sh', '-c', DEBIAN]],
    [[...JARS, 'dependency:build-classpath', '-Dmdep.outputFile=.jars']],
  ];
  for (const [[program, ...words], env] of commands) {
    const { error, status } = spawnSync(program, words, {
      stdio: 'inherit',
      env: { ...process.env, ...env },
    });
    if (error === undefined && status === 0) continue;
    console.error(`${program} ${words.join(' ')}: ${error?.message ?? `exit status ${status}`}`);
  }
}
