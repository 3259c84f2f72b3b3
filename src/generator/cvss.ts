// CVSS 3.1 base vectors that can be reached over a network, with the scores the standard's formula gives
// them, sorted into bands. https://www.first.org/cvss/v3.1/specification-document, section 7.

type CvssBand = 'medium' | 'high' | 'critical';

interface ScoredVector {
  readonly score: number;
  readonly vector: string;
}

const COMPLEXITY = { L: 0.77, H: 0.44 };
const INTERACTION = { N: 0.85, R: 0.62 };
const IMPACT = { N: 0, L: 0.22, H: 0.56 };
const PRIVILEGES = { U: { N: 0.85, L: 0.62, H: 0.27 }, C: { N: 0.85, L: 0.68, H: 0.5 } };
const NETWORK = 0.85;

function scoreOf(isChanged: boolean, exploitability: number, remaining: number): number {
  const base = 1 - remaining;
  const impact = isChanged ? 7.52 * (base - 0.029) - 3.25 * (base - 0.02) ** 15 : 6.42 * base;
  if (impact <= 0) return 0;
  const sum = (isChanged ? 1.08 : 1) * (impact + exploitability);
  // Up to one decimal, after cutting off what binary fractions add behind the fifth.
  return Math.ceil(Math.round(Math.min(sum, 10) * 1e5) / 1e4) / 10;
}

function bandOf(score: number): CvssBand | undefined {
  if (score >= 9) return 'critical';
  if (score >= 7) return 'high';
  return score >= 4 ? 'medium' : undefined;
}

function scoredVectors(): Record<CvssBand, readonly ScoredVector[]> {
  const bands: Record<CvssBand, ScoredVector[]> = { medium: [], high: [], critical: [] };
  for (const [scope, privileges] of Object.entries(PRIVILEGES)) {
    for (const [pr, privilege] of Object.entries(privileges)) {
      for (const [ac, complexity] of Object.entries(COMPLEXITY)) {
        for (const [ui, interaction] of Object.entries(INTERACTION)) {
          const exploitability = 8.22 * NETWORK * complexity * privilege * interaction;
          for (const [c, confidentiality] of Object.entries(IMPACT)) {
            for (const [i, integrity] of Object.entries(IMPACT)) {
              for (const [a, availability] of Object.entries(IMPACT)) {
                const remaining = (1 - confidentiality) * (1 - integrity) * (1 - availability);
                const score = scoreOf(scope === 'C', exploitability, remaining);
                const band = bandOf(score);
                const vector = `CVSS:3.1/AV:N/AC:${ac}/PR:${pr}/UI:${ui}/S:${scope}/C:${c}/I:${i}/A:${a}`;
                if (band !== undefined) bands[band].push({ score, vector });
              }
            }
          }
        }
      }
    }
  }
  return bands;
}

export const CVSS_VECTORS = scoredVectors();
