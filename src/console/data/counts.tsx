// Counts of the live data: by type, by severity, by source.

import { percent } from '../parts/figures.ts';
import { DataLink } from '../parts/link.tsx';
import { ScrollArea } from '../parts/scroll-area.tsx';
import { SeverityBadge } from '../parts/severity.tsx';
import { SEVERITIES } from '../parts/severity-scale.ts';
import { count } from '../parts/words.ts';
import type { Source, Statistics } from './statistics.ts';

const TYPE_TITLES: Readonly<Record<string, string>> = {
  plugin: 'WordPress plugins',
  theme: 'WordPress themes',
  wordpress: 'WordPress itself',
  npm: 'npm packages',
};

export function TypeCounts({ advisories, products }: Statistics) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Type</th>
          <th scope="col" class="number">
            Advisories
          </th>
          <th scope="col" class="number">
            Products
          </th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(advisories.by_type).map(([type, number]) => (
          <tr key={type}>
            <th scope="row">{TYPE_TITLES[type] ?? type}</th>
            <td class="number">{count(number)}</td>
            <td class="number">{count(products[type] ?? 0)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function SeverityCounts({ advisories: { by_severity, total } }: Statistics) {
  const most = Math.max(1, ...Object.values(by_severity));
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Severity</th>
          <th scope="col" class="number">
            Advisories
          </th>
          <th scope="col" class="number">
            Share
          </th>
          <td />
        </tr>
      </thead>
      <tbody>
        {SEVERITIES.filter((severity) => by_severity[severity] > 0).map((severity) => (
          <tr key={severity}>
            <th scope="row">
              <SeverityBadge severity={severity} />
            </th>
            <td class="number">{count(by_severity[severity])}</td>
            <td class="number">{percent(by_severity[severity] / Math.max(1, total))}</td>
            <td class="measure">
              <i class={severity} style={{ width: `${(100 * by_severity[severity]) / most}%` }} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function SourceCounts({ sources }: { readonly sources: readonly Source[] }) {
  return (
    <ScrollArea label="Advisories by source">
      <table>
        <thead>
          <tr>
            <th scope="col">Source</th>
            <th scope="col" class="number">
              Advisories
            </th>
            <th scope="col">Licence</th>
            <th scope="col">Notice</th>
          </tr>
        </thead>
        <tbody>
          {sources.map(({ name, notice, license, license_url, advisories }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="number">{count(advisories)}</td>
              <td>
                {license_url === '' ? (
                  license
                ) : (
                  <DataLink url={license_url}>{license || license_url}</DataLink>
                )}
              </td>
              <td>{notice}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}
