// Connections that misbehave: they send raw bytes, read as little as they like, or hang up. What comes
// back is kept as text, never judged.

import { connect, type Socket } from 'node:net';

const KEPT_BYTES = 4_096; // of the received data: status lines of short replies

export class RudeSocket {
  readonly #socket: Socket;
  readonly #closed: Promise<void>;
  #received = '';
  #receivedBytes = 0;
  #isClosed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('error', () => {}); // a reset is just another way to end
    socket.on('data', (chunk: Buffer) => {
      this.#receivedBytes += chunk.length;
      if (this.#received.length < KEPT_BYTES) this.#received += chunk.toString('latin1');
    });
    this.#closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.#isClosed = true;
        resolve();
      });
    });
  }

  /** Rejects when the connection is refused. */
  static open(port: number): Promise<RudeSocket> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, noDelay: true });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new RudeSocket(socket));
      });
    });
  }

  get received(): string {
    return this.#received;
  }

  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get closed(): Promise<void> {
    return this.#closed;
  }

  send(bytes: string | Buffer): void {
    this.#socket.write(bytes);
  }

  /** Sends and half-closes; the server reads the end of the stream after it. */
  sendLast(bytes: string | Buffer): void {
    this.#socket.end(bytes);
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Reads what has arrived, then pauses again. */
  sip(): void {
    if (this.#isClosed) return;
    this.#socket.once('data', () => this.#socket.pause());
    this.#socket.resume();
  }

  hangUp(): void {
    this.#socket.destroy();
  }

  /** Hangs up with a reset instead of an orderly close. */
  reset(): void {
    this.#socket.resetAndDestroy();
  }
}

/** Resolves when it is closed or the time is up, whichever comes first. */
export async function closedWithin(socket: RudeSocket, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([socket.closed, late]);
  clearTimeout(timer);
  return socket.isClosed;
}
