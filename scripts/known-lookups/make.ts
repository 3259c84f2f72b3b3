// Recomputes the answers in test/fixtures/known-lookups, with PHP and node-semver by a linear scan. With
// --sample it first redraws feed and lookups. Needs PHP 8 on the path (Debian: apt-get install php-cli).

import { KNOWN_FEED, KNOWN_LOOKUPS, readKnownFeed, readKnownLookups, writeLines } from './files.ts';
import { drawFeed, drawQueries } from './sample.ts';
import { scan } from './scan.ts';

if (process.argv.includes('--sample')) {
  const feed = drawFeed();
  writeLines(KNOWN_FEED, feed);
  writeLines(
    KNOWN_LOOKUPS,
    drawQueries(feed).map((q) => ({ q })),
  );
}
const answers = scan(
  readKnownFeed(),
  readKnownLookups().map(({ q }) => q),
);
writeLines(KNOWN_LOOKUPS, answers);
const hits = answers.filter(({ expect }) => expect !== undefined && expect.length > 0).length;
const invalid = answers.filter(({ expect }) => expect === undefined).length;
console.log(`${answers.length} lookups: ${hits} with advisories, ${invalid} that are not versions`);
