// GET /packages.json, by which Composer knows a repository. This one has no packages; it has advisories and a
// list of malware.
//
// Composer reads `security-advisories` only with a `metadata-url`, whose files are all absent here. Without
// `available-packages`, which would also say about which packages advisories are asked for.

import type { HandlerContext } from '../../http/context.ts';
import { type Answer, json } from '../../http/replies/responses.ts';
import type { PathParts } from '../../http/routing/dialect.ts';
import type { RequestView } from '../../http/transport/request-view.ts';
import { withoutData } from '../lookup-headers.ts';
import { MALWARE } from './filter.ts';

export const PACKAGES_FILE = '/packages.json';
export const ADVISORIES = '/api/security-advisories';
export const FILTER = '/api/filter';

/** Without a tag: it depends on how the client reached the server, and not on the data. */
export function handlePackagesFile(
  request: RequestView,
  _: PathParts,
  { own, generation }: HandlerContext,
): Answer {
  const mount = own.ofMount(request, PACKAGES_FILE);
  if (typeof mount !== 'string') return mount;
  const file = {
    packages: [],
    'metadata-url': `${mount}/p2/%package%.json`,
    'security-advisories': { metadata: false, 'api-url': `${mount}${ADVISORIES}/` },
    // `metadata` switches the list on; with an `api-url` no file is asked for it.
    filter: { metadata: true, lists: { [MALWARE]: { enabled: true } }, 'api-url': `${mount}${FILTER}` },
  };
  return json(JSON.stringify(file), null, withoutData(generation, ['composer']));
}
