// The member `refused` of GET /operations, which two views show.

export interface Refused {
  /** By code. */
  readonly counts: Readonly<Record<string, number>>;
  /** The newest first. */
  readonly recent: readonly {
    readonly file: string;
    readonly code: string;
    readonly message: string;
    readonly at: string;
  }[];
}
