// govulncheck against the server, with the real records of Go. The oracle is govulncheck itself on a folder
// of those records as their source has them, which it indexes by its own code: the findings must be the same,
// down to the symbols. Modules come from Go's proxy.
//
// `npm run test:clients -- --install` installs the program, and from Debian 12 one of 2023, which reads the
// older layout, with a Go that it knows.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { addCompileCommand } from '../../src/cli/compile.ts';
import { runCommand } from '../support/command.ts';
import type { OsvJson } from '../support/feeds/osv.ts';
import { readOsvRecords, realDataOptions } from '../support/feeds/real-data.ts';
import { temporaryFolder } from '../support/folder.ts';
import { writeAccess } from '../support/process/access.ts';
import { ServerProcess } from '../support/process/server-process.ts';
import { until } from '../support/until.ts';
import { foundProgram, run } from './support/programs.ts';

/** Called, imported and only required modules with real vulnerabilities. */
const PROJECT = {
  'go.mod': `module example.test/app

go 1.19

require (
	golang.org/x/text v0.3.5
	gopkg.in/yaml.v2 v2.2.2
)
`,
  'main.go': `package main

import (
	"fmt"

	"golang.org/x/text/language"
	"gopkg.in/yaml.v2"
)

func main() {
	tag, err := language.Parse("en")
	var value map[string]interface{}
	fmt.Println(tag, err, yaml.Unmarshal([]byte("a: 1"), &value))
}
`,
};

/** go.sum may grow. */
const MODULES = { GOFLAGS: '-mod=mod' };
const OWN = fileURLToPath(new URL('.go/govulncheck', import.meta.url));
const GO = foundProgram('go');
const CURRENT = foundProgram(OWN);
const OLD = foundProgram('/usr/bin/govulncheck');
const OLD_GO = '/usr/lib/go-1.19';

function whyNot(program: string | undefined, name: string): string | false {
  if (GO === undefined) return 'go is not installed';
  if (program === undefined) return `${name} is not installed`;
  return realDataOptions.skip;
}

interface Scene {
  readonly project: string;
  /** The address of the mount, with a key in it. */
  readonly database: string;
  readonly withWrongKey: string;
  /** The records as their source has them, a file each. */
  readonly oracle: string;
}

async function start(t: TestContext): Promise<Scene> {
  const folder = temporaryFolder(t);
  const [project, raw, snapshots] = ['project', 'raw', 'snapshots'].map((name) => join(folder, name));
  for (const each of [project, raw, snapshots]) mkdirSync(each);
  for (const [name, text] of Object.entries(PROJECT)) writeFileSync(join(project, name), text);
  const [records, made] = [join(folder, 'go.ndjson'), join(folder, 'go.vdx')];
  writeFileSync(records, readOsvRecords('golang'));
  for (const line of readOsvRecords('golang').split('\n')) {
    if (line === '') continue;
    const { database_specific = {}, ...record } = JSON.parse(line) as OsvJson; // as the data's README says
    // The program fails on a record without that member, which the data leaves out.
    writeFileSync(join(raw, `${record.id}.json`), JSON.stringify({ ...record, database_specific }));
  }
  const ran = await runCommand(addCompileCommand, 'compile', '--osv', records, '--out', made, '--json');
  if (ran.error !== undefined) throw ran.error;
  renameSync(made, join(snapshots, 'go.vdx'));
  const access = writeAccess(join(folder, 'keys.json'));
  const server = await ServerProcess.start(t, {
    snapshots,
    keys: access.file,
    workers: 1,
    options: { mounts: ['patchstack', 'govulndb'] },
  });
  const addressWith = (key: string): string => `http://ci:${key}@127.0.0.1:${server.port}/govulndb`;
  const address = `http://127.0.0.1:${server.port}/govulndb`;
  await until('the index', () => isReady(address, access.free));
  return {
    project,
    database: addressWith(access.free),
    withWrongKey: addressWith('wrong'),
    oracle: pathToFileURL(raw).href,
  };
}

