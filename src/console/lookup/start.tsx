// The view "Look up" before anything is asked: what the data has, what was added and changed last, and
// products to begin with. What the key does not grant, and what fails, is left out: nobody has asked for it.

import type { ComponentChildren } from 'preact';
import { PLATFORMS, type Platform, PRODUCT_TYPES, productTypeFacts } from '../../index/product-type.ts';
import { fragmentOf } from '../app/route.ts';
import { useResource } from '../app/use-resource.ts';
import type { ViewProps } from '../app/view.ts';
import {
  CHANGE_TITLES,
  countChanges,
  type ListedAdvisory,
  likelyProduct,
  PLATFORM_TITLES,
} from '../data/changes.ts';
import { TypeCounts } from '../data/counts.tsx';
import { loadNewest } from '../data/newest.ts';
import { ProductLink } from '../data/product-link.tsx';
import type { Statistics } from '../data/statistics.ts';
import { Age } from '../parts/age.tsx';
import { Notice } from '../parts/notice.tsx';
import { SeverityBadge } from '../parts/severity.tsx';
import { severityOf } from '../parts/severity-scale.ts';
import { count, counted } from '../parts/words.ts';
import { parametersOf } from './query.ts';

/** How many of each type are offered to somebody who does not know what to ask. */
const MOST_EXAMPLES = 2;
/** Advisories in a list. */
const MOST_LISTED = 6;

type StartProps = Pick<ViewProps, 'api' | 'settings' | 'revision'>;
type WithStatistics = StartProps & { readonly statistics: Statistics };

export function Start(props: StartProps) {
  const { api, settings, revision } = props;
  const { value } = useResource(
    settings.contract === null ? undefined : (signal) => api.get<Statistics>('/statistics', signal),
    [revision],
  );
  return (
    <>
      <section aria-label="Examples">
        <p class="soft">
          Enter a name to see its advisories along its versions; with a version, whether it is affected, why,
          and what to update to.
        </p>
        {value !== undefined && <Examples {...value} />}
      </section>
      {value !== undefined && <Overview {...props} statistics={value} />}
    </>
  );
}

/** The most affected products, so that a first click shows something. */
function Examples({ most_affected }: Statistics) {
  const examples = PRODUCT_TYPES.flatMap((type) =>
    (most_affected[type] ?? []).slice(0, MOST_EXAMPLES).map((product) => ({ ...product, type })),
  );
  if (examples.length === 0) return null;
  return (
    <p class="examples">
      Or begin with{' '}
      {examples.map(({ type, name, advisories }) => (
        <a key={`${type} ${name}`} href={fragmentOf('lookup', parametersOf({ type, name, version: '' }))}>
          {name} <span class="soft">{counted(advisories, 'advisory', 'advisories')}</span>
        </a>
      ))}
    </p>
  );
}

function Overview(props: WithStatistics) {
  const { advisories, products, built_at } = props.statistics;
  const productCount = Object.values(products).reduce((sum, number) => sum + number, 0);
  if (advisories.total === 0) {
    return (
      <Notice kind="info" title="The data has no advisories">
        The snapshot was built <Age since={built_at} /> ago, and nothing is in it.
      </Notice>
    );
  }
  return (
    <section aria-labelledby="overview-title">
      <h2 id="overview-title">In the data</h2>
      <p>
        {counted(advisories.total, 'advisory', 'advisories')} about {counted(productCount, 'product')};{' '}
        {count(advisories.exploited)} known to be exploited. Built <Age since={built_at} /> ago.{' '}
        <a href={fragmentOf('data')}>All counts</a>
      </p>
      <div class="pair">
        <Added {...props} />
        <Changed {...props} />
      </div>
      <section class="panel">
        <h3>By type</h3>
        <TypeCounts {...props.statistics} />
      </section>
    </section>
  );
}

function Added({ api, revision, statistics }: WithStatistics) {
  const platforms = platformsWithData(statistics);
  const { value } = useResource((signal) => loadNewest(api, platforms, signal), [revision, platforms.join()]);
  if (value === undefined) return null;
  const total = value.counts.reduce((sum, [, number]) => sum + number, 0);
  return (
    <section class="panel">
      <h3>Newest advisories</h3>
      <p>
        {total === 0 ? 'None was' : `${counted(total, 'advisory was', 'advisories were')}`} added within 24
        hours
        {total > 0 &&
          `: ${value.counts.map(([each, n]) => `${PLATFORM_TITLES[each]} ${count(n)}`).join(', ')}`}
        .
      </p>
      <ul class="news">
        {value.advisories.slice(0, MOST_LISTED).map(([platform, advisory]) => (
          <Line key={advisory.id} api={api} id={advisory.id} platform={platform} advisory={advisory}>
            added <Age since={advisory.created_at} /> ago
          </Line>
        ))}
      </ul>
    </section>
  );
}

/** With the last swap. */
function Changed({ api, revision, statistics: { kept } }: WithStatistics) {
  const since = kept[1]?.id;
  const { value } = useResource(
    since === undefined ? undefined : (signal) => countChanges(api, since, signal),
    [revision, since],
  );
  if (value === undefined) return null;
  const changed = PLATFORMS.filter((platform) => value[platform].count > 0);
  const exploited = changed.flatMap((platform) =>
    value[platform].exploited.map((change) => ({ platform, ...change })),
  );
  return (
    <section class="panel">
      <h3>Changed since the previous snapshot</h3>
      {changed.length === 0 ? (
        <p>Nothing.</p>
      ) : (
        <p class="examples">
          {changed.map((platform) => (
            <a key={platform} href={fragmentOf('data', { since, platform })}>
              {PLATFORM_TITLES[platform]}{' '}
              <span class="soft">
                {count(value[platform].count)}
                {value[platform].isMore && '+'}
              </span>
            </a>
          ))}
        </p>
      )}
      {exploited.length > 0 && <p>Known to be exploited, among these:</p>}
      <ul class="news">
        {exploited.slice(0, MOST_LISTED).map(
          ({ id, platform, change, vulnerability }) =>
            vulnerability && (
              <Line key={id} api={api} id={id} platform={platform} advisory={vulnerability}>
                {CHANGE_TITLES[change].toLowerCase()}
              </Line>
            ),
        )}
      </ul>
    </section>
  );
}

interface LineProps extends Pick<ViewProps, 'api'> {
  readonly id: number;
  readonly platform: Platform;
  readonly advisory: ListedAdvisory;
  readonly children: ComponentChildren;
}

function Line({ api, id, platform, advisory, children }: LineProps) {
  const { title, cvss, is_exploited } = advisory;
  return (
    <li>
      <ProductLink api={api} id={id} likely={likelyProduct(platform, advisory)}>
        {title}
      </ProductLink>{' '}
      <SeverityBadge severity={severityOf(cvss.score)} score={cvss.score ?? undefined} />
      {is_exploited && <strong class="critical"> Exploited</strong>}{' '}
      <span class="soft">
        {PLATFORM_TITLES[platform]}, {children}
      </span>
    </li>
  );
}

function platformsWithData({ advisories: { by_type } }: Statistics): readonly Platform[] {
  const types = PRODUCT_TYPES.filter((type) => (by_type[type] ?? 0) > 0);
  return [...new Set(types.map((type) => productTypeFacts(type).platform))];
}
