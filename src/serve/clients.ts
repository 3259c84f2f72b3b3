// From the operator's options about clients to what a worker needs: the dialects, who is admitted without a
// key, and the table that counts them. One plan, as plain data, for all threads.

import { DIALECTS } from '../dialects/dialects.ts';
import { type MountChoice, MountsError, type Selection, selectDialects } from '../dialects/mounts.ts';
import { allocateAddressTable } from '../http/callers/address-table.ts';
import { AnonymousCallers } from '../http/callers/anonymous.ts';
import { networkProblem, TrustedProxies } from '../http/callers/trusted-proxies.ts';
import { OwnAddress } from '../http/transport/own-address.ts';

export interface ClientChoice extends MountChoice {
  /** Addresses and CIDR blocks. */
  readonly trustedProxies: readonly string[];
  /** The server's own address, without a slash at its end; undefined if requests say it. */
  readonly publicUrl: string | undefined;
}

export interface ClientPlan extends ClientChoice {
  /** An address table, where a mount is anonymous. */
  readonly addresses: SharedArrayBuffer | undefined;
}

/** One dialect that is on, for /status. */
export interface ServedMount {
  readonly dialect: string;
  readonly paths: readonly string[];
  readonly anonymous: boolean;
}

/** What is wrong with the choice, or undefined. */
export function clientProblem(choice: ClientChoice): string | undefined {
  const problem = choice.trustedProxies.map(networkProblem).find((each) => each !== undefined);
  if (problem !== undefined) return `--trusted-proxies: ${problem}`;
  try {
    selectDialects(choice);
    return undefined;
  } catch (error) {
    if (error instanceof MountsError) return error.message;
    throw error;
  }
}

/** Requires: a choice without a `clientProblem`. */
export function planClients(choice: ClientChoice): ClientPlan {
  const { mounts, anonymous, npmUpstream, console, trustedProxies, publicUrl } = choice;
  const addresses = anonymous.length === 0 ? undefined : allocateAddressTable();
  return { mounts, anonymous, npmUpstream, console, trustedProxies, publicUrl, addresses };
}

/** Who is admitted without a key, in one thread. */
export function anonymousCallers(
  { anonymous }: Selection,
  { addresses, trustedProxies }: ClientPlan,
): AnonymousCallers | undefined {
  if (addresses === undefined) return undefined;
  const proxies = new TrustedProxies(trustedProxies);
  return new AnonymousCallers({ dialects: anonymous, memory: addresses, proxies });
}

/** The server's own address, in one thread. */
export function ownAddress({ publicUrl, trustedProxies }: ClientPlan): OwnAddress {
  return new OwnAddress(publicUrl, new TrustedProxies(trustedProxies));
}

/** The dialects that an operator can switch on, of those that are. */
export function servedMounts({ dialects, anonymous }: Selection): readonly ServedMount[] {
  const known = new Set(DIALECTS.map(({ name }) => name));
  return dialects
    .filter(({ name }) => known.has(name))
    .map((dialect) => ({
      dialect: dialect.name,
      paths: dialect.mounts.map(({ path }) => (path === '' ? '/' : path)),
      anonymous: anonymous.includes(dialect),
    }));
}
