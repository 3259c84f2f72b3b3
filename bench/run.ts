// `npm run bench -- [NAME...] [--advisories N] [--rounds N]`: runs the named benches, or all of them.

import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { benchLayout } from './layout.ts';
import { benchLoad } from './load.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    advisories: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '5' },
  },
});
const advisories = Number(values.advisories);
const rounds = Number(values.rounds);
const benches: Readonly<Record<string, () => Promise<unknown>>> = {
  load: () => benchLoad(advisories, rounds),
  layout: () => benchLayout(advisories),
};
const names = positionals.length === 0 ? Object.keys(benches) : positionals;
const unknown = names.find((name) => !(name in benches));
if (unknown !== undefined) {
  console.error(`no bench is called ${unknown}; there are: ${Object.keys(benches).join(', ')}`);
  process.exit(1);
}
console.log(`Node ${process.version}, ${cpus().length} x ${cpus()[0].model}`);
for (const name of names) await benches[name]();
