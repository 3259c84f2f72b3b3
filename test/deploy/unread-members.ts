// Members that nobody reads: the generated checks of a schema pass over members that it does not have, as a
// misspelt one, and this finds them.

type Members = Record<string, unknown>;

/** The paths of members of `value` that `read` has not looked at. */
export function unreadMembers(value: object, read: (watched: object) => void): readonly string[] {
  const seen = new Map<object, Set<string>>();
  const watch = (target: object): object => {
    const names = seen.get(target) ?? new Set<string>();
    seen.set(target, names);
    return new Proxy(target, {
      get(inner, name) {
        const member: unknown = Reflect.get(inner, name);
        if (typeof name === 'string') names.add(name);
        return typeof member === 'object' && member !== null ? watch(member) : member;
      },
    });
  };
  read(watch(value));
  const unread = (target: object, path: string): readonly string[] =>
    Object.entries(target as Members).flatMap(([name, member]) => {
      const at = `${path}/${name}`;
      if (seen.get(target)?.has(name) !== true) return [at];
      // Nothing below was looked at: the schema says that anything may be there.
      return typeof member === 'object' && member !== null && seen.get(member)?.size !== 0
        ? unread(member, at)
        : [];
    });
  return unread(value, '');
}
