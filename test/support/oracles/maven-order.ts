// The slow twin of the maven keys: ComparableVersion as Maven describes it, with its nested lists. Its
// comparison is not an order: by kind, qualifier < list < number, but by sign against a missing item. So
// there are two here: Maven's own, and the one of the keys, which asks for the sign first.

type Item = bigint | string | readonly Item[] | undefined;

const QUALIFIERS = ['alpha', 'beta', 'milestone', 'rc', 'snapshot', '', 'sp'];
const RELEASE = QUALIFIERS.indexOf('');
const ALIASES: Readonly<Record<string, string>> = { ga: '', final: '', release: '', cr: 'rc' };
const SHORT: Readonly<Record<string, string>> = { a: 'alpha', b: 'beta', m: 'milestone' };

export const isMavenVersion = (text: string): boolean => text !== '' && !/\p{Cc}/u.test(text);

const isDigit = (character: string): boolean => /^\p{Nd}$/u.test(character);

function numberOf(digits: string): bigint {
  return BigInt(
    digits.replace(/[^0-9]/g, (digit) => {
      let value = 0; // digits are in rows of ten
      while (isDigit(String.fromCharCode(digit.charCodeAt(0) - value - 1)) && value < 9) value++;
      return String(value);
    }),
  );
}

/** ComparableVersion.parseVersion and normalize. */
function parse(text: string): Item[] {
  const version = text.toLowerCase();
  const root: Item[] = [];
  const lists = [root];
  let list = root;
  const descend = (): void => {
    const inner: Item[] = [];
    list.push(inner);
    lists.push(inner);
    list = inner;
  };
  const qualifier = (name: string, isBeforeDigit: boolean): string => {
    const full = isBeforeDigit ? (SHORT[name] ?? name) : name;
    return Object.hasOwn(ALIASES, full) ? ALIASES[full] : full;
  };
  // Java looks at halves of pairs, which are no digits.
  const tokens = version.match(/[.-]|[^.-]/g) ?? [];
  let buffer = '';
  let hasDigits = false;
  const add = (isBeforeDigit = false): void => {
    list.push(hasDigits ? numberOf(buffer) : qualifier(buffer, isBeforeDigit));
    buffer = '';
  };
  for (const character of tokens) {
    if (character === '.' || character === '-') {
      if (buffer === '') list.push(0n);
      else add();
      if (character === '-') descend();
      continue;
    }
    if (buffer !== '' && isDigit(character) !== hasDigits) {
      if (!hasDigits && list.length > 0) descend();
      add(!hasDigits);
      descend();
    }
    hasDigits = isDigit(character);
    buffer += character;
  }
  if (buffer !== '') {
    if (!hasDigits && list.length > 0) descend();
    add();
  }
  for (const each of lists.reverse()) {
    for (let i = each.length - 1; i >= 0; i--) {
      const item = each[i];
      if (isNull(item)) each.splice(i, 1);
      else if (!Array.isArray(item)) break;
    }
  }
  return root;
}

function isNull(item: Item): boolean {
  return item === 0n || item === '' || (Array.isArray(item) && item.length === 0);
}

/** By rank, then the others by their text. */
function orderQualifiers(a: string, b: string): number {
  const [left, right] = [a, b].map((name) => {
    const rank = QUALIFIERS.indexOf(name);
    return rank < 0 ? `${QUALIFIERS.length}-${name}` : String(rank);
  });
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Sign of an item compared with a missing one. */
function signOf(item: Item): number {
  if (item === undefined) return 0;
  if (typeof item === 'bigint') return item === 0n ? 0 : 1;
  if (typeof item === 'string') return Math.sign(orderQualifiers(item, QUALIFIERS[RELEASE]));
  for (const each of item) if (signOf(each) !== 0) return signOf(each);
  return 0;
}

const kindOf = (item: Item): number => (typeof item === 'bigint' ? 2 : typeof item === 'string' ? 0 : 1);

function orderLists(a: readonly Item[], b: readonly Item[], isSignFirst: boolean): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const [x, y] = [a[i], b[i]];
    let found = 0;
    if (x === undefined || y === undefined) {
      found = x === undefined ? -signOf(y) : signOf(x);
    } else if (kindOf(x) !== kindOf(y)) {
      const [left, right] = [signOf(a.slice(i)), signOf(b.slice(i))];
      found = isSignFirst && left !== right ? left - right : kindOf(x) - kindOf(y);
    } else if (typeof x === 'bigint' && typeof y === 'bigint') {
      found = x < y ? -1 : x > y ? 1 : 0;
    } else if (typeof x === 'string' && typeof y === 'string') {
      found = orderQualifiers(x, y);
    } else if (Array.isArray(x) && Array.isArray(y)) {
      found = orderLists(x, y, isSignFirst);
    }
    if (found !== 0) return Math.sign(found);
  }
  return 0;
}

/** Sign of a compared with b in the order of the scheme `maven`. */
export const compareMaven = (a: string, b: string): number => orderLists(parse(a), parse(b), true);

/** What ComparableVersion answers. */
export const compareAsMaven = (a: string, b: string): number => orderLists(parse(a), parse(b), false);
