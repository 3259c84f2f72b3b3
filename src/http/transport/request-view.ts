// What a handler sees of a request: values, no socket. A transport's view may read headers lazily from the
// native request, so it is valid only until the handler returns.

export interface RequestView {
  /** Upper case. */
  readonly method: string;
  /** The path as sent, still percent-encoded. */
  readonly path: string;
  /** The query as sent, without the question mark; '' when there is none. */
  readonly query: string;
  /**
   * The address of the peer, which may be a proxy, as `canonicalAddress` writes it; '' when it is not known.
   */
  readonly address: string;
  /**
   * The value of a header by lower-case name; '' when absent. Of one that was sent several times the
   * first line counts, as if the others were not there; of a list (LIST_HEADERS) that does not begin
   * with an empty line, all of them. Where the first line of a list is `enough` to know, it may be all that
   * is read: over the addon the others take ten times as long.
   */
  header(name: string, enough?: string): string;
  /**
   * All lines of a header, in the order of the request, joined by commas; '' when absent. Over the
   * addon it takes ten times as long.
   */
  list(name: string): string;
}

/** Lists by definition, so that their lines are one value (RFC 9110 5.3). */
export const LIST_HEADERS: ReadonlySet<string> = new Set(['accept-encoding', 'if-none-match']);
