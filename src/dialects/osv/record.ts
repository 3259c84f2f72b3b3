// A record in the OSV schema, as JSON. Its members are the schema's alone, because clients in Go refuse any
// other; what the schema has no place for is in `database_specific`.

import type { HandlerContext } from '../../http/context.ts';
import { EPSS_ONE, type IndexColumns, isExploited, patchPriority } from '../../index/columns.ts';
import type { Generation } from '../../index/generation.ts';
import { formatInstant } from '../../index/items/instant.ts';
import { ItemView } from '../../index/items/item-view.ts';
import { epssOf, kevDayOf, kindOf } from '../../index/items/rare-facts.ts';
import { formatPsid } from '../../index/lookup/alias-table.ts';
import type { ThreadMemory } from '../../index/memory/thread-memory.ts';
import { type Platform, PRODUCT_TYPE_TABLE, publishedName } from '../../index/product-type.ts';
import { VERSION_SCHEMES } from '../../index/versions/version-key.ts';
import { ecosystemFacts, type HeldEcosystem, packageOf, purlOf } from './ecosystems.ts';
import { type AfterLast, type OsvEvent, rangesOf } from './ranges.ts';
import { recordsOf } from './records.ts';
import { type OsvSeverity, severityOf } from './severity.ts';
import { uriOf } from './uri.ts';

/** The version of the schema that records follow. */
const SCHEMA_VERSION = '1.7.5';

const SECONDS_PER_DAY = 86_400;

type ReferenceType =
  | 'ADVISORY'
  | 'ARTICLE'
  | 'DETECTION'
  | 'DISCUSSION'
  | 'EVIDENCE'
  | 'FIX'
  | 'GIT'
  | 'INTRODUCED'
  | 'PACKAGE'
  | 'REPORT'
  | 'WEB';

/** By the title of a reference, as the importer of OSV records names their types. */
const REFERENCE_TYPES: ReadonlyMap<string, ReferenceType> = new Map([
  ['Advisory', 'ADVISORY'],
  ['Article', 'ARTICLE'],
  ['Detection', 'DETECTION'],
  ['Discussion', 'DISCUSSION'],
  ['Evidence', 'EVIDENCE'],
  ['Fix', 'FIX'],
  ['Repository', 'GIT'],
  ['Introduced by', 'INTRODUCED'],
  ['Package', 'PACKAGE'],
  ['Report', 'REPORT'],
]);

interface Reference {
  readonly type: ReferenceType;
  readonly url: string;
}

/** What a record is like for readers that do not know all of the schema. */
export interface RecordForm {
  /** The only one whose packages are shown. */
  readonly platform?: Platform;
  /** What ends a range after its last affected version. */
  readonly afterLast?: AfterLast;
  /** Whether an entry without ranges is left out: to some readers, none means every version. */
  readonly needsRanges?: boolean;
  /** Whether `database_specific` has the page of the advisory. */
  readonly hasUrl?: boolean;
}

const FULL: RecordForm = {};

/** The members that other answers are made of too. */
interface OsvRecord {
  readonly id: string;
  readonly modified: string;
  readonly aliases?: readonly string[];
  readonly affected: readonly Affected[];
  readonly [member: string]: unknown;
}

interface Affected {
  readonly package: { readonly ecosystem: HeldEcosystem; readonly name: string; readonly purl?: string };
  readonly severity?: readonly OsvSeverity[];
  readonly ranges: readonly { readonly type: 'SEMVER' | 'ECOSYSTEM'; readonly events: readonly OsvEvent[] }[];
  readonly versions: readonly string[];
  readonly ecosystem_specific?: object;
  readonly database_specific?: { readonly version_scheme?: string; readonly fixed_in?: readonly string[] };
}

/** The text of a record. Requires: as for `recordOf`. */
export function recordJson(
  generation: Generation,
  memory: ThreadMemory,
  head: number,
  form: RecordForm = FULL,
): string {
  return JSON.stringify(recordOf(generation, memory, head, form));
}

