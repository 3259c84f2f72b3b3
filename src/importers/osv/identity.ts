// Under which ids an OSV record is known, which page shows it, and whose work it is: all follow from its ids.

import type { FeedSource } from '../record/feed-schema.ts';

interface Identity {
  readonly cves: readonly string[];
  /** Its own, or the only one that it names; '' if it has none, or names several. */
  readonly ghsa: string;
  /** All others, without the record's own. */
  readonly aliases: readonly string[];
  readonly url: string;
  readonly sources: readonly FeedSource[];
  readonly isMaliciousPackage: boolean;
}

const CVE = /^CVE-\d{4}-\d{4,}$/i;
const GHSA = /^GHSA(?:-[0-9a-z]{4}){3}$/i;
const MALICIOUS_PACKAGE = /^MAL-/i;

const GITHUB: FeedSource = {
  name: 'GitHub Advisory Database',
  license: 'CC-BY-4.0',
  license_url: 'https://creativecommons.org/licenses/by/4.0/',
};
const MALICIOUS_PACKAGES: FeedSource = {
  name: 'OpenSSF Malicious Packages',
  license: 'Apache-2.0',
  license_url: 'https://www.apache.org/licenses/LICENSE-2.0',
};
/** Databases below osv.dev have licences of their own, which records do not name. */
const OSV: FeedSource = { name: 'OSV' };

export function identityOf(id: string, aliases: readonly string[]): Identity {
  const ids = [...new Set([id, ...aliases])].filter((name) => name !== '');
  const ghsas = ids.filter((name) => GHSA.test(name));
  const ghsa = ghsas.length === 1 || ghsas[0] === id ? ghsas[0] : '';
  return {
    cves: ids.filter((name) => CVE.test(name)),
    ghsa,
    aliases: ids.filter((name) => name !== id && name !== ghsa && !CVE.test(name)),
    url:
      ghsa === ''
        ? `https://osv.dev/vulnerability/${encodeURIComponent(id)}`
        : `https://github.com/advisories/${ghsa}`,
    sources: [GHSA.test(id) ? GITHUB : MALICIOUS_PACKAGE.test(id) ? MALICIOUS_PACKAGES : OSV],
    isMaliciousPackage: ids.some((name) => MALICIOUS_PACKAGE.test(name)),
  };
}
