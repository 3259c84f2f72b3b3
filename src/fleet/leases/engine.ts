// The engine of the quotas, Valkey or Redis, over one connection. Owns the client, the loading of the script
// and what becomes of a connection that fails: it is dropped, and `connect` makes another. Nothing is ever
// sent twice, as tokens may be returned only once; the client repeats commands by default.

import { createHash, randomBytes } from 'node:crypto';
import { connect as connectPlain } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { AbstractConnector, Redis, ReplyError } from 'iovalkey';
import type { EngineAddress } from './engine-address.ts';
import { EngineError } from './engine-error.ts';
import type { EngineFacts, LeaseCall, LeaseEngine, LeaseReply } from './lease.ts';
import { LEASE_SCRIPT, readReply, writeCall } from './lease-script.ts';
import { BadReplyError, guardReplies, ReplyGuard } from './reply-guard.ts';

const CONNECT_MS = 2_000;
const ANSWER_MS = 2_000;
const DISCONNECT_MS = 2_000;

interface EngineOptions {
  readonly address: EngineAddress;
  /** Instead of that in the URL. */
  readonly password?: string | undefined;
  /** Names this replica, from its start to its end. */
  readonly replica: string;
}

export class Engine implements LeaseEngine {
  readonly #options: EngineOptions;
  readonly #sha = createHash('sha1').update(LEASE_SCRIPT).digest('hex');
  #client: Redis | undefined;
  #guard = new ReplyGuard();
  /** Why its connection was ended here: the client itself says only that it is closed. */
  #badReply: BadReplyError | undefined;
  /** Of the engine that the connection is to. */
  #run = '';

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  async connect(): Promise<EngineFacts> {
    this.close();
    const { database, isTls } = this.#options.address;
    const password = this.#password;
    const guard = new ReplyGuard();
    this.#guard = guard;
    this.#badReply = undefined;
    const client = new Redis({
      Connector: connectorOf(this.#options.address, guard),
      lazyConnect: true,
      enableReadyCheck: false,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      retryStrategy: () => null,
      connectTimeout: CONNECT_MS,
      commandTimeout: ANSWER_MS,
      // The connector has the options; that there are some makes the client wait for the handshake.
      ...(isTls ? { tls: {} } : {}),
    });
    this.#client = client;
    // Also why `connect` rejects, which itself says only that the connection is closed.
    let cause: unknown;
    client.on('error', (error) => {
      cause ??= error;
      if (error instanceof BadReplyError) this.#badReply = error;
    });
    try {
      await client.connect();
      // Here, because the client would go on with a connection that refused them.
      if (password !== undefined) await this.#authenticate(client, password);
      if (database !== 0) await this.#say(client, 'SELECT', database);
      const facts = await this.#facts(client);
      await this.#say(client, 'PING'); // refused without a password that is needed
      return facts;
    } catch (error) {
      this.close();
      throw this.#errorOf(cause ?? error);
    }
  }

  async call(call: LeaseCall): Promise<LeaseReply> {
    const client = this.#client;
    const { replica } = this.#options;
    try {
      if (client === undefined) throw new Error('Connection is closed');
      const newEpoch = randomBytes(8).toString('hex');
      const { names, words } = writeCall(call, { replica, run: this.#run, newEpoch });
      const rest = [names.length, ...names, ...words];
      const said = await this.#say(client, 'EVALSHA', this.#sha, ...rest).catch((error: Error) => {
        // It has not run: the engine has not seen the script since its start.
        if (!error.message.startsWith('NOSCRIPT')) throw error;
        return this.#say(client, 'EVAL', LEASE_SCRIPT, ...rest);
      });
      return readReply(said, call.keys);
    } catch (error) {
      this.close();
      throw this.#errorOf(error);
    }
  }

  close(): void {
    this.#client?.disconnect();
    this.#client = undefined;
  }

  get #password(): string | undefined {
    return this.#options.password ?? this.#options.address.password;
  }

  #say(client: Redis, command: string, ...words: readonly (string | number)[]): Promise<unknown> {
    this.#guard.expectReply();
    return client.call(command, ...words);
  }

  async #authenticate(client: Redis, password: string): Promise<void> {
    const { user, shown } = this.#options.address;
    try {
      await this.#say(client, 'AUTH', ...(user === undefined ? [] : [user]), password);
    } catch (error) {
      throw error instanceof ReplyError ? EngineError.ofCredentials(error, shown) : error;
    }
  }

  async #facts(client: Redis): Promise<EngineFacts> {
    this.#run = '';
    let text: string;
    try {
      text = String(await this.#say(client, 'INFO'));
    } catch (error) {
      // Only told: a user without the permission, or a proxy, may still lease.
      if (/NOPERM|no permissions|unknown command/i.test((error as Error).message)) {
        return { evictionPolicy: undefined };
      }
      throw error;
    }
    const fact = (name: string): string | undefined => new RegExp(`^${name}:(\\S+)`, 'm').exec(text)?.[1];
    this.#run = fact('run_id') ?? '';
    if (fact('role') === 'slave') throw new Error('READONLY: its role is that of a replica');
    return { evictionPolicy: fact('maxmemory_policy') };
  }

  #errorOf(error: unknown): EngineError {
    const { shown, user = '', password = '' } = this.#options.address;
    if (this.#badReply !== undefined) return EngineError.ofBadReply(this.#badReply, shown);
    if (error instanceof BadReplyError) return EngineError.ofBadReply(error, shown);
    return EngineError.of(error, shown, [user, password, this.#password ?? '']);
  }
}

/** The client's own connections, but what arrives is looked at first. */
function connectorOf({ host, port, isTls }: EngineAddress, guard: ReplyGuard) {
  return class extends AbstractConnector {
    constructor() {
      super(DISCONNECT_MS);
    }

    override async connect() {
      const socket = isTls ? connectTls({ host, port, servername: host }) : connectPlain({ host, port });
      guardReplies(socket, guard);
      socket.once('error', (error) => {
        this.firstError = error;
      });
      this.stream = socket;
      return socket;
    }
  };
}
