// A synthetic OSV export: a zip archive of records in npm's proportions, always the same for a seed and a
// size. Of npm's 214,057 public records 209,647 are malware: nearly all of them bad at any version, with a
// summary that follows from the name, and a text that follows from whoever reported them. The others are of
// about 5 KB.

import { CVSS_VECTORS } from '../src/generator/cvss.ts';
import { Dice, mix } from '../src/generator/dice.ts';
import { makeDescription, makeDetails, makePerson } from '../src/generator/prose.ts';
import { WEAKNESSES } from '../src/generator/weaknesses.ts';
import { INVENTED, NOUNS } from '../src/generator/words.ts';
import { ZipArchive } from '../test/support/feeds/zip-archive.ts';

/** A record, of which only the id matters here. */
export type OsvJson = Readonly<Record<string, unknown>> & { readonly id: string };

export interface ExportPlan {
  readonly records: number;
  readonly seed: number;
  /** By default that of npm's export. */
  readonly malwareShare?: number;
}

const MALWARE_SHARE = 209_647 / 214_057;
const WHOLE_SHARE = 0.97; // of malware: bad at any version
const OWN_TEXT_SHARE = 0.01; // of malware: a summary and details that follow from nothing
const FOREIGN_SHARE = 0.02;
const WITHDRAWN_SHARE = 0.01;
const FIRST_PUBLISHED_MS = Date.UTC(2018, 0, 1);
const LAST_PUBLISHED_MS = Date.UTC(2026, 0, 1);
const DETAILS_LENGTH = 3000;
const GHSA_LETTERS = [...'23456789cfghjmpqrvwx'];

/** Writes the archive to `path`. */
export function writeOsvExport(path: string, plan: ExportPlan): void {
  const archive = new ZipArchive(path);
  for (const record of osvRecords(plan)) archive.add(`${record.id}.json`, JSON.stringify(record, null, 2));
  archive.finish();
}

export function* osvRecords({ records, seed, malwareShare = MALWARE_SHARE }: ExportPlan): Generator<OsvJson> {
  const dice = new Dice(mix(seed, 11));
  for (let number = 0; number < records; number++) {
    yield dice.chance(malwareShare) ? malwareRecord(dice, number) : vulnerabilityRecord(dice, number);
  }
}

function malwareRecord(dice: Dice, number: number): OsvJson {
  const name = packageName(dice, number);
  const versions = Array.from({ length: dice.whole(1, 8) }, (_, at) => `1.${at}.${dice.whole(0, 9)}`);
  const isWhole = dice.chance(WHOLE_SHARE);
  const hasOwnText = dice.chance(OWN_TEXT_SHARE);
  const sha256 = hex(dice, 64);
  return {
    schema_version: '1.7.3',
    id: `MAL-${2022 + dice.whole(0, 3)}-${number}`,
    ...times(dice),
    summary: hasOwnText ? makeDescription(dice, `${name}:`).slice(0, 120) : `Malicious code in ${name} (npm)`,
    details: hasOwnText ? longText(dice, name) : reported(dice, name, sha256),
    affected: [
      {
        package: { ecosystem: 'npm', name, purl: `pkg:npm/${encodeURIComponent(name)}` },
        ...(isWhole ? { ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }] }] } : { versions }),
        database_specific: {
          cwes: [
            {
              cweId: 'CWE-506',
              description: 'The product contains code that appears to be malicious in nature.',
              name: 'Embedded Malicious Code',
            },
          ],
        },
      },
    ],
    credits: [{ name: dice.pick(REPORTERS), type: 'FINDER', contact: ['https://researchers.example'] }],
    database_specific: {
      'malicious-packages-origins': [
        { source: 'example', sha256, import_time: '2025-01-01T00:00:00.123456789Z', versions },
      ],
    },
  };
}

const REPORTERS = ['Example Inspector', 'Example Advisories', 'Example Analysis'] as const;
const FINDINGS = [
  (name: string) => `The package ${name} was found to contain malicious code.`,
  () =>
    'Any computer that has this package installed or running should be considered fully compromised. All secrets and ' +
    'keys stored on that computer should be rotated immediately from a different computer.',
  (name: string) => `Package ${name} communicates with a domain associated with malicious activity.`,
] as const;