/** Requires: the head of a record, with a package that the form shows. */
export function recordOf(
  generation: Generation,
  memory: ThreadMemory,
  head: number,
  form: RecordForm,
): OsvRecord {
  const { columns } = generation.parts;
  const records = recordsOf(generation);
  const { platform } = form;
  const all = records.membersOf(head);
  const members = platform === undefined ? all : all.filter((each) => platformAt(columns, each) === platform);
  const [first] = members; // a head need not be an advisory
  const id = records.idOf(head);
  const view = new ItemView(generation);
  const aliases = new Set<string>();
  const references = new Map<string, Reference>();
  const otherReferences = new Set<string>();
  let published = Number.POSITIVE_INFINITY;
  let withdrawn: number | null = null;
  for (const ordinal of members) {
    view.enter(ordinal);
    const [, cves, referenceTitles, , , , , withdrawnAt, others] = generation.records.detailAt(
      ordinal,
      memory.records,
    );
    for (const cve of cves) aliases.add(`CVE-${cve}`);
    const ghsa = view.text('ghsa');
    if (ghsa !== null && ghsa !== '') aliases.add(ghsa);
    const sourceId = generation.sourceIdAt(ordinal);
    // Only a source's id that clients cannot ask for is not the record's.
    if (sourceId !== '') aliases.add(sourceId);
    for (const other of others) aliases.add(other);
    const add = (text: string, type: ReferenceType): void => {
      const url = uriOf(text);
      if (url === undefined) otherReferences.add(text);
      else if (!references.has(url)) references.set(url, { type, url });
    };
    add(view.text('url') ?? '', 'ADVISORY');
    view.references().forEach((url, i) => {
      add(url, REFERENCE_TYPES.get(referenceTitles[i]) ?? 'WEB');
    });
    published = Math.min(published, generation.disclosedAt(ordinal));
    if (withdrawnAt !== null) withdrawn = Math.max(withdrawn ?? withdrawnAt, withdrawnAt);
  }
  aliases.delete(id);
  const severities = members.map((ordinal) => vectorOf(generation, ordinal));
  const isShared = severities.every(
    (severity) => severity?.score === severities[0]?.score && severity?.type === severities[0]?.type,
  );
  const [description, , , , credit, submitter] = generation.records.detailAt(first, memory.records);
  const body = generation.records.bodyAt(first, memory.records);
  const details = body === '' ? description : body;
  const own = severities[0];
  const affected = members.map((ordinal, i) =>
    affectedOf(
      generation,
      memory,
      view.enter(ordinal),
      ordinal,
      isShared ? undefined : severities[i],
      form.afterLast,
    ),
  );
  const specific = databaseSpecific(generation, members, first, [...otherReferences]);
  view.enter(first);
  return {
    schema_version: SCHEMA_VERSION,
    id,
    modified: instantText(records.modifiedOf(head)),
    published: instantText(published),
    ...(withdrawn === null ? {} : { withdrawn: instantText(withdrawn) }),
    ...(aliases.size === 0 ? {} : { aliases: [...aliases] }),
    summary: view.bareTitle(),
    ...(details === '' ? {} : { details }),
    ...(isShared && own !== undefined ? { severity: [own] } : {}),
    affected: form.needsRanges ? affected.filter(({ ranges }) => ranges.length > 0) : affected,
    references: [...references.values()],
    ...(credit === null && submitter === null
      ? {}
      : { credits: [creditOf(credit, 'FINDER'), creditOf(submitter, 'REPORTER')].flat() }),
    database_specific: form.hasUrl ? { url: view.text('url') ?? '', ...specific } : specific,
  };
}

/** `2026-04-21T08:38:34Z`. */
export function instantText(epochSeconds: number): string {
  return formatInstant(epochSeconds).replace('+00:00', 'Z');
}

function vectorOf(generation: Generation, ordinal: number): OsvSeverity | undefined {
  const [, vector] = generation.traitAt('traitsCvss', ordinal);
  return vector === null ? undefined : severityOf(vector);
}

function creditOf(
  person: readonly [name: string, url: string] | null,
  type: 'FINDER' | 'REPORTER',
): readonly object[] {
  if (person === null) return [];
  const [name, url] = person;
  return [{ name, ...(url === '' ? {} : { contact: [url] }), type }];
}

function platformAt({ productType, advisoryProduct }: IndexColumns, ordinal: number): Platform {
  return PRODUCT_TYPE_TABLE[productType[advisoryProduct[ordinal]]].platform;
}

/** What an advisory's product is called. Requires: the view has entered the advisory. */
export function packageAt(
  { parts: { columns } }: Generation,
  view: ItemView,
  ordinal: number,
): { readonly ecosystem: HeldEcosystem; readonly name: string } {
  const facts = PRODUCT_TYPE_TABLE[columns.productType[columns.advisoryProduct[ordinal]]];
  const published = publishedName(facts, view.text('productSlug') ?? '', view.text('productName') ?? '');
  return packageOf(facts.name, published);
}

