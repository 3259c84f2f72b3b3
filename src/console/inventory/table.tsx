// The table of packages. It draws the first rows only, because a browser takes seconds for tens of thousands.

import { useMemo, useState } from 'preact/hooks';
import { fragmentOf } from '../app/route.ts';
import { DataLink } from '../parts/link.tsx';
import { MajorMark } from '../parts/major-mark.tsx';
import { SeverityBadge } from '../parts/severity.tsx';
import { count, counted } from '../parts/words.ts';
import {
  type AffectedRow,
  cveName,
  filterRows,
  type Row,
  type Sort,
  severityOfAdvisory,
  sortRows,
} from './findings.ts';

const FIRST = 200;
const MORE = 1_000;
const SHOWN_ADVISORIES = 20;

export function RowTable({ rows }: { readonly rows: readonly Row[] }) {
  const [sort, setSort] = useState<Sort>('severity');
  const [filter, setFilter] = useState('');
  const [onlyAffected, setOnlyAffected] = useState(false);
  const [limit, setLimit] = useState(FIRST);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const sorted = useMemo(() => sortRows(rows, sort), [rows, sort]);
  const shown = useMemo(() => filterRows(sorted, filter, onlyAffected), [sorted, filter, onlyAffected]);
  const toggle = (position: number): void => {
    const next = new Set(open);
    if (!next.delete(position)) next.add(position);
    setOpen(next);
  };
  const header = (own: Sort, title: string) => (
    <th scope="col" aria-sort={sort === own ? (own === 'severity' ? 'descending' : 'ascending') : 'none'}>
      <button type="button" class="sorter" onClick={() => setSort(own)}>
        {title}
        <span aria-hidden="true">{sort === own ? (own === 'severity' ? ' ▾' : ' ▴') : ''}</span>
      </button>
    </th>
  );
  return (
    <section aria-labelledby="packages-title">
      <h2 id="packages-title">Packages</h2>
      <div class="actions filters">
        <label>
          Filter by name or advisory
          <input
            type="search"
            value={filter}
            onInput={({ currentTarget }) => {
              setFilter(currentTarget.value);
              setLimit(FIRST);
            }}
          />
        </label>
        <label class="inline">
          <input
            type="checkbox"
            checked={onlyAffected}
            onChange={({ currentTarget }) => setOnlyAffected(currentTarget.checked)}
          />
          only affected or failed
        </label>
      </div>
      <div class="scroll">
        <table class="packages">
          <thead>
            <tr>
              {header('name', 'Name')}
              <th scope="col">Version</th>
              {header('severity', 'Severity')}
              {header('fix', 'Update to')}
              <th scope="col" class="where">
                Where
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.slice(0, limit).map((row) => (
              <PackageRow
                key={row.position}
                row={row}
                isOpen={open.has(row.position)}
                onToggle={() => toggle(row.position)}
              />
            ))}
          </tbody>
        </table>
      </div>
      {shown.length === 0 && <p class="soft">No package matches.</p>}
      {shown.length > limit && (
        <p>
          <span class="soft">
            {count(limit)} of {count(shown.length)} shown.
          </span>{' '}
          <button type="button" onClick={() => setLimit(limit + MORE)}>
            Show {count(Math.min(MORE, shown.length - limit))} more
          </button>
        </p>
      )}
    </section>
  );
}

interface RowProps {
  readonly row: Row;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function PackageRow({ row, isOpen, onToggle }: RowProps) {
  const { pack, position } = row;
  const id = `advisories-${position}`;
  return (
    <>
      <tr>
        <th scope="row" class="mono">
          {row.kind === 'affected' ? (
            <button type="button" class="opener" aria-expanded={isOpen} aria-controls={id} onClick={onToggle}>
              <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span> {pack.name}
            </button>
          ) : (
            pack.name
          )}
        </th>
        <td class="mono">{pack.version}</td>
        <td colSpan={row.kind === 'failed' ? 2 : 1}>
          {row.kind === 'affected' && (
            <>
              <SeverityBadge severity={row.severity} />{' '}
              <span class="soft">{counted(row.advisories.length, 'advisory', 'advisories')}</span>
            </>
          )}
          {row.kind === 'waiting' && <span class="soft">…</span>}
          {row.kind === 'clear' && <span class="soft">none known</span>}
          {row.kind === 'failed' && (
            <span class="medium">
              {row.error.code === 'invalid_version' ? 'Not a version' : 'No answer'}: {row.error.message}
            </span>
          )}
        </td>
        {row.kind !== 'failed' && (
          <td class="mono">
            {row.kind === 'affected' &&
              (row.updateTo === null ? (
                <span class="soft">no fix known</span>
              ) : (
                <>
                  {row.updateTo}
                  <MajorMark {...pack} to={row.updateTo} />
                </>
              ))}
          </td>
        )}
        <td class="where soft">
          {pack.direct === true && <strong>direct </strong>}
          {placesOf(row)}
        </td>
      </tr>
      {row.kind === 'affected' && isOpen && (
        <tr id={id} class="opened">
          <td colSpan={5}>
            <Opened row={row} />
          </td>
        </tr>
      )}
    </>
  );
}

function Opened({ row }: { readonly row: AffectedRow }) {
  const { type, name, version } = row.pack;
  const places = placesOf(row);
  const hidden = row.advisories.length - SHOWN_ADVISORIES;
  return (
    <>
      <ul class="advisories">
        {row.advisories.slice(0, SHOWN_ADVISORIES).map((advisory) => (
          <li key={advisory.id}>
            <SeverityBadge
              severity={severityOfAdvisory(advisory)}
              score={advisory.cvss?.score ?? undefined}
            />{' '}
            {advisory.is_exploited && <strong class="critical">exploited </strong>}
            {advisory.title} <span class="soft">{advisory.cve ? cveName(advisory.cve) : advisory.ghsa}</span>{' '}
            {advisory.url && <DataLink url={advisory.url}>source</DataLink>}
          </li>
        ))}
      </ul>
      <p>
        <a href={fragmentOf('lookup', { type, name, version })}>
          {hidden > 0 ? `And ${count(hidden)} more: look up` : 'Look up'} {name} {version}
        </a>
        {places !== '' && <span class="soft places"> Found at: {places}</span>}
      </p>
    </>
  );
}

function placesOf({ pack: { places, placeCount } }: Row): string {
  const more = placeCount - places.length;
  return more > 0 ? `${places.join(', ')} and ${count(more)} more` : places.join(', ');
}
