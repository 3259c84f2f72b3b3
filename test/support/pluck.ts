// One member of each value of a list.

/** Values without a type, as JSON.parse returns, are inferred as unknown: they may have any member. */
type MemberOf<T> = T extends object ? keyof T : PropertyKey;

export function pluck<T>(values: readonly T[], member: MemberOf<T>): unknown[] {
  return values.map((value) => value[member as keyof T]); // the same keys, but for values without a type
}