/** The index is made after the start. */
async function isReady(address: string, key: string): Promise<boolean> {
  const { status } = await fetch(`${address}/index/modules.json.gz`, { headers: { PSKey: key } });
  return status === 200;
}

interface Finding {
  readonly osv: string;
  readonly fixed_version?: string;
  readonly trace: readonly {
    readonly module: string;
    readonly version?: string;
    readonly function?: string;
  }[];
}

/** Each finding on a line: the record, the fix and the whole trace. */
async function findings(
  { project }: Scene,
  database: string,
  words: readonly string[],
): Promise<readonly string[]> {
  const { status, stdout, stderr } = await run(
    project,
    CURRENT!,
    ['-db', database, '-format', 'json', ...words],
    MODULES,
  ); // not skipped
  assert.equal(status, 0, stderr);
  const messages = stdout.split(/^(?=\{)/m).map((text) => JSON.parse(text) as { readonly finding?: Finding });
  return messages.flatMap(({ finding }) => (finding === undefined ? [] : [JSON.stringify(finding)])).sort();
}

const MODES: readonly (readonly string[])[] = [['./...'], ['-scan=module'], ['-mode=binary', 'app']];

test('govulncheck finds with the server what it finds in the records themselves', {
  skip: whyNot(CURRENT, 'govulncheck'),
}, async (t) => {
  const scene = await start(t);
  for (const words of [
    ['mod', 'tidy'],
    ['build', '-o', 'app', '.'],
  ]) {
    const { status, stderr } = await run(scene.project, GO!, words, MODULES); // not skipped
    assert.equal(status, 0, stderr);
  }
  for (const words of MODES) {
    await t.test(words.join(' '), async (sub) => {
      const got = await findings(scene, scene.database, words);
      assert.deepEqual(got, await findings(scene, scene.oracle, words));
      const called = got.filter((line) => line.includes('"function"'));
      const ids = [...new Set(called.map((line) => (JSON.parse(line) as Finding).osv))];
      sub.diagnostic(`${got.length} findings, called: ${ids.join(' ') || 'not asked'}`);
      assert.ok(got.some((line) => line.includes('GO-2021-0113')));
      if (words[0] !== '-scan=module') assert.ok(ids.includes('GO-2021-0113'));
    });
  }
  const refused = await run(scene.project, CURRENT!, ['-db', scene.withWrongKey, './...'], MODULES); // not skipped
  assert.notEqual(refused.status, 0);
  assert.match(refused.stderr, /unrecognized vulndb format/);
});

test('one of 2023 finds what its successor finds', {
  skip:
    whyNot(OLD, "Debian's govulncheck") ||
    whyNot(CURRENT, 'govulncheck') ||
    (!existsSync(OLD_GO) && `there is no ${OLD_GO}`),
}, async (t) => {
  const scene = await start(t);
  const env = {
    GOROOT: OLD_GO,
    GOCACHE: join(scene.project, '.cache'),
    // With the modules it keeps what a server of the same host answered, for hours.
    GOMODCACHE: join(scene.project, '.modules'),
    GOFLAGS: '-mod=mod -modcacherw', // or the folder could not be removed
    PATH: `${OLD_GO}/bin:${process.env.PATH}`,
    GOVULNDB: scene.database,
  };
  const tidied = await run(scene.project, 'go', ['mod', 'tidy'], env);
  assert.equal(tidied.status, 0, tidied.stderr);
  // The one of 2023 goes on with what is not called, under the same numbers.
  const called = (text: string): string[] =>
    [
      ...new Set(
        [...text.split(/^=+ Informational/m)[0].matchAll(/^Vulnerability #\d+: (\S+)/gm)].map(([, id]) => id),
      ),
    ].sort();
  const old = await run(scene.project, OLD!, ['./...'], env); // not skipped
  const current = await run(scene.project, CURRENT!, ['-db', scene.oracle, './...'], env);
  t.diagnostic(`called: ${called(old.stdout).join(' ')}`);
  assert.ok(called(old.stdout).includes('GO-2021-0113'), old.stdout + old.stderr);
  assert.deepEqual(called(old.stdout), called(current.stdout), current.stderr);
});
