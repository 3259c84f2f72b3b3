// GET /explain/{type}/{name}/{version}: why a lookup answers what it does. index/lookup/explain.ts finds the
// reasons; this writes them.

import assert from 'node:assert/strict';
import type { HandlerContext } from '../../http/context.ts';
import { isCurrent } from '../../http/replies/etag.ts';
import type { ParameterError } from '../../http/replies/problems.ts';
import { type Answer, json } from '../../http/replies/responses.ts';
import type { KeptRequest, PathParts } from '../../http/routing/dialect.ts';
import { finish, type Steps } from '../../http/work/steps.ts';
import { isExploited } from '../../index/columns.ts';
import type { Generation } from '../../index/generation.ts';
import { ItemView } from '../../index/items/item-view.ts';
import type { SourcesTerm } from '../../index/items/list-item.ts';
import type { ExplainedAdvisory, ExplainedSpan, Explanation } from '../../index/lookup/explain.ts';
import { ANY_VERSION, type Lookup } from '../../index/lookup/lookup.ts';
import { ThreadMemory } from '../../index/memory/thread-memory.ts';
import { productTypeFacts } from '../../index/product-type.ts';
import { schemePhrase } from '../../index/versions/version-key.ts';
import { etags } from '../etags.ts';
import { lookupHeaders } from '../lookup-headers.ts';
import { NOT_A_VERSION, NOT_CONCRETE, readProduct } from '../product-path.ts';
import { RememberedTerms, type TermSource } from '../remembered-terms.ts';
import { refuseParameters } from '../request-problems.ts';
import { severityFacts, severityFrom } from '../severity.ts';
import { sourceMembers } from '../source-members.ts';

/** What `excluded_by` says: the bound that excludes the version, or the scheme that does not order it. */
const EXCLUDED_BY = { from: 'from_version', to: 'to_version', scheme: 'version_scheme' } as const;
export const EXCLUSIONS: readonly string[] = Object.values(EXCLUDED_BY);

export function* handleExplain(
  { ifNoneMatch }: KeptRequest,
  parts: PathParts,
  context: HandlerContext,
): Steps<Answer> {
  const { generation, memory } = context;
  const errors: ParameterError[] = [];
  const lookup = readProduct(parts, errors);
  if (lookup === undefined) return refuseParameters(errors);
  const { type, name, version } = lookup;
  if (version === ANY_VERSION) return refuseParameters([NOT_CONCRETE]);
  const place = generation.locate(type, name, version, memory.locator);
  if (place.kind === 'not-a-version') {
    const message = `${NOT_A_VERSION}: expected ${schemePhrase(productTypeFacts(type).scheme)}`;
    return refuseParameters([{ parameter: 'version', message }]);
  }
  const etag = etags.explanation(generation);
  if (isCurrent(ifNoneMatch, etag)) return { kind: 'not-modified', etag };
  yield* writeExplanation(generation, lookup, memory);
  return json(memory.out.view(), etag, lookupHeaders(generation, lookup));
}

/** The body of an explanation. Requires: a version of the type. */
export function renderExplanation(generation: Generation, lookup: Lookup): string {
  const memory = new ThreadMemory(generation);
  finish(writeExplanation(generation, lookup, memory));
  return new TextDecoder().decode(memory.out.view());
}

/**
 * Writes the body to the memory's `out`: an advisory a step, because the thousands of ranges of WordPress
 * take many milliseconds.
 */
function* writeExplanation(generation: Generation, lookup: Lookup, memory: ThreadMemory): Steps<void> {
  const { type, name, version } = lookup;
  const { out } = memory;
  const explanation = generation.explain(type, name, version, memory);
  assert.ok(explanation !== undefined);
  yield;
  out.restart();
  out.text(`${JSON.stringify(summaryOf(generation, lookup, explanation)).slice(0, -1)},"advisories":[`);
  const reading = {
    generation,
    view: new ItemView(generation),
    terms: new RememberedTerms(generation.records),
  };
  for (const [i, advisory] of explanation.advisories.entries()) {
    yield;
    out.text((i > 0 ? ',' : '') + JSON.stringify(advisoryOf(reading, advisory)));
  }
  out.text(`],"omitted_ranges":${explanation.omittedSpans}}`);
}

/** The members before the advisories. */
function summaryOf(generation: Generation, { type, name, version }: Lookup, explanation: Explanation) {
  const { isKnown, readings, axes, advisories, lowestClear, update, fewestLeft } = explanation;
  return {
    type,
    name,
    version,
    known_product: isKnown,
    readings: readings.map(({ scheme, parts }) => ({ version_scheme: scheme, parts: parts ?? null })),
    vulnerable: advisories.some(({ decisive }) => decisive !== undefined),
    update_to: update,
    lowest_clear: lowestClear,
    fewest_left:
      fewestLeft === undefined
        ? null
        : {
            version: fewestLeft.version,
            advisories: fewestLeft.ordinals.map((ordinal) => generation.idAt(ordinal)),
          },
    axes: axes.map(({ scheme, versions, place }) => ({
      version_scheme: scheme,
      versions,
      below: place?.below ?? null,
      exact: place?.isExact ?? null,
    })),
  };
}

/** What the advisories of one answer are read with. */
interface Reading {
  readonly generation: Generation;
  readonly view: ItemView;
  readonly terms: TermSource;
}

function advisoryOf(
  { generation, view, terms }: Reading,
  { ordinal, scheme, axis, decisive, spans }: ExplainedAdvisory,
) {
  view.enter(ordinal);
  const score = view.number('cvssScore');
  const vector = view.text('cvssVector');
  return {
    id: generation.idAt(ordinal),
    title: view.text('title'),
    url: view.text('url'),
    cve: view.text('cve'),
    ghsa: view.text('ghsa'),
    severity: severityFrom(severityFacts(generation, ordinal, score, terms)),
    cvss: score === null && vector === null ? null : { score, vector },
    is_exploited: isExploited(generation.parts.columns.advisoryFlags[ordinal]),
    version_scheme: scheme,
    applies: decisive !== undefined,
    matched_range: decisive === undefined ? null : rangeOf(decisive),
    // Without a spread, which would take most of the time for the thousands of ranges of WordPress itself.
    ranges: spans.map((span) => ({
      from_version: span.from,
      to_version: span.to,
      to_bound: span.toBound,
      fixed_in: span.fixedIn,
      decides: span === decisive,
      excluded_by: span.excludedBy === undefined ? null : EXCLUDED_BY[span.excludedBy],
      comparison: span.comparison,
      axis,
      from_at: span.fromAt,
      to_at: span.toAt,
      fixed_at: span.fixedAt,
    })),
    sources: sourcesOf(generation.traitAt('traitsSources', ordinal, terms)),
  };
}

function rangeOf({ from, to, toBound, fixedIn }: ExplainedSpan) {
  return { from_version: from, to_version: to, to_bound: toBound, fixed_in: fixedIn };
}

/** Where each field is from; `fields` is null for a source that has them all. */
function sourcesOf(term: unknown) {
  const sources = term as SourcesTerm; // the loader checked its shape
  return sources.map((source) => ({ ...sourceMembers(source), fields: source[4] ?? null }));
}