function reported(dice: Dice, name: string, sha256: string): string {
  const head = '\n---\n_-= Per source details. Do not edit below this line.=-_\n\n## Source: example';
  return `${head} (${sha256})\n${dice.pick(FINDINGS)(name)}\n`;
}

function vulnerabilityRecord(dice: Dice, number: number): OsvJson {
  const name = packageName(dice, number);
  const { cwe } = dice.pickEarly(WEAKNESSES);
  const band = dice.pick(['medium', 'high', 'critical'] as const);
  const person = makePerson(dice);
  const affected = Array.from({ length: dice.whole(1, 3) }, (_, at) => ({
    package: { ecosystem: 'npm', name, purl: `pkg:npm/${encodeURIComponent(name)}` },
    ranges: [
      {
        type: 'SEMVER',
        events: [
          { introduced: at === 0 ? '0' : `${at}.0.0` },
          dice.chance(0.8)
            ? { fixed: `${at}.${dice.whole(1, 20)}.${dice.whole(0, 9)}` }
            : { last_affected: `${at}.${dice.whole(1, 20)}.${dice.whole(0, 9)}` },
        ],
      },
    ],
    versions: [],
    database_specific: { source: `https://advisories.example/${number}.json` },
  }));
  const foreign = dice.chance(FOREIGN_SHARE)
    ? [{ package: { ecosystem: 'Acme', name }, ranges: [], versions: ['1.0'] }]
    : [];
  const instants = times(dice);
  return {
    schema_version: '1.7.3',
    id: ghsa(dice),
    ...instants,
    ...(dice.chance(WITHDRAWN_SHARE) ? { withdrawn: instants.modified } : {}),
    aliases: [`CVE-${dice.whole(2018, 2025)}-${10_000 + number}`],
    summary: makeDescription(dice, `${name}:`).slice(0, 120),
    details: longText(dice, name),
    severity: [{ type: 'CVSS_V3', score: dice.pick(CVSS_VECTORS[band]).vector }],
    affected: [...affected, ...foreign],
    references: Array.from({ length: dice.whole(2, 6) }, (_, at) => ({
      type: dice.pick(['WEB', 'FIX', 'ADVISORY', 'PACKAGE']),
      url: `https://advisories.example/${number}/${at}`,
    })),
    credits: [{ name: person.name, type: 'REPORTER', contact: [person.url] }],
    database_specific: {
      cwe_ids: [`CWE-${cwe.id}`],
      severity: band === 'medium' ? 'MODERATE' : band.toUpperCase(),
      github_reviewed: true,
      nvd_published_at: null,
    },
  };
}

function times(dice: Dice): { readonly modified: string; readonly published: string } {
  const published =
    FIRST_PUBLISHED_MS + Math.floor(dice.fraction() * (LAST_PUBLISHED_MS - FIRST_PUBLISHED_MS));
  const modified = published + dice.whole(0, 90 * 86_400) * 1000;
  return {
    modified: new Date(modified).toISOString().replace('Z', '123456Z'),
    published: new Date(published).toISOString(),
  };
}

function packageName(dice: Dice, number: number): string {
  const name = `${dice.pick(INVENTED)}-${dice.pick(NOUNS)}-${number.toString(36)}`;
  return dice.chance(0.3) ? `@${dice.pick(INVENTED)}/${name}` : name;
}

function longText(dice: Dice, name: string): string {
  let text = makeDetails(dice, name, '< 2.0.0');
  while (text.length < DETAILS_LENGTH) text += `\n\n${makeDescription(dice, 'It')}`;
  return text;
}

function ghsa(dice: Dice): string {
  const group = (): string => Array.from({ length: 4 }, () => dice.pick(GHSA_LETTERS)).join('');
  return `GHSA-${group()}-${group()}-${group()}`;
}

function hex(dice: Dice, length: number): string {
  return Array.from({ length }, () => dice.whole(0, 15).toString(16)).join('');
}
