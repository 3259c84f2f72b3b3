// The options of `serve` that name the engine of a fleet's quotas. A URL may have a password, so no refusal
// repeats it; an error of commander's would.

import { type EngineAddress, parseEngineAddress } from '../fleet/leases/engine-address.ts';
import { UsageError } from './command-error.ts';
import { readKeyFile } from './key-file.ts';

interface LimitsOptions {
  readonly keys: string | undefined;
  readonly limits: EngineAddress | undefined;
  readonly limitsPasswordFile: string | undefined;
}

/** Parses the URL. Throws UsageError. */
export function limitsEngine(text: string): EngineAddress {
  const address = parseEngineAddress(text);
  if ('problem' in address) throw new UsageError(`--limits (VULNDEX_LIMITS): the value ${address.problem}`);
  return address;
}

/** Throws UsageError for options that have no effect. */
export function checkLimits({ keys, limits, limitsPasswordFile }: LimitsOptions): void {
  if (limits === undefined && limitsPasswordFile !== undefined) {
    throw new UsageError('--limits-password-file has no effect without --limits: set both');
  }
  if (limits !== undefined && keys === undefined) {
    throw new UsageError('--limits has no effect without --keys, which has the quotas: set both');
  }
}

/** The engine and its password, if quotas are shared. Throws UsageError. */
export function limitsChoice({ limits: address, limitsPasswordFile: file }: LimitsOptions) {
  if (address === undefined) return undefined;
  const password = file === undefined ? undefined : readKeyFile(file, '--limits-password-file', 'password');
  return { address, password };
}
