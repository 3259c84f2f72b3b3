// What a handler sees of a request: values, no socket. A transport's view may read headers lazily from the native request,
// so it is valid only until the handler returns.

export interface RequestView {
  /** Upper case. */
  readonly method: string;
  /** The path as sent, still percent-encoded. */
  readonly path: string;
  /** The query as sent, without the question mark; '' when there is none. */
  readonly query: string;
  /** The address of the peer, which may be a proxy, as `canonicalAddress` writes it; '' when it is not known. */
  readonly address: string;
  /** The value of a header by lower-case name; '' when absent. If it was sent twice, which one is the transport's choice. */
  header(name: string): string;
  /** All values of a header that proxies add lines to, in the order of the request, joined by commas; '' when absent. */
  list(name: string): string;
}
