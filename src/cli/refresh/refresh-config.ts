// The configuration of `refresh`: which sources make up the data, in order of preference, and where the
// snapshots go. Every field is checked before any work, and an unknown field is an error, since a misspelt
// guard would guard nothing.

import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { shownLocation } from '../../download/http-error.ts';
import { DEFAULT_TRANSFER_LIMITS, type TransferLimits } from '../../download/limits.ts';
import { isValidUrl } from '../../download/valid-url.ts';
import { MALWARE_RULES, type MalwareRule } from '../../importers/assemble/preference.ts';
import { INFORMATIONAL_RULES, type InformationalRule } from '../../importers/osv/informational.ts';
import { fieldOf, quoted } from '../../importers/record/feed-schema.ts';
import type { SourceKind } from '../../importers/source-kind.ts';
import { SOURCE_KINDS } from '../../importers/source-kinds.ts';
import { UsageError } from '../command-error.ts';
import { DEFAULT_LOSS_LIMITS } from '../guards/loss-limits.ts';
import { duration } from '../options.ts';
import { DEFAULT_MAX_REJECT_PERCENT } from '../sources/reject-limit.ts';
import { REGISTRY_NAME } from '../sources/sources.ts';

export interface RefreshSource {
  readonly kind: SourceKind;
  /** An absolute path, or an http or https URL. */
  readonly location: string;
  /** Where the key for the URL is; it is read when it is needed. */
  readonly key: KeyPlace | undefined;
}

export type KeyPlace =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'variable'; readonly name: string };

/** Paths are absolute. */
export interface RefreshConfig {
  readonly sources: readonly RefreshSource[];
  readonly snapshots: string;
  readonly ids: string;
  /** Downloads, and what the last publication was made of. */
  readonly cache: string;
  /** As `compile --prefer`. */
  readonly prefer: readonly string[];
  readonly malwareOfWithdrawn: MalwareRule;
  readonly osvInformational: InformationalRule;
  /** In percent, as the options of `compile`. */
  readonly maxWithdrawn: number;
  readonly maxShrink: number;
  readonly maxReject: number;
  /** How many snapshots stay in the folder, the newest included. */
  readonly keep: number;
  /** Publishes unchanged data again when the newest snapshot is older; undefined for never. */
  readonly republishAfterMs: number | undefined;
  /** Of each download, and of each copy of a server. */
  readonly limits: TransferLimits;
  readonly caFile: string | undefined;
}

/** A location under the name of its kind, and perhaps where its key is. */
type RawSource = Readonly<Partial<Record<string, string>>>;

/** The file, once it fits the schema. */
interface RawConfig {
  readonly sources: readonly RawSource[];
  readonly snapshots: string;
  readonly ids?: string;
  readonly cache?: string;
  readonly prefer?: readonly string[];
  readonly malware_of_withdrawn?: MalwareRule;
  readonly osv_informational?: InformationalRule;
  readonly guards?: {
    readonly max_withdrawn?: number;
    readonly max_shrink?: number;
    readonly max_reject?: number;
  };
  readonly keep?: number;
  readonly republish_after?: string;
  readonly max_download_bytes?: number;
  readonly max_download_time?: string;
  readonly ca_file?: string;
}

const CONFIG_DEFAULTS = {
  ids: REGISTRY_NAME,
  cache: 'cache',
  guards: {
    max_withdrawn: DEFAULT_LOSS_LIMITS.maxWithdrawn,
    max_shrink: DEFAULT_LOSS_LIMITS.maxShrink,
    max_reject: DEFAULT_MAX_REJECT_PERCENT,
  },
  keep: 3,
  max_download_bytes: DEFAULT_TRANSFER_LIMITS.maxBytes,
  max_download_time: `${DEFAULT_TRANSFER_LIMITS.maxMs / 3_600_000}h`,
} as const;

const TEXT = { type: 'string', pattern: '\\S', expects: 'a text that is not empty' };
const DURATION = { type: 'string', format: 'duration', expects: 'a duration such as 90s, 15m, 36h or 2d' };
const PERCENT = { type: 'integer', minimum: 0, maximum: 100, expects: 'a whole number from 0 to 100' };

/** `expects` completes the sentence "must be …". */
const SCHEMA = object(
  {
    sources: {
      type: 'array',
      minItems: 1,
      expects: 'a list of at least one source',
      items: object(
        {
          ...Object.fromEntries(SOURCE_KINDS.map(({ name }) => [name, TEXT])),
          key_file: TEXT,
          key_env: { type: 'string', pattern: '^\\w+$', expects: 'the name of an environment variable' },
        },
        [],
      ),
    },
    snapshots: TEXT,
    ids: TEXT,
    cache: TEXT,
    prefer: { type: 'array', items: TEXT, expects: 'a list of texts, each as for compile --prefer' },
    malware_of_withdrawn: { enum: MALWARE_RULES, expects: `one of ${MALWARE_RULES.join(', ')}` },
    osv_informational: { enum: INFORMATIONAL_RULES, expects: `one of ${INFORMATIONAL_RULES.join(', ')}` },
    guards: object({ max_withdrawn: PERCENT, max_shrink: PERCENT, max_reject: PERCENT }, []),
    keep: { type: 'integer', minimum: 1, maximum: 1_000_000, expects: 'a whole number from 1 to 1000000' },
    republish_after: DURATION,
    max_download_bytes: {
      type: 'integer',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      expects: 'a whole number of at least 1',
    },
    max_download_time: DURATION,
    ca_file: TEXT,
  },
  ['sources', 'snapshots'],
);

