// Real advisories, asked as Composer asks and read as composer/semver reads: each version gets the advisories
// that the OSV schema's own evaluation gives it.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { addCompileCommand } from '../../src/cli/compile.ts';
import { constraintOf } from '../../src/dialects/composer/constraint.ts';
import { ItemView } from '../../src/index/items/item-view.ts';
import { VERSION_SCHEMES } from '../../src/index/versions/version-key.ts';
import { runCommand } from '../support/command.ts';
import { readKnownRecords, readOsvRecords, realDataOptions } from '../support/feeds/real-data.ts';
import { temporaryFolder } from '../support/folder.ts';
import { readConstraint } from '../support/oracles/composer-constraint.ts';
import { startServer } from '../support/serving/server.ts';

const NAMES_AT_ONCE = 500;

interface Advisory {
  readonly affectedVersions: string;
  readonly sources: readonly { readonly remoteId: string }[];
}

test(
  'every real advisory is said exactly, and every known version gets its own',
  realDataOptions,
  async (t) => {
    const folder = temporaryFolder(t);
    const feed = join(folder, 'composer.ndjson');
    const snapshot = join(folder, 'composer.vdx');
    writeFileSync(feed, readOsvRecords('composer'));
    const ran = await runCommand(addCompileCommand, 'compile', '--osv', feed, '--out', snapshot, '--json');
    if (ran.error !== undefined) throw ran.error;
    const server = await startServer(t, { snapshot });

    const generation = server.swap.current() ?? assert.fail();
    const view = new ItemView(generation);
    const { advisoryScheme } = generation.parts.columns;
    const widened = Array.from({ length: generation.advisoryCount }, (_, ordinal) => ordinal).filter(
      (ordinal) =>
        constraintOf(view.enter(ordinal).spans(), VERSION_SCHEMES[advisoryScheme[ordinal]]).isWidened,
    );
    assert.deepEqual(
      widened.map((ordinal) => generation.sourceIdAt(ordinal)),
      [],
    );

    const known = readKnownRecords('composer');
    const names = [...new Set(known.map(({ name }) => name))];
    const found = new Map<string, readonly Advisory[]>();
    for (let at = 0; at < names.length; at += NAMES_AT_ONCE) {
      const form = new URLSearchParams(
        names.slice(at, at + NAMES_AT_ONCE).map((name): [string, string] => ['packages[]', name]),
      );
      const response = await server.request('/composer/api/security-advisories/', {
        method: 'POST',
        body: form.toString(),
      });
      const { advisories } = response.json();
      for (const name of Object.keys(advisories)) found.set(name, advisories[name]);
    }
    let hits = 0;
    for (const { name, version, ids } of known) {
      const shown = (found.get(name) ?? [])
        .filter(({ affectedVersions }) => readConstraint(affectedVersions)(version))
        .map(({ sources }) => sources.map(({ remoteId }) => remoteId));
      for (const id of ids) assert.ok(shown.flat().includes(id), `${name} ${version} lacks ${id}`);
      // One advisory may be several records.
      const others = shown.filter((own) => !own.some((id) => ids.includes(id)));
      assert.deepEqual(others, [], `${name} ${version}`);
      hits += ids.length;
    }
    assert.ok(hits > known.length / 2);
    t.diagnostic(`${known.length} versions, ${hits} advisories`);
  },
);
