// The database that Renovate reads for its alerts, written from this server's archives as docs/clients-osv.md
// says: Renovate's own reader finds for each package the records of the real look-ups.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { addCompileCommand } from '../../src/cli/compile.ts';
import { PLATFORM_TABLE } from '../../src/index/platforms.ts';
import { runCommand } from '../support/command.ts';
import { readKnownRecords, readOsvRecords, realDataOptions } from '../support/feeds/real-data.ts';
import { temporaryFolder } from '../support/folder.ts';
import { PARTNER_KEY, startServer } from '../support/serving/server.ts';

/** `npm run test:clients -- --install` puts it there. */
const READER = fileURLToPath(
  new URL('node_modules/@renovatebot/osv-offline-db/dist/index.js', import.meta.url),
);
const skip = existsSync(READER) ? realDataOptions.skip : '@renovatebot/osv-offline-db is not installed';
const PLATFORMS = ['pypi', 'golang', 'gem', 'cargo', 'composer'] as const;
/** Its purl has another name, so the reader takes it for another package; in osv.dev's own data too. */
const UNREAD = 'jw.util';
const READ = `
  const { OsvOfflineDb } = await import(process.argv[1]);
  const [ecosystem, ...names] = JSON.parse(process.argv[2]);
  const database = OsvOfflineDb.create();
  const found = {};
  for (const name of names) found[name] = (await database.query(ecosystem, name)).map(({ id }) => id);
  database[Symbol.dispose]();
  console.log(JSON.stringify(found));
`;

for (const platform of PLATFORMS) {
  test(`Renovate’s reader finds the records of ${platform}`, { skip }, async (t) => {
    const folder = temporaryFolder(t);
    const [records, out] = [join(folder, 'records.ndjson'), join(folder, 'records.vdx')];
    writeFileSync(records, readOsvRecords(platform));
    const ran = await runCommand(addCompileCommand, 'compile', '--osv', records, '--out', out, '--json');
    if (ran.error !== undefined) throw ran.error;
    const { address } = await startServer(t, { snapshot: out });
    const { ecosystem } = PLATFORM_TABLE.find(({ name }) => name === platform) ?? assert.fail(platform);
    const archive = await fetch(`${address}/osv/${ecosystem}/all.zip`, { headers: { PSKey: PARTNER_KEY } });
    writeFileSync(join(folder, 'all.zip'), Buffer.from(await archive.arrayBuffer()));
    const database = join(folder, `${ecosystem.toLowerCase()}.nedb`);
    execFileSync('sh', ['-c', 'unzip -p all.zip | jq -c . > "$1"', 'sh', database], { cwd: folder });

    const known = readKnownRecords(platform).filter(({ name, ids }) => ids.length > 0 && name !== UNREAD);
    const names = [...new Set(known.map(({ name }) => name))];
    const words = ['--input-type=module', '--eval', READ, READER, JSON.stringify([ecosystem, ...names])];
    const env = { ...process.env, OSV_OFFLINE_ROOT_DIR: folder };
    const found = JSON.parse(execFileSync(process.execPath, words, { env, encoding: 'utf8' }));
    const missing = known.flatMap(({ name, ids }) =>
      ids.filter((id) => !found[name].includes(id)).map((id) => `${name} lacks ${id}`),
    );
    assert.deepEqual([...new Set(missing)], []);
    t.diagnostic(`${names.length} packages`);
  });
}
