// The dialects that this server speaks. To add one, add a line here.

import { type Dialect, dialectsByLabel, endpointsOf, labelsOf } from '../http/routing/dialect.ts';
import { composer } from './composer/composer.ts';
import { govulndb } from './govulndb/govulndb.ts';
import { npmAudit } from './npm-audit/npm-audit.ts';
import { npmUpstream } from './npm-audit/upstream.ts';
import { nuget } from './nuget/nuget.ts';
import { operations } from './operations/operations.ts';
import { ossIndex } from './oss-index/oss-index.ts';
import { osv } from './osv/osv.ts';
import { NO_PAGES, pageRoutes } from './page-routes.ts';
import { patchstack } from './patchstack/patchstack.ts';
import { patchstackFlat } from './patchstack-flat/patchstack-flat.ts';
import { wordfence } from './wordfence/wordfence.ts';
import { wpscan } from './wpscan/wpscan.ts';

/** The first sends the 404 for paths that no dialect has. */
export const DIALECTS: readonly Dialect[] = [
  patchstack,
  npmAudit,
  patchstackFlat,
  osv,
  wordfence,
  wpscan,
  govulndb,
  ossIndex,
  composer,
  nuget,
];

/** What every server answers at its root, whichever of them are on. */
export const ALWAYS_ON: readonly Dialect[] = [operations];

/** What a server with every dialect answers. */
export const ALL_DIALECTS: readonly Dialect[] = [...DIALECTS, ...ALWAYS_ON];

/** The endpoints that a tier can grant. */
export const ENDPOINTS = endpointsOf(ALL_DIALECTS);

/**
 * With what an operator can switch on or off beside them; which registry and which files make no difference
 * to its labels.
 */
const ALL: readonly Dialect[] = [
  ...ALL_DIALECTS,
  npmUpstream('https://registry.invalid'),
  pageRoutes(NO_PAGES),
];

/** The labels of requests in metrics and logs. */
export const ROUTE_LABELS = labelsOf(ALL);

/** The dialect that each of them counts for. */
export const DIALECTS_BY_LABEL = dialectsByLabel(ALL);
