// The shape of an OSV record: the members that are read, and the messages for those of another shape. What
// they mean is convert.ts's. Members that only describe (references, credits, scores) are read leniently by
// those who use them.

import { canonicalId } from '../record/advisory-id.ts';
import { type FieldProblem, quoted, surrogateProblem } from '../record/feed-schema.ts';
import { parseSeconds } from '../record/instant.ts';
import { isObject, type JsonObject, MemberReader } from '../record/json.ts';

interface OsvRange {
  readonly type: string;
  readonly events: readonly unknown[];
}

export interface OsvAffected {
  /** Where it stands in the record, for messages. */
  readonly field: string;
  /** Undefined for an entry without a package, as commits of a repository have. */
  readonly package: { readonly ecosystem: string; readonly name: string } | undefined;
  readonly ranges: readonly OsvRange[];
  readonly versions: readonly unknown[];
  readonly severity: unknown;
  readonly databaseSpecific: JsonObject;
  readonly ecosystemSpecific: unknown;
}

export interface OsvRecord {
  readonly id: string;
  readonly modified: string;
  readonly published: string | undefined;
  readonly withdrawn: string | undefined;
  readonly summary: string;
  readonly details: string;
  readonly aliases: readonly string[];
  readonly affected: readonly OsvAffected[];
  readonly severity: unknown;
  readonly references: unknown;
  readonly credits: unknown;
  readonly databaseSpecific: JsonObject;
}

const LONGEST_ID = 256;

/** The record, or undefined if it has another shape; `problems` then says where. Null counts as absent. */
export function readOsvRecord(value: unknown, problems: FieldProblem[]): OsvRecord | undefined {
  if (!isObject(value)) {
    problems.push({ field: 'record', message: `must be a JSON object (got ${quoted(value)})` });
    return undefined;
  }
  const shape = new Shape(problems);
  const record: OsvRecord = {
    id: shape.id(value.id),
    modified: shape.instant(value.modified, 'modified') ?? shape.missing('modified'),
    published: shape.instant(value.published, 'published'),
    withdrawn: shape.instant(value.withdrawn, 'withdrawn'),
    summary: shape.text(value.summary, 'summary') ?? '',
    details: shape.text(value.details, 'details') ?? '',
    aliases: shape.texts(value.aliases, 'aliases').map(canonicalId),
    affected: shape
      .list(value.affected, 'affected')
      .map((entry, at) => readAffected(entry, `affected[${at}]`, shape)),
    severity: value.severity,
    references: value.references,
    credits: value.credits,
    databaseSpecific: shape.object(value.database_specific, 'database_specific') ?? {},
  };
  return problems.length === 0 ? record : undefined;
}

function readAffected(value: unknown, field: string, shape: Shape): OsvAffected {
  const entry = shape.entry(value, field);
  const named = shape.object(entry.package, `${field}.package`);
  return {
    field,
    package:
      named === undefined
        ? undefined
        : {
            ecosystem: shape.name(named.ecosystem, `${field}.package.ecosystem`),
            name: shape.name(named.name, `${field}.package.name`),
          },
    ranges: shape.list(entry.ranges, `${field}.ranges`).map((range, at) => {
      const path = `${field}.ranges[${at}]`;
      const members = shape.entry(range, path);
      return {
        type: shape.text(members.type, `${path}.type`) ?? shape.missing(`${path}.type`),
        events: shape.list(members.events, `${path}.events`),
      };
    }),
    versions: shape.list(entry.versions, `${field}.versions`),
    severity: entry.severity,
    databaseSpecific: shape.object(entry.database_specific, `${field}.database_specific`) ?? {},
    ecosystemSpecific: entry.ecosystem_specific,
  };
}

/** Reads members, with a problem for each of the wrong type; what it then returns is not used. */
class Shape extends MemberReader {
  readonly #problems: FieldProblem[];
  readonly #misfits: ReadonlySet<string>;

  constructor(problems: FieldProblem[]) {
    const misfits = new Set<string>();
    super((field, message) => {
      misfits.add(field);
      problems.push({ field, message });
    });
    this.#problems = problems;
    this.#misfits = misfits;
  }

  missing(field: string): string {
    // A member of the wrong type has its problem already.
    if (!this.#misfits.has(field)) this.#problems.push({ field, message: 'is required' });
    return '';
  }

  id(value: unknown): string {
    const id = this.name(value, 'id');
    const torn = surrogateProblem(id);
    if (torn !== undefined) this.#problems.push({ field: 'id', message: torn });
    if (id.length > LONGEST_ID) this.mustBe(`at most ${LONGEST_ID} characters long`, id, 'id');
    return canonicalId(id);
  }

  /** Required, and not empty. */
  name(value: unknown, field: string): string {
    const name = this.text(value, field);
    if (name === undefined) return this.missing(field);
    if (name === '') this.#problems.push({ field, message: 'is empty' });
    return name;
  }

  instant(value: unknown, field: string): string | undefined {
    const text = this.text(value, field);
    if (text !== undefined && parseSeconds(text) === undefined) {
      this.mustBe('an RFC 3339 date-time such as 2026-04-21T08:38:34Z', text, field);
    }
    return text;
  }

  texts(value: unknown, field: string): string[] {
    return this.list(value, field).map((item, at) => this.text(item, `${field}[${at}]`) ?? '');
  }

  /** An entry of a list, which cannot be absent. */
  entry(value: unknown, field: string): JsonObject {
    if (isObject(value)) return value;
    this.mustBe('an object', value, field);
    return {};
  }
}
