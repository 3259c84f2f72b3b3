// Checks a keys file and returns a list of problems, in the order of the file. Ignores unknown fields. No
// message repeats a `sha256` value: the most likely mistake there is a key pasted in the clear.

import { MAX_BATCH_ITEMS } from './batch-items.ts';
import { parseInstant } from './instant.ts';

/** Tier names appear unescaped inside quotes in the RateLimit headers. */
const TIER_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const SHA256 = /^[0-9a-f]{64}$/i;
const CONTROL = /\p{Cc}/u;
const LABEL_CHARS = 256;

// Above this the limiter's interval, kept in whole 1/1024 ms, would be off by more than 1 %.
const MAX_PER_SECOND = 10_000;
const MAX_WINDOW_SECONDS = 366 * 86_400;

type Note = (path: string, problem: string) => void;
type Fields = Readonly<Record<string, unknown>>;

/**
 * Every problem as `path: what is wrong`; empty if the value is a `KeysFile` whose tiers name only these
 * endpoints.
 */
export function keysFileProblems(value: unknown, endpoints: readonly string[]): string[] {
  const problems: string[] = [];
  const note: Note = (path, problem) => problems.push(`${path}: ${problem}`);
  if (!isFields(value)) return ['must be an object with "tiers" and "keys"'];
  const tierNames = checkTiers(value.tiers, endpoints, note);
  checkKeys(value.keys, tierNames, note);
  return problems;
}

/** Why the text cannot be an id or a name, or undefined if it can. */
export function labelProblem(value: unknown): string | undefined {
  const good =
    typeof value === 'string' && value.length > 0 && value.length <= LABEL_CHARS && !CONTROL.test(value);
  return good ? undefined : `must be a string of 1 to ${LABEL_CHARS} characters without control characters`;
}

/** The tier names, or undefined if there are none to check a key's tier against. */
function checkTiers(tiers: unknown, known: readonly string[], note: Note): readonly string[] | undefined {
  if (!isFields(tiers)) {
    note('tiers', 'must be an object with tiers by name');
    return undefined;
  }
  for (const [name, tier] of Object.entries(tiers)) {
    if (!TIER_NAME.test(name)) {
      note('tiers', `${show(name)} is not a valid tier name: use 1 to 64 letters, digits, "_" and "-"`);
      continue;
    }
    const path = `tiers.${name}`;
    if (!isFields(tier)) {
      note(path, 'must be an object with "endpoints" and "rate"');
      continue;
    }
    checkEndpoints(tier.endpoints, known, `${path}.endpoints`, note);
    checkRate(tier.rate, `${path}.rate`, note);
    checkBatchCost(tier, path, note);
  }
  return Object.keys(tiers);
}

function checkEndpoints(endpoints: unknown, known: readonly string[], path: string, note: Note): void {
  if (!Array.isArray(endpoints)) {
    note(path, `must be an array of ${known.join(', ')}`);
    return;
  }
  for (const [i, endpoint] of endpoints.entries()) {
    if (!known.includes(endpoint)) {
      note(`${path}[${i}]`, `${show(endpoint)} is not one of the endpoints ${known.join(', ')}`);
    } else if (endpoints.indexOf(endpoint) < i) {
      note(`${path}[${i}]`, `${show(endpoint)} is listed twice`);
    }
  }
}

function checkRate(rate: unknown, path: string, note: Note): void {
  if (rate === null) return;
  if (!isFields(rate)) {
    // Required: a forgotten rate must not mean an unlimited one.
    note(path, 'must be an object with "limit" and "window_seconds", or null for no limit');
    return;
  }
  const { limit, window_seconds: windowSeconds, burst } = rate;
  const limitGood = isCount(limit);
  const windowGood = isCount(windowSeconds) && windowSeconds <= MAX_WINDOW_SECONDS;
  if (!limitGood) note(`${path}.limit`, `must be a whole number of at least 1, not ${show(limit)}`);
  if (!windowGood) {
    note(
      `${path}.window_seconds`,
      `must be a whole number from 1 to ${MAX_WINDOW_SECONDS}, not ${show(windowSeconds)}`,
    );
  }
  if (limitGood && windowGood && limit > windowSeconds * MAX_PER_SECOND) {
    note(`${path}.limit`, `is more than ${MAX_PER_SECOND} per second; for no limit set the rate to null`);
  }
  if (burst === undefined) return;
  if (!isCount(burst)) note(`${path}.burst`, `must be a whole number of at least 1, not ${show(burst)}`);
  else if (limitGood && burst > limit) note(`${path}.burst`, `${burst} is more than the limit ${limit}`);
}

