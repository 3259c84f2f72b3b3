// Exchanges that outlive their handler: request bodies that have not fully arrived, and replies that the
// socket did not take at once. Owns the count of bytes held for them and the time limit of each.

import { performance } from 'node:perf_hooks';

export interface Exchange {
  /** Closing it runs its abort handler, which must forget the exchange. */
  readonly res: { close(): unknown };
  /** By the monotonic clock. */
  readonly deadlineMs: number;
  /** Bytes held for it. */
  bytes: number;
  /** Whose body it is; undefined for replies, which are of a size that the server chose. */
  readonly caller: string | undefined;
}

/** The transport's side of a download. */
export interface SharedReply extends Readonly<Pick<Exchange['res'], 'close'>> {
  /** Bytes that the socket has taken. */
  readonly takenBytes: number;
  /**
   * Called at every check, for a transport that would itself end a connection on which
   * nothing was tried for a while.
   */
  retry?(): void;
}

/** A reply whose bytes are shared and immutable. It holds no memory of its own, so its client has longer. */
interface Download {
  readonly reply: SharedReply;
  readonly startMs: number;
  /** When the last check saw that more had been taken, and how much that was. */
  progressMs: number;
  progressBytes: number;
}

const SWEEP_MS = 1_000;
/** Relief is due when this much was released and less than this is still held. */
const RELIEF_BYTES = 16 << 20;
/** Traffic is quiet when less than this was released since the last check. */
const QUIET_BYTES = 1 << 20;
/**
 * The least rate of a download, after the time limit of any exchange: 300 MB may take 78 minutes.
 * Without it, a client that takes a little now and then would keep files of a released generation in
 * memory for as long as it likes.
 */
export const LEAST_BYTES_PER_SECOND = 64 << 10;

export class Exchanges {
  readonly #timeoutMs: number;
  readonly #open = new Set<Exchange>();
  readonly #downloads = new Set<Download>();
  readonly #sweeper: NodeJS.Timeout;
  /** When downloads must have ended, by the monotonic clock. */
  #endOfDownloadsMs = Number.POSITIVE_INFINITY;
  #heldBytes = 0;
  /** Of bodies, by caller. Every caller has an entry while an exchange of its holds bytes. */
  readonly #heldByCaller = new Map<string, number>();
  /** Bytes released since the last relief: now, and at the last check. */
  #releasedBytes = 0;
  #releasedSeen = 0;

  /** `onRelief` is called when much memory was released and traffic is quiet. */
  constructor(timeoutMs: number, onRelief?: () => void) {
    this.#timeoutMs = timeoutMs;
    this.#sweeper = setInterval(() => {
      this.#sweep();
      if (onRelief !== undefined) this.#relieve(onRelief);
    }, SWEEP_MS);
    this.#sweeper.unref();
  }

  get size(): number {
    return this.#open.size + this.#downloads.size;
  }

  /** For all exchanges together. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** For bodies of one caller. */
  heldFor(caller: string): number {
    return this.#heldByCaller.get(caller) ?? 0;
  }

  has(exchange: Exchange): boolean {
    return this.#open.has(exchange);
  }

  open(res: Exchange['res'], caller?: string): Exchange {
    const exchange: Exchange = { res, deadlineMs: performance.now() + this.#timeoutMs, bytes: 0, caller };
    this.#open.add(exchange);
    return exchange;
  }

  hold(exchange: Exchange, bytes: number): void {
    exchange.bytes += bytes;
    this.#heldBytes += bytes;
    this.#countFor(exchange, bytes);
  }

  /** False if it was already forgotten. */
  forget(exchange: Exchange): boolean {
    if (!this.#open.delete(exchange)) return false;
    this.#heldBytes -= exchange.bytes;
    this.#releasedBytes += exchange.bytes;
    this.#countFor(exchange, -exchange.bytes);
    return true;
  }

  #countFor({ caller }: Exchange, bytes: number): void {
    if (caller === undefined) return;
    const held = this.heldFor(caller) + bytes;
    if (held > 0) this.#heldByCaller.set(caller, held);
    else this.#heldByCaller.delete(caller);
  }

  openDownload(reply: SharedReply): Download {
    const nowMs = performance.now();
    const download = { reply, startMs: nowMs, progressMs: nowMs, progressBytes: reply.takenBytes };
    this.#downloads.add(download);
    return download;
  }

  isOpen(download: Download): boolean {
    return this.#downloads.has(download);
  }

  /** False if it was already forgotten. Its bytes may have been the last use of a released file. */
  forgetDownload(download: Download, bodyBytes: number): boolean {
    if (!this.#downloads.delete(download)) return false;
    this.#releasedBytes += bodyBytes;
    return true;
  }

  /** From now on downloads, too, have no more time than any other exchange. */
  limitDownloads(): void {
    this.#endOfDownloadsMs = Math.min(this.#endOfDownloadsMs, performance.now() + this.#timeoutMs);
  }

  /** Counts memory that was released elsewhere. */
  countReleased(bytes: number): void {
    this.#releasedBytes += bytes;
  }

  /** Stops the check for overdue exchanges. */
  close(): void {
    clearInterval(this.#sweeper);
  }

  #relieve(onRelief: () => void): void {
    const isQuiet = this.#releasedBytes - this.#releasedSeen < QUIET_BYTES;
    if (isQuiet && this.#heldBytes < RELIEF_BYTES && this.#releasedBytes >= RELIEF_BYTES) {
      this.#releasedBytes = 0;
      onRelief();
    }
    this.#releasedSeen = this.#releasedBytes;
  }

  #sweep(): void {
    const nowMs = performance.now();
    for (const exchange of this.#open) {
      if (exchange.deadlineMs > nowMs) break; // a set keeps the order of insertion, and so of deadlines
      exchange.res.close();
    }
    for (const download of this.#downloads) {
      if (this.#isOverdue(download, nowMs)) download.reply.close();
      else download.reply.retry?.();
    }
  }

  /** Whether it has stood still for the time limit, or is below the least rate, or the process is ending. */
  #isOverdue(download: Download, nowMs: number): boolean {
    const { takenBytes } = download.reply;
    if (takenBytes > download.progressBytes) {
      download.progressBytes = takenBytes;
      download.progressMs = nowMs;
    }
    const earnedMs = (takenBytes / LEAST_BYTES_PER_SECOND) * 1_000;
    const deadlineMs = Math.min(download.progressMs, download.startMs + earnedMs) + this.#timeoutMs;
    return nowMs >= Math.min(deadlineMs, this.#endOfDownloadsMs);
  }
}
