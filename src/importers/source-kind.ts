// A kind of source is one value: what it is called, and how it is opened. Options and their help, keys, the
// configuration of `refresh` and the names in summaries follow from their list, in source-kinds.ts.

import type { TransferLimits } from '../download/limits.ts';
import type { Environment } from '../download/proxy.ts';
import type { KeptConversions } from './kept/kept-conversions.ts';
import type { InformationalRule } from './osv/informational.ts';
import type { PackedSourceEntry } from './packed-draft.ts';

export type SourceKind = FileKind | ServerKind;

interface AnyKind {
  /** Of its option and its member of a configuration. Registries of ids have it too, so it never changes. */
  readonly name: string;
  /** What the option takes, such as `<path...>`. */
  readonly argument: string;
  /** Of the option. */
  readonly help: string;
}

/** Files of a machine; `refresh` downloads those of the web first. */
export interface FileKind extends AnyKind {
  readonly form: 'files';
  /** Throws SourceError for what can be known without reading the source. */
  open(path: string, options: FileOptions): Promise<SourceReader>;
}

export interface FileOptions {
  /** Of feeds: a member that the format does not have makes the line bad. */
  readonly strict: boolean;
  /** What the last run made of its entries; the caller publishes and closes it. A feed has no use for it. */
  readonly kept?: KeptConversions | undefined;
  /** Of OSV records: what becomes of those that are not about a vulnerability; skipped by default. */
  readonly informational?: InformationalRule | undefined;
}

/** A server at a URL, which is asked with a key. */
export interface ServerKind extends AnyKind {
  readonly form: 'server';
  /** Throws SourceError if the URL, the key or the file of certificates cannot be used. Asks nothing yet. */
  open(options: ServerOptions): Promise<SourceReader>;
  /** Brings the answers in the folder up to date. Throws SourceError. */
  copy(
    options: ServerOptions & { readonly folder: string },
    onProgress: (records: number) => void,
  ): Promise<ServerCopy>;
}

export interface ServerOptions {
  readonly url: string;
  readonly key: string;
  /** Certificates in PEM to trust besides the usual ones. */
  readonly caFile?: string | undefined;
  /** Where the proxies are named; the process's own by default. */
  readonly environment?: Environment;
  /**
   * Keeps the server's answers between runs: an interrupted copy resumes, and an unchanged server is not
   * copied again. One folder for each server. Without it they are in a scratch file while the source is read.
   */
  readonly folder?: string | undefined;
  /** Of one copy. */
  readonly limits?: Partial<TransferLimits>;
  /** Gets a line for each wait and each new beginning. */
  readonly onNotice?: (line: string) => void;
}

/** One upstream source, ready to be read once. */
export interface SourceReader {
  /** For messages: a path or a URL. */
  readonly label: string;
  /** What `onProgress` counts: bytes of the source as stored (compressed, if it is), or records. */
  readonly unit: 'bytes' | 'records';
  /** In `unit`; undefined if it is not known in advance. */
  readonly total: number | undefined;
  /** Entries in the source's order, in batches. Throws SourceError if it cannot be read to its end. */
  read(onProgress: (amount: number) => void): AsyncGenerator<readonly PackedSourceEntry[]>;
}

export interface ServerCopy {
  /** Changes when anything that the server says does. */
  readonly fingerprint: string;
  /** Does not ask the server. */
  readonly source: SourceReader;
}