function affectedOf(
  generation: Generation,
  memory: ThreadMemory,
  view: ItemView,
  ordinal: number,
  severity: OsvSeverity | undefined,
  afterLast: AfterLast | undefined,
): Affected {
  const { columns } = generation.parts;
  const facts = PRODUCT_TYPE_TABLE[columns.productType[columns.advisoryProduct[ordinal]]];
  const scheme = VERSION_SCHEMES[columns.advisoryScheme[ordinal]];
  const { ecosystem, name } = packageAt(generation, view, ordinal);
  const { rangeType } = ecosystemFacts(ecosystem);
  const purl = purlOf(ecosystem, name);
  const { ranges, versions, fixedIn } = rangesOf(view.spans(), scheme, afterLast);
  const [, , , , , , , , , specific] = generation.records.detailAt(ordinal, memory.records);
  const isOtherScheme = scheme !== facts.scheme;
  return {
    package: { ecosystem, name, ...(purl === undefined ? {} : { purl }) },
    ...(severity === undefined ? {} : { severity: [severity] }),
    ranges: ranges.map((events) => ({ type: rangeType, events })),
    versions,
    // Text that `JSON.stringify` made: this writes the same bytes again.
    ...(specific === undefined ? {} : { ecosystem_specific: JSON.parse(specific) as object }),
    ...(fixedIn.length === 0 && !isOtherScheme
      ? {}
      : {
          database_specific: {
            ...(isOtherScheme ? { version_scheme: scheme } : {}),
            ...(fixedIn.length === 0 ? {} : { fixed_in: fixedIn }),
          },
        }),
  };
}

function databaseSpecific(
  generation: Generation,
  members: readonly number[],
  first: number,
  otherReferences: readonly string[],
): object {
  const { columns } = generation.parts;
  const flags = columns.advisoryFlags[first];
  const [score, vector] = generation.traitAt('traitsCvss', first);
  const weaknesses = members
    .map((ordinal) => generation.traitAt('traitsCwe', ordinal)[0])
    .filter((cwe) => cwe !== null);
  const severity = generation.traitAt('traitsSeverity', first);
  const epss = epssOf(columns, first);
  const kevDay = kevDayOf(columns, first);
  const sources = generation.traitAt('traitsSources', first);
  const hasBadVector = vector !== null && severityOf(vector) === undefined;
  return {
    ids: members.map((ordinal) => generation.idAt(ordinal)),
    psids: members.map((ordinal) => formatPsid(columns.advisoryPsid[ordinal])),
    kind: kindOf(columns, first),
    vuln_type: generation.traitAt('traitsVulnType', first),
    ...(weaknesses.length === 0 ? {} : { cwe_ids: [...new Set(weaknesses)].map((cwe) => `CWE-${cwe}`) }),
    ...(severity === '' ? {} : { severity }),
    ...(score === null ? {} : { cvss_score: score }),
    ...(hasBadVector ? { cvss_vector: vector } : {}),
    is_exploited: isExploited(flags),
    patch_priority: patchPriority(flags),
    ...(epss === undefined
      ? {}
      : { epss: { score: epss.score / EPSS_ONE, percentile: epss.percentile / EPSS_ONE } }),
    ...(kevDay === undefined ? {} : { kev_date: formatInstant(kevDay * SECONDS_PER_DAY).slice(0, 10) }),
    ...(sources.length === 0
      ? {}
      : {
          sources: sources.map(([name, notice, license, licenseUrl]) => ({
            name,
            ...(notice === '' ? {} : { notice }),
            ...(license === '' ? {} : { license }),
            ...(licenseUrl === '' ? {} : { license_url: licenseUrl }),
          })),
        }),
    ...(otherReferences.length === 0 ? {} : { other_references: otherReferences }),
  };
}

/**
 * Appends a record to the memory's `out`. Making one inflates a block of details, so texts are kept.
 * Requires: its head.
 */
export function writeRecord(
  { generation, memory }: Pick<HandlerContext, 'generation' | 'memory'>,
  head: number,
): void {
  const { out } = memory;
  memory.cacheOf('osv').write(out, head, () => out.text(recordJson(generation, memory, head)));
}
