// Package URLs: how products are written for other systems. WordPress is no registered type: its products
// are `pkg:wordpress/plugin/SLUG`, `pkg:wordpress/theme/SLUG` and `pkg:wordpress/wordpress`, as queries of
// OSV may name them.

import { escapedName } from '../../src/dialects/osv/ecosystems.ts';
import { PLATFORM_TABLE, type ProductType, productTypeFacts } from '../../src/index/product-type.ts';

const CORE = 'wordpress';

/** A product as it is looked up: under the first spelling of its name. '' is no version. */
export function packageUrl(type: ProductType, name: string, version: string): string {
  const at = version === '' ? '' : `@${escapedName(version)}`;
  const { platform, run, slugFolds } = productTypeFacts(type);
  const { purlType, purlName } = PLATFORM_TABLE[run];
  const kind = type === platform ? '' : `${type}/`;
  const slug = type === CORE ? CORE : slugFolds[0](name);
  return `pkg:${purlType}/${kind}${escapedName(purlName?.(slug) ?? slug)}${at}`;
}
