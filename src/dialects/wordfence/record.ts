// One record of the feed: what its source publishes about one vulnerability, with every product that we hold.

import type { Generation } from '../../index/generation.ts';
import type { OpenRecords } from '../../index/items/detail-record.ts';
import { formatLegacyInstant } from '../../index/items/instant.ts';
import { ItemView } from '../../index/items/item-view.ts';
import { kindOf, modifiedAt } from '../../index/items/rare-facts.ts';
import { formatPsid } from '../../index/lookup/alias-table.ts';
import { type Severity, severityFacts, severityOfLabel, severityOfScore } from '../severity.ts';
import { copyrightsOf } from './copyrights.ts';
import { softwareOf } from './software.ts';

/** The scanner's variant leaves out what a scanner does not need. */
export const VARIANTS = ['production', 'scanner'] as const;
export type Variant = (typeof VARIANTS)[number];

const CVE_PAGES = 'https://www.cve.org/CVERecord?id=';

/** Reads the records of one generation. */
export class RecordReader {
  readonly #generation: Generation;
  readonly #records: OpenRecords;
  readonly #view: ItemView;

  constructor(generation: Generation, records: OpenRecords) {
    this.#generation = generation;
    this.#records = records;
    this.#view = new ItemView(generation);
  }

  /**
   * The record of a group of advisories, one for each product, as a name and a value. Facts that they share
   * are read from the oldest. Requires: at least one, by ascending id.
   */
  read(group: readonly number[], variant: Variant): readonly [id: string, record: object] {
    const generation = this.#generation;
    const { columns } = generation.parts;
    const isFull = variant === 'production';
    const [oldest] = group;
    const id = recordId(generation, oldest);
    const software = group.map((ordinal) =>
      softwareOf(generation, this.#view.enter(ordinal), ordinal, isFull),
    );
    const view = this.#view.enter(oldest);
    const full = isFull ? this.#fullFacts(oldest) : undefined;
    const record = {
      id,
      title: view.bareTitle(),
      software,
      informational: group.every((ordinal) => kindOf(columns, ordinal) === 'informational'),
      description: full?.description,
      // Clients show the first as the page of the record.
      references: [
        ...new Set([view.text('url') ?? '', ...view.references(), ...(full?.otherCvePages ?? [])]),
      ],
      cwe: full?.cwe,
      cvss: full?.cvss,
      cve: full?.cve,
      cve_link: full?.cveLink,
      researchers: full?.researchers,
      published: formatLegacyInstant(generation.disclosedAt(oldest)),
      updated: full?.updated,
      copyrights: copyrightsOf(generation.traitAt('traitsSources', oldest)),
    };
    return [id, record]; // JSON leaves out what is undefined
  }

  #fullFacts(ordinal: number) {
    const generation = this.#generation;
    const { columns } = generation.parts;
    const view = this.#view;
    const [description, cves, , , credit] = generation.records.detailAt(ordinal, this.#records);
    const [cve = null, ...otherCves] = cves.map((each) => `CVE-${each}`);
    const updated = modifiedAt(columns, ordinal);
    return {
      description,
      cwe: cweOf(view),
      cvss: cvssOf(generation, view, ordinal),
      cve,
      cveLink: cve === null ? null : CVE_PAGES + cve,
      otherCvePages: otherCves.map((each) => CVE_PAGES + each),
      researchers: credit === null ? [] : credit[0].split(', '),
      updated: updated === undefined ? null : formatLegacyInstant(updated),
    };
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

// RFC 9562, version 8: the 48 bits of a PSID, then these. The last six bytes spell `vulndx`.
const REST = '8000-8000-76756c6e6478';

/**
 * The uuid of a record, which stays while the advisory exists: the source's own id if that is one, else one
 * made from the PSID.
 */
export function recordId(generation: Generation, ordinal: number): string {
  const sourceId = generation.sourceIdAt(ordinal);
  if (UUID.test(sourceId)) return sourceId;
  const psid = formatPsid(generation.parts.columns.advisoryPsid[ordinal]);
  return `${psid.slice(0, 8)}-${psid.slice(8)}-${REST}`;
}

/** Severities in the words of the feed. */
const WORDS: Readonly<Record<Severity, string>> = {
  none: 'None',
  low: 'Low',
  medium: 'Medium',
  high: 'High',
  critical: 'Critical',
};

// Clients check each member's type, so a weakness or a score that is not known is null as a whole.

/** Snapshots have no descriptions of weaknesses. Requires: the view is on the advisory. */
function cweOf(view: ItemView) {
  const id = view.number('cweId');
  return id === null ? null : { id, name: view.text('cweName') ?? `CWE-${id}`, description: '' };
}

/** Requires: the view is on the advisory. */
export function cvssOf(generation: Generation, view: ItemView, ordinal: number) {
  const score = view.number('cvssScore');
  if (score === null) return null;
  const { label } = severityFacts(generation, ordinal, score);
  const rating = WORDS[severityOfLabel(label) ?? severityOfScore(score)];
  return { vector: view.text('cvssVector') ?? '', score, rating };
}
