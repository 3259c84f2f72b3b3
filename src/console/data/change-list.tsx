// What changed on a platform since a snapshot that the server still holds: page by page, each entry with its
// way to the product.

import { useEffect, useState } from 'preact/hooks';
import type { Platform } from '../../index/product-type.ts';
import { type Api, ApiError } from '../app/api.ts';
import { useResource } from '../app/use-resource.ts';
import { Busy, Failure } from '../parts/notice.tsx';
import { SeverityBadge } from '../parts/severity.tsx';
import { severityOf } from '../parts/severity-scale.ts';
import { Table, type TableColumn } from '../parts/table.tsx';
import { count, counted } from '../parts/words.ts';
import {
  CHANGE_TITLES,
  type Change,
  type ChangesPage,
  type Listed,
  likelyProduct,
  PLATFORM_TITLES,
  tally,
  withPage,
} from './changes.ts';
import { ProductLink } from './product-link.tsx';

interface ChangeListProps {
  readonly api: Api;
  readonly since: string;
  readonly platform: Platform;
  readonly revision: number;
}

const PER_PAGE = 25;
/** The server may answer with an empty page that is not the last. */
const MOST_EMPTY_PAGES = 20;

export function ChangeList({ api, since, platform, revision }: ChangeListProps) {
  const first = useResource(
    (signal) => load(api, since, platform, undefined, signal),
    [since, platform, revision],
  );
  const [more, setMore] = useState<Listed>();
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    setMore(undefined);
    setError(undefined);
  }, [first.value]);
  const listed = more ?? first.value;
  if (listed === undefined)
    return first.error === undefined ? <Busy>Loading the changes</Busy> : <Trouble error={first.error} />;
  const showMore = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      setMore(await load(api, since, platform, listed));
    } catch (failure) {
      setError(failure instanceof ApiError ? failure : new ApiError('refused', 0, '', String(failure)));
    } finally {
      setBusy(false);
    }
  };
  const { changes, cursor } = listed;
  return (
    <>
      <Trouble error={first.error ?? error} />
      <p role="status">{summary(platform, listed)}</p>
      {changes.length > 0 && (
        <Table label="Changes" rows={changes} keyOf={({ id }) => id} columns={columnsOf(api, platform)} />
      )}
      {cursor !== undefined && (
        <p class="actions">
          <button type="button" disabled={isBusy} onClick={() => void showMore()}>
            {isBusy ? 'Loading…' : 'Show more'}
          </button>
        </p>
      )}
    </>
  );
}

/** A snapshot may be dropped while the page is open: the choice above follows as soon as the counts do. */
function Trouble({ error }: { readonly error: ApiError | undefined }) {
  if (error?.code === 'unknown_snapshot')
    return <p class="soft">The server no longer holds that snapshot.</p>;
  return <Failure error={error} />;
}

function columnsOf(api: Api, platform: Platform): readonly TableColumn<Change>[] {
  return [
    ['Change', ({ change }) => CHANGE_TITLES[change]],
    [
      'Severity',
      ({ vulnerability }) =>
        vulnerability !== undefined && (
          <>
            <SeverityBadge
              severity={severityOf(vulnerability.cvss.score)}
              score={vulnerability.cvss.score ?? undefined}
            />
            {vulnerability.is_exploited && <strong class="critical"> Exploited</strong>}
          </>
        ),
    ],
    [
      'Advisory',
      (each) =>
        each.change === 'removed' ? (
          `Advisory ${each.id}`
        ) : (
          <ProductLink api={api} id={each.id} likely={likelyProduct(platform, each.vulnerability)}>
            {each.vulnerability?.title ?? `Advisory ${each.id}`}
          </ProductLink>
        ),
      'path',
    ],
    ['Affected', ({ vulnerability }) => vulnerability?.version_info.affected, 'mono'],
    ['Fixed in', ({ vulnerability }) => vulnerability?.version_info.fixed, 'mono'],
  ];
}

function summary(platform: Platform, { changes, cursor }: Listed): string {
  if (changes.length === 0) return `Nothing changed in ${PLATFORM_TITLES[platform]}.`;
  const parts = tally(changes)
    .filter(([, number]) => number > 0)
    .map(([kind, number]) => `${count(number)} ${kind}`);
  const whole = cursor === undefined ? '' : 'The first ';
  return `${whole}${counted(changes.length, 'change')}: ${parts.join(', ')}.`;
}

async function load(
  api: Api,
  since: string,
  platform: Platform,
  before: Listed | undefined,
  signal?: AbortSignal,
): Promise<Listed> {
  let listed = before;
  for (let pages = 0; pages < MOST_EMPTY_PAGES; pages++) {
    const query = new URLSearchParams({ since, platform, per_page: String(PER_PAGE) });
    if (listed?.cursor !== undefined) query.set('cursor', listed.cursor);
    if (listed !== undefined) query.set('snapshot', listed.snapshot);
    listed = withPage(listed, await api.get<ChangesPage>(`/changes?${query}`, signal));
    if (listed.cursor === undefined || listed.changes.length > (before?.changes.length ?? 0)) break;
  }
  return listed as Listed; // at least one page was loaded
}
