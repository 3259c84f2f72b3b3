// The cursor token: unpadded base64url of `v1:<last id seen>`, meaning "ids below this one". A position by id
// outlives a swap, a restart and a replica. Alone knows the token's shape.

const PREFIX = 'v1:';
const MAX_TOKEN_CHARS = 64; // the longest token, for id 2^53-1, has 26

export function encodeCursor(id: number): string {
  return Buffer.from(`${PREFIX}${id}`).toString('base64url');
}

/** The id, or undefined for anything that this function's counterpart would not have written. */
export function decodeCursor(token: string): number | undefined {
  if (token.length > MAX_TOKEN_CHARS) return undefined;
  const text = Buffer.from(token, 'base64url').toString('latin1');
  if (!text.startsWith(PREFIX)) return undefined;
  const id = Number(text.slice(PREFIX.length));
  return Number.isSafeInteger(id) && id > 0 && encodeCursor(id) === token ? id : undefined;
}
