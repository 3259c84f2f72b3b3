// What each client prints after an audit, read into one form. A client that names an advisory's range but not
// the versions is taken at its word: the versions of the tree inside the printed range, by node-semver, are
// what it reports.

import assert from 'node:assert/strict';
import semver from 'semver';
import type { Severity } from './feed.ts';
import { lockedPath, placePackages } from './lockfiles/placed.ts';
import type { Tree } from './trees.ts';

/** One advisory about one version. */
export interface Finding {
  readonly name: string;
  readonly version: string;
  /** Deno prints none; the page says which advisory is meant. */
  readonly id: number | undefined;
  readonly severity: Severity;
  readonly url: string;
}

/** Everything that the client reports. Throws if its output is not a report. */
export type Reader = (printed: string, tree: Tree) => Finding[];

/** The pair of options under which npm compares. */
const AS_NPM = { includePrerelease: true, loose: true };

function versionsInside(tree: Tree, name: string, range: string): string[] {
  assert.notEqual(semver.validRange(range, AS_NPM), null, `not a range: ${range}`);
  return tree.packages
    .filter((item) => item.name === name && semver.satisfies(item.version, range, AS_NPM))
    .map(({ version }) => version);
}

interface BulkAdvisory {
  readonly id: number;
  readonly url: string;
  readonly severity: Severity;
  readonly vulnerable_versions: string;
}

interface NpmReport {
  readonly vulnerabilities: Readonly<
    Record<
      string,
      {
        readonly name: string;
        /** Advisories, or names of dependencies that have some. */
        readonly via: readonly (
          | string
          | {
              readonly source: number;
              readonly url: string;
              readonly severity: Severity;
              readonly range: string;
            }
        )[];
        /** Where the vulnerable versions are in the tree. */
        readonly nodes: readonly string[];
      }
    >
  >;
}

/** npm names ranges, and the places in the lockfile of all vulnerable versions of a name together. */
export const readNpm: Reader = (printed, tree) => {
  const { vulnerabilities } = JSON.parse(printed) as NpmReport;
  assert.ok(vulnerabilities !== undefined, printed.slice(0, 500));
  const placed = new Map(placePackages(tree).map((place) => [lockedPath(place), place.item]));
  return Object.values(vulnerabilities).flatMap(({ name, via, nodes }) => {
    const causes = via.filter((cause) => typeof cause !== 'string');
    const found = causes.flatMap(({ source: id, severity, url, range }) =>
      versionsInside(tree, name, range).map((version) => ({ name, version, id, severity, url })),
    );
    if (causes.length === via.length) {
      // No dependency is to blame, so the places are those of these versions.
      assert.deepEqual(
        new Set(nodes.map((path) => placed.get(path)?.version)),
        new Set(found.map(({ version }) => version)),
        `nodes of ${name}`,
      );
    }
    return found;
  });
};

interface PnpmReport {
  readonly advisories: Readonly<
    Record<
      string,
      {
        readonly id: number;
        readonly module_name: string;
        readonly severity: Severity;
        readonly url: string;
        readonly findings: readonly { readonly version: string }[];
      }
    >
  >;
}

/** pnpm names the versions. */
export const readPnpm: Reader = (printed) => {
  const { advisories } = JSON.parse(printed) as PnpmReport;
  assert.ok(advisories !== undefined, printed.slice(0, 500));
  return Object.values(advisories).flatMap(({ id, module_name, severity, url, findings }) =>
    findings.map(({ version }) => ({ name: module_name, version, id, severity, url })),
  );
};

interface YarnLine {
  readonly value: string;
  readonly children: {
    readonly ID: number;
    readonly URL: string;
    readonly Severity: Severity;
    readonly 'Vulnerable Versions': string;
    readonly 'Tree Versions': readonly string[];
  };
}

/**
 * yarn prints a line for each advisory and names the versions. It compares a pre-release as if it were its
 * release, also in bounds, and so lists some that are below the bound; those are left out.
 */
export const readYarn: Reader = (printed, tree) =>
  printed
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      const { value: name, children } = JSON.parse(line) as YarnLine;
      const range = children['Vulnerable Versions'];
      const inside = versionsInside(tree, name, range);
      return children['Tree Versions']
        .filter((version) => inside.includes(version) || !isInsideAsRelease(version, range))
        .map((version) => ({
          name,
          version,
          id: children.ID,
          severity: children.Severity,
          url: children.URL,
        }));
    });

function isInsideAsRelease(version: string, range: string): boolean {
  const release = (text: string): string => text.replaceAll(/(\d+\.\d+\.\d+)-[\w.-]+/g, '$1');
  return version !== release(version) && semver.satisfies(release(version), release(range));
}

/** bun prints the server's answer, and nothing else if that is empty. */
export const readBun: Reader = (printed, tree) => {
  const answer = JSON.parse(printed) as Readonly<Record<string, readonly BulkAdvisory[]>>;
  return Object.entries(answer).flatMap(([name, advisories]) =>
    advisories.flatMap(({ id, severity, url, vulnerable_versions }) =>
      versionsInside(tree, name, vulnerable_versions).map((version) => ({
        name,
        version,
        id,
        severity,
        url,
      })),
    ),
  );
};

/** deno prints blocks of text, with the range. Its count has those that it was told not to show too. */
export const readDeno: Reader = (printed, tree) => {
  const blocks = printed.split('╭').slice(1);
  const [, count] = /^(?:Found (\d+) vulnerabilit(?:y|ies)|No known vulnerabilities found)$/m.exec(
    printed,
  ) ?? ['', '-1'];
  assert.ok(blocks.length <= Number(count ?? 0), printed.slice(-500));
  return blocks.flatMap((block) => {
    const field = (name: string): string => {
      const [, text] = new RegExp(`^[│╰] ${name}: +(.+)$`, 'm').exec(block) ?? [];
      assert.ok(text !== undefined, `no ${name} in ${block}`);
      return text;
    };
    const name = field('Package');
    const severity = field('Severity') as Severity; // compared with what is expected
    return versionsInside(tree, name, field('Vulnerable')).map((version) => ({
      name,
      version,
      id: undefined,
      severity,
      url: field('Info'),
    }));
  });
};
