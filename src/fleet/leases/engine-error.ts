// Why the engine of the quotas cannot be used: a closed list, each with what to do. Engines repeat in an
// error what they were sent, so no message has what an engine says of credentials, nor a configured user or
// password.

import type { BadReplyError } from './reply-guard.ts';

interface Cause {
  readonly pattern: RegExp;
  readonly what: string;
}

const CAUSES = {
  wrong_password: {
    pattern: /^(?:WRONGPASS|NOAUTH)|invalid (?:username-password|password)|without any password configured/i,
    what: 'it refuses the user or the password; check both, in the URL or in --limits-password-file',
  },
  no_permission: {
    pattern: /^NOPERM|no permissions/i,
    what: 'its user may not run the script; allow eval, evalsha and info, and the keys vulndex:*',
  },
  read_only: {
    pattern: /READONLY|MASTERDOWN/,
    what: 'it is a replica, which cannot be written to; name the primary',
  },
  full: {
    pattern: /OOM command/,
    what: 'its memory is full; raise maxmemory',
  },
  not_writing: {
    pattern: /MISCONF|NOREPLICAS/,
    what: 'it refuses writes because it cannot save them or has too few replicas; see its log',
  },
  loading: {
    pattern: /^LOADING/,
    what: 'it is still loading its data; wait',
  },
  busy: {
    pattern: /^(?:BUSY|UNKILLABLE)/,
    what: 'a script of another client keeps it busy; see SCRIPT KILL',
  },
  clustered: {
    pattern: /MOVED|CROSSSLOT|CLUSTERDOWN|(?:^|\s)ASK \d/,
    what: 'it is a node of a cluster that does not have the keys; name an engine that is not clustered',
  },
  wrong_database: {
    pattern: /DB index|SELECT is not allowed/i,
    what: 'it does not have the database that the URL names',
  },
  tls: {
    pattern: /certificate|SSL|TLS|ERR_SSL|EPROTO|self.signed|altnames/i,
    what: 'no TLS connection to it; check the scheme, valkeys:// or valkey://, and its certificate',
  },
  timed_out: {
    pattern: /timed? ?out|ETIMEDOUT/i,
    what: 'it did not answer in time',
  },
  unknown_host: {
    pattern: /ENOTFOUND|EAI_AGAIN/,
    what: 'its name is not known; check the host in the URL',
  },
  unreachable: {
    pattern: /ECONN|EHOSTUNREACH|ENETUNREACH|EPIPE|Connection is closed|isn't writeable|ENOENT/i,
    what: 'it cannot be reached; check host, port and whether it runs',
  },
  too_old: {
    pattern: /unknown command|not allowed from script|Write commands not allowed after non deterministic/i,
    what: 'it lacks a command; Valkey 7.2 or Redis 6.2 and later are supported',
  },
} as const satisfies Readonly<Record<string, Cause>>;

export type EngineErrorCode = keyof typeof CAUSES | 'bad_reply' | 'failed' | 'state_lost';

export const ENGINE_ERROR_CODES: readonly EngineErrorCode[] = [
  ...(Object.keys(CAUSES) as (keyof typeof CAUSES)[]),
  'bad_reply',
  'failed',
  'state_lost',
];

export class EngineError extends Error {
  override readonly name = 'EngineError';
  readonly code: EngineErrorCode;

  constructor(code: EngineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** What a client of the engine threw. `where` has none of the `secrets`, which are not repeated. */
  static of(error: unknown, where: string, secrets: readonly string[] = []): EngineError {
    if (error instanceof EngineError) return error;
    const { message } = error as Error;
    const code = codeOf(error);
    const said = firstWords(redacted(message, secrets));
    if (code === undefined) return new EngineError('failed', `${where}: ${said}`);
    const { what } = CAUSES[code];
    // It may repeat what it was sent.
    return new EngineError(code, `${where}: ${what}${code === 'wrong_password' ? '' : ` (${said})`}`);
  }

  /** The engine answered what it cannot have been asked. */
  static ofBadReply(error: BadReplyError, where: string): EngineError {
    const remedy = 'check that the URL names a Valkey or Redis, and nothing between rewrites its answers';
    return new EngineError('bad_reply', `${where}: its answer is unusable: ${error.message}; ${remedy}`);
  }

  /** The engine answered AUTH with an error, nothing of which is repeated. */
  static ofCredentials(error: unknown, where: string): EngineError {
    const code = codeOf(error) ?? 'wrong_password';
    return new EngineError(code, `${where}: ${CAUSES[code].what}`);
  }
}

function codeOf(error: unknown): keyof typeof CAUSES | undefined {
  const { message, code = '' } = error as NodeJS.ErrnoException;
  const said = `${message} ${code}`;
  for (const [name, { pattern }] of Object.entries(CAUSES)) {
    if (pattern.test(said)) return name as keyof typeof CAUSES;
  }
  return undefined;
}

/** The longest first: one may be a part of another. */
function redacted(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret !== '')
    .sort((a, b) => b.length - a.length)
    .reduce((shown, secret) => shown.replaceAll(secret, '[secret]'), text);
}

/** Engines repeat what they were sent, so not all of it. */
function firstWords(message: string): string {
  const [line] = message.split('\n', 1);
  return line.length > 120 ? `${line.slice(0, 120)}...` : line;
}
