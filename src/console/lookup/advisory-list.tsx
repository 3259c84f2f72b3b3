// The advisories of the product in words: those that affect the version first, the others folded. Each opens
// in place.

import { type ComponentChildren, toChildArray } from 'preact';
import type { Api } from '../app/api.ts';
import { useResource } from '../app/use-resource.ts';
import { DataLink } from '../parts/link.tsx';
import { Busy, Failure } from '../parts/notice.tsx';
import { ScrollBox } from '../parts/scroll-box.tsx';
import { SeverityBadge } from '../parts/severity.tsx';
import { counted } from '../parts/words.ts';
import {
  type Advisory,
  type Answer,
  type Detail,
  fixesOf,
  identifierOf,
  rangePhrase,
  type Source,
  severityOfAdvisory,
  titleOf,
  whyNot,
} from './answers.ts';

export interface Openings {
  readonly open: ReadonlySet<number>;
  readonly setOpen: (id: number, isOpen: boolean) => void;
  /** Whether the folded advisories are shown. */
  readonly showsOthers: boolean;
  readonly setShowsOthers: (shows: boolean) => void;
}

interface ListProps extends Openings {
  readonly api: Api;
  readonly answer: Answer;
  /** In reading order. */
  readonly advisories: readonly Advisory[];
}

/** The id of an advisory's element in the page. */
export function elementId(id: number): string {
  return `advisory-${id}`;
}

export function AdvisoryList({ api, answer, advisories, ...openings }: ListProps) {
  const hasVersion = answer.query.version !== '';
  const first = hasVersion ? advisories.filter(({ applies }) => applies) : advisories;
  const others = hasVersion ? advisories.filter(({ applies }) => !applies) : [];
  const itemOf = (advisory: Advisory) => (
    <AdvisoryItem key={advisory.id} {...{ api, advisory, hasVersion }} {...openings} />
  );
  return (
    <>
      {first.length > 0 && (
        <section aria-label={hasVersion ? 'Advisories that affect it' : 'Advisories'}>
          {first.map(itemOf)}
        </section>
      )}
      {others.length > 0 && (
        <details
          class="others"
          open={openings.showsOthers}
          onToggle={(event) => openings.setShowsOthers(event.currentTarget.open)}
        >
          <summary>{counted(others.length, 'advisory', 'advisories')} that do not affect it, and why</summary>
          {openings.showsOthers && others.map(itemOf)}
        </details>
      )}
    </>
  );
}

interface ItemProps extends Pick<Openings, 'open' | 'setOpen'> {
  readonly api: Api;
  readonly advisory: Advisory;
  readonly hasVersion: boolean;
}

/** One advisory, which opens in place. */
export function AdvisoryItem({ api, advisory, hasVersion, open, setOpen }: ItemProps) {
  const { id, cvss, is_exploited, applies, matched_range } = advisory;
  const isOpen = open.has(id);
  const fixes = fixesOf(advisory);
  return (
    <details
      id={elementId(id)}
      class="advisory"
      open={isOpen}
      onToggle={(event) => setOpen(id, event.currentTarget.open)}
    >
      <summary>
        <span class="advisory-head">
          <SeverityBadge severity={severityOfAdvisory(advisory)} score={cvss?.score ?? undefined} />{' '}
          <strong>{titleOf(advisory)}</strong>
        </span>
        <span class="advisory-facts soft">
          <span>{identifierOf(advisory)}</span>
          {is_exploited && <strong class="critical">exploited in the wild</strong>}
          {hasVersion && !applies ? (
            <span class="mono">{whyNot(advisory)}</span>
          ) : (
            <>
              {matched_range !== null && hasVersion && <span>affects {rangePhrase(matched_range)}</span>}
              <span>{fixes.length === 0 ? 'no fix known' : `fixed in ${fixes.join(', ')}`}</span>
            </>
          )}
        </span>
      </summary>
      {isOpen && <Body api={api} advisory={advisory} hasVersion={hasVersion} />}
    </details>
  );
}

