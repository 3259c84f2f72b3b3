// What a handler sees of a request: values, no socket. A transport's view may read headers lazily from the native request,
// so it is valid only until the handler returns.

export interface RequestView {
  /** Upper case. */
  readonly method: string;
  /** The path as sent, still percent-encoded. */
  readonly path: string;
  /** The query as sent, without the question mark; '' when there is none. */
  readonly query: string;
  /** The address of the peer, which may be a proxy: IPv4 or IPv6 as text; '' when it is not known. */
  readonly address: string;
  /** The value of a header by lower-case name; '' when absent. */
  header(name: string): string;
}
