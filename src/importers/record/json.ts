// Reading parsed JSON whose shape is not known yet.

import { quoted } from './feed-schema.ts';

export interface JsonObject {
  readonly [name: string]: unknown;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a member that need not be there is not there: some write null for that. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** Reads members that may be absent. One of another type is reported, and then counts as absent. */
export class MemberReader {
  readonly #report: (field: string, message: string) => void;

  /** `report` gets the path of the member, and what is wrong with it. */
  constructor(report: (field: string, message: string) => void) {
    this.#report = report;
  }

  /** Reports a member. `expects` completes "must be …". */
  mustBe(expects: string, value: unknown, field: string): void {
    this.#report(field, `must be ${expects} (got ${quoted(value)})`);
  }

  text(value: unknown, field: string): string | undefined {
    if (typeof value === 'string') return value;
    if (!isAbsent(value)) this.mustBe('a string', value, field);
    return undefined;
  }

  /** Empty if it is absent. */
  list(value: unknown, field: string): readonly unknown[] {
    if (Array.isArray(value)) return value;
    if (!isAbsent(value)) this.mustBe('a list', value, field);
    return [];
  }

  object(value: unknown, field: string): JsonObject | undefined {
    if (isObject(value)) return value;
    if (!isAbsent(value)) this.mustBe('an object', value, field);
    return undefined;
  }
}
