// Findings as SARIF 2.1.0, for code hosts and tools that collect them: a rule for each advisory, a result for
// each affected package and advisory. Entries that were not looked up are notifications, so that a report
// with gaps says so.

import { basename } from 'node:path';
import type { Note, Package } from '../../inventory/inventory.ts';
import { STANDARD_STREAM } from '../standard-streams.ts';
import type { InventoryFindings } from './inventory-lookup.ts';

/** The members of a response body that are said here. */
interface Body {
  readonly vulnerabilities: readonly Advisory[];
  readonly update_to: string | null;
}

interface Advisory {
  readonly id: number;
  readonly title: string;
  readonly url: string;
  /** Without its prefix. */
  readonly cve: string | null;
  /** '' for none. */
  readonly ghsa: string;
  readonly cvss: { readonly score: number | null };
}

type Level = 'error' | 'warning' | 'note';

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';

/** `answer` is the response body for a package; `from` is the file that was read. */
export function describeAsSarif(
  { affected, leftOut }: InventoryFindings,
  from: string,
  version: string,
  answer: (pack: Package) => string,
): object {
  const rules = new Map<number, { readonly index: number; readonly rule: object }>();
  const uri = encodeURIComponent(from === STANDARD_STREAM ? 'inventory' : basename(from));
  const results = affected.flatMap(({ pack }) => {
    const { vulnerabilities, update_to } = JSON.parse(answer(pack)) as Body;
    return vulnerabilities.map((advisory) => {
      let known = rules.get(advisory.id);
      if (known === undefined) {
        known = { index: rules.size, rule: ruleOf(advisory) };
        rules.set(advisory.id, known);
      }
      return resultOf({ pack, advisory, update: update_to }, known.index, uri);
    });
  });
  const gaps = leftOut.filter(({ isOpen }) => isOpen);
  const run = {
    tool: { driver: { name: 'vulndex', version, rules: [...rules.values()].map(({ rule }) => rule) } },
    invocations: [
      {
        executionSuccessful: gaps.length === 0,
        toolExecutionNotifications: gaps.map((gap) => ({ level: 'error', message: { text: gapText(gap) } })),
      },
    ],
    results,
  };
  return { $schema: SCHEMA, version: '2.1.0', runs: [run] };
}

/** The server's own number: a CVE may have one advisory for each of several packages. */
function ruleIdOf({ id }: Advisory): string {
  return `vulndex-${id}`;
}

function ruleOf(advisory: Advisory): object {
  const { title, url, cve, ghsa, cvss } = advisory;
  return {
    id: ruleIdOf(advisory),
    name: cve ? `CVE-${cve}` : ghsa || ruleIdOf(advisory),
    shortDescription: { text: title },
    helpUri: url,
    defaultConfiguration: { level: levelOf(advisory) },
    properties: {
      tags: ['security', 'vulnerability'],
      // The member by which code hosts sort security findings: a text.
      ...(cvss.score === null ? {} : { 'security-severity': cvss.score.toFixed(1) }),
    },
  };
}

/** As CVSS 3.1, section 5, bounds its ratings; without a score nobody knows. */
function levelOf({ cvss: { score } }: Advisory): Level {
  if (score === null) return 'warning';
  if (score >= 7) return 'error';
  return score >= 4 ? 'warning' : 'note';
}

interface Finding {
  readonly pack: Package;
  readonly advisory: Advisory;
  readonly update: string | null;
}

function resultOf({ pack, advisory, update }: Finding, ruleIndex: number, uri: string): object {
  const { type, name, version } = pack;
  const label = `${type} ${name}@${version}`;
  const remedy = update === null ? 'No version is known that clears everything.' : `Update to ${update}.`;
  return {
    ruleId: ruleIdOf(advisory),
    ruleIndex,
    level: levelOf(advisory),
    message: { text: `${label}: ${advisory.title}. ${remedy}` },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri } },
        logicalLocations: [{ fullyQualifiedName: label, kind: 'package' }],
      },
    ],
    partialFingerprints: { 'vulndex/v1': `${advisory.id}:${label}` },
  };
}

function gapText({ reason, count, examples }: Note): string {
  const more = count > examples.length ? ', …' : '';
  return `${count} not looked up (${reason}): ${examples.join(', ')}${more}`;
}
