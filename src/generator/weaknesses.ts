// Kinds of vulnerability, most common first: an advisory's type and the classifications that go with it.

export interface Weakness {
  readonly type: string;
  readonly cwe: { readonly id: number; readonly name: string };
  readonly owasp: string | undefined;
  readonly capec: { readonly id: number; readonly name: string } | null;
}

const INJECTION = 'A3: Injection';
const ACCESS = 'A1: Broken Access Control';
const DESIGN = 'A4: Insecure Design';
const LOGIN = 'A7: Identification and Authentication Failures';

function weakness(
  type: string,
  cweId: number,
  cweName: string,
  owasp?: string,
  capecId?: number,
  capecName?: string,
): Weakness {
  const capec = capecId === undefined || capecName === undefined ? null : { id: capecId, name: capecName };
  return { type, cwe: { id: cweId, name: cweName }, owasp, capec };
}

export const WEAKNESSES: readonly Weakness[] = [
  weakness('Cross Site Scripting (XSS)', 79, 'Cross-site Scripting', INJECTION, 63, 'Cross-Site Scripting'),
  weakness(
    'Broken Access Control',
    862,
    'Missing Authorization',
    ACCESS,
    1,
    'Accessing Unprotected Functionality',
  ),
  weakness(
    'Cross Site Request Forgery (CSRF)',
    352,
    'Cross-Site Request Forgery',
    ACCESS,
    62,
    'Cross Site Request Forgery',
  ),
  weakness('SQL Injection', 89, 'SQL Injection', INJECTION, 66, 'SQL Injection'),
  weakness(
    'Sensitive Data Exposure',
    200,
    'Exposure of Sensitive Information',
    ACCESS,
    118,
    'Collect Information',
  ),
  weakness(
    'Arbitrary File Upload',
    434,
    'Unrestricted Upload of Dangerous File Type',
    DESIGN,
    17,
    'Malicious Files',
  ),
  weakness(
    'Local File Inclusion',
    98,
    'Improper Control of Included Filename',
    INJECTION,
    252,
    'Local Inclusion',
  ),
  weakness(
    'PHP Object Injection',
    502,
    'Deserialization of Untrusted Data',
    'A8: Software and Data Integrity Failures',
    586,
    'Object Injection',
  ),
  weakness('Privilege Escalation', 266, 'Incorrect Privilege Assignment', LOGIN, 233, 'Privilege Escalation'),
  weakness('Prototype Pollution', 1321, 'Prototype Pollution', INJECTION, 77, 'Manipulating Variables'),
  weakness(
    'Denial of Service Attack',
    400,
    'Uncontrolled Resource Consumption',
    DESIGN,
    147,
    'Resource Depletion',
  ),
  weakness(
    'Regular Expression Denial of Service (ReDoS)',
    1333,
    'Inefficient Regular Expression',
    DESIGN,
    492,
    'Exponential Blowup',
  ),
  weakness(
    'Server Side Request Forgery (SSRF)',
    918,
    'Server-Side Request Forgery',
    'A10: Server-Side Request Forgery',
    664,
    'Server Side Request Forgery',
  ),
  weakness('Insecure Direct Object References (IDOR)', 639, 'User-Controlled Authorization Key', ACCESS),
  weakness('Path Traversal', 22, 'Path Traversal', ACCESS, 126, 'Path Traversal'),
  weakness('Remote Code Execution (RCE)', 94, 'Code Injection', INJECTION, 242, 'Code Injection'),
  weakness('Broken Authentication', 287, 'Improper Authentication', LOGIN, 115, 'Authentication Bypass'),
  weakness('Arbitrary File Deletion', 73, 'External Control of File Name', DESIGN),
  weakness('Arbitrary File Download', 23, 'Relative Path Traversal', ACCESS, 139, 'Relative Path Traversal'),
  weakness('Open Redirection', 601, 'Open Redirect', ACCESS, 194, 'Fake Source of Data'),
  weakness('Settings Change', 285, 'Improper Authorization', ACCESS),
  weakness('Content Injection', 74, 'Improper Neutralization for Downstream Component', INJECTION),
  weakness('Bypass Vulnerability', 693, 'Protection Mechanism Failure'),
  weakness('Command Injection', 78, 'OS Command Injection', INJECTION, 88, 'OS Command Injection'),
  weakness('Malicious Package', 506, 'Embedded Malicious Code', 'A8: Software and Data Integrity Failures'),
  weakness('CSV Injection', 1236, 'Formula Elements in a CSV File', INJECTION),
  weakness('Race Condition', 362, 'Race Condition', DESIGN, 26, 'Leveraging Race Conditions'),
  weakness('Hardcoded Credentials', 798, 'Hard-coded Credentials', LOGIN, 70, 'Default Credentials'),
  weakness(
    'Weak Randomness',
    330,
    'Insufficiently Random Values',
    'A2: Cryptographic Failures',
    59,
    'Session Prediction',
  ),
  weakness('Full Path Disclosure', 497, 'Exposure of System Information', ACCESS),
  weakness(
    'Request Smuggling',
    444,
    'Inconsistent Interpretation of Requests',
    DESIGN,
    33,
    'Request Smuggling',
  ),
  weakness(
    'Backdoor',
    912,
    'Hidden Functionality',
    'A8: Software and Data Integrity Failures',
    443,
    'Hidden Function',
  ),
  weakness('Cache Poisoning', 349, 'Untrusted Data with Trusted Data', DESIGN, 141, 'Cache Poisoning'),
  weakness('Timing Attack', 208, 'Observable Timing Discrepancy', 'A2: Cryptographic Failures'),
  weakness('Other Vulnerability Type', 1035, 'Known Vulnerable Components'),
];