function checkBatchCost({ batch_cost: cost, rate }: Fields, path: string, note: Note): void {
  if (cost === undefined || cost === 'request') return;
  if (cost !== 'item') {
    note(`${path}.batch_cost`, `must be "request" or "item", not ${show(cost)}`);
    return;
  }
  if (!isFields(rate)) return;
  const burst = rate.burst ?? rate.limit;
  if (isCount(burst) && burst < MAX_BATCH_ITEMS) {
    const remedy = `"rate" needs a limit and a burst of at least ${MAX_BATCH_ITEMS}`;
    note(
      `${path}.batch_cost`,
      `with "item" a batch of ${MAX_BATCH_ITEMS} would never be admitted: ${remedy}`,
    );
  }
}

function checkKeys(keys: unknown, tierNames: readonly string[] | undefined, note: Note): void {
  if (!Array.isArray(keys)) {
    note('keys', 'must be an array of keys');
    return;
  }
  const firstWithId = new Map<unknown, number>();
  const firstWithHash = new Map<string, number>();
  for (const [i, key] of keys.entries()) {
    const path = `keys[${i}]`;
    if (!isFields(key)) {
      note(path, 'must be an object with "id", "name", "sha256" and "tier"');
      continue;
    }
    const idProblem = labelProblem(key.id);
    if (idProblem !== undefined) note(`${path}.id`, idProblem);
    else
      noteSecond(firstWithId, key.id, i, (first) =>
        note(`${path}.id`, `${show(key.id)} is also the id of keys[${first}]`),
      );

    const nameProblem = labelProblem(key.name);
    if (nameProblem !== undefined) note(`${path}.name`, nameProblem);

    if (typeof key.sha256 !== 'string' || !SHA256.test(key.sha256)) {
      note(`${path}.sha256`, 'must be the 64 hex digits of the SHA-256 of the key');
    } else {
      const hash = key.sha256.toLowerCase();
      noteSecond(firstWithHash, hash, i, (first) =>
        note(`${path}.sha256`, `is the same as in keys[${first}]`),
      );
    }
    checkTierOf(key.tier, tierNames, `${path}.tier`, note);
    if (key.expires_at !== undefined && !isInstant(key.expires_at)) {
      note(
        `${path}.expires_at`,
        `${show(key.expires_at)} is not an RFC 3339 date-time such as 2026-12-31T23:59:59Z`,
      );
    }
    if (key.disabled !== undefined && typeof key.disabled !== 'boolean') {
      note(`${path}.disabled`, `must be true or false, not ${show(key.disabled)}`);
    }
  }
}

function checkTierOf(tier: unknown, names: readonly string[] | undefined, path: string, note: Note): void {
  if (typeof tier !== 'string') note(path, `must be the name of a tier, not ${show(tier)}`);
  else if (names !== undefined && !names.includes(tier)) {
    const known = names.length === 0 ? ': it has none' : ` ${names.join(', ')}`;
    note(path, `${show(tier)} is not one of the file's tiers${known}`);
  }
}

function noteSecond<K>(seen: Map<K, number>, key: K, index: number, note: (first: number) => void): void {
  const first = seen.get(key);
  if (first === undefined) seen.set(key, index);
  else note(first);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

function isInstant(value: unknown): boolean {
  return typeof value === 'string' && parseInstant(value) !== undefined;
}

function show(value: unknown): string {
  if (value === undefined) return 'absent';
  const text = JSON.stringify(value);
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`;
}
