// What strict bodies cannot say is said in headers: ecosystems and purl types of which nothing is held, slugs
// that mean two products, and the parts of purls and versions that are not read.

import type { ReplyHeader } from '../../http/replies/reply-headers.ts';
import { IGNORED_VERSION_PARTS, UNKNOWN_ECOSYSTEMS } from '../lookup-headers.ts';

/** Of each kind: a header must stay short, whatever is in a batch. */
const MAX_NAMES = 20;
const MAX_NAME_CHARS = 60;
/** No comma, which separates names, and nothing that could end a header. */
const SAFE = /^[\w .:+@/?#-]+$/;

export class Notes {
  readonly #ecosystems = new Set<string>();
  readonly #slugs = new Set<string>();
  readonly #ignored = new Set<string>();
  readonly #versionParts = new Set<string>();

  addEcosystem(name: string): void {
    this.#ecosystems.add(name);
  }

  addSlugs(slugs: Iterable<string>): void {
    for (const slug of slugs) this.#slugs.add(slug);
  }

  addVersionParts(parts: Iterable<string>): void {
    for (const part of parts) this.#versionParts.add(part);
  }

  /** `?qualifiers` and `#subpath` of a purl: the names of the qualifiers, without their values. */
  addIgnored(parts = ''): void {
    if (parts === '' || this.#ignored.size > MAX_NAMES) return;
    const [qualifiers, ...subpath] = parts.split('#');
    for (const qualifier of qualifiers.slice(1).split('&', MAX_NAMES)) {
      const [name] = qualifier.split('=', 1);
      if (name !== '') this.#ignored.add(`?${name}`);
    }
    if (subpath.length > 0) this.#ignored.add('#subpath');
  }

  headers(): readonly ReplyHeader[] {
    return [
      ...headerOf(UNKNOWN_ECOSYSTEMS, this.#ecosystems),
      ...headerOf('Vulndex-Ambiguous-Slugs', this.#slugs),
      ...headerOf('Vulndex-Ignored-Purl-Parts', this.#ignored),
      ...headerOf(IGNORED_VERSION_PARTS, this.#versionParts),
    ];
  }
}

function headerOf(name: string, values: ReadonlySet<string>): readonly ReplyHeader[] {
  if (values.size === 0) return [];
  const safe = [...values].map(safeName);
  const shown = [...new Set(safe)].slice(0, MAX_NAMES);
  const isCut = new Set(safe).size > MAX_NAMES;
  return [[name, `${shown.join(', ')}${isCut ? ', ...' : ''}`]];
}

function safeName(name: string): string {
  const trimmed = name.trim();
  return trimmed.length <= MAX_NAME_CHARS && SAFE.test(trimmed) ? trimmed : '(not printable)';
}
