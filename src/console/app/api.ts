// Requests to the server: one header for the key, one kind of error. Owns how refusals become words for
// people; what is asked is up to the views.

export interface ApiOptions {
  /** The server's root. */
  readonly base: URL;
  /** The mount of the contract's endpoints. */
  readonly contract: string;
  /** '' for none. */
  readonly key: () => string;
  readonly onKeyRefused: () => void;
}

/** An answer of an endpoint of the contract. */
export interface Answered<Value> {
  readonly value: Value;
  /**
   * The types of what was asked of which the server's data has no advisory at all: their answers mean
   * nothing.
   */
  readonly typesWithoutData: readonly string[];
}

/** Of src/dialects/lookup-headers.ts. */
export const UNKNOWN_ECOSYSTEMS = 'Vulndex-Unknown-Ecosystems';

export interface Ask {
  readonly method?: 'GET' | 'HEAD' | 'POST';
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Why there is no answer. */
export type ApiErrorKind =
  /** The server cannot be reached. */
  | 'unreachable'
  /** The key is missing, wrong or expired. */
  | 'key'
  /** The key's tier does not grant the endpoint. */
  | 'forbidden'
  /** Too many requests, or the server is not ready: ask again in `retryAfterSeconds`. */
  | 'later'
  | 'refused';

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly kind: ApiErrorKind;
  /** 0 if there was no answer. */
  readonly status: number;
  /** The problem's code, such as `invalid_parameter`. */
  readonly code: string;
  readonly retryAfterSeconds: number;
  /** What an ambiguous id names. */
  readonly ids: readonly number[];

  constructor(
    kind: ApiErrorKind,
    status: number,
    code: string,
    message: string,
    { retryAfterSeconds = 0, ids = [] }: Partial<Pick<ApiError, 'retryAfterSeconds' | 'ids'>> = {},
  ) {
    super(message);
    this.kind = kind;
    this.status = status;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
    this.ids = ids;
  }
}

/** The members of a problem that people can use. */
interface ProblemBody {
  readonly code?: string;
  readonly title?: string;
  /** Says what is wrong with one parameter, and only names several. */
  readonly detail?: string;
  readonly errors?: readonly { readonly parameter: string; readonly message: string }[];
  readonly ids?: readonly number[];
}

/** What the server's answers say about the server itself. */
export interface Sight {
  readonly isReachable: boolean;
  /** Whether a key is wanted: none was sent, or the one sent was refused; `why` is the server's word. */
  readonly keyWanted: { readonly why: string } | undefined;
}

export class Api {
  readonly #options: ApiOptions;
  readonly #listeners = new Set<() => void>();
  #sight: Sight = { isReachable: true, keyWanted: undefined };

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  get base(): URL {
    return this.#options.base;
  }

  get key(): string {
    return this.#options.key();
  }

  get sight(): Sight {
    return this.#sight;
  }

  /** Calls back when `sight` has changed. Returns the way to stop. */
  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The address of an endpoint of the contract: `path` with its leading slash. */
  address(path: string): URL {
    return new URL(`${this.#options.contract}${path}`.slice(1), this.base);
  }

  /** The JSON of an endpoint of the contract. Throws ApiError, or the signal's AbortError. */
  async get<Value>(path: string, signal?: AbortSignal): Promise<Value> {
    return (await this.ask<Value>(path, { signal })).value;
  }

  /** As `get`, with what a look-up's headers say; with a body for POST. Throws as `get` does. */
  async ask<Value>(path: string, asked: Ask): Promise<Answered<Value>> {
    const response = await this.send(this.address(path), asked);
    // Of the shape in the OpenAPI document.
    const value = (await this.#reached(response.json(), asked.signal)) as Value;
    return { value, typesWithoutData: response.headers.get(UNKNOWN_ECOSYSTEMS)?.split(', ') ?? [] };
  }

  /** What changes whenever the server has other data: an entity tag. Throws like `get`. */
  async dataTag(): Promise<string | null> {
    // Any question does: the tag is the snapshot's. Every shipped tier has this endpoint.
    const { headers } = await this.send(this.address('/product/plugin/a/1/exists'), { method: 'HEAD' });
    return headers.get('ETag');
  }

  /** The response, if it is a success. Throws like `get`. */
  async send(address: URL, { method = 'GET', body, signal }: Ask): Promise<Response> {
    const { key } = this;
    if (!/^[!-~]*$/.test(key)) throw this.#keyRefused('The key has characters that a key cannot have.');
    const headers: Record<string, string> = {};
    if (key !== '') headers.PSKey = key;
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    if (method === 'POST') headers['X-Vulndex-Console'] = '1';
    const init = {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ?? null,
      cache: 'no-cache',
      credentials: 'omit',
    } as const;
    const response = await this.#reached(fetch(address, init), signal);
    this.#see({ isReachable: true });
    if (response.ok) return response;
    const error = await errorOf(response);
    if (error.kind === 'key' && key === this.key) this.#keyRefused(error.message);
    throw error;
  }

  /** Tells the views that there is another key. */
  rekeyed(): void {
    this.#see({ keyWanted: undefined });
  }

  /** Asks for a key, because a person wants to send another. */
  wantKey(why: string): void {
    this.#see({ keyWanted: { why } });
  }

  /** The outcome, if the server is there to the end. */
  async #reached<Value>(outcome: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
    try {
      return await outcome;
    } catch (error) {
      if (signal?.aborted) throw error;
      this.#see({ isReachable: false });
      throw new ApiError('unreachable', 0, 'unreachable', 'The server does not answer.');
    }
  }

  #keyRefused(why: string): ApiError {
    this.#options.onKeyRefused();
    this.#see({ keyWanted: { why } });
    return new ApiError('key', 401, '', why);
  }

  #see(change: Partial<Sight>): void {
    const before = this.#sight;
    const after = { ...before, ...change };
    if (before.isReachable === after.isReachable && before.keyWanted?.why === after.keyWanted?.why) return;
    this.#sight = after;
    for (const listener of this.#listeners) listener();
  }
}

/**
 * By code, where the server's own words are for programs: in which headers a key can be sent, and no hint
 * about a wrong one.
 */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['missing_key', 'This server needs an API key.'],
  ['invalid_key', 'The server does not know this key, or it was disabled or has expired.'],
]);

async function errorOf(response: Response): Promise<ApiError> {
  const { status } = response;
  const problem = (await response.json().catch(() => ({}))) as ProblemBody; // a proxy may answer with HTML
  const { code = '', errors = [], ids = [] } = problem;
  const words = [
    WORDS.get(code) ?? problem.detail ?? problem.title ?? `The server answered ${status}.`,
    ...(errors.length > 1 ? errors.map(({ parameter, message }) => `${parameter} ${message}.`) : []),
  ];
  const retryAfterSeconds = Number(response.headers.get('Retry-After')) || 1;
  return new ApiError(kindOf(status), status, code, words.join(' '), { retryAfterSeconds, ids });
}

function kindOf(status: number): ApiErrorKind {
  if (status === 401) return 'key';
  if (status === 403) return 'forbidden';
  return status === 429 || status === 502 || status === 503 || status === 504 ? 'later' : 'refused';
}
