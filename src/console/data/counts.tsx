// Counts of the live data: by type, by severity, by source.

import { PRODUCT_TYPE_TABLE } from '../../index/product-type.ts';
import { percent } from '../parts/figures.ts';
import { DataLink } from '../parts/link.tsx';
import { SeverityBadge } from '../parts/severity.tsx';
import { SEVERITIES } from '../parts/severity-scale.ts';
import { Table } from '../parts/table.tsx';
import { count } from '../parts/words.ts';
import type { Source, Statistics } from './statistics.ts';

const TYPE_TITLES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(PRODUCT_TYPE_TABLE.map(({ name, label }) => [name, `${label} packages`])),
  plugin: 'WordPress plugins',
  theme: 'WordPress themes',
  wordpress: 'WordPress itself',
};

export function TypeCounts({ advisories: { by_type }, products }: Statistics) {
  return (
    <Table
      label="Counts by type"
      rows={Object.keys(by_type)}
      columns={[
        ['Type', (type) => TYPE_TITLES[type] ?? type],
        ['Advisories', (type) => count(by_type[type]), 'number'],
        ['Products', (type) => count(products[type] ?? 0), 'number'],
      ]}
    />
  );
}

export function SeverityCounts({ advisories: { by_severity, total } }: Statistics) {
  const most = Math.max(...Object.values(by_severity));
  return (
    <Table
      label="Counts by severity"
      rows={SEVERITIES.filter((severity) => by_severity[severity] > 0)}
      columns={[
        ['Severity', (severity) => <SeverityBadge severity={severity} />],
        ['Advisories', (severity) => count(by_severity[severity]), 'number'],
        [
          'Share',
          (severity) => (
            <>
              <i class={severity} style={{ width: `${(4 * by_severity[severity]) / most}rem` }} />{' '}
              {percent(by_severity[severity] / total)}
            </>
          ),
          'measure',
        ],
      ]}
    />
  );
}

export function SourceCounts({ sources }: { readonly sources: readonly Source[] }) {
  return (
    <Table
      label="Counts by source"
      rows={sources}
      empty="The advisories name no sources."
      columns={[
        ['Source', ({ name }) => name],
        ['Advisories', ({ advisories }) => count(advisories), 'number'],
        [
          'Licence',
          ({ license, license_url }) =>
            license_url === '' ? license : <DataLink url={license_url}>{license || license_url}</DataLink>,
        ],
        ['Notice', ({ notice }) => notice],
      ]}
    />
  );
}
