import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { type CommandFacts, commandsFor, shellQuote } from '../../../src/console/lookup/copy-as.ts';
import type { Query } from '../../../src/console/lookup/query.ts';
import { words } from '../../support/words.ts';

const PAGE = 'https://server.example/console/#/lookup?type=npm&name=x';

function commands(query: Query, facts: Partial<CommandFacts> = {}): { readonly [label: string]: string } {
  const found = commandsFor({
    query,
    updateTo: null,
    address: (path) => new URL(path.slice(1), 'https://server.example/'),
    osvQuery: undefined,
    page: PAGE,
    ...facts,
  });
  return Object.fromEntries(found.map(({ label, text }) => [label, text]));
}

test('each type of product has its commands', () => {
  const osvQuery = new URL('https://server.example/osv/v1/query');
  assert.deepEqual(
    commands({ type: 'npm', name: '@a/b', version: '1.0.0' }, { updateTo: '1.2.4', osvQuery }),
    {
      Link: PAGE,
      curl: `curl -H "PSKey: $KEY" 'https://server.example/product/npm/%40a%2Fb/1.0.0?fix=true'`,
      npm: 'npm install @a/b@1.2.4',
      OSV:
        'curl -H "PSKey: $KEY" https://server.example/osv/v1/query ' +
        `-d '{"package":{"purl":"pkg:npm/%40a/b"},"version":"1.0.0"}'`,
    },
  );
  assert.deepEqual(
    commands({ type: 'plugin', name: 'gallery', version: '' }, { updateTo: '1.2.4', osvQuery }),
    {
      Link: PAGE,
      curl: `curl -H "PSKey: $KEY" 'https://server.example/product/plugin/gallery/*'`,
      'wp-cli': 'wp plugin update gallery --version=1.2.4',
      OSV:
        'curl -H "PSKey: $KEY" https://server.example/osv/v1/query ' +
        `-d '{"package":{"purl":"pkg:wordpress/plugin/gallery"}}'`,
    },
  );
  const theme = commands({ type: 'theme', name: 'paper', version: '1' }, { updateTo: '2' });
  assert.equal(theme['wp-cli'], 'wp theme update paper --version=2');
  const core = commands({ type: 'wordpress', name: 'wordpress', version: '4.9' }, { updateTo: '4.9.26' });
  assert.equal(core['wp-cli'], 'wp core update --version=4.9.26');
});

test('an update is the usual tool’s command for its type; Maven has none', () => {
  const updates: readonly (readonly [Query['type'], string, string, string])[] = [
    ['composer', 'a/b', 'Composer', 'composer update --with-all-dependencies a/b:1.0.1'],
    ['pypi', 'a', 'pip', 'pip install a==1.0.1'],
    ['golang', 'example.com/~a/b', 'go', "go get 'example.com/~a/b@v1.0.1'"],
    ['gem', 'a', 'Bundler', 'bundle update --conservative a'],
    ['cargo', 'a', 'cargo', 'cargo update -p a@1.0.0 --precise 1.0.1'],
    ['nuget', 'A.b', 'dotnet', 'dotnet add package A.b --version 1.0.1'],
  ];
  for (const [type, name, label, text] of updates)
    assert.equal(commands({ type, name, version: '1.0.0' }, { updateTo: '1.0.1' })[label], text);
  const maven = commands({ type: 'maven', name: 'org.a:b', version: '1.0.0' }, { updateTo: '1.0.1' });
  assert.deepEqual(Object.keys(maven), ['Link', 'curl']);
});

test('without a version to update to, there is no command that updates', () => {
  assert.deepEqual(Object.keys(commands({ type: 'npm', name: 'x', version: '1.0.0' })), ['Link', 'curl']);
});

const HOSTILE = [
  ...[
    '$(x)',
    '`x`',
    "it's",
    '"',
    "'; rm -rf / #",
    'a b',
    '*',
    '~',
    '~root',
    '!!',
    '\\',
    '$KEY',
    '&',
    '|',
    '>f',
    '',
  ],
  ...['-rf', '--flag=1', '=x', '#x', '{a,b}', '[a-z]', '名前', '%s', 'a\u202eb'],
];

test('a shell reads every quoted text as one word, unchanged', () => {
  // The words are the arguments of a script, so that what the shell understood can be seen.
  const script = `for word in ${HOSTILE.map(shellQuote).join(' ')}; do printf '%s\\0' "$word"; done`;
  const seen = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' });
  assert.deepEqual(seen.split('\0').slice(0, -1), HOSTILE);
});

test('a shell runs what is copied with the values as its arguments, and runs nothing else', () => {
  for (const name of HOSTILE) {
    const query: Query = { type: 'plugin', name, version: name };
    const osvQuery = new URL('https://server.example/osv/v1/query');
    for (const text of Object.values(commands(query, { updateTo: name, osvQuery })).slice(1)) {
      const shown = `curl() { printf '%s\\0' curl "$@"; }; wp() { printf '%s\\0' wp "$@"; }; ${text}`;
      const options = { encoding: 'utf8', env: { KEY: 'k', PATH: '/nowhere' } } as const;
      const [program, ...words] = execFileSync('/bin/sh', ['-c', shown], options).split('\0').slice(0, -1);
      if (program === 'wp') assert.deepEqual(words, ['plugin', 'update', name, `--version=${name}`]);
      else assert.ok(words[1] === 'PSKey: k' && words[2].startsWith('https://server.example/'), text);
    }
  }
});

test('a value that its program would take for something else gets no command', () => {
  const names = [...words('-rf file:../x https://evil.example/x.tgz a/b . @a x@npm:y git+ssh://x'), ' '];
  for (const name of names)
    assert.equal(commands({ type: 'npm', name, version: '' }, { updateTo: '1.0.0' }).npm, undefined, name);
  for (const updateTo of ['latest', 'file:x', '-1', '1 2'])
    assert.equal(commands({ type: 'npm', name: 'x', version: '' }, { updateTo }).npm, undefined, updateTo);
  assert.equal(
    commands({ type: 'plugin', name: '--all', version: '' }, { updateTo: '1' })['wp-cli'],
    undefined,
  );
});

test('control characters, on which a terminal acts before the shell sees them, leave only the link', () => {
  for (const sign of ['\n', '\r', '\u0003', '\u001b[A', '\u0085', '\u007f'])
    assert.deepEqual(
      Object.keys(commands({ type: 'plugin', name: `a${sign}b`, version: '' }, { updateTo: '1' })),
      ['Link'],
    );
});
