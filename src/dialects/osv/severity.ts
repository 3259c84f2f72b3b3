// A CVSS vector as the OSV schema types it. The schema has a pattern for each version; a vector that does not
// match is told elsewhere in the record.

export interface OsvSeverity {
  readonly type: 'CVSS_V2' | 'CVSS_V3' | 'CVSS_V4';
  readonly score: string;
}

const V2_METRIC =
  '(?:AV:[NAL]|AC:[LMH]|Au:[MSN]|[CIA]:[NPC]|E:(?:U|POC|F|H|ND)|RL:(?:OF|TF|W|U|ND)|RC:(?:UC|UR|C|ND)|CDP:(?:N|L|LM|MH|H|ND)|TD:(?:N|L|M|H|ND)|[CIA]R:(?:L|M|H|ND))';
const V3_METRIC =
  '(?:AV:[NALP]|AC:[LH]|PR:[NLH]|UI:[NR]|S:[UC]|[CIA]:[NLH]|E:[XUPFH]|RL:[XOTWU]|RC:[XURC]|[CIA]R:[XLMH]|MAV:[XNALP]|MAC:[XLH]|MPR:[XNLH]|MUI:[XNR]|MS:[XUC]|M[CIA]:[XNLH])';
/** The metrics of version 4 come in this order; those after the eleventh may be left out. */
const V4_METRICS = [
  ...['AV:[NALP]', 'AC:[LH]', 'AT:[NP]', 'PR:[NLH]', 'UI:[NPA]', 'VC:[HLN]', 'VI:[HLN]', 'VA:[HLN]'],
  ...['SC:[HLN]', 'SI:[HLN]', 'SA:[HLN]', 'E:[XAPU]', 'CR:[XHML]', 'IR:[XHML]', 'AR:[XHML]', 'MAV:[XNALP]'],
  ...['MAC:[XLH]', 'MAT:[XNP]', 'MPR:[XNLH]', 'MUI:[XNPA]', 'MVC:[XNLH]', 'MVI:[XNLH]', 'MVA:[XNLH]'],
  ...['MSC:[XNLH]', 'MSI:[XNLHS]', 'MSA:[XNLHS]', 'S:[XNP]', 'AU:[XNY]', 'R:[XAUI]', 'V:[XDC]', 'RE:[XLMH]'],
  'U:(?:X|Clear|Green|Amber|Red)',
];
const V4_REQUIRED = 11;

const PATTERNS: readonly (readonly [OsvSeverity['type'], RegExp])[] = [
  ['CVSS_V3', new RegExp(`^CVSS:3\\.[01](?:/${V3_METRIC})+$`)],
  [
    'CVSS_V4',
    new RegExp(
      `^CVSS:4\\.0${V4_METRICS.map((metric, i) => (i < V4_REQUIRED ? `/${metric}` : `(?:/${metric})?`)).join('')}$`,
    ),
  ],
  ['CVSS_V2', new RegExp(`^${V2_METRIC}(?:/${V2_METRIC})*$`)],
];

/** Undefined for a text that matches no pattern. */
export function severityOf(vector: string): OsvSeverity | undefined {
  const type = PATTERNS.find(([, pattern]) => pattern.test(vector))?.[0];
  return type === undefined ? undefined : { type, score: vector };
}
