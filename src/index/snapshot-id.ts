// The id of a snapshot: the first digits of its content hash, in lower-case hex.

export const SNAPSHOT_ID_DIGITS = 16;
export const SNAPSHOT_ID = new RegExp(`^[0-9a-f]{${SNAPSHOT_ID_DIGITS}}$`);
