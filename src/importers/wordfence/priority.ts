// How urgent a fix is, by the source's word for the severity.

export function patchPriority(severity: string): 1 | 2 | 3 {
  switch (severity.toLowerCase()) {
    case 'critical':
    case 'high':
      return 3;
    case 'medium':
    case 'moderate':
      return 2;
    default:
      return 1;
  }
}
