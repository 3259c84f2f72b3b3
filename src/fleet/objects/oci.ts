// stub
import type { ObjectSource } from './objects.ts';
export function openOci(_location: string, _options: object): ObjectSource {
  throw new Error('stub');
}