function object(properties: object, required: readonly string[]): object {
  return { type: 'object', properties, required, additionalProperties: false, expects: 'an object' };
}

/** Throws UsageError that names the file, the field, what it has and what is expected. */
export function readRefreshConfig(file: string): RefreshConfig {
  const fail = (problem: string): never => {
    throw new UsageError(`${file}: ${problem}`);
  };
  const raw = parse(file, fail);
  const folder = dirname(resolve(file));
  const at = (path: string): string => resolve(folder, path);
  const snapshots = at(raw.snapshots);
  const guards = { ...CONFIG_DEFAULTS.guards, ...raw.guards };
  return {
    sources: raw.sources.map((source, i) =>
      readSource(source, at, (problem) => fail(`sources[${i}]${problem}`)),
    ),
    snapshots,
    ids: at(raw.ids ?? join(snapshots, CONFIG_DEFAULTS.ids)),
    cache: at(raw.cache ?? join(dirname(snapshots), CONFIG_DEFAULTS.cache)),
    prefer: raw.prefer ?? [],
    malwareOfWithdrawn: raw.malware_of_withdrawn ?? MALWARE_RULES[0],
    osvInformational: raw.osv_informational ?? INFORMATIONAL_RULES[0],
    maxWithdrawn: guards.max_withdrawn,
    maxShrink: guards.max_shrink,
    maxReject: guards.max_reject,
    keep: raw.keep ?? CONFIG_DEFAULTS.keep,
    republishAfterMs: raw.republish_after === undefined ? undefined : duration(raw.republish_after),
    limits: {
      maxBytes: raw.max_download_bytes ?? CONFIG_DEFAULTS.max_download_bytes,
      maxMs: duration(raw.max_download_time ?? CONFIG_DEFAULTS.max_download_time),
    },
    caFile: raw.ca_file === undefined ? undefined : at(raw.ca_file),
  };
}

function parse(file: string, fail: (problem: string) => never): RawConfig {
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    fail(`the configuration cannot be read (${(error as NodeJS.ErrnoException).code}); check --config`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    fail(`the configuration is not JSON: ${(error as Error).message}`);
  }
  const validate = validator();
  if (validate(value)) return value;
  const problems = (validate.errors ?? []).map(describe);
  // One value can fail two keywords.
  return fail([...new Set(problems)].join('; '));
}

let compiled: ValidateFunction<RawConfig> | undefined;

/** Compiled on first use: that takes tens of milliseconds. */
function validator(): ValidateFunction<RawConfig> {
  if (compiled !== undefined) return compiled;
  const ajv = new Ajv({ allErrors: true, verbose: true });
  ajv.addKeyword({ keyword: 'expects', schemaType: 'string' });
  ajv.addFormat('duration', isDuration);
  compiled = ajv.compile<RawConfig>(SCHEMA);
  return compiled;
}

function isDuration(text: string): boolean {
  try {
    return duration(text) > 0;
  } catch {
    return false;
  }
}

function describe({ instancePath, keyword, params, parentSchema, data }: ErrorObject): string {
  const field = fieldOf(instancePath);
  const inside = (name: string): string => (field === '' ? name : `${field}.${name}`);
  if (keyword === 'required') return `${inside(params.missingProperty as string)}: is required`;
  if (keyword === 'additionalProperties') {
    const known = Object.keys(parentSchema?.properties as object).join(', ');
    return `${inside(params.additionalProperty as string)}: is not a field of the configuration; use one of ${known}`;
  }
  const place = field === '' ? 'the configuration' : `${field}:`;
  return `${place} must be ${parentSchema?.expects} (got ${quoted(data)})`;
}

function readSource(
  raw: RawSource,
  at: (path: string) => string,
  fail: (problem: string) => never,
): RefreshSource {
  const kinds = SOURCE_KINDS.filter(({ name }) => raw[name] !== undefined);
  if (kinds.length !== 1) {
    const got = kinds.length === 0 ? 'none' : namesOf(kinds).join(' and ');
    fail(`: must name exactly one of ${namesOf(SOURCE_KINDS).join(', ')} (got ${got})`);
  }
  const [kind] = kinds;
  const { name } = kind;
  const text = raw[name] ?? '';
  const isUrl = /^https?:\/\//i.test(text);
  const shown = quoted(shownLocation(text));
  if (isUrl && !isValidUrl(text)) fail(`.${name}: is not a valid URL (got ${shown})`);
  if (!isUrl && /^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
    fail(`.${name}: must be a path or an http or https URL (got ${shown})`);
  }
  if (isUrl && /^[^/]*\/\/[^/]*@/.test(text)) {
    fail(
      `.${name}: must not contain a user or password; name a file with key_file or a variable with key_env`,
    );
  }
  const isServer = kind.form === 'server';
  if (isServer && !isUrl) fail(`.${name}: must be an http or https URL (got ${shown})`);
  const key = keyPlace(raw, at, fail);
  if (key !== undefined && !isUrl) fail(`: a key is for a URL, and ${shown} is a path`);
  if (isServer && key === undefined) fail(`: a ${name} needs a key; name it with key_file or key_env`);
  return { kind, location: isUrl ? text : at(text), key };
}

function namesOf(kinds: readonly SourceKind[]): string[] {
  return kinds.map(({ name }) => name);
}

function keyPlace(
  { key_file: file, key_env: name }: RawSource,
  at: (path: string) => string,
  fail: (problem: string) => never,
): KeyPlace | undefined {
  if (file !== undefined && name !== undefined) fail(': must have key_file or key_env, not both');
  if (file !== undefined) return { kind: 'file', path: at(file) };
  return name === undefined ? undefined : { kind: 'variable', name };
}