const EXCLUSIONS = {
  from_version: 'below the range',
  to_version: 'above the range',
  version_scheme: 'not ordered by the scheme',
} as const;

function Body({ api, advisory, hasVersion }: Pick<ItemProps, 'api' | 'advisory' | 'hasVersion'>) {
  const { id, cve, ghsa, url, cvss, ranges, sources } = advisory;
  const detail = useResource((signal) => api.get<Detail>(`/vulnerability/${id}`, signal), [id]);
  const page = detail.value;
  const cves = page?.cve ?? (cve === '' ? [] : [cve]);
  return (
    <div class="advisory-body">
      {detail.isBusy && page === undefined && <Busy>Loading the description</Busy>}
      <Failure error={detail.error} />
      {page !== undefined && page.vulnerability.description !== '' && (
        <ScrollBox class="description" label="Description">
          {page.vulnerability.description}
        </ScrollBox>
      )}
      {ranges.length > 0 && (
        <ScrollBox class="ranges scroll" label="Affected ranges">
          <table>
            <thead>
              <tr>
                <th scope="col">Affected</th>
                <th scope="col">Fixed in</th>
                {hasVersion && <th scope="col">Comparison</th>}
              </tr>
            </thead>
            <tbody>
              {ranges.map((range, index) => (
                <tr key={index}>
                  <td>{rangePhrase(range)}</td>
                  <td class="mono">{range.fixed_in ?? '–'}</td>
                  {hasVersion && (
                    <td>
                      <span class="mono">{range.comparison}</span>{' '}
                      <span class="soft">
                        {range.excluded_by !== null
                          ? EXCLUSIONS[range.excluded_by]
                          : range.decides
                            ? 'contains it, and decides'
                            : 'contains it'}
                      </span>
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
      <dl>
        <Fact name="Identifiers">
          {[
            ...cves.map((one) => (
              <DataLink key={one} url={`https://www.cve.org/CVERecord?id=CVE-${encodeURIComponent(one)}`}>
                {`CVE-${one}`}
              </DataLink>
            )),
            ghsa !== '' && (
              <DataLink key={ghsa} url={`https://github.com/advisories/${encodeURIComponent(ghsa)}`}>
                {ghsa}
              </DataLink>
            ),
          ]}
        </Fact>
        <Fact name="CVSS">
          {cvss?.vector ? (
            <span>
              {cvss.score?.toFixed(1)} <span class="mono soft">{cvss.vector}</span>
            </span>
          ) : null}
        </Fact>
        <Fact name="Kind">
          {page && [
            <span>{page.type}</span>,
            <span>disclosed {page.vulnerability.disclosed_at.slice(0, 10)}</span>,
            page.credit !== null && page.credit.name !== '' && (
              <span>
                found by <DataLink url={page.credit.url}>{page.credit.name}</DataLink>
              </span>
            ),
          ]}
        </Fact>
        <Fact name="References">
          {[...new Set([url, ...(page?.references_url ?? []).map((reference) => reference.url)])].map(
            (address) => (
              <DataLink key={address} url={address} />
            ),
          )}
        </Fact>
        <Fact name="Sources">{sources.map(sourceOf)}</Fact>
      </dl>
    </div>
  );
}

/** Nothing if there is nothing to say. */
function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  const said = toChildArray(children); // without what draws nothing
  if (said.length === 0) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>{said}</dd>
    </>
  );
}

/** Licences of sources require their notice to be shown with the advisory. */
function sourceOf({ name, notice, license, license_url, fields }: Source) {
  return (
    <details key={name} class="source">
      <summary>
        {name}
        {fields !== null && <span class="soft"> gave {fields.join(', ')}</span>}
      </summary>
      {notice !== '' && <p>{notice}</p>}
      {license !== '' && <p>{license}</p>}
      {license_url !== '' && <DataLink url={license_url} />}
    </details>
  );
}
