// A repository of Composer that has advisories, a list of malware and no packages, as one value.

import { KEY_READING } from '../../http/callers/key-forms.ts';
import type { HandlerContext } from '../../http/context.ts';
import { describedIn } from '../../http/openapi/model.ts';
import { type Answer, json } from '../../http/replies/responses.ts';
import type { Dialect, PathParts, Route } from '../../http/routing/dialect.ts';
import type { RequestView } from '../../http/transport/request-view.ts';
import { withoutData } from '../lookup-headers.ts';
import { handleAdvisories, handleAdvisoriesOf } from './advisories.ts';
import { handleFilter, MALWARE } from './filter.ts';
import { MAX_BODY_BYTES, TOO_LARGE_BODY } from './limits.ts';
import { composerError, renderError } from './problems.ts';

const PACKAGES_FILE = '/packages.json';
const ADVISORIES = '/api/security-advisories';
const FILTER = '/api/filter';

/**
 * The file by which Composer knows a repository. Composer reads `security-advisories` only with a
 * `metadata-url`, whose files are all absent here. Without `available-packages`, which would also say about
 * which packages advisories are asked for. Without a tag: it depends on how the client reached the server,
 * and not on the data.
 */
function handlePackagesFile(request: RequestView, _: PathParts, { own, generation }: HandlerContext): Answer {
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

const body = {
  kind: 'body',
  endpoint: 'composer',
  maxBodyBytes: MAX_BODY_BYTES,
  maxDecodedBytes: MAX_BODY_BYTES,
  tooLarge: TOO_LARGE_BODY,
  mayEndInSlash: true,
} as const;

const routes: readonly Route[] = [
  {
    kind: 'read',
    pattern: PACKAGES_FILE,
    endpoint: 'composer',
    label: 'composer-packages',
    answer: handlePackagesFile,
  },
  { ...body, pattern: ADVISORIES, label: 'composer-advisories', answer: handleAdvisories },
  {
    kind: 'long-read',
    pattern: ADVISORIES,
    endpoint: 'composer',
    label: 'composer-advisories',
    mayEndInSlash: true,
    answer: handleAdvisoriesOf,
  },
  { ...body, pattern: FILTER, label: 'composer-filter', answer: handleFilter },
];

export const composer: Dialect = {
  name: 'composer',
  mounts: [{ path: '/composer', description: 'A repository for composer.json, of advisories alone.' }],
  keys: {
    ...KEY_READING,
    advice:
      'Send your API key as the password of http-basic for this host in auth.json, or in the header "PSKey: <key>".',
  },
  routes,
  renderError,
  openApi: { describe: describedIn(new URL('./openapi.json', import.meta.url)), errors: composerError },
};
