// What a fleet shares lies in a store of objects: a folder, a web server, a bucket, a registry. This is what
// is asked of one, for reading and for publishing; a file beside this one keeps it for each kind of store.
// Names are relative, with `/` between their parts.

/** Where replicas read from. */
export interface ObjectSource {
  /** For logs and messages: no credentials. */
  readonly shownAs: string;
  /** Throws ObjectError. */
  get(name: string, asked: AskedObject): Promise<ObjectReply>;
  close(): Promise<void>;
}

export interface AskedObject {
  /** Of the object that the caller has: if it is still the same, the reply is `unchanged`. */
  readonly etag?: string;
  /** The first byte that the caller lacks of the object with `rangeOf`. */
  readonly from?: number;
  /** The ETag of the object whose beginning the caller has: of another object the reply begins at 0. */
  readonly rangeOf?: string;
  readonly signal: AbortSignal;
}

export type ObjectReply =
  | { readonly kind: 'unchanged'; readonly storeTimeMs?: number | undefined }
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'found';
      readonly etag: string | undefined;
      /** Of the whole object; undefined if the store does not say. */
      readonly bytes: number | undefined;
      /** The first byte of the body: what was asked for, or 0. */
      readonly from: number;
      /** The store's clock, if it says. */
      readonly storeTimeMs?: number | undefined;
      /** When the object was last changed, by that clock; to the second. */
      readonly changedAtMs?: number | undefined;
      /** To be read to its end, or ended by its `return`. */
      readonly body: AsyncIterable<Uint8Array>;
    };

/** Where a publisher writes to. */
export interface ObjectTarget extends ObjectSource {
  /**
   * Replaces the object whole: no reader sees a part of it. Nothing is stored if the condition does not hold
   * (`changed`), or if the store says that it checks none (`unable`); some ignore it. Throws ObjectError.
   */
  put(
    name: string,
    content: ObjectContent,
    signal: AbortSignal,
    condition?: PutCondition,
  ): Promise<PutOutcome>;
  /** The names below a prefix. */
  list(prefix: string, signal: AbortSignal): Promise<readonly ListedObject[]>;
  /** Requires: `list` returned it. */
  remove(name: string, signal: AbortSignal): Promise<void>;
}

export type PutOutcome = 'stored' | 'changed' | 'unable';

/** What must hold for the object that is replaced: there is none, or it has this ETag. */
export type PutCondition =
  | { readonly kind: 'absent' }
  | { readonly kind: 'unchanged'; readonly etag: string };

export type ObjectContent =
  | {
      readonly kind: 'bytes';
      readonly bytes: Uint8Array;
      readonly type: string;
      readonly cacheControl: string;
    }
  | {
      readonly kind: 'file';
      readonly path: string;
      readonly bytes: number;
      /** Lower-case hexadecimal. */
      readonly sha256: string;
      readonly type: string;
      readonly cacheControl: string;
      /** Told what was sent, an attempt that failed included. */
      readonly onSent?: (bytes: number) => void;
    };

export interface ListedObject {
  readonly name: string;
  readonly bytes: number;
  readonly changedAtMs: number;
}

/** A store that did not do what it was asked. The message says what, where and what to do. */
export class ObjectError extends Error {
  override readonly name = 'ObjectError';
  /** Whether the same may succeed later without anyone's help. */
  readonly isPassing: boolean;

  constructor(message: string, isPassing: boolean, options?: ErrorOptions) {
    super(message, options);
    this.isPassing = isPassing;
  }
}

// RFC 9110, 8.8.3 also allows bytes above 0x7f, which a header that is read as Latin-1 and written as ASCII
// does not carry.
const ENTITY_TAG = /^(?:W\/)?"[\x21\x23-\x7e]*"$/;

/** The tag as received, or undefined if it is not one that can be sent back. */
export function usableTag(tag: unknown): string | undefined {
  return typeof tag === 'string' && ENTITY_TAG.test(tag) ? tag : undefined;
}
