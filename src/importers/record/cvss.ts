// Base scores of CVSS vectors of every version. The formulas are ae-cvss-calculator's; this file owns which
// texts are vectors, since that library completes incomplete ones and takes the last of repeated metrics.

import calculator from 'ae-cvss-calculator';

/**
 * Scores of vectors seen before: feeds repeat a few thousand, and scoring a 4.0 vector takes about a
 * millisecond.
 */
const known = new Map<string, number | null>();
const MAX_KNOWN = 20_000;

const LONGEST_VECTOR = 512;
// Version 2 vectors have no prefix, and stand in parentheses in some databases.
const SHAPE =
  /^(?:(CVSS:(?:3\.0|3\.1|4\.0))\/)?((?:[A-Za-z]{1,3}:[A-Za-z]{1,6}\/)*[A-Za-z]{1,3}:[A-Za-z]{1,6})$/;

/**
 * The base score of a vector of CVSS 2.0, 3.0, 3.1 or 4.0, without its temporal, threat and environmental
 * metrics; undefined for a text that is not a complete vector.
 */
export function baseScore(vector: string): number | undefined {
  let score = known.get(vector);
  if (score === undefined) {
    score = calculate(vector) ?? null;
    if (known.size >= MAX_KNOWN) known.clear();
    if (vector.length <= LONGEST_VECTOR) known.set(vector, score);
  }
  return score ?? undefined;
}

function calculate(vector: string): number | undefined {
  if (vector.length > LONGEST_VECTOR) return undefined;
  const bare = /^\((.*)\)$/.exec(vector)?.[1] ?? vector;
  const parts = SHAPE.exec(bare);
  if (parts === null) return undefined;
  const [, prefix, metrics] = parts;
  const names = metrics.split('/').map((metric) => metric.slice(0, metric.indexOf(':')));
  if (new Set(names).size !== names.length) return undefined;
  const parsed = calculator.fromVector(bare);
  if (parsed === null || parsed.getVectorName() !== (prefix ?? 'CVSS:2.0')) return undefined;
  if (!parsed.isBaseFullyDefined()) return undefined;
  const score =
    parsed instanceof calculator.Cvss4P0
      ? parsed.calculateScores().baseMetricsOnly
      : parsed instanceof calculator.Cvss2 ||
          parsed instanceof calculator.Cvss3P0 ||
          parsed instanceof calculator.Cvss3P1
        ? parsed.calculateScores().base
        : undefined;
  return score !== undefined && Number.isFinite(score) ? score : undefined;
}
