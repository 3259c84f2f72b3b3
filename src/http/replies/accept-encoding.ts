// Which content coding a client is sent: by its Accept-Encoding (RFC 9110 12.5.3),
// then by what the server prefers.

/** Codings that replies may have. */
export type Coding = 'br' | 'gzip' | 'identity';

const MEMBER = /^([\w!#$%&'*+.^`|~-]+)\s*(?:;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/;

/**
 * Of the offered codings, the one with the highest weight in the header; among equals the first. `identity`
 * where the header accepts none of them, even if it refuses `identity` too: a reply that may be of use,
 * instead of a 406. Malformed members are ignored.
 */
export function chooseCoding(acceptEncoding: string, offered: readonly Coding[]): Coding {
  if (acceptEncoding === '') return 'identity';
  const weights = new Map<string, number>();
  for (const member of acceptEncoding.toLowerCase().split(',')) {
    const [, name, weight] = MEMBER.exec(member.trim()) ?? [];
    if (name !== undefined) weights.set(name === 'x-gzip' ? 'gzip' : name, Number(weight ?? 1));
  }
  const others = weights.get('*') ?? 0;
  let chosen: Coding = 'identity';
  let best = 0;
  for (const coding of offered) {
    const weight = weights.get(coding) ?? others;
    if (weight <= best) continue;
    chosen = coding;
    best = weight;
  }
  return chosen;
}
