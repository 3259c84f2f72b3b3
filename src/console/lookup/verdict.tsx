// The answer in one glance: affected or not, how badly, and what to update to.

import type { ComponentChildren } from 'preact';
import { productTypeFacts, versionForTool } from '../../index/product-type.ts';
import { MajorMark } from '../parts/major-mark.tsx';
import { SeverityBadge } from '../parts/severity.tsx';
import { counted } from '../parts/words.ts';
import {
  type Answer,
  type Explanation,
  identifierOf,
  inReadingOrder,
  severityOfAdvisory,
} from './answers.ts';

const MOST_LEFT = 5;

export function Verdict({ answer }: { readonly answer: Answer }) {
  const { query, explanation, isWithoutData } = answer;
  const { advisories, known_product } = explanation;
  const what = (
    <span class="mono">
      {query.name} {query.version}
    </span>
  );
  if (isWithoutData) {
    const { label } = productTypeFacts(query.type);
    return (
      <Box kind="medium" title={<>Nothing is known about {what}</>}>
        The server’s data has no advisory about any {label} product. This says nothing about the version.
      </Box>
    );
  }
  if (known_product === false) {
    return (
      <Box kind="unknown" title={<>No advisory names {what}</>}>
        The data knows only products that an advisory is about, so this is either one without advisories or a
        misspelt one. Check the type and the spelling.
      </Box>
    );
  }
  if (query.version === '') {
    return (
      <Box
        kind="all"
        title={
          <>
            {counted(advisories.length, 'advisory', 'advisories')} about {what}
          </>
        }
      >
        Enter a version to see which of them affect it.
      </Box>
    );
  }
  const applying = inReadingOrder(advisories).filter(({ applies }) => applies);
  if (applying.length === 0) {
    const others =
      advisories.length === 0
        ? ''
        : ` ${counted(advisories.length, 'advisory', 'advisories')} about other versions.`;
    return (
      <Box kind="good" title={<>{what} is not affected</>}>
        No known advisory includes this version.{others}
      </Box>
    );
  }
  const exploited = applying.filter(({ is_exploited }) => is_exploited).length;
  return (
    <Box
      kind={severityOfAdvisory(applying[0])}
      title={
        <>
          {what} is affected by {counted(applying.length, 'advisory', 'advisories')}
        </>
      }
    >
      <SeverityBadge
        severity={severityOfAdvisory(applying[0])}
        score={applying[0].cvss?.score ?? undefined}
      />{' '}
      {applying.length > 1 && 'is the worst of them. '}
      {exploited > 0 && (
        <strong class="critical">
          {exploited === applying.length ? 'Exploited in the wild. ' : `${exploited} exploited in the wild. `}
        </strong>
      )}
      {explanation.update_to === null ? (
        <>
          No version is known that clears everything. <Fewest explanation={explanation} />
        </>
      ) : (
        <>
          Update to{' '}
          <strong class="mono good">{versionForTool(query.type, query.name, explanation.update_to)}</strong>
          <MajorMark {...query} to={explanation.update_to} />: it clears everything.
        </>
      )}
    </Box>
  );
}

/** What helps most, and what it leaves. */
export function Fewest({ explanation: { fewest_left, advisories } }: { readonly explanation: Explanation }) {
  if (fewest_left === null) return null;
  const left = advisories.filter(({ id }) => fewest_left.advisories.includes(id));
  return (
    <>
      <strong class="mono">{fewest_left.version}</strong> leaves the fewest:{' '}
      {left.slice(0, MOST_LEFT).map(identifierOf).join(', ')}
      {left.length > MOST_LEFT && ` and ${left.length - MOST_LEFT} more`}.
    </>
  );
}

interface BoxProps {
  readonly kind: string;
  readonly title: ComponentChildren;
  readonly children: ComponentChildren;
}

function Box({ kind, title, children }: BoxProps) {
  return (
    <div class={`answer ${kind}`} role="status">
      <h2>{title}</h2>
      <p>{children}</p>
    </div>
  );
}

/** How each scheme reads the version: it explains orders that surprise. */
export function Readings({ answer: { query, explanation } }: { readonly answer: Answer }) {
  if (query.version === '' || explanation.readings.length === 0) return null;
  return (
    <details>
      <summary>How the version was read</summary>
      <ul>
        {explanation.readings.map(({ version_scheme, parts }) => (
          <li key={version_scheme}>
            {parts === null ? (
              <>{version_scheme} does not order this text, so no range under it contains the version.</>
            ) : (
              <>
                {version_scheme}:{' '}
                {parts.map(({ kind, text }, index) => (
                  // A part has no name, and parts do not move.
                  <span key={index} class="part">
                    <span class="mono">{text || '(nothing)'}</span> <span class="soft">{kind}</span>
                  </span>
                ))}
              </>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}
