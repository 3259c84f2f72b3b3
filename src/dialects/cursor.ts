// Cursor tokens: unpadded base64url of a prefix and the last id seen, meaning "ids below this one". A
// position by id stays valid after a swap or a restart, and on another replica. Only this file knows a
// token's format; each dialect has a prefix of its own, so that it refuses the tokens of another.
//
// The base64 of such texts never contains `+` or `/`, where base64url differs, so the plain codec will do, at
// a third of the cost of a Buffer's.

const MAX_TOKEN_CHARS = 64; // the longest token, for id 2^53-1, has 26

interface CursorCodec {
  encode(id: number): string;
  /** The id, or undefined for anything that `encode` would not have written. */
  decode(token: string): number | undefined;
}

/** Requires: a short prefix of letters, digits and colons. */
export function cursorCodec(prefix: string): CursorCodec {
  const encode = (id: number): string => {
    const text = `${prefix}${id}`;
    return btoa(text).slice(0, Math.ceil((text.length * 4) / 3)); // without the padding
  };
  const decode = (token: string): number | undefined => {
    if (token.length > MAX_TOKEN_CHARS) return undefined;
    const text = decodeBase64(token);
    if (text?.startsWith(prefix) !== true) return undefined;
    const id = Number(text.slice(prefix.length));
    return Number.isSafeInteger(id) && id > 0 && encode(id) === token ? id : undefined;
  };
  return { encode, decode };
}

function decodeBase64(token: string): string | undefined {
  try {
    return atob(token);
  } catch {
    return undefined;
  }
}
