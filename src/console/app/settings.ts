// What the server says about itself when the page starts: a file beside the page.

export interface Settings {
  readonly version: string;
  /** The port that this page came from: the service, or operations. */
  readonly port: 'service' | 'operations';
  /** The mount of the contract's endpoints, '' for the root; null if they are off. */
  readonly contract: string | null;
  readonly mounts: readonly { readonly name: string; readonly paths: readonly string[] }[];
}

const FRESH = { cache: 'no-cache', credentials: 'omit' } as const;

/** Throws an Error with words for people. */
export async function loadSettings(base: URL): Promise<Settings> {
  const response = await fetch(new URL('console/settings.json', base), FRESH).catch(() => {
    throw new Error('The server does not answer.');
  });
  if (!response.ok) throw new Error(`The server answered ${response.status} when asked for its settings.`);
  return (await response.json()) as Settings; // written by the server of the same release
}

/** The path of a dialect's first mount; undefined if it is off. */
export function mountOf({ mounts }: Settings, name: string): string | undefined {
  return mounts.find((mount) => mount.name === name)?.paths[0];
}
