// What an inventory can be, as it is listed for people. A file of its own: the console shows it without
// loading the readers.

interface Formats {
  /** Whose they are. */
  readonly of: string;
  /** File names and commands, but for SBOMs. */
  readonly files: readonly string[];
}

export const FORMATS: readonly Formats[] = [
  { of: 'npm', files: ['package-lock.json', 'npm-shrinkwrap.json', 'npm ls --all --json'] },
  { of: 'pnpm', files: ['pnpm-lock.yaml', 'pnpm ls --json --depth Infinity'] },
  { of: 'yarn, bun, deno', files: ['yarn.lock', 'bun.lock', 'deno.lock'] },
  { of: 'Composer', files: ['composer.lock'] },
  { of: 'Python', files: ['requirements.txt', 'Pipfile.lock', 'poetry.lock', 'uv.lock'] },
  { of: 'Go', files: ['go.mod', 'go.sum'] },
  { of: 'Ruby', files: ['Gemfile.lock'] },
  { of: 'Rust', files: ['Cargo.lock'] },
  { of: 'Java', files: ['gradle.lockfile', 'pom.xml'] },
  { of: '.NET', files: ['packages.lock.json'] },
  { of: 'WordPress', files: ['wp plugin list --format=csv', 'wp theme list --format=json'] },
  { of: 'SBOMs', files: ['CycloneDX (JSON, XML)', 'SPDX (JSON, YAML, tag-value)'] },
];
