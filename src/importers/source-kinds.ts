// The kinds of sources. To add one, add a line here.

import { feed } from './feed/kind.ts';
import { mirror } from './mirror/kind.ts';
import { osv } from './osv/kind.ts';
import type { ServerKind, SourceKind } from './source-kind.ts';
import { wordfence } from './wordfence/kind.ts';

/** In the order in which options and messages list them. */
export const SOURCE_KINDS: readonly SourceKind[] = [osv, wordfence, mirror, feed];

export const SERVER_KINDS: readonly ServerKind[] = SOURCE_KINDS.filter((kind) => kind.form === 'server');
