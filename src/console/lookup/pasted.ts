// Takes apart what people paste as a name: a package URL, the address of a package's page, or `name@version`.

import { PRODUCT_TYPE_TABLE, type ProductType } from '../../index/product-type.ts';
import { readPurl } from '../../inventory/purl.ts';
import { type Query, tidy } from './query.ts';

const PAGES: readonly { readonly host: RegExp; readonly path: RegExp; readonly type: ProductType }[] = [
  {
    host: /^(?:www\.)?npmjs\.com$/,
    path: /^\/package\/((?:@[^/]+\/)?[^/]+)(?:\/v\/([^/]+))?/,
    type: 'npm',
  },
  { host: /^(?:[\w-]+\.)?wordpress\.org$/, path: /^\/plugins\/([^/]+)/, type: 'plugin' },
  { host: /^(?:[\w-]+\.)?wordpress\.org$/, path: /^\/themes\/([^/]+)/, type: 'theme' },
];

/** The type whose names may begin with a scope, if there is one. */
const SCOPED = PRODUCT_TYPE_TABLE.find(({ nameSlashes }) => nameSlashes === 'scope')?.name;

const ADVISORY_ID = /^(?:(?:CVE|GO|GSD|MAL|OSV|PSF|PYSEC|RUSTSEC)-\d{4}-\d+|GHSA(?:-[\da-z]{4}){3})$/i;

/** Whether the text is an id of the usual databases, and so no name of a product. */
export function isAdvisoryId(text: string): boolean {
  return ADVISORY_ID.test(text.trim());
}

/** What the text means; undefined if it is just a name. `type` counts where the text says none. */
export function takeApart(text: string, type: ProductType): Query | undefined {
  const pasted = text.trim();
  const found = ofPurl(pasted) ?? ofPage(pasted) ?? ofNameAndVersion(pasted, type);
  return found && tidy(found);
}

function ofPurl(text: string): Query | undefined {
  const purl = readPurl(text);
  return purl.kind === 'package' ? purl : undefined;
}

function ofPage(text: string): Query | undefined {
  if (!/^https?:/i.test(text) || !URL.canParse(text)) return undefined;
  const { hostname, pathname } = new URL(text);
  for (const { host, path, type } of PAGES) {
    const found = host.test(hostname) ? path.exec(pathname) : null;
    if (found !== null) return { type, name: decoded(found[1]), version: decoded(found[2] ?? '') };
  }
  return undefined;
}

function ofNameAndVersion(text: string, type: ProductType): Query | undefined {
  const found = /^(@[^/@\s]+\/[^/@\s]+|[^/@\s]+)(?:@(\S+))?$/.exec(text);
  if (found === null) return undefined;
  const [, name, version = ''] = found;
  const meant = (name.startsWith('@') && SCOPED) || type;
  return version === '' && meant === type ? undefined : { type: meant, name, version };
}

/** Unescaped; as it is where an escape is broken. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
