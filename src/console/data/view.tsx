// The view "Data": what the live snapshot holds, what changed with it, and which files were refused.

import type { OperationsDocument } from '../../dialects/operations/document.ts';
import { useResource } from '../app/use-resource.ts';
import type { ViewProps } from '../app/view.ts';
import { Age } from '../parts/age.tsx';
import { Choice } from '../parts/choice.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Busy, Failure, Notice } from '../parts/notice.tsx';
import { RefusedFiles } from '../parts/refused-files.tsx';
import { Tile } from '../parts/tile.tsx';
import { count, moment } from '../parts/words.ts';
import { ChangeList } from './change-list.tsx';
import { countChanges, countedTitles, isPlatform, mostChanged, PLATFORM_TITLES } from './changes.ts';
import { SeverityCounts, SourceCounts, TypeCounts } from './counts.tsx';
import { MonthChart } from './month-chart.tsx';
import type { Statistics } from './statistics.ts';

export function DataPage(props: ViewProps) {
  const { api, settings, revision } = props;
  // Not api.get: the entity tag of these counts is not that of look-ups, so it says nothing about other data.
  const { value, error } = useResource<Statistics>(
    settings.contract === null
      ? undefined
      : async (signal) => (await api.send(api.address('/statistics'), { signal })).json(),
    [revision],
  );
  return (
    <>
      <h1>Data</h1>
      {settings.contract === null && (
        <Notice kind="info" title="Not on this server">
          The counts are an endpoint of the contract, which this server does not mount.
        </Notice>
      )}
      <Failure error={error} />
      {value === undefined ? (
        error === undefined && settings.contract !== null && <Busy>Loading the counts</Busy>
      ) : (
        <Counts {...props} statistics={value} />
      )}
    </>
  );
}

function Counts({ statistics, ...props }: ViewProps & { readonly statistics: Statistics }) {
  const { snapshot, built_at, advisories, products, sources } = statistics;
  const productCount = Object.values(products).reduce((sum, number) => sum + number, 0);
  return (
    <>
      <p class="lead">
        Snapshot <code>{snapshot}</code> <CopyButton text={snapshot}>Copy id</CopyButton>
        <br />
        built {moment(built_at)}, <Age since={built_at} /> ago
      </p>
      <dl class="tiles">
        <Tile title="Advisories">{count(advisories.total)}</Tile>
        <Tile title="Products">{count(productCount)}</Tile>
        <Tile title="Exploited">{count(advisories.exploited)}</Tile>
        <Tile title="Without a fix">{count(advisories.without_fix)}</Tile>
        <Tile title="Withdrawn">{count(advisories.withdrawn)}</Tile>
      </dl>
      <MonthChart statistics={statistics} />
      <div class="pair">
        <section class="panel">
          <h2>By type</h2>
          <TypeCounts {...statistics} />
        </section>
        <section class="panel">
          <h2>By severity</h2>
          <SeverityCounts {...statistics} />
        </section>
      </div>
      <section class="panel">
        <h2>By source</h2>
        <SourceCounts sources={sources} />
      </section>
      <Changes {...props} statistics={statistics} />
      <Refusals {...props} />
    </>
  );
}

function Changes({
  api,
  parameters,
  setParameters,
  revision,
  statistics: { kept },
}: ViewProps & { readonly statistics: Statistics }) {
  const earlier = kept.slice(1);
  const since = (earlier.find(({ id }) => id === parameters.get('since')) ?? earlier[0])?.id;
  const asked = parameters.get('platform') ?? '';
  const { value: counts, error } = useResource(
    since === undefined ? undefined : (signal) => countChanges(api, since, signal),
    [since, revision],
  );
  const platform = isPlatform(asked) ? asked : counts && mostChanged(counts);
  return (
    <section class="panel">
      <h2>What changed</h2>
      {since === undefined ? (
        <p class="soft">
          No earlier snapshot is in memory, so there is nothing to compare with. The server keeps as many as{' '}
          <code>--keep-generations</code> says, and there is one after the next snapshot is loaded.
        </p>
      ) : (
        <>
          <div class="heading">
            <label>
              Since
              <select
                value={since}
                onChange={({ currentTarget }) =>
                  setParameters({ since: currentTarget.value, platform }, 'replace')
                }
              >
                {earlier.map(({ id, built_at }) => (
                  <option key={id} value={id}>
                    {moment(built_at)} · {id}
                  </option>
                ))}
              </select>
            </label>
            <Choice
              legend="Platform"
              options={counts === undefined ? PLATFORM_TITLES : countedTitles(counts)}
              value={platform}
              onChoice={(choice) => setParameters({ since, platform: choice }, 'replace')}
            />
          </div>
          {platform === undefined ? (
            error === undefined ? (
              <Busy>Counting the changes</Busy>
            ) : (
              <Failure error={error} />
            )
          ) : (
            <ChangeList key={`${since} ${platform}`} {...{ api, since, platform, revision }} />
          )}
        </>
      )}
    </section>
  );
}

function Refusals({ api, revision }: ViewProps) {
  const { value, error } = useResource<OperationsDocument>(
    async (signal) => (await api.send(new URL('operations', api.base), { signal })).json(),
    [revision],
  );
  return (
    <section class="panel">
      <h2>Refused files</h2>
      {value !== undefined && <RefusedFiles refused={value.refused} />}
      {error?.kind === 'forbidden' ? (
        <p class="soft">
          Only a key whose tier grants <code>operations</code> sees which files were refused. The operations
          port shows it without a key.
        </p>
      ) : (
        <Failure error={error} />
      )}
    </section>
  );
}
