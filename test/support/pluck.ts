// One member of each value of a list.

/** Values without a type, as those of JSON.parse, are inferred as unknown; any member may be asked of them. */
type MemberOf<T> = T extends object ? keyof T : PropertyKey;

export function pluck<T>(values: readonly T[], member: MemberOf<T>): unknown[] {
  return values.map((value) => value[member as keyof T]); // the same keys, but for values without a type
}
