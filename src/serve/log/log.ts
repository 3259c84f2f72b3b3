// The log: JSON lines, with the levels and member names of pino, which tools know. Where they go is
// log-sink.ts in the supervisor and log-relay.ts in a worker.

const LEVELS = { info: 30, warn: 40, error: 50 } as const;

interface Write {
  (members: object, message: string): void;
  (message: string): void;
}

export type Log = Readonly<Record<keyof typeof LEVELS, Write>>;

/**
 * What an error says in a line: those members of its own that are plain values, such as `code`, come last.
 */
interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly stack: string;
  readonly aggregateErrors?: readonly unknown[];
}

/** `write` gets whole lines and must neither block nor throw. A member `err` may be an error. */
export function openLog(write: (line: string) => void): Log {
  const at = (level: keyof typeof LEVELS): Write => {
    const head = `{"level":${LEVELS[level]},"time":"`;
    return (members: object | string, message?: string) => {
      const [rest, said] = typeof members === 'string' ? ['', members] : [membersText(members), message];
      write(`${head}${new Date().toISOString()}"${rest},"msg":${JSON.stringify(said)}}\n`);
    };
  };
  return { info: at('info'), warn: at('warn'), error: at('error') };
}

/** The members of an object as JSON, with a comma before each. */
function membersText(members: { readonly err?: unknown }): string {
  const text = JSON.stringify('err' in members ? { ...members, err: described(members.err) } : members);
  return text === '{}' ? '' : `,${text.slice(1, -1)}`;
}

function described(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const plain = Object.entries(error).filter(([, value]) => Object(value) !== value);
  const chain = causesOf(error);
  return {
    type: error.constructor.name,
    message: chain.map(({ message }) => message).join(': '),
    stack: chain.map(({ stack }) => stack).join('\ncaused by: '),
    ...(error instanceof AggregateError ? { aggregateErrors: error.errors.map(described) } : {}),
    ...Object.fromEntries(plain),
  } satisfies LoggedError;
}

/** The error, its cause, and so on; each once. */
function causesOf(error: Error): readonly Error[] {
  const chain = new Set<Error>();
  for (let each: unknown = error; each instanceof Error && !chain.has(each); each = each.cause)
    chain.add(each);
  return [...chain];
}
