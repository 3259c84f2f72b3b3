// Where the engine of the quotas is: the URL of `--limits`. No message repeats the password in it.

export interface EngineAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: number;
  readonly isTls: boolean;
  /** Without user and password, for people. */
  readonly shown: string;
}

const SCHEMES: Readonly<Record<string, boolean>> = {
  'valkey:': false,
  'redis:': false,
  'valkeys:': true,
  'rediss:': true,
};
const DEFAULT_PORT = 6379;
const MAX_DATABASE = 65_535;
const EXPECTED = 'expected valkey://[user:password@]host[:port][/database], or valkeys:// for TLS';

/** The address, or what is wrong with the text. */
export function parseEngineAddress(text: string): EngineAddress | { readonly problem: string } {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return { problem: `is not a URL; ${EXPECTED}` };
  }
  const { protocol, hostname, port, username, password, pathname, search, hash } = url;
  if (!Object.hasOwn(SCHEMES, protocol)) {
    return { problem: `has another scheme; ${EXPECTED}` };
  }
  if (hostname === '') return { problem: `names no host; ${EXPECTED}` };
  if (search !== '' || hash !== '') return { problem: `has a query or a fragment; ${EXPECTED}` };
  const [, digits] = /^\/?(\d{0,5})$/.exec(pathname) ?? [];
  const database = Number(digits ?? Number.NaN);
  if (!(database <= MAX_DATABASE)) {
    return { problem: `has a path that is not the number of a database; ${EXPECTED}` };
  }
  const name = decoded(username);
  const secret = decoded(password);
  if (name === undefined || secret === undefined) {
    return { problem: 'has a user or a password with a % that is not an escape; write %25 for %' };
  }
  const at = port === '' ? DEFAULT_PORT : Number(port);
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: at,
    user: name === '' ? undefined : name,
    password: secret === '' ? undefined : secret,
    database,
    isTls: SCHEMES[protocol],
    shown: `${protocol}//${hostname}:${at}/${database}`,
  };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
